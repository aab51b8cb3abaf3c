/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * A program that uses the library as a package: prints the public key of the scalar of RFC 7748
 * section 6.1, as wg(8) would.
 */
#include <wyrm.h>
#include <wyrm_text.h>

#include "no_platform.h"

#include <stdio.h>

WYRM_DEVICE_DEFINE(device, 1, 1);

int main(void)
{
    static const char private_key[] = "dwdtCnMYpX08FsFyUbJmRd9ML4frwJkqsXf7pR25LCo=";
    uint8_t key[WYRM_KEY_LEN];
    char text[WYRM_KEY_TEXT_MAX];

    if (wyrm_key_parse(private_key, sizeof(private_key) - 1, key) != WYRM_OK ||
        wyrm_init(&device, &device_pools, &no_platform) != WYRM_OK ||
        wyrm_set_private_key(&device, key) != WYRM_OK || wyrm_public_key(&device, key) != WYRM_OK)
        return 1;
    (void)wyrm_key_print(key, text);
    printf("%s, IPv6 %d\n", text, WYRM_IPV6);
    return 0;
}

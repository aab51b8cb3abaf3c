/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * A program that uses the lwIP port as a package: starts a tunnel and prints the MTU of its
 * interface.
 */
#include <wyrm_lwip.h>

#include "lwip/init.h"

#include "no_platform.h"

#include <stdio.h>
#include <string.h>

WYRM_LWIP_DEFINE(tunnel, 1, 1, 1);

/* Functions that lwIP expects from its port. */
u32_t sys_now(void)
{
    return 0;
}

unsigned int lwip_port_rand(void)
{
    return 4; /* nothing here depends on it */
}

int main(void)
{
    static const struct wyrm_prefix address = {.family = 4, .bits = 24, .addr = {10, 0, 0, 2}};
    const struct wyrm_lwip_config config = {
        .platform = &no_platform, .addresses = &address, .n_addresses = 1, .listen_port = 51820};

    lwip_init();
    if (wyrm_lwip_start(&tunnel, &config) != ERR_OK)
        return 1;
    printf("MTU %u, port %u\n", wyrm_lwip_netif(&tunnel)->mtu, wyrm_lwip_port(&tunnel));
    wyrm_lwip_remove(&tunnel);
    return 0;
}

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The host: the order comes on standard input.
 */
#include "../target.h"

#include <stdio.h>
#include <stdlib.h>

const struct order *target_order(void)
{
    static _Alignas(struct order) unsigned char bytes[1 << 16];
    static size_t len;
    const struct order *order = (const void *)bytes;

    if (len == 0)
        len = fread(bytes, 1, sizeof(bytes), stdin);

    if (len < sizeof(*order) || len < sizeof(*order) + order->secrets * (size_t)SECRET_LEN) {
        fputs("the order on standard input is too short\n", stderr);
        exit(2);
    }
    return order;
}

void target_print(const char *text)
{
    fputs(text, stdout);
}

noreturn void target_exit(int status)
{
    exit(status);
}

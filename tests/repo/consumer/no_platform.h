/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * A platform without entropy and clock: enough for programs that do no handshake.
 */
#ifndef NO_PLATFORM_H
#define NO_PLATFORM_H

#include <wyrm.h>

static bool no_random(void *ctx, void *out, size_t len)
{
    (void)ctx;
    (void)out;
    (void)len;
    return false;
}

static bool no_time(void *ctx, uint8_t out[12])
{
    (void)ctx;
    (void)out;
    return false;
}

static const struct wyrm_platform no_platform = {NULL, no_random, no_time};

#endif

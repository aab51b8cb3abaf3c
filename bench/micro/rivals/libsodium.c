/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * What libsodium's ciphers want of the rest of it, which needs an operating system.
 */
#include "wyrm_crypto.h"

#include <sodium.h>

void sodium_memzero(void *pnt, size_t len)
{
    wyrm_wipe(pnt, len);
}

int sodium_memcmp(const void *b1, const void *b2, size_t len)
{
    return wyrm_ct_equal(b1, b2, len) ? 0 : -1;
}

int sodium_is_zero(const unsigned char *n, size_t nlen)
{
    return wyrm_ct_is_zero(n, nlen);
}

void sodium_misuse(void)
{
    for (;;)
        ;
}

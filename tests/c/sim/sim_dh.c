/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * A toy replacement for X25519, a hundred times as fast: powers of 3 modulo 2^61 - 1. The simulator
 * searches for protocol errors, and needs of Diffie-Hellman only that both ends agree. Linked into
 * wyrm_sim; wyrm_sim_x25519 is the same program with the real thing.
 */
#include "wyrm_crypto.h"

#include "crypto/wyrm_bytes.h"

#include <string.h>

#define PRIME ((UINT64_C(1) << 61) - 1)

/* The 128-bit product by 32-bit halves, folded at bit 61. */
static uint64_t multiply(uint64_t a, uint64_t b)
{
    uint64_t a0 = a & UINT32_MAX, a1 = a >> 32, b0 = b & UINT32_MAX, b1 = b >> 32;
    uint64_t low = a0 * b0, middle = a1 * b0 + (low >> 32), carry = a0 * b1 + (middle & UINT32_MAX);
    uint64_t high = a1 * b1 + (middle >> 32) + (carry >> 32);
    uint64_t folded;

    low = carry << 32 | (low & UINT32_MAX);
    folded = (low & PRIME) + (high << 3 | low >> 61);
    return (folded & PRIME) + (folded >> 61) == PRIME ? 0 : (folded & PRIME) + (folded >> 61);
}

static uint64_t power(uint64_t base, uint64_t exponent)
{
    uint64_t result = 1;

    for (; exponent > 0; exponent >>= 1) {
        if (exponent & 1)
            result = multiply(result, base);
        base = multiply(base, base);
    }
    return result;
}

bool wyrm_x25519(uint8_t out[WYRM_X25519_LEN], const uint8_t scalar[WYRM_X25519_LEN],
                 const uint8_t point[WYRM_X25519_LEN])
{
    uint64_t shared = power(wyrm_load_le64(point) % PRIME, wyrm_load_le64(scalar) >> 3 | 1);

    memset(out, 0, WYRM_X25519_LEN);
    wyrm_store_le64(out, shared);
    return shared > 1;
}

bool wyrm_x25519_base(uint8_t out[WYRM_X25519_LEN], const uint8_t scalar[WYRM_X25519_LEN])
{
    static const uint8_t three[WYRM_X25519_LEN] = {3};

    return wyrm_x25519(out, scalar, three);
}

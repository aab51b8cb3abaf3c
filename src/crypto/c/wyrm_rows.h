/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Big-number arithmetic in loops, for X25519 and Poly1305 in the smallest build. Limbs, lowest
 * first, have half the bits of the widest product that takes the same time for all operands.
 */
#ifndef WYRM_ROWS_H
#define WYRM_ROWS_H

#include "../wyrm_crypto_select.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if WYRM_ROWS == 32
typedef uint32_t wyrm_limb;
typedef uint64_t wyrm_limb_pair;
#else
typedef uint16_t wyrm_limb;
typedef uint32_t wyrm_limb_pair;
#endif

/* The number of limbs for that many bits. */
#define WYRM_LIMBS(bits) ((bits) / WYRM_ROWS)

/* sum += factor * b over `n` limbs; returns the carry out of the top. A row of a product, or with a
 * factor of one an addition. */
wyrm_limb wyrm_row(wyrm_limb *sum, wyrm_limb factor, const wyrm_limb *b, unsigned n);

/* Limbs from `len` bytes, and back. */
static inline void wyrm_limbs_load(wyrm_limb *out, const uint8_t *in, size_t len)
{
    memcpy(out, in, len);
    for (size_t i = 0; !WYRM_LITTLE_ENDIAN && i < len; i += sizeof(*out)) {
        wyrm_limb limb = 0;

        for (size_t j = sizeof(limb); j-- > 0;)
            limb = (wyrm_limb)((wyrm_limb_pair)limb << 8 | in[i + j]);
        out[i / sizeof(*out)] = limb;
    }
}

static inline void wyrm_limbs_store(uint8_t *out, const wyrm_limb *in, size_t len)
{
    if (WYRM_LITTLE_ENDIAN) {
        memcpy(out, in, len);
        return;
    }
    for (size_t i = 0; i < len; i++)
        out[i] = (uint8_t)(in[i / sizeof(*in)] >> 8 * (i % sizeof(*in)));
}

#endif /* WYRM_ROWS_H */

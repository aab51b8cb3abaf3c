/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Poly1305 over five limbs of 26 bits, for cores that have high words of products but no carry
 * flag: there compilers turn 64-bit additions into branches, which would depend on secrets.
 *
 * So no addition here may carry. Each column has two sums: the low words of its products modulo
 * 2^32, and the parts of the products above bit 29. Each product contributes less than 2^29 that
 * the second sum omits. For five products and the carry of the previous column this remainder is
 * less than 2^32, so it follows from the sum of low words.
 *
 * Bounds: limbs below 2^27 with a block added, 5 r below 2^28.4, so a column below 2^57.7 and its
 * carry below 2^31.7; the last one, without any 5 r, below 2^29.4.
 */
#ifndef WYRM_POLY1305_26_H
#define WYRM_POLY1305_26_H

#include "../wyrm_bytes.h"

#include <string.h>

#define LIMBS     5
#define LIMB_MASK UINT32_C(0x3ffffff)
#define OVERLAP   3 /* 32 - 29 */

static void split(uint32_t limb[LIMBS], uint32_t w0, uint32_t w1, uint32_t w2, uint32_t w3)
{
    limb[0] += w0 & LIMB_MASK;
    limb[1] += (w0 >> 26 | w1 << 6) & LIMB_MASK;
    limb[2] += (w1 >> 20 | w2 << 12) & LIMB_MASK;
    limb[3] += (w2 >> 14 | w3 << 18) & LIMB_MASK;
    limb[4] += w3 >> 8;
}

static void load_key(struct wyrm_poly1305 *state, const uint8_t key[16])
{
    memset(state->w + 4, 0, LIMBS * sizeof(state->w[0]));
    split(state->w + 4, clamped(key, 0), clamped(key, 1), clamped(key, 2), clamped(key, 3));
    for (unsigned i = 0; i < 4; i++)
        state->w[i] = 5 * state->w[5 + i];
}

#if !WYRM_POLY1305_ASM
static inline uint32_t high_word(uint32_t a, uint32_t b)
{
    return (uint32_t)((uint64_t)a * b >> 32);
}

void wyrm_poly1305_blocks(struct wyrm_poly1305 *state, const uint8_t *in, size_t blocks,
                          uint32_t top)
{
    const uint32_t *w = state->w + 4;
    uint32_t h[LIMBS], next[LIMBS];

    memcpy(h, state->h, sizeof(h));
    for (; blocks > 0; blocks--, in += WYRM_POLY1305_BLOCK) {
        uint32_t carry = 0;

        split(h, wyrm_load_le32(in), wyrm_load_le32(in + 4), wyrm_load_le32(in + 8),
              wyrm_load_le32(in + 12));
        h[4] += top << 24;
        for (int k = 0; k < LIMBS; k++) {
            uint32_t low = carry, high = carry >> (32 - OVERLAP);

            for (int i = 0; i < LIMBS; i++) {
                low += h[i] * w[k - i];
                high += high_word(h[i], w[k - i] << OVERLAP);
            }
            next[k] = low & LIMB_MASK;
            carry = (high << 3) + ((low - (high << (32 - OVERLAP))) >> 26);
        }
        next[0] += 5 * carry; /* 2^130 = 5 */
        next[1] += next[0] >> 26;
        next[0] &= LIMB_MASK;
        memcpy(h, next, sizeof(h));
    }
    memcpy(state->h, h, sizeof(h));
}
#endif

/* The sum as five words, below 2 p. Limb 1 may reach into limb 2. */
static const uint32_t *sum_words(struct wyrm_poly1305 *state, uint32_t sum[5])
{
    uint32_t *h = state->h;
    uint32_t carry = 0;

    for (unsigned i = 1; i < LIMBS; i++) {
        carry += h[i];
        h[i] = carry & LIMB_MASK;
        carry >>= 26;
    }
    h[0] += 5 * carry;
    h[1] += h[0] >> 26;
    h[0] &= LIMB_MASK;
    h[2] += h[1] >> 26;
    h[1] &= LIMB_MASK;
    sum[0] = h[0] | h[1] << 26;
    sum[1] = h[1] >> 6 | h[2] << 20;
    sum[2] = h[2] >> 12 | h[3] << 14;
    sum[3] = h[3] >> 18 | h[4] << 8;
    sum[4] = h[4] >> 24;
    return sum;
}

#undef LIMBS
#undef LIMB_MASK
#undef OVERLAP

#endif /* WYRM_POLY1305_26_H */

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Poly1305 over ten limbs of 13 bits, for cores whose wide multiply is missing or takes longer for
 * some operands: every product and every column of ten fits 32 bits.
 *
 * The state keeps the columns of the last product. The next block is added to them before their
 * carries are propagated, so one pass of carries per block serves both. After it limb 1 is below
 * 2^13 + 2^9 and the others below 2^13; the clamped r gives columns below 294,891 (2^13 + 2^9),
 * which leaves 2^30 to spare for block and carries.
 */
#ifndef WYRM_POLY1305_13_H
#define WYRM_POLY1305_13_H

#include "../wyrm_bytes.h"

#include <string.h>

#define LIMBS     10
#define LIMB_MASK UINT32_C(0x1fff)

/* Adds a number of 128 bits to the limbs. */
static void add_words(uint32_t limb[LIMBS], uint32_t w0, uint32_t w1, uint32_t w2, uint32_t w3)
{
    limb[0] += w0 & LIMB_MASK;
    limb[1] += w0 >> 13 & LIMB_MASK;
    limb[2] += (w0 >> 26 | w1 << 6) & LIMB_MASK;
    limb[3] += w1 >> 7 & LIMB_MASK;
    limb[4] += (w1 >> 20 | w2 << 12) & LIMB_MASK;
    limb[5] += w2 >> 1 & LIMB_MASK;
    limb[6] += w2 >> 14 & LIMB_MASK;
    limb[7] += (w2 >> 27 | w3 << 5) & LIMB_MASK;
    limb[8] += w3 >> 8 & LIMB_MASK;
    limb[9] += w3 >> 21;
}

static void load_key(struct wyrm_poly1305 *state, const uint8_t key[16])
{
    memset(state->w + 9, 0, LIMBS * sizeof(state->w[0]));
    add_words(state->w + 9, clamped(key, 0), clamped(key, 1), clamped(key, 2), clamped(key, 3));
    for (unsigned i = 0; i < 9; i++)
        state->w[i] = 5 * state->w[10 + i];
}

/* Propagates the carries. 2^130 = 5. */
static void carry(uint32_t limb[LIMBS])
{
    uint32_t sum = 0;

    for (unsigned i = 0; i < LIMBS; i++) {
        sum += limb[i];
        limb[i] = sum & LIMB_MASK;
        sum >>= 13;
    }
    sum = limb[0] + 5 * sum;
    limb[0] = sum & LIMB_MASK;
    limb[1] += sum >> 13;
}

#if !WYRM_POLY1305_ASM
/* columns = limbs * r; column k is the sum of limb[i] * r[k - i], times five where the index is
 * negative. */
static void multiply(uint32_t column[LIMBS], const uint32_t limb[LIMBS], const uint32_t w[19])
{
    const uint32_t h0 = limb[0], h1 = limb[1], h2 = limb[2], h3 = limb[3], h4 = limb[4];
    const uint32_t h5 = limb[5], h6 = limb[6], h7 = limb[7], h8 = limb[8], h9 = limb[9];

    for (unsigned k = 0; k < LIMBS; k++, w++)
        column[k] = h0 * w[9] + h1 * w[8] + h2 * w[7] + h3 * w[6] + h4 * w[5] + h5 * w[4] +
                    h6 * w[3] + h7 * w[2] + h8 * w[1] + h9 * w[0];
}

void wyrm_poly1305_blocks(struct wyrm_poly1305 *state, const uint8_t *in, size_t blocks,
                          uint32_t top)
{
    bool words = wyrm_words_at(in);

    for (; blocks > 0; blocks--, in += WYRM_POLY1305_BLOCK) {
        if (words)
            add_words(state->h, wyrm_load_word(in), wyrm_load_word(in + 4), wyrm_load_word(in + 8),
                      wyrm_load_word(in + 12));
        else
            add_words(state->h, wyrm_load_le32(in), wyrm_load_le32(in + 4), wyrm_load_le32(in + 8),
                      wyrm_load_le32(in + 12));
        state->h[9] += top << 11;
        carry(state->h);
        multiply(state->h, state->h, state->w);
    }
}
#endif

/* The sum as five words, below 2 p; they may be stored in `sum`. Limb 1 may reach into limb 2,
 * hence the additions. */
static const uint32_t *sum_words(struct wyrm_poly1305 *state, uint32_t sum[5])
{
    uint32_t *h = state->h;

    carry(h);
#if WYRM_CT_ADD64
    uint64_t word;

    word = (uint64_t)(h[0] + (h[1] << 13)) + (h[2] << 26);
    sum[0] = (uint32_t)word;
    word = (word >> 32) + ((h[2] >> 6) + (h[3] << 7)) + (h[4] << 20);
    sum[1] = (uint32_t)word;
    word = (word >> 32) + ((h[4] >> 12) + (h[5] << 1) + (h[6] << 14)) + (h[7] << 27);
    sum[2] = (uint32_t)word;
    word = (word >> 32) + ((h[7] >> 5) + (h[8] << 8)) + (h[9] << 21);
    sum[3] = (uint32_t)word;
    sum[4] = (uint32_t)(word >> 32) + (h[9] >> 11);
#else
    for (unsigned i = 1; i < LIMBS - 1; i++) {
        h[i + 1] += h[i] >> 13;
        h[i] &= LIMB_MASK;
    }
    sum[0] = h[0] | h[1] << 13 | h[2] << 26;
    sum[1] = h[2] >> 6 | h[3] << 7 | h[4] << 20;
    sum[2] = h[4] >> 12 | h[5] << 1 | h[6] << 14 | h[7] << 27;
    sum[3] = h[7] >> 5 | h[8] << 8 | h[9] << 21;
    sum[4] = h[9] >> 11;
#endif
    return sum;
}

#undef LIMBS
#undef LIMB_MASK

#endif /* WYRM_POLY1305_13_H */

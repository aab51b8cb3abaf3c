/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Poly1305 over limbs of 32 bits, for cores whose 32 x 32 -> 64 multiply takes the same time for
 * every operand.
 *
 * Clamping leaves r[i] < 2^28, and r[1..3] multiples of four. So 2^128 r[i] = 2^130 r[i] / 4 is
 * 5/4 r[i] =: s[i] modulo p, exact, below 2^28.4; a column of five products stays below 2^63, and
 * h[4] below 2^32.
 */
#ifndef WYRM_POLY1305_32_H
#define WYRM_POLY1305_32_H

#include "../wyrm_bytes.h"

static void load_key(struct wyrm_poly1305 *state, const uint8_t key[16])
{
    for (unsigned i = 0; i < 4; i++) {
        state->r[i] = clamped(key, i);
        if (i > 0)
            state->s[i - 1] = state->r[i] + (state->r[i] >> 2);
    }
}

#if !WYRM_POLY1305_ASM
/* In local variables, which compilers keep in registers as far as possible. */
void wyrm_poly1305_blocks(struct wyrm_poly1305 *state, const uint8_t *in, size_t blocks,
                          uint32_t top)
{
    uint32_t h0 = state->h[0], h1 = state->h[1], h2 = state->h[2], h3 = state->h[3];
    uint32_t h4 = state->h[4];
    const uint32_t r0 = state->r[0], r1 = state->r[1], r2 = state->r[2], r3 = state->r[3];
    const uint32_t s1 = state->s[0], s2 = state->s[1], s3 = state->s[2];

    for (; blocks > 0; blocks--, in += WYRM_POLY1305_BLOCK) {
        uint64_t d = (uint64_t)h0 + wyrm_load_le32(in);

        h0 = (uint32_t)d;
        d = (d >> 32) + h1 + wyrm_load_le32(in + 4);
        h1 = (uint32_t)d;
        d = (d >> 32) + h2 + wyrm_load_le32(in + 8);
        h2 = (uint32_t)d;
        d = (d >> 32) + h3 + wyrm_load_le32(in + 12);
        h3 = (uint32_t)d;
        h4 += (uint32_t)(d >> 32) + top;

        d = (uint64_t)h0 * r0 + (uint64_t)h1 * s3 + (uint64_t)h2 * s2 + (uint64_t)h3 * s1;
        uint32_t d0 = (uint32_t)d;
        d = (d >> 32) + (uint64_t)h0 * r1 + (uint64_t)h1 * r0 + (uint64_t)h2 * s3 +
            (uint64_t)h3 * s2 + (uint64_t)h4 * s1;
        uint32_t d1 = (uint32_t)d;
        d = (d >> 32) + (uint64_t)h0 * r2 + (uint64_t)h1 * r1 + (uint64_t)h2 * r0 +
            (uint64_t)h3 * s3 + (uint64_t)h4 * s2;
        uint32_t d2 = (uint32_t)d;
        d = (d >> 32) + (uint64_t)h0 * r3 + (uint64_t)h1 * r2 + (uint64_t)h2 * r1 +
            (uint64_t)h3 * r0 + (uint64_t)h4 * s3;
        uint32_t d3 = (uint32_t)d;
        uint32_t d4 = (uint32_t)(d >> 32) + h4 * r0;

        /* 2^130 = 5 */
        d = (uint64_t)d0 + (d4 & ~UINT32_C(3)) + (d4 >> 2);
        h0 = (uint32_t)d;
        d = (d >> 32) + d1;
        h1 = (uint32_t)d;
        d = (d >> 32) + d2;
        h2 = (uint32_t)d;
        d = (d >> 32) + d3;
        h3 = (uint32_t)d;
        h4 = (d4 & 3) + (uint32_t)(d >> 32);
    }
    state->h[0] = h0;
    state->h[1] = h1;
    state->h[2] = h2;
    state->h[3] = h3;
    state->h[4] = h4;
}
#endif

/* The sum as five words, below 2 p; they may be stored in `room`. */
static const uint32_t *sum_words(struct wyrm_poly1305 *state, uint32_t room[5])
{
    (void)room;
    return state->h;
}

#endif /* WYRM_POLY1305_32_H */

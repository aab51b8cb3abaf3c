/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Poly1305 over limbs of 64 bits, for processors with a 64 x 64 -> 128 multiply.
 *
 * Clamping leaves r[i] < 2^60, and r[1] a multiple of four. So 2^128 r[1] = 2^130 r[1] / 4 is
 * 5/4 r[1] =: s modulo p, exact, below 2^60.4; a column of three products stays below 2^127, and
 * h[2] below 8.
 */
#ifndef WYRM_POLY1305_64_H
#define WYRM_POLY1305_64_H

#include "../wyrm_bytes.h"

__extension__ typedef unsigned __int128 wide;

static void load_key(struct wyrm_poly1305 *state, const uint8_t key[16])
{
    state->r[0] = clamped(key, 0) | (uint64_t)clamped(key, 1) << 32;
    state->r[1] = clamped(key, 2) | (uint64_t)clamped(key, 3) << 32;
    state->s = state->r[1] + (state->r[1] >> 2);
}

static inline uint64_t load_le64(const uint8_t *p)
{
    return wyrm_load_le32(p) | (uint64_t)wyrm_load_le32(p + 4) << 32;
}

void wyrm_poly1305_blocks(struct wyrm_poly1305 *state, const uint8_t *in, size_t blocks,
                          uint32_t top)
{
    uint64_t h0 = state->h[0], h1 = state->h[1], h2 = state->h[2];
    const uint64_t r0 = state->r[0], r1 = state->r[1], s = state->s;

    for (; blocks > 0; blocks--, in += WYRM_POLY1305_BLOCK) {
        wide d = (wide)h0 + load_le64(in);

        h0 = (uint64_t)d;
        d = (d >> 64) + h1 + load_le64(in + 8);
        h1 = (uint64_t)d;
        h2 += (uint64_t)(d >> 64) + top;

        d = (wide)h0 * r0 + (wide)h1 * s;
        uint64_t d0 = (uint64_t)d;
        d = (d >> 64) + (wide)h0 * r1 + (wide)h1 * r0 + h2 * s;
        uint64_t d1 = (uint64_t)d;
        uint64_t d2 = (uint64_t)(d >> 64) + h2 * r0;

        /* 2^130 = 5 */
        d = (wide)d0 + (d2 & ~UINT64_C(3)) + (d2 >> 2);
        h0 = (uint64_t)d;
        d = (d >> 64) + d1;
        h1 = (uint64_t)d;
        h2 = (d2 & 3) + (uint64_t)(d >> 64);
    }
    state->h[0] = h0;
    state->h[1] = h1;
    state->h[2] = h2;
}

/* The sum as five words, below 2 p. */
static const uint32_t *sum_words(struct wyrm_poly1305 *state, uint32_t room[5])
{
    for (unsigned i = 0; i < 5; i++)
        room[i] = (uint32_t)(state->h[i / 2] >> 32 * (i % 2));
    return room;
}

#endif /* WYRM_POLY1305_64_H */

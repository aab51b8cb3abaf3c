/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Poly1305 in minimal code, with the row function of X25519.
 *
 * Bounds: the sum is below 2^130 + 2^128, and below 2^131 with a block added. Multiplied by r,
 * which is below 2^124, it is below 2^255. Five times its part from bit 130 up is below 2^127.4.
 */
#ifndef WYRM_POLY1305_ROWS_H
#define WYRM_POLY1305_ROWS_H

#include "wyrm_rows.h"

#define LIMBS WYRM_LIMBS(128)

void wyrm_poly1305_init(struct wyrm_poly1305 *state, const uint8_t key[32])
{
    memset(state->h, 0, sizeof(state->h));
    wyrm_limbs_load(state->key, key, 32);
    /* r is half of the key, without the bits that RFC 8439 section 2.5 clears. */
    for (unsigned i = 0; i < LIMBS; i++)
        state->key[i] &= (wyrm_limb)((i == 0 ? 0x0fffffff : 0x0ffffffc) >> (WYRM_ROWS * i % 32));
}

void wyrm_poly1305_blocks(struct wyrm_poly1305 *state, const uint8_t *in, size_t blocks,
                          uint32_t top)
{
    wyrm_limb *h = state->h + 1, x[2 * LIMBS + 1], *high = x + LIMBS;

    for (; blocks > 0; blocks--, in += WYRM_POLY1305_BLOCK) {
        wyrm_limbs_load(x, in, WYRM_POLY1305_BLOCK);
        x[LIMBS] = (wyrm_limb)top;
        (void)wyrm_row(h, 1, x, LIMBS + 1);
        memset(x, 0, sizeof(x));
        for (unsigned i = 0; i < LIMBS; i++)
            high[i + 1] = wyrm_row(x + i, state->key[i], h, LIMBS + 1);
        /* 2^130 = 5: add the part from bit 130 up four times and once, two bits lower. The second
         * sum starts one limb lower, in h[-1], which remains zero. */
        memcpy(h, x, sizeof(h[0]) * (LIMBS + 1));
        h[LIMBS] &= 3;
        high[0] ^= h[LIMBS];
        (void)wyrm_row(h, 1, high, LIMBS + 1);
        h[LIMBS] += wyrm_row(h - 1, (wyrm_limb)1 << (WYRM_ROWS - 2), high, LIMBS + 1);
    }
}

void wyrm_poly1305_finish(struct wyrm_poly1305 *state, uint8_t tag[16])
{
    wyrm_limb *h = state->h + 1;
    wyrm_limb_pair carry = 5;

    /* h >= p exactly if h + 5 reaches bit 130; then h - p = h + 5 without that bit. */
    for (unsigned i = 0; i < LIMBS; i++)
        carry = (carry + h[i]) >> WYRM_ROWS;
    carry = 5 * (((uint32_t)carry + h[LIMBS]) >> 2);
    for (unsigned i = 0; i < LIMBS; i++) {
        carry += (wyrm_limb_pair)h[i] + state->key[LIMBS + i];
        h[i] = (wyrm_limb)carry;
        carry >>= WYRM_ROWS;
    }
    wyrm_limbs_store(tag, h, WYRM_POLY1305_BLOCK);
}

#undef LIMBS

#endif /* WYRM_POLY1305_ROWS_H */

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Poly1305 (RFC 8439 section 2.5), internal interface. Callers pass whole blocks; there is no
 * buffer.
 */
#ifndef WYRM_POLY1305_H
#define WYRM_POLY1305_H

#include "wyrm_crypto_select.h"

#if WYRM_ROWS
#include "c/wyrm_rows.h"
#endif

#include <stddef.h>
#include <stdint.h>

#define WYRM_POLY1305_BLOCK 16

/* The assembly relies on the order of these members; see also c/wyrm_poly1305_<bits>.h. */
struct wyrm_poly1305 {
#if WYRM_ROWS
    wyrm_limb h[2 + WYRM_LIMBS(128)]; /* a limb for the carry, then the sum */
    wyrm_limb key[WYRM_LIMBS(256)];   /* the clamped key, then the addend of the final step */
#elif WYRM_POLY1305_BITS == 64
    uint64_t h[3]; /* the sum, at most a little over 2^130 */
    uint64_t r[2]; /* the clamped key */
    uint64_t s;    /* 5/4 of r[1] */
#elif WYRM_POLY1305_BITS == 32
    uint32_t h[5]; /* the sum, at most a little over 2^130 */
    uint32_t r[4]; /* the clamped key */
    uint32_t s[3]; /* 5/4 of r[1], r[2], r[3] */
#elif WYRM_POLY1305_BITS == 26
    uint32_t h[5]; /* the sum, at most a little over 2^130 */
    uint32_t w[9]; /* 5 r[1] to 5 r[4], then r[0] to r[4] */
#else
    uint32_t h[10]; /* columns of the last product before carrying */
    uint32_t w[19]; /* 5 r[1] to 5 r[9], then r[0] to r[9] */
#endif
#if !WYRM_ROWS
    uint32_t pad[4];
#endif
};

/* The key is aligned to words. */
void wyrm_poly1305_init(struct wyrm_poly1305 *state, const uint8_t key[32]);

/* The leaf: processes `blocks` > 0 blocks of 16 bytes, each a number with bit 128 equal to `top`:
 * 1, or 0 for a padded last block. */
void wyrm_poly1305_blocks(struct wyrm_poly1305 *state, const uint8_t *in, size_t blocks,
                          uint32_t top);

/* Writes the tag; the caller wipes the state. */
void wyrm_poly1305_finish(struct wyrm_poly1305 *state, uint8_t tag[16]);

#endif /* WYRM_POLY1305_H */

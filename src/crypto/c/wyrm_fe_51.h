/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Integers modulo p = 2^255 - 19 as five limbs of 51 bits, for 64-bit hosts with a 128-bit type.
 *
 * Bounds: mul, sqr, mul_a24 and load give limbs below 2^52; add and sub give limbs below 2^54. mul
 * and sqr take limbs below 2^54: a column is at most 81 * 2^108 < 2^115. add, sub and mul_a24 are
 * called on results of the first group, except mul_a24's factor (below 2^54).
 */
#ifndef WYRM_FE_51_H
#define WYRM_FE_51_H

#include "../wyrm_bytes.h"

#include <stdint.h>

#define FE_LIMBS 5
#define FE_MASK  ((UINT64_C(1) << 51) - 1)

typedef uint64_t fe_word;
__extension__ typedef unsigned __int128 fe_wide;

struct fe {
    fe_word limb[FE_LIMBS];
};

static inline void fe_load(struct fe *out, const uint8_t in[32])
{
    out->limb[0] = wyrm_load_le64(in) & FE_MASK;
    out->limb[1] = (wyrm_load_le64(in + 6) >> 3) & FE_MASK;
    out->limb[2] = (wyrm_load_le64(in + 12) >> 6) & FE_MASK;
    out->limb[3] = (wyrm_load_le64(in + 19) >> 1) & FE_MASK;
    out->limb[4] = (wyrm_load_le64(in + 24) >> 12) & FE_MASK;
}

static inline void fe_set(struct fe *out, unsigned small)
{
    *out = (struct fe){{small}};
}

/* Propagates carries once; the last one is folded into limb 0 (2^255 = 19). */
static inline void fe_carry(struct fe *a)
{
    for (unsigned i = 0; i < FE_LIMBS - 1; i++) {
        a->limb[i + 1] += a->limb[i] >> 51;
        a->limb[i] &= FE_MASK;
    }
    a->limb[0] += 19 * (a->limb[4] >> 51);
    a->limb[4] &= FE_MASK;
}

/* Destroys `a`. Two passes of carries bring it below 2^255 + 19. Adding 19 then reaches bit 255
 * exactly if a >= p, and the fold of that bit subtracts p; 19 is subtracted again, with 2^255 added
 * first and folded, so that no limb becomes negative. */
static inline void fe_store(uint8_t out[32], struct fe *a)
{
    fe_carry(a);
    fe_carry(a);
    a->limb[0] += 19;
    fe_carry(a);
    a->limb[0] += FE_MASK + 1 - 19;
    for (unsigned i = 1; i < FE_LIMBS; i++)
        a->limb[i] += FE_MASK;
    fe_carry(a);
    a->limb[0] -= 19;
    wyrm_store_le64(out, a->limb[0] | a->limb[1] << 51);
    wyrm_store_le64(out + 8, a->limb[1] >> 13 | a->limb[2] << 38);
    wyrm_store_le64(out + 16, a->limb[2] >> 26 | a->limb[3] << 25);
    wyrm_store_le64(out + 24, a->limb[3] >> 39 | a->limb[4] << 12);
}

static inline void fe_add(struct fe *out, const struct fe *a, const struct fe *b)
{
    for (unsigned i = 0; i < FE_LIMBS; i++)
        out->limb[i] = a->limb[i] + b->limb[i];
}

/* out = a + 4p - b, so that no limb becomes negative. */
static inline void fe_sub(struct fe *out, const struct fe *a, const struct fe *b)
{
    out->limb[0] = a->limb[0] + ((FE_MASK - 18) << 2) - b->limb[0];
    for (unsigned i = 1; i < FE_LIMBS; i++)
        out->limb[i] = a->limb[i] + (FE_MASK << 2) - b->limb[i];
}

static inline void fe_reduce(struct fe *out, const fe_wide column[FE_LIMBS])
{
    fe_wide carry = 0;

    for (unsigned i = 0; i < FE_LIMBS; i++) {
        carry += column[i];
        out->limb[i] = (uint64_t)carry & FE_MASK;
        carry >>= 51;
    }
    carry = carry * 19 + out->limb[0];
    out->limb[0] = (uint64_t)carry & FE_MASK;
    carry >>= 51;
    carry += out->limb[1];
    out->limb[1] = (uint64_t)carry & FE_MASK;
    out->limb[2] += (uint64_t)(carry >> 51);
}

static inline void fe_mul(struct fe *out, const struct fe *a, const struct fe *b)
{
    fe_wide column[FE_LIMBS] = {0};

    for (unsigned i = 0; i < FE_LIMBS; i++) {
        for (unsigned j = 0; j < FE_LIMBS; j++) {
            uint64_t fold = i + j < FE_LIMBS ? 1 : 19;

            column[(i + j) % FE_LIMBS] += (fe_wide)(a->limb[i] * fold) * b->limb[j];
        }
    }
    fe_reduce(out, column);
}

static inline void fe_sqr(struct fe *out, const struct fe *a)
{
    const uint64_t *l = a->limb;
    uint64_t l0 = 2 * l[0], l1 = 2 * l[1], l3 = 19 * l[3], l4 = 19 * l[4];
    fe_wide column[FE_LIMBS];

    column[0] = (fe_wide)l[0] * l[0] + (fe_wide)l1 * l4 + (fe_wide)(2 * l[2]) * l3;
    column[1] = (fe_wide)l0 * l[1] + (fe_wide)(2 * l[2]) * l4 + (fe_wide)l[3] * l3;
    column[2] = (fe_wide)l0 * l[2] + (fe_wide)l[1] * l[1] + (fe_wide)(2 * l[3]) * l4;
    column[3] = (fe_wide)l0 * l[3] + (fe_wide)l1 * l[2] + (fe_wide)l[4] * l4;
    column[4] = (fe_wide)l0 * l[4] + (fe_wide)l1 * l[3] + (fe_wide)l[2] * l[2];
    fe_reduce(out, column);
}

/* out = a^(2^times), times > 0 */
static inline void fe_sqr_times(struct fe *out, const struct fe *a, unsigned times)
{
    fe_sqr(out, a);
    while (--times > 0)
        fe_sqr(out, out);
}

/* out = a + 121665 * b: the curve constant (A - 2) / 4. */
static inline void fe_mul_a24(struct fe *out, const struct fe *a, const struct fe *b)
{
    fe_wide column[FE_LIMBS];

    for (unsigned i = 0; i < FE_LIMBS; i++)
        column[i] = (fe_wide)b->limb[i] * 121665 + a->limb[i];
    fe_reduce(out, column);
}

/* out = a if mask is all ones; unchanged if it is zero. */
static inline void fe_select(struct fe *out, const struct fe *a, uint32_t mask)
{
    fe_word wide = (fe_word)0 - (mask & 1);

    for (unsigned i = 0; i < FE_LIMBS; i++)
        out->limb[i] ^= wide & (out->limb[i] ^ a->limb[i]);
}

#endif /* WYRM_FE_51_H */

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Integers modulo p = 2^255 - 19 as twenty signed limbs of 13 bits, for cores without a
 * constant-time multiply wider than 32 bits: ARMv6-M has none, and UMULL on a Cortex-M3 takes 3 to
 * 5 cycles depending on its operands. Only 32-bit products are formed here; nothing calls a
 * compiler helper.
 *
 * Bounds: mul, sqr and mul_a24 give limbs of magnitude up to 2^12 + 16 and values of magnitude
 * below 2^255; load gives limbs below 2^13. add and sub of two such elements need no carries: their
 * limbs stay within 2^13 + 32, and a column of a product of two sums within 20 * (2^13 + 32)^2 <
 * 2^31 - 2^29.
 */
#ifndef WYRM_FE_13_H
#define WYRM_FE_13_H

#include "../wyrm_crypto_select.h"
#include "wyrm_limbs_13.h"

/* On a Cortex-M3 division steps take 84,000 fewer instructions than exponentiation, in about 300
 * bytes. */
#if !WYRM_SMALL
#define FE_DIVSTEPS "wyrm_divsteps_13.h"
#endif

#define FE_LIMBS LIMBS_13
#define FE_BITS  LIMB_13_BITS
#define FE_BLOCK 5 /* limbs multiplied at a time */

/* Unrolling the inner loops of a product triples its speed for about 300 bytes. */
#define FE_UNROLL _Pragma("GCC unroll 9")

struct fe {
    limb_13 limb[FE_LIMBS];
};

static void fe_load(struct fe *out, const uint8_t in[32])
{
    limbs_13_load(out->limb, in);
}

static void fe_set(struct fe *out, unsigned small)
{
    *out = (struct fe){{(limb_13)small}};
}

/* Destroys `a`, of magnitude below p. Adding 2^255 makes it a + p + 19, which reaches 2^255 exactly
 * if a >= 0; replacing bit 255 by 19 then leaves a or a + p, with an excess of 19. */
static void fe_store(uint8_t out[32], struct fe *a)
{
    limb_13 *top = &a->limb[FE_LIMBS - 1];
    int32_t fold;

    *top = (limb_13)(*top + 256);
    limbs_13_ripple(a->limb, 0);
    fold = 19 * (*top >> 8);
    *top &= 0xff;
    limbs_13_ripple(a->limb, fold - 19);
    limbs_13_store(out, a->limb);
}

#ifndef WYRM_FE_WORDS

static void fe_add(struct fe *out, const struct fe *a, const struct fe *b)
{
    for (unsigned i = 0; i < FE_LIMBS; i++)
        out->limb[i] = (int16_t)(a->limb[i] + b->limb[i]);
}

static void fe_sub(struct fe *out, const struct fe *a, const struct fe *b)
{
    for (unsigned i = 0; i < FE_LIMBS; i++)
        out->limb[i] = (int16_t)(a->limb[i] - b->limb[i]);
}

/* Splits off the carry into the next limb, rounding so that -2^12 <= the rest < 2^12. */
static inline int32_t fe_carry(int32_t *sum, unsigned bits)
{
    int32_t carry = (*sum + (1 << (bits - 1))) >> bits;

    *sum -= carry * (1 << bits);
    return carry;
}

/* out = sum of column[k] * 2^(13 k), k < 20, for columns below 2^31 - 2^28. */
static void fe_reduce(struct fe *out, const int32_t column[FE_LIMBS])
{
    int32_t carry = 0;

    for (unsigned i = 0; i < FE_LIMBS; i++) {
        int32_t sum = column[i] + carry;

        carry = fe_carry(&sum, i < FE_LIMBS - 1 ? FE_BITS : 8);
        out->limb[i] = (int16_t)sum;
    }
    carry *= 19; /* 2^255; below 2^28, so that two limbs absorb it except for 2^3 */
    for (unsigned i = 0; i < 3; i++) {
        int32_t sum = out->limb[i] + carry;

        carry = i < 2 ? fe_carry(&sum, FE_BITS) : 0;
        out->limb[i] = (int16_t)sum;
    }
}

/* column[0..39] = a product: carries are propagated in the upper half, which is then folded: 2^260
 * = 608. */
static void fe_reduce_wide(struct fe *out, int32_t column[2 * FE_LIMBS])
{
    int32_t carry = 0;

    for (unsigned i = 0; i < FE_LIMBS; i++) {
        int32_t sum = column[FE_LIMBS + i] + carry;

        carry = fe_carry(&sum, FE_BITS);
        column[i] += 608 * sum;
    }
    fe_reduce(out, column);
}

/* column[0..8] += a[0..4] * b[0..4] * factor */
static void fe_mul_block(int32_t *column, const int16_t *a, const int16_t *b, int32_t factor)
{
    int32_t x[FE_BLOCK], sum[2 * FE_BLOCK - 1];

    FE_UNROLL
    for (unsigned i = 0; i < 2 * FE_BLOCK - 1; i++)
        sum[i] = column[i];
    FE_UNROLL
    for (unsigned i = 0; i < FE_BLOCK; i++)
        x[i] = a[i] * factor;
    FE_UNROLL
    for (unsigned j = 0; j < FE_BLOCK; j++) {
        int32_t y = b[j];

        FE_UNROLL
        for (unsigned i = 0; i < FE_BLOCK; i++)
            sum[i + j] += x[i] * y;
    }
    FE_UNROLL
    for (unsigned i = 0; i < 2 * FE_BLOCK - 1; i++)
        column[i] = sum[i];
}

static void fe_mul(struct fe *out, const struct fe *a, const struct fe *b)
{
    int32_t column[2 * FE_LIMBS] = {0};

    for (unsigned i = 0; i < FE_LIMBS; i += FE_BLOCK)
        for (unsigned j = 0; j < FE_LIMBS; j += FE_BLOCK)
            fe_mul_block(column + i + j, a->limb + i, b->limb + j, 1);
    fe_reduce_wide(out, column);
}

static void fe_sqr(struct fe *out, const struct fe *a)
{
    int32_t column[2 * FE_LIMBS] = {0};

    for (unsigned i = 0; i < FE_LIMBS; i += FE_BLOCK)
        for (unsigned j = 0; j <= i; j += FE_BLOCK)
            fe_mul_block(column + i + j, a->limb + i, a->limb + j, j < i ? 2 : 1);
    fe_reduce_wide(out, column);
}

/* out = a^(2^times), times > 0 */
static inline void fe_sqr_times(struct fe *out, const struct fe *a, unsigned times)
{
    fe_sqr(out, a);
    while (--times > 0)
        fe_sqr(out, out);
}

/* out = a + 121665 * b: the curve constant (A - 2) / 4. */
static void fe_mul_a24(struct fe *out, const struct fe *a, const struct fe *b)
{
    int32_t column[FE_LIMBS];

    for (unsigned i = 0; i < FE_LIMBS; i++)
        column[i] = 121665 * b->limb[i] + a->limb[i];
    fe_reduce(out, column);
}

/* out = a if mask is all ones; unchanged if it is zero. */
static void fe_select(struct fe *out, const struct fe *a, uint32_t mask)
{
    for (unsigned i = 0; i < FE_LIMBS; i++)
        out->limb[i] = (int16_t)(out->limb[i] ^ ((int32_t)mask & (out->limb[i] ^ a->limb[i])));
}

#endif /* WYRM_FE_WORDS */

#endif /* WYRM_FE_13_H */

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Integers modulo p = 2^255 - 19 as eight limbs of 32 bits, for cores whose 32 x 32 -> 64 multiply
 * takes the same time for every operand.
 *
 * Bounds: every function takes any 256-bit value, except that the second operand of sub stays below
 * 2^256 - 76 (all are results of mul or sqr). Every result is below 2^255 + 2^23: each function
 * ends by folding its carry and bit 255 into the low end (2^255 = 19).
 */
#ifndef WYRM_FE_32_H
#define WYRM_FE_32_H

#include "../wyrm_bytes.h"
#include "../wyrm_ct.h"

#include <stdint.h>

#define FE_LIMBS 8

/* Unrolling a row of a product gains most of the speed. */
#if WYRM_SMALL
#define FE_UNROLL
#else
#define FE_UNROLL _Pragma("GCC unroll 8")
#endif

struct fe {
    uint32_t limb[FE_LIMBS];
};

static void fe_load(struct fe *out, const uint8_t in[32])
{
    for (unsigned i = 0; i < FE_LIMBS; i++)
        out->limb[i] = wyrm_load_le32(in + 4 * i);
    out->limb[7] &= 0x7fffffff;
}

/* a += small, for a sum that neither overflows nor becomes negative. */
__attribute__((noinline)) static void fe_ripple(struct fe *a, int32_t small)
{
    int64_t carry = small;

    for (unsigned i = 0; i < FE_LIMBS; i++) {
        carry += a->limb[i];
        a->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

/* Destroys `a`, which is below 2p. Adding 19 reaches bit 255 exactly if a >= p; clearing that bit
 * then leaves a - p, otherwise 19 is subtracted again. */
static void fe_store(uint8_t out[32], struct fe *a)
{
    int32_t above;

    fe_ripple(a, 19);
    above = (int32_t)wyrm_opaque(a->limb[7] >> 31);
    a->limb[7] &= 0x7fffffff;
    fe_ripple(a, 19 * above - 19);
    for (unsigned i = 0; i < FE_LIMBS; i++)
        wyrm_store_le32(out + 4 * i, a->limb[i]);
}

#ifndef WYRM_FE_LEAVES /* architectures with their own arithmetic need nothing below */

/* Reduces a + carry * 2^256 below 2^255 + 38 * (carry + 1); carry < 2^18. */
static void fe_fold(struct fe *a, uint32_t carry)
{
    uint32_t top = carry << 1 | a->limb[7] >> 31;

    a->limb[7] &= 0x7fffffff;
    fe_ripple(a, (int32_t)(19 * top));
}

static void fe_set(struct fe *out, unsigned small)
{
    *out = (struct fe){{small}};
}

/* out = a + factor * b; returns the carry out of the top. out may be a or b. */
static uint32_t fe_row(uint32_t *out, const uint32_t *a, uint32_t factor, const uint32_t *b)
{
    uint64_t sum = 0;

    FE_UNROLL
    for (unsigned i = 0; i < FE_LIMBS; i++) {
        sum += (uint64_t)factor * b[i] + a[i];
        out[i] = (uint32_t)sum;
        sum >>= 32;
    }
    return (uint32_t)sum;
}

/* The same as an element, for factor < 2^18. */
static void fe_add_times(struct fe *out, const uint32_t *a, uint32_t factor, const uint32_t *b)
{
    fe_fold(out, fe_row(out->limb, a, factor, b));
}

static void fe_add(struct fe *out, const struct fe *a, const struct fe *b)
{
    fe_add_times(out, a->limb, 1, b->limb);
}

/* out = a + 4p - b, where 4p is spread over the limbs so that no limb becomes negative. */
static void fe_sub(struct fe *out, const struct fe *a, const struct fe *b)
{
    uint64_t sum = 0, spread = (UINT64_C(1) << 33) - 76;

    for (unsigned i = 0; i < FE_LIMBS; i++) {
        sum += spread + a->limb[i] - b->limb[i];
        out->limb[i] = (uint32_t)sum;
        sum >>= 32;
        spread = (UINT64_C(1) << 33) - 2;
    }
    fe_fold(out, (uint32_t)sum);
}

static void fe_mul(struct fe *out, const struct fe *a, const struct fe *b)
{
    uint32_t wide[2 * FE_LIMBS] = {0};

    for (unsigned i = 0; i < FE_LIMBS; i++)
        wide[i + FE_LIMBS] = fe_row(wide + i, wide + i, a->limb[i], b->limb);
    /* 2^256 = 38 */
    fe_add_times(out, wide, 38, wide + FE_LIMBS);
}

static void fe_sqr(struct fe *out, const struct fe *a)
{
    fe_mul(out, a, a);
}

/* out = a^(2^times), times > 0 */
static void fe_sqr_times(struct fe *out, const struct fe *a, unsigned times)
{
    fe_sqr(out, a);
    while (--times > 0)
        fe_sqr(out, out);
}

/* out = a + 121665 * b: the curve constant (A - 2) / 4. */
static void fe_mul_a24(struct fe *out, const struct fe *a, const struct fe *b)
{
    fe_add_times(out, a->limb, 121665, b->limb);
}

/* out = a if mask is all ones; unchanged if it is zero. */
static void fe_select(struct fe *out, const struct fe *a, uint32_t mask)
{
    for (unsigned i = 0; i < FE_LIMBS; i++)
        out->limb[i] ^= mask & (out->limb[i] ^ a->limb[i]);
}

#endif /* WYRM_FE_LEAVES */

#endif /* WYRM_FE_32_H */

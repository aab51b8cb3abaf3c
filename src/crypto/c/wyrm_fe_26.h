/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Integers modulo p = 2^255 - 19 as ten limbs of 26 bits, for cores that have high words of
 * products but no carry flag: there compilers turn 64-bit additions into branches, which would
 * depend on secrets.
 *
 * So no addition here may carry. Each column has two sums: the low words of its products modulo
 * 2^32, and the parts of the products above bit 27, rounded down. Each product contributes less
 * than 2^27 that the second sum omits. For ten products and the folded part this remainder is less
 * than 2^32, so it follows from the sum of low words. The remainder plus twice the second sum of
 * the previous column is a column of 32 bits. So carries propagate only once, in the lower half:
 * columns 8 to 18 are computed first, 2^260 = 608 times columns 10 to 18 is added to the others,
 * and the part of column 9 above bit 255 is the first carry.
 *
 * Bounds: a product is a result of mul or sqr. Its limbs 0 to 8 are from 0 to 2^26 - 1, limb 9 is
 * between -2^16 and 2^21 + 2^16. add and sub take products and give limbs 1 to 8 below 2^26 in
 * absolute value, limb 0 below 2^26 + 18, limb 9 below 2^22; mul and sqr accept these, except that
 * limb 0 of the second factor must be below 2^26, so a sum must be the first factor. mul_a24 takes
 * a product and a difference; its limbs are below 2^26 + 2^22. So a column is below 1.99 * 2^30 in
 * absolute value: 1.38 for ten remainders of 2^27 and that of the folded part, 0.57 for twice the
 * second sum of nine products, whose top limbs are small.
 */
#ifndef WYRM_FE_26_H
#define WYRM_FE_26_H

#include "../wyrm_bytes.h"

#include <stdbool.h>
#include <stdint.h>

#define FE_LIMBS 10
#define FE_BITS  26
#define FE_MASK  UINT32_C(0x3ffffff)
#define FE_TOP   21 /* bits of the top limb below bit 255 */
#define FE_SPLIT 27 /* where the high word of a product begins */

/* Unrolling a column gains most of the speed. */
#if WYRM_SMALL
#define FE_UNROLL
#else
#define FE_UNROLL _Pragma("GCC unroll 11")
#endif

struct fe {
    int32_t limb[FE_LIMBS];
};

static void fe_load(struct fe *out, const uint8_t in[32])
{
    for (unsigned i = 0; i < FE_LIMBS; i++) {
        unsigned word = FE_BITS * i / 32, shift = FE_BITS * i % 32;
        uint32_t limb = wyrm_load_le32(in + 4 * word) >> shift;

        if (shift > 32 - FE_BITS && word < 7)
            limb |= wyrm_load_le32(in + 4 * word + 4) << (32 - shift);
        out->limb[i] = (int32_t)(limb & FE_MASK);
    }
    out->limb[FE_LIMBS - 1] &= (1 << FE_TOP) - 1;
}

/* Propagates carries, starting with `carry`; the top limb keeps the overflow. */
static void fe_ripple(struct fe *a, int32_t carry)
{
    for (unsigned i = 0; i < FE_LIMBS - 1; i++) {
        carry += a->limb[i];
        a->limb[i] = carry & (int32_t)FE_MASK;
        carry >>= FE_BITS;
    }
    a->limb[FE_LIMBS - 1] += carry;
}

/* Clears bit 255 and above and returns their value: 2^255 = 19. */
static inline int32_t fe_fold(int32_t *top)
{
    int32_t beyond = *top >> FE_TOP;

    *top &= (1 << FE_TOP) - 1;
    return 19 * beyond;
}

/* Destroys `a`, a product. Adding 19 reaches bit 255 exactly if a >= p; folding that bit then
 * subtracts p, and the 19 is subtracted again. A negative value is likewise brought into the range
 * 0 to p - 1. */
static void fe_store(uint8_t out[32], struct fe *a)
{
    uint32_t words[8] = {0};

    fe_ripple(a, 19);
    fe_ripple(a, fe_fold(&a->limb[FE_LIMBS - 1]) - 19);
    for (unsigned i = 0; i < FE_LIMBS; i++) {
        unsigned word = FE_BITS * i / 32, shift = FE_BITS * i % 32;
        uint32_t limb = (uint32_t)a->limb[i];

        words[word] |= limb << shift;
        if (shift > 32 - FE_BITS && word < 7)
            words[word + 1] |= limb >> (32 - shift);
    }
    for (unsigned i = 0; i < 8; i++)
        wyrm_store_le32(out + 4 * i, words[i]);
}

#ifndef WYRM_FE_LEAVES /* architectures with their own arithmetic need nothing below */

static void fe_set(struct fe *out, unsigned small)
{
    *out = (struct fe){{(int32_t)small}};
}

/* out = a + b - p, with limbs centred on zero */
static void fe_add(struct fe *out, const struct fe *a, const struct fe *b)
{
    int32_t p = (int32_t)FE_MASK - 18;

    FE_UNROLL
    for (unsigned i = 0; i < FE_LIMBS; i++) {
        if (i == FE_LIMBS - 1)
            p = (1 << FE_TOP) - 1;
        out->limb[i] = a->limb[i] + b->limb[i] - p;
        p = (int32_t)FE_MASK;
    }
}

static void fe_sub(struct fe *out, const struct fe *a, const struct fe *b)
{
    FE_UNROLL
    for (unsigned i = 0; i < FE_LIMBS; i++)
        out->limb[i] = a->limb[i] - b->limb[i];
}

/* The two sums of a column: low words modulo 2^32, and the parts above bit FE_SPLIT. */
struct fe_column {
    uint32_t low;
    int32_t high;
};

static inline int32_t fe_high(int32_t a, int32_t b)
{
    return (int32_t)((int64_t)a * b >> 32);
}

static inline void fe_product(struct fe_column *c, int32_t a, int32_t b)
{
    c->low += (uint32_t)a * (uint32_t)b;
    c->high += fe_high(a, b * (1 << (32 - FE_SPLIT)));
}

/* Twice the sums, plus the square of `a`, which may have one bit more than a second factor. */
static inline void fe_double_and_square(struct fe_column *c, int32_t a)
{
    c->low = 2 * c->low + (uint32_t)a * (uint32_t)a;
    c->high = 2 * c->high + fe_high(2 * a, a * (1 << (31 - FE_SPLIT)));
}

static inline int32_t fe_rest(const struct fe_column *c)
{
    return (int32_t)(c->low - ((uint32_t)c->high << FE_SPLIT));
}

/* Column k of a product; of a square, where each product of two limbs is formed once. */
static inline struct fe_column fe_sum(const struct fe *a, const struct fe *b, bool square,
                                      unsigned k)
{
    struct fe_column c = {0, 0};
    unsigned first = k < FE_LIMBS ? 0 : k - FE_LIMBS + 1;
    unsigned end = square ? (k + 1) / 2 : k + 1 - first;

    FE_UNROLL
    for (unsigned i = first; i < end; i++)
        fe_product(&c, a->limb[i], b->limb[k - i]);
    if (square)
        fe_double_and_square(&c, k % 2 == 0 ? a->limb[k / 2] : 0);
    return c;
}

/* Limb of the result from a column and the carry so far. */
static inline int32_t fe_settle(const struct fe_column *c, int32_t *carry)
{
    int32_t limb = *carry + fe_rest(c);

    *carry = (limb >> FE_BITS) + 2 * c->high;
    return limb & (int32_t)FE_MASK;
}

static inline __attribute__((always_inline)) void fe_multiply(struct fe *out, const struct fe *a,
                                                              const struct fe *b, bool square)
{
    struct fe product;
    struct fe_column c;
    int32_t upper[FE_LIMBS - 1], carry, column_8;

    c = fe_sum(a, b, square, 8);
    column_8 = fe_rest(&c);
    carry = 2 * c.high;
    c = fe_sum(a, b, square, 9);
    product.limb[9] = fe_rest(&c) + carry;
    carry = 2 * c.high;
    FE_UNROLL
    for (unsigned k = FE_LIMBS; k < 2 * FE_LIMBS - 1; k++) {
        c = fe_sum(a, b, square, k);
        upper[k - FE_LIMBS] = fe_rest(&c) + carry;
        carry = 2 * c.high;
    }

    /* 2^260 = 608 */
    product.limb[9] += 608 * carry;
    carry = fe_fold(&product.limb[9]);
    FE_UNROLL
    for (unsigned k = 0; k < 8; k++) {
        c = fe_sum(a, b, square, k);
        fe_product(&c, upper[k], 608);
        product.limb[k] = fe_settle(&c, &carry);
    }
    c = (struct fe_column){(uint32_t)column_8, 0};
    fe_product(&c, upper[8], 608);
    product.limb[8] = fe_settle(&c, &carry);
    product.limb[9] += carry;
    *out = product;
}

static void fe_mul(struct fe *out, const struct fe *a, const struct fe *b)
{
    fe_multiply(out, a, b, false);
}

static void fe_sqr(struct fe *out, const struct fe *a)
{
    fe_multiply(out, a, a, true);
}

/* out = a^(2^times), times > 0 */
static void fe_sqr_times(struct fe *out, const struct fe *a, unsigned times)
{
    fe_sqr(out, a);
    while (--times > 0)
        fe_sqr(out, out);
}

/* out = a + 121665 * b - p: the curve constant (A - 2) / 4. The upper part of each product goes
 * into the next limb, the upper part of the top limb begins at bit 255. */
static void fe_mul_a24(struct fe *out, const struct fe *a, const struct fe *b)
{
    const int32_t a24 = 121665;
    int32_t top = b->limb[FE_LIMBS - 1];
    int32_t high = fe_high(top, a24 * (1 << (32 - FE_TOP))), carry = 19 * high + 18;
    uint32_t low = (uint32_t)a24 * (uint32_t)top - ((uint32_t)high << FE_TOP);

    FE_UNROLL
    for (unsigned i = 0; i < FE_LIMBS - 1; i++) {
        uint32_t product = (uint32_t)a24 * (uint32_t)b->limb[i];

        high = fe_high(b->limb[i], a24 * (1 << (32 - FE_BITS)));
        product -= (uint32_t)high << FE_BITS;
        out->limb[i] = a->limb[i] + (int32_t)product + carry - (int32_t)FE_MASK;
        carry = high;
    }
    out->limb[FE_LIMBS - 1] = a->limb[FE_LIMBS - 1] + (int32_t)low + carry - ((1 << FE_TOP) - 1);
}

/* out = a if mask is all ones; unchanged if it is zero. */
static void fe_select(struct fe *out, const struct fe *a, uint32_t mask)
{
    for (unsigned i = 0; i < FE_LIMBS; i++)
        out->limb[i] ^= (int32_t)mask & (out->limb[i] ^ a->limb[i]);
}

#endif /* WYRM_FE_LEAVES */

#endif /* WYRM_FE_26_H */

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Integers modulo p = 2^255 - 19 as ten limbs of 26 bits, for cores that have high words of
 * products but no carry flag: there compilers make branches of 64-bit additions, which would depend
 * on secrets.
 *
 * So nothing is added here that could carry. Of the products of a column the low words are summed
 * up modulo 2^32, and apart from them what is above bit 28. Each product leaves less than 2^28 of
 * its low end out of the latter; for ten of them, what is folded in and the carry of the column
 * before that is less than 2^32, so the sum of low words tells it.
 *
 * Bounds: mul, sqr and mul_a24 give limbs below 2^26 + 2^17 and a top limb below 2^21; add of two
 * such needs no carries, sub settles them. So operands of a product have limbs below 2^27.1 and top
 * limbs below 2^24, its columns stay below 2^57.6 and their carries below 2^31.6.
 */
#ifndef WYRM_FE_26_H
#define WYRM_FE_26_H

#include "../wyrm_bytes.h"

#include <stdint.h>

#define FE_LIMBS   10
#define FE_BITS    26
#define FE_MASK    UINT32_C(0x3ffffff)
#define FE_TOP     21 /* bits of the top limb below bit 255 */
#define FE_OVERLAP 4  /* 32 - 28 */

/* A column unrolled gains most of what there is to gain. */
#if WYRM_SMALL
#define FE_UNROLL
#else
#define FE_UNROLL _Pragma("GCC unroll 10")
#endif

struct fe {
    uint32_t limb[FE_LIMBS];
};

static void fe_load(struct fe *out, const uint8_t in[32])
{
    for (unsigned i = 0; i < FE_LIMBS; i++) {
        unsigned word = FE_BITS * i / 32, shift = FE_BITS * i % 32;
        uint32_t limb = wyrm_load_le32(in + 4 * word) >> shift;

        if (shift > 32 - FE_BITS && word < 7)
            limb |= wyrm_load_le32(in + 4 * word + 4) << (32 - shift);
        out->limb[i] = limb & FE_MASK;
    }
    out->limb[FE_LIMBS - 1] &= (UINT32_C(1) << FE_TOP) - 1;
}

static void fe_set(struct fe *out, unsigned small)
{
    *out = (struct fe){{small}};
}

/* Settles carries from `carry` on, which may be negative as may be the limbs; the top limb keeps
 * what goes beyond. */
static void fe_ripple(struct fe *a, int32_t carry)
{
    for (unsigned i = 0; i < FE_LIMBS - 1; i++) {
        carry += (int32_t)a->limb[i];
        a->limb[i] = (uint32_t)carry & FE_MASK;
        carry >>= FE_BITS;
    }
    a->limb[FE_LIMBS - 1] += (uint32_t)carry;
}

/* Takes bit 255 and those above it away and returns what they are worth: 2^255 = 19. */
static int32_t fe_fold(struct fe *a)
{
    uint32_t *top = &a->limb[FE_LIMBS - 1], beyond = *top >> FE_TOP;

    *top &= (UINT32_C(1) << FE_TOP) - 1;
    return (int32_t)(19 * beyond);
}

/* Uses up `a`, which is below 2p. Adding 19 reaches bit 255 exactly if a >= p; folding that bit
 * then subtracts p, and the 19 comes off again. */
static void fe_store(uint8_t out[32], struct fe *a)
{
    uint32_t words[8] = {0};

    fe_ripple(a, 19);
    fe_ripple(a, fe_fold(a) - 19);
    for (unsigned i = 0; i < FE_LIMBS; i++) {
        unsigned word = FE_BITS * i / 32, shift = FE_BITS * i % 32;

        words[word] |= a->limb[i] << shift;
        if (shift > 32 - FE_BITS && word < 7)
            words[word + 1] |= a->limb[i] >> (32 - shift);
    }
    for (unsigned i = 0; i < 8; i++)
        wyrm_store_le32(out + 4 * i, words[i]);
}

static void fe_add(struct fe *out, const struct fe *a, const struct fe *b)
{
    for (unsigned i = 0; i < FE_LIMBS; i++)
        out->limb[i] = a->limb[i] + b->limb[i];
}

/* out = a - b + 4p, where 4p = 2^257 - 76 */
static void fe_sub(struct fe *out, const struct fe *a, const struct fe *b)
{
    int32_t carry = -76;

    FE_UNROLL
    for (unsigned i = 0; i < FE_LIMBS - 1; i++) {
        carry += (int32_t)(a->limb[i] - b->limb[i]);
        out->limb[i] = (uint32_t)carry & FE_MASK;
        carry >>= FE_BITS;
    }
    out->limb[FE_LIMBS - 1] =
        a->limb[FE_LIMBS - 1] - b->limb[FE_LIMBS - 1] + (UINT32_C(4) << FE_TOP) + (uint32_t)carry;
}

/* `low` modulo 2^32, and the sum of what the products of the column have above bit 28. */
struct fe_column {
    uint32_t low, high;
};

static inline struct fe_column fe_begin(uint32_t carry)
{
    return (struct fe_column){carry, carry >> (32 - FE_OVERLAP)};
}

static inline void fe_product(struct fe_column *c, uint32_t a, uint32_t b)
{
    c->low += a * b;
    c->high += (uint32_t)((uint64_t)a * (b << FE_OVERLAP) >> 32);
}

static inline uint32_t fe_carry(const struct fe_column *c)
{
    uint32_t rest = c->low - (c->high << (32 - FE_OVERLAP));

    return (c->high << (32 - FE_OVERLAP - FE_BITS)) + (rest >> FE_BITS);
}

/* Takes bits from 255 upwards back in: those of limb 9, and `carry` beyond it. 2^260 = 608. */
static inline void fe_finish(struct fe *out, uint32_t carry)
{
    struct fe_column c = fe_begin(out->limb[0] + (uint32_t)fe_fold(out));

    fe_product(&c, carry, 608);
    out->limb[0] = c.low & FE_MASK;
    out->limb[1] += fe_carry(&c);
}

static void fe_mul(struct fe *out, const struct fe *a, const struct fe *b)
{
    struct fe product, upper;
    uint32_t carry = 0;

    FE_UNROLL
    for (unsigned k = FE_LIMBS; k < 2 * FE_LIMBS - 1; k++) {
        struct fe_column c = fe_begin(carry);

        FE_UNROLL
        for (unsigned i = k - FE_LIMBS + 1; i < FE_LIMBS; i++)
            fe_product(&c, a->limb[i], b->limb[k - i]);
        upper.limb[k - FE_LIMBS] = c.low & FE_MASK;
        carry = fe_carry(&c);
    }
    upper.limb[FE_LIMBS - 1] = carry;
    carry = 0;
    FE_UNROLL
    for (unsigned k = 0; k < FE_LIMBS; k++) {
        struct fe_column c = fe_begin(carry);

        fe_product(&c, upper.limb[k], 608);
        FE_UNROLL
        for (unsigned i = 0; i <= k; i++)
            fe_product(&c, a->limb[i], b->limb[k - i]);
        product.limb[k] = c.low & FE_MASK;
        carry = fe_carry(&c);
    }
    fe_finish(&product, carry);
    *out = product;
}

/* Adds column k of a square, with every product of two limbs once, but twice as large. */
static inline void fe_square_column(struct fe_column *c, const struct fe *a, unsigned k)
{
    unsigned first = k < FE_LIMBS ? 0 : k - FE_LIMBS + 1;

    FE_UNROLL
    for (unsigned i = first; 2 * i < k; i++)
        fe_product(c, 2 * a->limb[i], a->limb[k - i]);
    if (k % 2 == 0)
        fe_product(c, a->limb[k / 2], a->limb[k / 2]);
}

static void fe_sqr(struct fe *out, const struct fe *a)
{
    struct fe product, upper;
    uint32_t carry = 0;

    FE_UNROLL
    for (unsigned k = FE_LIMBS; k < 2 * FE_LIMBS - 1; k++) {
        struct fe_column c = fe_begin(carry);

        fe_square_column(&c, a, k);
        upper.limb[k - FE_LIMBS] = c.low & FE_MASK;
        carry = fe_carry(&c);
    }
    upper.limb[FE_LIMBS - 1] = carry;
    carry = 0;
    FE_UNROLL
    for (unsigned k = 0; k < FE_LIMBS; k++) {
        struct fe_column c = fe_begin(carry);

        fe_product(&c, upper.limb[k], 608);
        fe_square_column(&c, a, k);
        product.limb[k] = c.low & FE_MASK;
        carry = fe_carry(&c);
    }
    fe_finish(&product, carry);
    *out = product;
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
    uint32_t carry = 0;

    for (unsigned i = 0; i < FE_LIMBS; i++) {
        struct fe_column c = fe_begin(carry + a->limb[i]);

        fe_product(&c, b->limb[i], 121665);
        out->limb[i] = c.low & FE_MASK;
        carry = fe_carry(&c);
    }
    fe_finish(out, carry);
}

/* out = a where mask is all ones, unchanged where it is zero. */
static void fe_select(struct fe *out, const struct fe *a, uint32_t mask)
{
    for (unsigned i = 0; i < FE_LIMBS; i++)
        out->limb[i] ^= mask & (out->limb[i] ^ a->limb[i]);
}

#endif /* WYRM_FE_26_H */

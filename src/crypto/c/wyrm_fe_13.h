/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Integers modulo p = 2^255 - 19 as twenty limbs of 13 bits, for cores without a constant-time
 * multiply wider than 32 bits: ARMv6-M has none, and UMULL on a Cortex-M3 takes 3 to 5 cycles
 * depending on its operands. Only 32-bit products are formed here; nothing calls a compiler helper.
 *
 * Bounds: every limb of every result is below 2^13 and the whole below 2^255 + 2^28. A column of a
 * product is then at most 20 * (2^13 - 1)^2 plus a carry below 2^18, which stays under 2^31.
 */
#ifndef WYRM_FE_13_H
#define WYRM_FE_13_H

#include <stdint.h>

#define FE_LIMBS 20
#define FE_BITS  13
#define FE_MASK  ((1u << FE_BITS) - 1)

struct fe {
    uint16_t limb[FE_LIMBS];
};

static void fe_load(struct fe *out, const uint8_t in[32])
{
    uint32_t bits = 0;
    unsigned held = 0, next = 0;

    for (unsigned i = 0; i < FE_LIMBS; i++) {
        for (; held < FE_BITS && next < 32; held += 8)
            bits |= (uint32_t)in[next++] << held;
        out->limb[i] = bits & FE_MASK;
        bits >>= FE_BITS;
        held -= FE_BITS;
    }
    out->limb[FE_LIMBS - 1] &= 0xff;
}

static void fe_set(struct fe *out, unsigned small)
{
    *out = (struct fe){{(uint16_t)small}};
}

/* a += carry, for a sum that neither reaches 2^260 nor goes below zero. */
static void fe_ripple(struct fe *a, int32_t carry)
{
    for (unsigned i = 0; i < FE_LIMBS; i++) {
        carry += a->limb[i];
        a->limb[i] = (uint16_t)((uint32_t)carry & FE_MASK);
        carry >>= FE_BITS;
    }
}

/* Takes a + carry * 2^260 below 2^255 + 19 * 32 * (carry + 1), for 2^255 = 19; carry < 2^19. */
static void fe_fold(struct fe *a, uint32_t carry)
{
    uint32_t top = carry << 5 | a->limb[FE_LIMBS - 1] >> 8;

    a->limb[FE_LIMBS - 1] &= 0xff;
    fe_ripple(a, (int32_t)(19 * top));
}

/* Uses up `a`, which is below 2p. Adding 19 reaches bit 255 exactly if a >= p; folding that bit
 * then subtracts p, and the 19 comes off again. */
static void fe_store(uint8_t out[32], struct fe *a)
{
    uint32_t bits = 0;
    unsigned held = 0;

    fe_ripple(a, 19);
    fe_fold(a, 0);
    fe_ripple(a, -19);
    for (unsigned i = 0; i < FE_LIMBS; i++) {
        bits |= (uint32_t)a->limb[i] << held;
        for (held += FE_BITS; held >= 8; held -= 8) {
            *out++ = (uint8_t)bits;
            bits >>= 8;
        }
    }
}

static void fe_add(struct fe *out, const struct fe *a, const struct fe *b)
{
    uint32_t sum = 0;

    for (unsigned i = 0; i < FE_LIMBS; i++) {
        sum += (uint32_t)a->limb[i] + b->limb[i];
        out->limb[i] = (uint16_t)(sum & FE_MASK);
        sum >>= FE_BITS;
    }
    fe_fold(out, sum);
}

/* out = a + 64p - b, where 64p is spread over the limbs so that no limb goes below zero. */
static void fe_sub(struct fe *out, const struct fe *a, const struct fe *b)
{
    uint32_t sum = 0, spread = (1u << (FE_BITS + 1)) - 64 * 19;

    for (unsigned i = 0; i < FE_LIMBS; i++) {
        sum += spread + a->limb[i] - b->limb[i];
        out->limb[i] = (uint16_t)(sum & FE_MASK);
        sum >>= FE_BITS;
        spread = (1u << (FE_BITS + 1)) - 2;
    }
    fe_fold(out, sum);
}

/* out = a + factor * b, factor < 2^17. */
static void fe_mul_add_word(struct fe *out, const uint16_t *a, uint32_t factor, const uint16_t *b)
{
    uint32_t sum = 0;

    for (unsigned i = 0; i < FE_LIMBS; i++) {
        sum += factor * b[i] + a[i];
        out->limb[i] = (uint16_t)(sum & FE_MASK);
        sum >>= FE_BITS;
    }
    fe_fold(out, sum);
}

static void fe_mul(struct fe *out, const struct fe *a, const struct fe *b)
{
    uint16_t wide[2 * FE_LIMBS];
    uint32_t sum = 0;

    for (unsigned k = 0; k < 2 * FE_LIMBS - 1; k++) {
        unsigned first = k < FE_LIMBS ? 0 : k - (FE_LIMBS - 1);
        unsigned last = k < FE_LIMBS ? k : FE_LIMBS - 1;

        for (unsigned i = first; i <= last; i++)
            sum += (uint32_t)a->limb[i] * b->limb[k - i];
        wide[k] = (uint16_t)(sum & FE_MASK);
        sum >>= FE_BITS;
    }
    wide[2 * FE_LIMBS - 1] = (uint16_t)sum;
    /* 2^260 = 32 * 19 */
    fe_mul_add_word(out, wide, 608, wide + FE_LIMBS);
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
    fe_mul_add_word(out, a->limb, 121665, b->limb);
}

/* out = a where mask is all ones, unchanged where it is zero. */
static void fe_select(struct fe *out, const struct fe *a, uint32_t mask)
{
    for (unsigned i = 0; i < FE_LIMBS; i++)
        out->limb[i] = (uint16_t)(out->limb[i] ^ (mask & (uint32_t)(out->limb[i] ^ a->limb[i])));
}

#endif /* WYRM_FE_13_H */

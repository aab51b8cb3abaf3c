/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Division in the field of wyrm_fe_13.h by division steps (Bernstein and Yang, "Fast constant-time
 * gcd computation and modular inversion", 2019), a quarter of the work of a power: 32-bit products
 * are all it needs. The variant is that of a half-integer delta, for which 590 steps suffice below
 * 2^256 (Pieter Wuille's computation for libsecp256k1).
 *
 * Thirteen steps look at the lowest limbs of f and g only and give a matrix of small integers; it
 * is applied to f, g and, modulo p, to d, e, and what it makes divisible by 2^13 moves down by a
 * limb. d z = f and e z = g hold throughout; in the end g = 0 and f = 1 or -1, so that d is the
 * inverse but for its sign.
 *
 * Constant time: the number of steps is fixed, choices within a step are masks.
 */
#ifndef WYRM_DIVSTEPS_13_H
#define WYRM_DIVSTEPS_13_H

#define DIVSTEPS_BATCHES 46 /* of FE_BITS steps: 598 */
#define DIVSTEPS_MASK    ((1 << FE_BITS) - 1)
#define DIVSTEPS_INV_19  2587 /* 19 * 2587 = 1 modulo 2^13 */

/* 2^13 f' = u f + v g, 2^13 g' = q f + r g; |u| + |v| and |q| + |r| are at most 2^13 */
struct divsteps {
    int32_t u, v, q, r;
};

struct fe_pair {
    struct fe a, b;
};

/* A row of the matrix in one word: v * 2^16 + u, on which sums, signs and doubling act as on both.
 */
static inline int32_t row_low(uint32_t row)
{
    return (int16_t)row;
}

static inline int32_t row_high(uint32_t row)
{
    return (int32_t)(row - (uint32_t)row_low(row)) >> 16;
}

/* Steps on the lowest limbs. zeta is -(delta + 1/2). */
static int32_t divsteps(struct divsteps *m, int32_t zeta, uint32_t f, uint32_t g)
{
    uint32_t f_row = 1, g_row = UINT32_C(1) << 16;

    for (unsigned i = 0; i < FE_BITS; i++) {
        uint32_t swap = (uint32_t)(zeta >> 31), odd = 0 - (g & 1);

        /* g becomes g - f or g + f if it is odd; then f the old g if delta was positive too. */
        g += ((f ^ swap) - swap) & odd;
        g_row += ((f_row ^ swap) - swap) & odd;
        swap &= odd;
        zeta = (zeta ^ (int32_t)swap) - 1;
        f += g & swap;
        f_row += g_row & swap;
        g = (uint32_t)((int32_t)g >> 1);
        f_row <<= 1;
    }
    m->u = row_low(f_row);
    m->v = row_high(f_row);
    m->q = row_low(g_row);
    m->r = row_high(g_row);
    return zeta;
}

/* (a, b) = the matrix times (a, b) / 2^13, which is an integer, or becomes one by the multiples of
 * p that `modulo` (DIVSTEPS_MASK or 0) lets in. Limbs come out from 0 to 2^13 - 1 but for the last,
 * which has the sign; d and e grow by p at most. */
static void divsteps_apply(struct fe_pair *s, const struct divsteps *m, uint32_t modulo)
{
    int32_t x = s->a.limb[0], y = s->b.limb[0];
    int32_t a = m->u * x + m->v * y, b = m->q * x + m->r * y;
    /* p = 2^255 - 19 */
    int32_t p_a = (int32_t)((uint32_t)a * DIVSTEPS_INV_19 & modulo);
    int32_t p_b = (int32_t)((uint32_t)b * DIVSTEPS_INV_19 & modulo);

    a -= 19 * p_a;
    b -= 19 * p_b;
    for (unsigned i = 1; i < FE_LIMBS; i++) {
        x = s->a.limb[i];
        y = s->b.limb[i];
        a = (a >> FE_BITS) + m->u * x + m->v * y;
        b = (b >> FE_BITS) + m->q * x + m->r * y;
        s->a.limb[i - 1] = (fe_limb)(a & DIVSTEPS_MASK);
        s->b.limb[i - 1] = (fe_limb)(b & DIVSTEPS_MASK);
    }
    a += p_a * (1 << 8); /* 2^255 in the last limb */
    b += p_b * (1 << 8);
    s->a.limb[FE_LIMBS - 2] = (fe_limb)(a & DIVSTEPS_MASK);
    s->b.limb[FE_LIMBS - 2] = (fe_limb)(b & DIVSTEPS_MASK);
    s->a.limb[FE_LIMBS - 1] = (fe_limb)(a >> FE_BITS);
    s->b.limb[FE_LIMBS - 1] = (fe_limb)(b >> FE_BITS);
}

/* x = x / z, or 0 if z = 0; z may be anything that mul gives. */
__attribute__((noinline)) static void divide(struct fe *x, struct fe *z)
{
    struct {
        struct fe_pair fg, de;
        struct divsteps m;
        uint8_t bytes[32];
    } s;
    int32_t zeta = -1, negative;

    /* g from 0 to p - 1, f = p */
    fe_store(s.bytes, z);
    fe_load(&s.fg.b, s.bytes);
    for (unsigned i = 0; i < FE_LIMBS; i++)
        s.fg.a.limb[i] = DIVSTEPS_MASK;
    s.fg.a.limb[0] = DIVSTEPS_MASK - 18;
    s.fg.a.limb[FE_LIMBS - 1] = 255;
    fe_set(&s.de.a, 0);
    fe_set(&s.de.b, 1);

    for (unsigned i = 0; i < DIVSTEPS_BATCHES; i++) {
        zeta = divsteps(&s.m, zeta, (uint32_t)s.fg.a.limb[0], (uint32_t)s.fg.b.limb[0]);
        divsteps_apply(&s.de, &s.m, DIVSTEPS_MASK);
        divsteps_apply(&s.fg, &s.m, 0);
    }
    negative = s.fg.a.limb[FE_LIMBS - 1] >> 15;
    for (unsigned i = 0; i < FE_LIMBS; i++)
        s.de.a.limb[i] = (fe_limb)((s.de.a.limb[i] ^ negative) - negative);
    fe_mul(x, x, &s.de.a);
    wyrm_wipe(&s, sizeof(s));
}

#endif /* WYRM_DIVSTEPS_13_H */

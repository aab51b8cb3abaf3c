/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Division in the fields of wyrm_fe_13.h, and of wyrm_fe_32.h where only 32-bit products are
 * available, by division steps (Bernstein and Yang, "Fast constant-time gcd computation and modular
 * inversion", 2019), a third of the work of exponentiation. This is the variant with half-integer
 * delta, for which 590 steps suffice below 2^256 (Pieter Wuille's computation for libsecp256k1).
 *
 * Thirteen steps depend only on the lowest limbs of f and g and give a matrix of small integers. It
 * is applied to f, g and, modulo p, to d, e; the results are divisible by 2^13 and are shifted down
 * by one limb. The invariants are d z = f and e z = g. At the end g = 0 and f = 1 or -1, so d is
 * the inverse up to its sign.
 *
 * Constant time: the number of steps is fixed, choices within a step use masks.
 */
#ifndef WYRM_DIVSTEPS_13_H
#define WYRM_DIVSTEPS_13_H

#include "wyrm_limbs_13.h"

#define DIVSTEPS_BITS    LIMB_13_BITS
#define DIVSTEPS_LIMBS   LIMBS_13
#define DIVSTEPS_BATCHES 46 /* of 13 steps: 598 */
#define DIVSTEPS_MASK    LIMB_13_MASK
#define DIVSTEPS_INV_19  2587 /* 19 * 2587 = 1 modulo 2^13 */

/* 2^13 f' = u f + v g, 2^13 g' = q f + r g; |u| + |v| and |q| + |r| are at most 2^13 */
struct divsteps {
    int32_t u, v, q, r;
};

struct divsteps_pair {
    limb_13 a[DIVSTEPS_LIMBS], b[DIVSTEPS_LIMBS];
};

/* A row of the matrix in one word: v * 2^16 + u, so that addition, negation and doubling act on
 * both at once.
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

    for (unsigned i = 0; i < DIVSTEPS_BITS; i++) {
        uint32_t swap = (uint32_t)(zeta >> 31), odd = 0 - (g & 1);

        /* If g is odd, g becomes g - f or g + f; if delta was positive too, f becomes the old g. */
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

/* (a, b) = the matrix times (a, b) / 2^13, which is an integer, or made one by adding multiples of
 * p if `modulo` is DIVSTEPS_MASK instead of 0. Resulting limbs are from 0 to 2^13 - 1 except the
 * last, which is signed; d and e grow by at most p. */
static void divsteps_apply(struct divsteps_pair *s, const struct divsteps *m, uint32_t modulo)
{
    int32_t x = s->a[0], y = s->b[0];
    int32_t a = m->u * x + m->v * y, b = m->q * x + m->r * y;
    /* p = 2^255 - 19 */
    int32_t p_a = (int32_t)((uint32_t)a * DIVSTEPS_INV_19 & modulo);
    int32_t p_b = (int32_t)((uint32_t)b * DIVSTEPS_INV_19 & modulo);

    a -= 19 * p_a;
    b -= 19 * p_b;
    for (unsigned i = 1; i < DIVSTEPS_LIMBS; i++) {
        x = s->a[i];
        y = s->b[i];
        a = (a >> DIVSTEPS_BITS) + m->u * x + m->v * y;
        b = (b >> DIVSTEPS_BITS) + m->q * x + m->r * y;
        s->a[i - 1] = (limb_13)(a & DIVSTEPS_MASK);
        s->b[i - 1] = (limb_13)(b & DIVSTEPS_MASK);
    }
    a += p_a * (1 << 8); /* 2^255 in the last limb */
    b += p_b * (1 << 8);
    s->a[DIVSTEPS_LIMBS - 2] = (limb_13)(a & DIVSTEPS_MASK);
    s->b[DIVSTEPS_LIMBS - 2] = (limb_13)(b & DIVSTEPS_MASK);
    s->a[DIVSTEPS_LIMBS - 1] = (limb_13)(a >> DIVSTEPS_BITS);
    s->b[DIVSTEPS_LIMBS - 1] = (limb_13)(b >> DIVSTEPS_BITS);
}

/* out = d, or -d if `negative` is all ones; destroys d. */
static void divsteps_element(struct fe *out, limb_13 d[DIVSTEPS_LIMBS], int32_t negative)
{
#ifdef WYRM_FE_13_H /* accepts signed limbs */
    for (unsigned i = 0; i < DIVSTEPS_LIMBS; i++)
        out->limb[i] = (limb_13)((d[i] ^ negative) - negative);
#else
    limb_13 *top = &d[DIVSTEPS_LIMBS - 1];
    int32_t above;

    for (unsigned i = 0; i < DIVSTEPS_LIMBS; i++)
        d[i] = (limb_13)((d[i] ^ negative) - negative);
    limbs_13_ripple(d, 0);
    /* Folds the part above bit 255 (2^255 = 19), and adds p if that part was negative. */
    above = *top >> 8;
    negative = above >> 31;
    *top = (limb_13)((*top & 0xff) + (negative & 0x100));
    limbs_13_ripple(d, 19 * above - (negative & 19));
    limbs_13_store((uint8_t *)out, d);
#endif
}

/* x = x / z, or 0 if z = 0; z may be any result of mul. */
__attribute__((noinline)) static void divide(struct fe *x, struct fe *z)
{
    struct {
        union {
            struct divsteps_pair de;
            uint8_t bytes[32];
        };
        union {
            struct divsteps_pair fg;
            struct fe inverse;
        };
        struct divsteps m;
    } s;
    int32_t zeta = -1, negative;

    /* g from 0 to p - 1, f = p, d = 0, e = 1 */
    fe_store(s.bytes, z);
    limbs_13_load(s.fg.b, s.bytes);
    for (unsigned i = 0; i < DIVSTEPS_LIMBS; i++) {
        s.fg.a[i] = DIVSTEPS_MASK;
        s.de.a[i] = s.de.b[i] = 0;
    }
    s.fg.a[0] = DIVSTEPS_MASK - 18;
    s.fg.a[DIVSTEPS_LIMBS - 1] = 255;
    s.de.b[0] = 1;

    for (unsigned i = 0; i < DIVSTEPS_BATCHES; i++) {
        zeta = divsteps(&s.m, zeta, (uint32_t)s.fg.a[0], (uint32_t)s.fg.b[0]);
        divsteps_apply(&s.de, &s.m, DIVSTEPS_MASK);
        divsteps_apply(&s.fg, &s.m, 0);
    }
    negative = s.fg.a[DIVSTEPS_LIMBS - 1] >> 15;
    divsteps_element(&s.inverse, s.de.a, negative);
    fe_mul(x, x, &s.inverse);
    wyrm_wipe(&s, sizeof(s));
}

#endif /* WYRM_DIVSTEPS_13_H */

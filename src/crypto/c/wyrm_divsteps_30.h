/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Division in the field of wyrm_fe_32.h by division steps, as in wyrm_divsteps_13.h, which explains
 * them; here in batches of 30 steps on limbs of 30 bits, with products of 64.
 *
 * Constant time: the number of steps is fixed, choices within a step are masks.
 */
#ifndef WYRM_DIVSTEPS_30_H
#define WYRM_DIVSTEPS_30_H

#define DIVSTEPS_BITS    30
#define DIVSTEPS_LIMBS   9
#define DIVSTEPS_BATCHES 20 /* 600 steps, of which 590 suffice below 2^256 */
#define DIVSTEPS_MASK    ((INT32_C(1) << DIVSTEPS_BITS) - 1)
#define DIVSTEPS_INV_19  UINT32_C(678152731) /* 19 * 678152731 = 1 modulo 2^30 */

/* 2^30 f' = u f + v g, 2^30 g' = q f + r g; |u| + |v| and |q| + |r| are at most 2^30 */
struct divsteps {
    int32_t u, v, q, r;
};

/* Limbs from 0 to 2^30 - 1 but for the last, which has the sign. */
struct divsteps_pair {
    int32_t a[DIVSTEPS_LIMBS], b[DIVSTEPS_LIMBS];
};

/* Steps on the lowest limbs. zeta is -(delta + 1/2). */
static int32_t divsteps(struct divsteps *m, int32_t zeta, uint32_t f, uint32_t g)
{
    uint32_t u = 1, v = 0, q = 0, r = 1;

    _Pragma("GCC unroll 3") for (unsigned i = 0; i < DIVSTEPS_BITS; i++)
    {
        uint32_t swap = (uint32_t)(zeta >> 31), odd = 0 - (g & 1);

        /* g becomes g - f or g + f if it is odd; then f the old g if delta was positive too. */
        g += ((f ^ swap) - swap) & odd;
        q += ((u ^ swap) - swap) & odd;
        r += ((v ^ swap) - swap) & odd;
        swap &= odd;
        zeta = (zeta ^ (int32_t)swap) - 1;
        f += g & swap;
        u += q & swap;
        v += r & swap;
        g >>= 1;
        u <<= 1;
        v <<= 1;
    }
    m->u = (int32_t)u;
    m->v = (int32_t)v;
    m->q = (int32_t)q;
    m->r = (int32_t)r;
    return zeta;
}

/* (a, b) = the matrix times (a, b) / 2^30, which is an integer, or becomes one by the multiples of
 * p that `modulo` (DIVSTEPS_MASK or 0) lets in. d and e grow by p at most. */
static void divsteps_apply(struct divsteps_pair *s, const struct divsteps *m, int32_t modulo)
{
    const int64_t u = m->u, v = m->v, q = m->q, r = m->r;
    int64_t a = u * s->a[0] + v * s->b[0], b = q * s->a[0] + r * s->b[0];
    /* p = 2^255 - 19 */
    int32_t p_a = (int32_t)((uint32_t)a * DIVSTEPS_INV_19) & modulo;
    int32_t p_b = (int32_t)((uint32_t)b * DIVSTEPS_INV_19) & modulo;

    a -= INT64_C(19) * p_a;
    b -= INT64_C(19) * p_b;
    for (unsigned i = 1; i < DIVSTEPS_LIMBS; i++) {
        int32_t x = s->a[i], y = s->b[i];

        a = (a >> DIVSTEPS_BITS) + u * x + v * y;
        b = (b >> DIVSTEPS_BITS) + q * x + r * y;
        s->a[i - 1] = (int32_t)a & DIVSTEPS_MASK;
        s->b[i - 1] = (int32_t)b & DIVSTEPS_MASK;
    }
    a += p_a * (INT64_C(1) << 15); /* 2^255 in the last limb */
    b += p_b * (INT64_C(1) << 15);
    s->a[DIVSTEPS_LIMBS - 2] = (int32_t)a & DIVSTEPS_MASK;
    s->b[DIVSTEPS_LIMBS - 2] = (int32_t)b & DIVSTEPS_MASK;
    s->a[DIVSTEPS_LIMBS - 1] = (int32_t)(a >> DIVSTEPS_BITS);
    s->b[DIVSTEPS_LIMBS - 1] = (int32_t)(b >> DIVSTEPS_BITS);
}

/* a = a + small, or -a + small where `negative` is all ones; the limbs as in a pair. */
static void divsteps_settle(int32_t a[DIVSTEPS_LIMBS], int32_t negative, int32_t small)
{
    int32_t carry = small;

    for (unsigned i = 0; i < DIVSTEPS_LIMBS - 1; i++) {
        carry += (a[i] ^ negative) - negative;
        a[i] = carry & DIVSTEPS_MASK;
        carry >>= DIVSTEPS_BITS;
    }
    a[DIVSTEPS_LIMBS - 1] = carry + (a[DIVSTEPS_LIMBS - 1] ^ negative) - negative;
}

/* x = x / z, or 0 if z = 0; z may be anything that mul gives. */
__attribute__((noinline)) static void divide(struct fe *x, struct fe *z)
{
    struct {
        struct divsteps_pair fg, de;
        struct divsteps m;
        struct fe inverse;
    } s;
    int32_t zeta = -1, above;

    /* g from 0 to p - 1, f = p, d = 0, e = 1 */
    fe_store((uint8_t *)&s.inverse, z);
    fe_load(&s.inverse, (const uint8_t *)&s.inverse);
    for (unsigned i = 0; i < DIVSTEPS_LIMBS; i++) {
        s.fg.a[i] = DIVSTEPS_MASK;
        s.de.a[i] = s.de.b[i] = 0;
    }
    s.fg.a[0] -= 18;
    s.fg.a[DIVSTEPS_LIMBS - 1] = 0x7fff;
    /* Limb i begins 2 i bits below word i. */
    s.fg.b[0] = (int32_t)s.inverse.limb[0] & DIVSTEPS_MASK;
    for (unsigned i = 1; i < FE_LIMBS; i++)
        s.fg.b[i] = (int32_t)(s.inverse.limb[i - 1] >> (32 - 2 * i) | s.inverse.limb[i] << 2 * i) &
                    DIVSTEPS_MASK;
    s.fg.b[FE_LIMBS] = (int32_t)(s.inverse.limb[FE_LIMBS - 1] >> 16);
    s.de.b[0] = 1;

    for (unsigned i = 0; i < DIVSTEPS_BATCHES; i++) {
        zeta = divsteps(&s.m, zeta, (uint32_t)s.fg.a[0], (uint32_t)s.fg.b[0]);
        divsteps_apply(&s.de, &s.m, DIVSTEPS_MASK);
        divsteps_apply(&s.fg, &s.m, 0);
    }

    /* d, or -d if f = -1; then what is above bit 255 comes back in as 19 each, and p is added if
     * that was negative. */
    divsteps_settle(s.de.a, s.fg.a[DIVSTEPS_LIMBS - 1] >> 31, 0);
    above = s.de.a[DIVSTEPS_LIMBS - 1] >> 15;
    s.de.a[DIVSTEPS_LIMBS - 1] &= 0x7fff;
    s.de.a[DIVSTEPS_LIMBS - 1] += (above >> 31) & 0x8000;
    divsteps_settle(s.de.a, 0, 19 * above - ((above >> 31) & 19));
    for (unsigned i = 0; i < FE_LIMBS; i++)
        s.inverse.limb[i] = (uint32_t)s.de.a[i] >> 2 * i | (uint32_t)s.de.a[i + 1]
                                                               << (DIVSTEPS_BITS - 2 * i);
    fe_mul(x, x, &s.inverse);
    wyrm_wipe(&s, sizeof(s));
}

#endif /* WYRM_DIVSTEPS_30_H */

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Division in the field of wyrm_fe_32.h by division steps, which wyrm_divsteps_13.h explains; here
 * in batches of 30 steps on limbs of 30 bits, with 64-bit products.
 *
 * A batch consists of two halves of 15 steps, after which both entries of a matrix row still fit
 * into one word, so a step processes both at once. Limbs have two spare bits, so a product is split
 * into the low word of m * x and the high word of m * 4 x. Their overlap recovers the carries that
 * the sum of low words loses, so no sum needs two words.
 *
 * Constant time: the number of steps is fixed, choices within a step use masks or factors.
 */
#ifndef WYRM_DIVSTEPS_30_H
#define WYRM_DIVSTEPS_30_H

#define DIVSTEPS_BITS    30
#define DIVSTEPS_LIMBS   9
#define DIVSTEPS_BATCHES 20 /* 600 steps, of which 590 suffice below 2^256 */
#define DIVSTEPS_MASK    ((INT32_C(1) << DIVSTEPS_BITS) - 1)
#define DIVSTEPS_INV_19  UINT32_C(678152731) /* 19 * 678152731 = 1 modulo 2^30 */

/* 2^30 f' = u f - v g, 2^30 g' = q f - r g; |u| + |v| and |q| + |r| are at most 2^30 */
struct divsteps {
    int32_t u, v, q, r;
};

/* 2^15 f' = u f + v g, 2^15 g' = q f + r g. Of these only u and v can reach 2^15, and none can
 * reach -2^15.
 */
struct divsteps_half {
    uint32_t uv, qr; /* u + 2^16 v, q + 2^16 r */
};

/* Limbs from 0 to 2^30 - 1 except the last, which is signed. */
struct divsteps_pair {
    int32_t a[DIVSTEPS_LIMBS], b[DIVSTEPS_LIMBS];
};

static int32_t divsteps_first(uint32_t pair)
{
    return -((int32_t)((0 - pair) << 16) >> 16);
}

static int32_t divsteps_second(uint32_t pair)
{
    return -((int32_t)((uint32_t)divsteps_first(pair) - pair) >> 16);
}

/* `then` after `first` */
static void divsteps_join(struct divsteps *m, const struct divsteps_half *first,
                          const struct divsteps_half *then)
{
    int32_t u = divsteps_first(first->uv), v = divsteps_second(first->uv);
    int32_t q = divsteps_first(first->qr), r = divsteps_second(first->qr);
    int32_t then_u = divsteps_first(then->uv), then_v = divsteps_second(then->uv);
    int32_t then_q = divsteps_first(then->qr), then_r = divsteps_second(then->qr);

    m->u = then_u * u + then_v * q;
    m->v = -(then_u * v + then_v * r);
    m->q = then_q * u + then_r * q;
    m->r = -(then_q * v + then_r * r);
}

/* Steps on the lowest limbs. zeta is -(delta + 1/2). */
static int32_t divsteps(struct divsteps *m, int32_t zeta, uint32_t f, uint32_t g)
{
    struct divsteps_half half[2];

    for (unsigned j = 0; j < 2; j++) {
        uint32_t uv = 1, qr = UINT32_C(1) << 16;

        _Pragma("GCC unroll 5") for (unsigned i = 0; i < DIVSTEPS_BITS / 2; i++)
        {
            /* If g is odd, g becomes g - f or g + f; if delta was positive too, f becomes the old
             * g. */
            uint32_t odd = g & 1, negative = wyrm_opaque((uint32_t)(zeta >> 31));
            uint32_t swap = negative & (0 - odd), sign = swap | odd;

            g += f * sign;
            qr += uv * sign;
            zeta = (zeta ^ (int32_t)swap) - 1;
            f += g & swap;
            uv += qr & swap;
            g >>= 1;
            uv <<= 1;
        }
        half[j].uv = uv;
        half[j].qr = qr;
    }
    divsteps_join(m, &half[0], &half[1]);
    return zeta;
}

/* m x / 2^30, rounded down, of a limb other than the last */
static inline int32_t divsteps_high(int32_t m, int32_t x)
{
    return (int32_t)((int64_t)m * (int64_t)((uint32_t)x << 2) >> 32);
}

/* Stores a limb of m a - n b + carry and returns the next carry, at most 2^30. The remainder of
 * each product below its high word is less than 2^30; both and the carry fit one word because the
 * products' signs differ. */
static inline int32_t divsteps_limb(int32_t *to, int32_t m, int32_t n, int32_t x, int32_t y,
                                    int32_t carry)
{
    uint32_t low = (uint32_t)m * (uint32_t)x - (uint32_t)n * (uint32_t)y + (uint32_t)carry;
    int32_t high = divsteps_high(m, x) - divsteps_high(n, y);

    *to = (int32_t)(low & DIVSTEPS_MASK);
    return high + ((int32_t)(low - ((uint32_t)high << DIVSTEPS_BITS)) >> DIVSTEPS_BITS);
}

/* (a, b) = the matrix times (a, b) / 2^30, which is an integer, or made one by adding multiples of
 * p = 2^255 - 19 if `modulo` is DIVSTEPS_MASK instead of 0. d and e grow by at most p. */
static void divsteps_apply(struct divsteps_pair *s, const struct divsteps *m, int32_t modulo)
{
    const int32_t u = m->u, v = m->v, q = m->q, r = m->r;
    int32_t x = s->a[0], y = s->b[0];
    int64_t a = (int64_t)u * x - (int64_t)v * y, b = (int64_t)q * x - (int64_t)r * y;
    int32_t p_a = (int32_t)((uint32_t)a * DIVSTEPS_INV_19) & modulo;
    int32_t p_b = (int32_t)((uint32_t)b * DIVSTEPS_INV_19) & modulo;
    int32_t carry_a = (int32_t)((a - INT64_C(19) * p_a) >> DIVSTEPS_BITS);
    int32_t carry_b = (int32_t)((b - INT64_C(19) * p_b) >> DIVSTEPS_BITS);

    for (unsigned i = 1; i < DIVSTEPS_LIMBS - 1; i++) {
        x = s->a[i];
        y = s->b[i];
        carry_a = divsteps_limb(&s->a[i - 1], u, v, x, y, carry_a);
        carry_b = divsteps_limb(&s->b[i - 1], q, r, x, y, carry_b);
    }
    x = s->a[DIVSTEPS_LIMBS - 1];
    y = s->b[DIVSTEPS_LIMBS - 1];
    a = (int64_t)u * x - (int64_t)v * y + carry_a + p_a * (INT64_C(1) << 15);
    b = (int64_t)q * x - (int64_t)r * y + carry_b + p_b * (INT64_C(1) << 15);
    s->a[DIVSTEPS_LIMBS - 2] = (int32_t)a & DIVSTEPS_MASK;
    s->b[DIVSTEPS_LIMBS - 2] = (int32_t)b & DIVSTEPS_MASK;
    s->a[DIVSTEPS_LIMBS - 1] = (int32_t)(a >> DIVSTEPS_BITS);
    s->b[DIVSTEPS_LIMBS - 1] = (int32_t)(b >> DIVSTEPS_BITS);
}

/* a = a + small, or -a + small if `negative` is all ones; the limbs as in a pair. */
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

/* x = x / z, or 0 if z = 0; z may be any result of mul. */
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

    /* d, or -d if f = -1. Then fold the part above bit 255 (2^255 = 19), and add p if that part was
     * negative. */
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

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * X25519 (RFC 7748): the Montgomery ladder over whichever field wyrm_crypto_select.h chose.
 */
#include "../../wyrm_crypto.h"
#include "../wyrm_crypto_select.h"

#include WYRM_FE_HEADER

#include <string.h>

/* The ladder holds the points n P and (n + 1) P as fractions x/z. In the slots they are sorted by
 * how they came about: `doubled` by doubling and `summed` by addition. */
struct ladder {
    struct fe base; /* x of P; the inversion reuses it */
    struct fe doubled_x, doubled_z;
    struct fe summed_x, summed_z;
    struct fe t0, t1;
};

/* Hides from the compiler that the mask is only ever 0 or ~0, so that it cannot branch on it. */
static inline uint32_t opaque(uint32_t mask)
{
    __asm__("" : "+r"(mask));
    return mask;
}

#ifndef WYRM_LADDER_STEP
/* One bit of the scalar: RFC 7748 section 5, with one change. A and C, B and D trade places when
 * the bits differ, but DA + CB and (DA - CB)^2 do not notice: so only what is doubled is selected.
 */
static void ladder_step(struct ladder *s, uint32_t swap)
{
    fe_add(&s->t0, &s->doubled_x, &s->doubled_z);        /* A */
    fe_sub(&s->doubled_z, &s->doubled_x, &s->doubled_z); /* B */
    fe_add(&s->doubled_x, &s->summed_x, &s->summed_z);   /* C */
    fe_sub(&s->summed_z, &s->summed_x, &s->summed_z);    /* D */
    fe_mul(&s->summed_x, &s->summed_z, &s->t0);          /* DA */
    fe_mul(&s->t1, &s->doubled_x, &s->doubled_z);        /* CB */
    fe_select(&s->t0, &s->doubled_x, swap);              /* A or C */
    fe_select(&s->doubled_z, &s->summed_z, swap);        /* B or D */

    fe_sub(&s->summed_z, &s->summed_x, &s->t1);
    fe_add(&s->summed_x, &s->summed_x, &s->t1);
    fe_sqr(&s->summed_x, &s->summed_x);
    fe_sqr(&s->summed_z, &s->summed_z);
    fe_mul(&s->summed_z, &s->summed_z, &s->base);

    fe_sqr(&s->t0, &s->t0);                /* AA */
    fe_sqr(&s->t1, &s->doubled_z);         /* BB */
    fe_mul(&s->doubled_x, &s->t0, &s->t1); /* AA * BB */
    fe_sub(&s->t1, &s->t0, &s->t1);        /* E */
    fe_mul_a24(&s->t0, &s->t0, &s->t1);    /* AA + a24 * E */
    fe_mul(&s->doubled_z, &s->t0, &s->t1);
}
#endif

/* out = in^(2^n) * by, with n > 0; out is neither of the two. */
static void power(struct fe *out, const struct fe *in, unsigned n, const struct fe *by)
{
    fe_sqr(out, in);
    while (--n > 0)
        fe_sqr(out, out);
    fe_mul(out, out, by);
}

/* doubled_x /= doubled_z, by z^(p - 2); p - 2 is 250 ones, then 01011. A z of zero gives zero. */
static void divide(struct ladder *s)
{
    const struct fe *z = &s->doubled_z;
    struct fe *z11 = &s->base, *z10 = &s->summed_x, *z50 = &s->summed_z;

    fe_sqr(&s->t0, z);
    power(&s->t1, &s->t0, 2, z);        /* 9 */
    fe_mul(z11, &s->t1, &s->t0);        /* 11 */
    power(&s->t0, z11, 1, &s->t1);      /* 31 = 2^5 - 1 */
    power(z10, &s->t0, 5, &s->t0);      /* 2^10 - 1 */
    power(&s->t0, z10, 10, z10);        /* 2^20 - 1 */
    power(&s->t1, &s->t0, 20, &s->t0);  /* 2^40 - 1 */
    power(z50, &s->t1, 10, z10);        /* 2^50 - 1 */
    power(&s->t0, z50, 50, z50);        /* 2^100 - 1 */
    power(&s->t1, &s->t0, 100, &s->t0); /* 2^200 - 1 */
    power(&s->t0, &s->t1, 50, z50);     /* 2^250 - 1 */
    power(&s->t1, &s->t0, 5, z11);      /* 2^255 - 21 */
    fe_mul(&s->doubled_x, &s->doubled_x, &s->t1);
}

/* Clears what the field functions and the spills of the compiler left below this frame. */
__attribute__((noinline)) static void scrub(void)
{
    uint8_t frames[FE_STACK];

    wyrm_wipe(frames, sizeof frames);
}

bool wyrm_x25519(uint8_t out[WYRM_X25519_LEN], const uint8_t scalar[WYRM_X25519_LEN],
                 const uint8_t point[WYRM_X25519_LEN])
{
    struct {
        struct ladder ladder;
        uint8_t scalar[WYRM_X25519_LEN];
    } s;
    uint32_t last = 0;

    memcpy(s.scalar, scalar, sizeof s.scalar);
    s.scalar[0] &= 0xf8;
    s.scalar[31] = (uint8_t)((s.scalar[31] & 0x7f) | 0x40);

    fe_load(&s.ladder.base, point);
    s.ladder.summed_x = s.ladder.base;
    fe_set(&s.ladder.summed_z, 1);
    fe_set(&s.ladder.doubled_x, 1);
    fe_set(&s.ladder.doubled_z, 0);
    for (unsigned i = 255; i-- > 0;) {
        uint32_t bit = ((uint32_t)s.scalar[i / 8] >> (i % 8)) & 1;

        ladder_step(&s.ladder, opaque(0u - (bit ^ last)));
        last = bit;
    }
    /* The clamped scalar ends in zeros, so its multiple is where doublings go. */
    divide(&s.ladder);
    fe_store(out, &s.ladder.doubled_x);
    wyrm_wipe(&s, sizeof s);
    scrub();
    return !wyrm_ct_is_zero(out, WYRM_X25519_LEN);
}

void wyrm_x25519_base(uint8_t out[WYRM_X25519_LEN], const uint8_t scalar[WYRM_X25519_LEN])
{
    static const uint8_t nine[WYRM_X25519_LEN] = {9};

    (void)wyrm_x25519(out, scalar, nine); /* 9 has a large order: never zero */
}

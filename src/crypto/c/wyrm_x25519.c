/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * X25519 (RFC 7748): the Montgomery ladder over whichever field wyrm_crypto_select.h chose. The
 * field provides fe_load, fe_store, fe_mul, fe_sqr_times and either the arithmetic for the ladder
 * below or a ladder of its own; with FE_DIVSTEPS it also names the file that implements inversion.
 */
#include "../../wyrm_crypto.h"
#include "../wyrm_bytes.h"
#include "../wyrm_crypto_scrub.h"
#include "../wyrm_ct.h"

static const uint8_t base_point[WYRM_X25519_LEN] = {9};

#if WYRM_ROWS
#include "wyrm_x25519_rows.h"
#else

#include WYRM_FE_HEADER

#ifndef WYRM_FE_LEAVES

/* The points n P and (n + 1) P as fractions x/z. In the slots they are ordered by origin: `doubled`
 * from a doubling, `summed` from an addition. */
struct rungs {
    struct fe base; /* x of P */
    struct fe doubled_x, doubled_z;
    struct fe summed_x, summed_z;
    struct fe t0, t1;
};

/* One bit of the scalar: RFC 7748 section 5, with one change. Exchanging the points exchanges A
 * with C and B with D, which leaves DA + CB and (DA - CB)^2 unchanged. So only the point to be
 * doubled is selected. */
static void ladder_step(struct rungs *s, uint32_t swap)
{
    fe_add(&s->t0, &s->doubled_x, &s->doubled_z);        /* A */
    fe_sub(&s->doubled_z, &s->doubled_x, &s->doubled_z); /* B */
    fe_add(&s->doubled_x, &s->summed_x, &s->summed_z);   /* C */
    fe_sub(&s->summed_z, &s->summed_x, &s->summed_z);    /* D */
    fe_mul(&s->summed_x, &s->t0, &s->summed_z);          /* DA: a sum is the first factor */
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

/* x/z = n * x, where bit i of `swaps` says whether bits i and i + 1 of n differ. n is even, so its
 * multiple ends up in the doubled point. */
__attribute__((noinline)) static void ladder(struct fe *x, struct fe *z, const uint8_t swaps[32])
{
    struct rungs s;

    s.base = *x;
    s.summed_x = *x;
    fe_set(&s.summed_z, 1);
    fe_set(&s.doubled_x, 1);
    fe_set(&s.doubled_z, 0);
    for (unsigned i = 255; i-- > 0;)
        ladder_step(&s, wyrm_opaque(0u - (((uint32_t)swaps[i / 8] >> (i % 8)) & 1)));
    *x = s.doubled_x;
    *z = s.doubled_z;
    wyrm_wipe(&s, sizeof(s));
}

#endif /* WYRM_FE_LEAVES */

/* Some fields have a separate ladder for the base point, where one product of each step is
 * cheap. */
static inline void run_ladder(struct fe *x, struct fe *z, const uint8_t swaps[32],
                              const uint8_t *point)
{
#ifdef ladder_from_9
    if (point == base_point) {
        ladder_from_9(x, z, swaps);
        return;
    }
#else
    (void)point;
#endif
    ladder(x, z, swaps);
}

#ifdef FE_DIVSTEPS
#include FE_DIVSTEPS
#else

/* x /= z, by z^(p - 2); p - 2 is 250 ones, then 01011. A z of zero gives zero. */
__attribute__((noinline)) static void divide(struct fe *x, struct fe *z)
{
    enum { Z, A, B, Z11, Z50, SLOTS, Z10 = Z };
    /* slot[to] = slot[from]^(2^squarings) * slot[by] */
    static const struct {
        uint8_t to, from, squarings, by;
    } chain[] = {
        {B, Z, 2, Z},      /* 5 */
        {Z11, B, 1, Z},    /* 11 */
        {A, B, 2, Z11},    /* 31 = 2^5 - 1 */
        {Z10, A, 5, A},    /* 2^10 - 1 */
        {A, Z10, 10, Z10}, /* 2^20 - 1 */
        {B, A, 20, A},     /* 2^40 - 1 */
        {Z50, B, 10, Z10}, /* 2^50 - 1 */
        {A, Z50, 50, Z50}, /* 2^100 - 1 */
        {B, A, 100, A},    /* 2^200 - 1 */
        {A, B, 50, Z50},   /* 2^250 - 1 */
        {B, A, 5, Z11},    /* 2^255 - 21 = p - 2 */
    };
    struct fe slot[SLOTS];

    slot[Z] = *z;
    for (unsigned i = 0; i < sizeof(chain) / sizeof(chain[0]); i++) {
        struct fe *to = &slot[chain[i].to];

        fe_sqr_times(to, &slot[chain[i].from], chain[i].squarings);
        fe_mul(to, to, &slot[chain[i].by]);
    }
    fe_mul(x, x, &slot[B]);
    wyrm_wipe(slot, sizeof(slot));
}

#endif /* FE_DIVSTEPS */

/* The clamped scalar n, each bit of it xor the one above. */
static void load_scalar(uint8_t swaps[32], const uint8_t scalar[WYRM_X25519_LEN])
{
    uint32_t word, above = 0;

    for (unsigned i = 32; i > 0; above = word) {
        word = wyrm_load_le32(scalar + (i -= 4));
        if (i == 0)
            word &= 0xfffffff8;
        if (i == 28)
            word = (word & 0x7fffffff) | 0x40000000;
        wyrm_store_le32(swaps + i, word ^ word >> 1 ^ above << 31);
    }
}

/* A separate function, so that scrub clears its frame too: compilers spill parts of secrets into
 * it. */
__attribute__((noinline)) static void multiply(uint8_t out[WYRM_X25519_LEN],
                                               const uint8_t scalar[WYRM_X25519_LEN],
                                               const uint8_t point[WYRM_X25519_LEN])
{
    struct {
        struct fe x, z;
        uint8_t swaps[32];
    } s;

    load_scalar(s.swaps, scalar);
    fe_load(&s.x, point);
    run_ladder(&s.x, &s.z, s.swaps, point);
    divide(&s.x, &s.z);
    fe_store(out, &s.x);
    wyrm_wipe(&s, sizeof(s));
}

#endif /* WYRM_ROWS */

/* Clears the stack below this frame, where field functions and register spills left secrets; the
 * ladder uses more stack than the other primitives. A leaf function: it saves no register. */
__attribute__((noinline)) static void scrub(void)
{
    volatile uint32_t frames[WYRM_X25519_SCRUB_BYTES / 4];

    for (unsigned i = 0; i < WYRM_X25519_SCRUB_BYTES / 4; i++)
        frames[i] = 0;
    __asm__ volatile("" : : "r"(frames)); /* not "set but not used" */
}

bool wyrm_x25519(uint8_t out[WYRM_X25519_LEN], const uint8_t scalar[WYRM_X25519_LEN],
                 const uint8_t point[WYRM_X25519_LEN])
{
    multiply(out, scalar, point);
    scrub();
    return !wyrm_ct_is_zero(out, WYRM_X25519_LEN);
}

bool wyrm_x25519_base(uint8_t out[WYRM_X25519_LEN], const uint8_t scalar[WYRM_X25519_LEN])
{
    return wyrm_x25519(out, scalar, base_point);
}

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * X25519 in minimal code: the ladder of RFC 7748 section 5 as a list of operations for one
 * function that can add, subtract and multiply modulo p = 2^255 - 19.
 *
 * Bounds: operands are any 256-bit values, except that a subtrahend is below 2^256 - 38. Each
 * operation ends by folding its carry and bit 255 into the low end (2^255 = 19), so its result is
 * below 2^255 + 2^22. A difference keeps bit 255, because 37 may be subtracted from it, and can be
 * any 256-bit value. No difference is subtracted.
 */
#ifndef WYRM_X25519_ROWS_H
#define WYRM_X25519_ROWS_H

#include "../wyrm_ct.h"
#include "wyrm_rows.h"

#define LIMBS WYRM_LIMBS(256)

typedef wyrm_limb element[LIMBS];

/* The points n P and (n + 1) P are X2/Z2 and X3/Z3; the order matters to `trade`. */
enum { X1, X2, Z2, X3, Z3, T0, T1, SLOTS };

enum { MULTIPLY, ADD, SUBTRACT, ADD_HALF_A };
#define OPERATION(what, out, a, b) ((what) << 9 | (a) << 6 | (b) << 3 | (out))
#define MUL(out, a, b)             OPERATION(MULTIPLY, out, a, b)
#define SUM(out, a, b)             OPERATION(ADD, out, a, b)
#define SUB(out, a, b)             OPERATION(SUBTRACT, out, a, b)

/* (A + 2) / 8 for the curve constant A = 486662: half of it is added twice, so that it fits one
 * limb. */
#define HALF_A                60833
#define SUM_HALF_A(out, a, b) OPERATION(ADD_HALF_A, out, b, a)

/* a += small, for a sum that neither overflows nor becomes negative. */
__attribute__((noinline)) static void ripple(element a, int32_t small)
{
#if WYRM_ROWS == 32
    int64_t carry = small;
#else
    int32_t carry = small;
#endif

    for (unsigned i = 0; i < LIMBS; i++) {
        carry += a[i];
        a[i] = (wyrm_limb)carry;
        carry >>= WYRM_ROWS;
    }
}

/* Clears bit 255 and returns it. */
static inline uint32_t take_top(element a)
{
    uint32_t top = wyrm_opaque((uint32_t)a[LIMBS - 1] >> (WYRM_ROWS - 1));

    a[LIMBS - 1] &= (wyrm_limb) ~(wyrm_limb)0 >> 1;
    return top;
}

/* Executes `operation`. */
__attribute__((noinline)) static void operate(element slot[SLOTS], unsigned operation)
{
    const wyrm_limb *a = slot[operation >> 6 & 7], *b = slot[operation >> 3 & 7];
    unsigned what = operation >> 9;
    /* 2^256 - 1 - b is added to subtract b. */
    wyrm_limb sum[2 * LIMBS], factor = 1, flip = what == SUBTRACT ? (wyrm_limb) ~(wyrm_limb)0 : 0;
    uint32_t above;

    if (what == ADD_HALF_A)
        factor = HALF_A;
    for (unsigned i = 0; i < LIMBS; i++)
        sum[i] = what == MULTIPLY ? 0 : b[i] ^ flip;
    if (what == MULTIPLY) {
        for (unsigned i = 0; i < LIMBS; i++)
            sum[LIMBS + i] = wyrm_row(sum + i, b[i], a, LIMBS);
        a = sum + LIMBS;
        factor = 38; /* 2^256 */
    }
    above = 2 * (uint32_t)wyrm_row(sum, factor, a, LIMBS);
    if (flip == 0)
        above += take_top(sum);
    ripple(sum, (int32_t)(19 * above) - (int32_t)(flip & 37)); /* 2^256 - 1 = 37 */
    memcpy(slot[operation & 7], sum, sizeof(element));
}

/* Swaps the two points if the mask is all ones. */
static inline void trade(element slot[SLOTS], uint32_t mask)
{
    wyrm_limb *p = slot[X2];

    for (unsigned i = 0; i < 2 * LIMBS; i++, p++) {
        wyrm_limb difference = (wyrm_limb)(mask & (p[0] ^ p[2 * LIMBS]));

        p[0] ^= difference;
        p[2 * LIMBS] ^= difference;
    }
}

/* X2/Z2 = scalar * X1, clamped. */
static inline void ladder(element slot[SLOTS], const uint8_t scalar[WYRM_X25519_LEN])
{
    /* The names are those of the RFC. */
    static const uint16_t step[] = {
        SUM(T0, X2, Z2),        /* A */
        SUB(Z2, X2, Z2),        /* B */
        SUM(T1, X3, Z3),        /* C */
        SUB(Z3, X3, Z3),        /* D */
        MUL(Z3, Z3, T0),        /* DA */
        MUL(T1, T1, Z2),        /* CB */
        SUM(X3, Z3, T1),        /**/
        SUB(Z3, Z3, T1),        /**/
        MUL(X3, X3, X3),        /**/
        MUL(Z3, Z3, Z3),        /**/
        MUL(Z3, Z3, X1),        /**/
        MUL(T0, T0, T0),        /* AA */
        MUL(T1, Z2, Z2),        /* BB */
        MUL(X2, T0, T1),        /**/
        SUB(T0, T0, T1),        /* E */
        SUM_HALF_A(T1, T1, T0), /**/
        SUM_HALF_A(T1, T1, T0), /* BB + (a24 + 1) * E, which is AA + a24 * E */
        MUL(Z2, T0, T1),
    };
    uint32_t bit, before = 0;

    for (unsigned i = 255; i-- > 0; before = bit) {
        bit = (uint32_t)scalar[i / 8] >> (i % 8) & 1;
        if (i == 254)
            bit = 1;
        if (i < 3)
            bit = 0;
        trade(slot, wyrm_opaque(0u - (bit ^ before)));
        for (unsigned j = 0; j < sizeof(step) / sizeof(step[0]); j++)
            operate(slot, step[j]);
    }
}

/* X2 /= Z2, by Z2^(p - 2): 250 ones, then 01011. A Z2 of zero gives zero. */
static inline void divide(element slot[SLOTS])
{
    memcpy(slot[T0], slot[Z2], sizeof(element));
    for (unsigned i = 254; i-- > 0;) {
        operate(slot, MUL(T0, T0, T0));
        if (((i - 2) & ~2u) != 0) /* neither 2 nor 4 */
            operate(slot, MUL(T0, T0, Z2));
    }
    operate(slot, MUL(X2, X2, T0));
}

/* A separate function, so that scrub clears its frame too. */
__attribute__((noinline)) static void multiply(uint8_t out[WYRM_X25519_LEN],
                                               const uint8_t scalar[WYRM_X25519_LEN],
                                               const uint8_t point[WYRM_X25519_LEN])
{
    element slot[SLOTS];

    memset(slot, 0, sizeof(slot));
    wyrm_limbs_load(slot[X1], point, sizeof(element));
    (void)take_top(slot[X1]);
    memcpy(slot[X3], slot[X1], sizeof(element));
    slot[X2][0] = slot[Z3][0] = 1;
    ladder(slot, scalar);
    divide(slot);
    /* X2 is below 2p. Adding 19 reaches bit 255 exactly if it is at least p; clearing that bit then
     * leaves X2 - p, otherwise 19 is subtracted again. */
    ripple(slot[X2], 19);
    ripple(slot[X2], (int32_t)(19 * take_top(slot[X2])) - 19);
    wyrm_limbs_store(out, slot[X2], sizeof(element));
}

#endif /* WYRM_X25519_ROWS_H */

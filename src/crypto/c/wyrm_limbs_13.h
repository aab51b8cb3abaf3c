/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Integers as twenty limbs of 13 bits, from bytes and back: for the field of wyrm_fe_13.h and the
 * division of wyrm_divsteps_13.h.
 */
#ifndef WYRM_LIMBS_13_H
#define WYRM_LIMBS_13_H

#include <stdint.h>

#define LIMBS_13     20
#define LIMB_13_BITS 13
#define LIMB_13_MASK ((1 << LIMB_13_BITS) - 1)

#ifdef WYRM_FE_WORDS /* for architectures with their own arithmetic: one word per limb */
typedef int32_t limb_13;
#else
typedef int16_t limb_13;
#endif

/* The low 255 bits. */
static void limbs_13_load(limb_13 out[LIMBS_13], const uint8_t in[32])
{
    uint32_t bits = 0;
    unsigned held = 0, next = 0;

    for (unsigned i = 0; i < LIMBS_13; i++) {
        for (; held < LIMB_13_BITS && next < 32; held += 8)
            bits |= (uint32_t)in[next++] << held;
        out[i] = (limb_13)(bits & LIMB_13_MASK);
        bits >>= LIMB_13_BITS;
        held -= LIMB_13_BITS;
    }
    out[LIMBS_13 - 1] &= 0xff;
}

/* The low 256 bits of limbs from 0 to 2^13 - 1. */
static void limbs_13_store(uint8_t out[32], const limb_13 in[LIMBS_13])
{
    uint32_t bits = 0;
    unsigned held = 0;

    for (unsigned i = 0; i < LIMBS_13; i++) {
        bits |= (uint32_t)in[i] << held;
        for (held += LIMB_13_BITS; held >= 8; held -= 8) {
            *out++ = (uint8_t)bits;
            bits >>= 8;
        }
    }
}

/* a += carry, with limbs from 0 to 2^13 - 1 except the last, which is signed. */
static void limbs_13_ripple(limb_13 a[LIMBS_13], int32_t carry)
{
    for (unsigned i = 0; i < LIMBS_13 - 1; i++) {
        carry += a[i];
        a[i] = (limb_13)(carry & LIMB_13_MASK);
        carry >>= LIMB_13_BITS;
    }
    a[LIMBS_13 - 1] = (limb_13)(a[LIMBS_13 - 1] + carry);
}

#endif /* WYRM_LIMBS_13_H */

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The X25519 field of ARMv7-M: the elements and conversions of the 13-bit field in C, a word for
 * each limb, with the arithmetic of wyrm_fe_armv7m.S.
 */
#ifndef WYRM_FE_ARMV7M_H
#define WYRM_FE_ARMV7M_H

#define WYRM_FE_WORDS 1
#include "../c/wyrm_fe_13.h"

void wyrm_fe_add_armv7m(struct fe *out, const struct fe *a, const struct fe *b);
void wyrm_fe_sub_armv7m(struct fe *out, const struct fe *a, const struct fe *b);
void wyrm_fe_mul_armv7m(struct fe *out, const struct fe *a, const struct fe *b);
void wyrm_fe_sqr_armv7m(struct fe *out, const struct fe *a);
void wyrm_fe_mul_a24_armv7m(struct fe *out, const struct fe *a, const struct fe *b);
void wyrm_fe_select_armv7m(struct fe *out, const struct fe *a, uint32_t mask);

/* out = a^(2^times), times > 0 */
static inline void fe_sqr_times(struct fe *out, const struct fe *a, unsigned times)
{
    wyrm_fe_sqr_armv7m(out, a);
    while (--times > 0)
        wyrm_fe_sqr_armv7m(out, out);
}

#define fe_add     wyrm_fe_add_armv7m
#define fe_sub     wyrm_fe_sub_armv7m
#define fe_mul     wyrm_fe_mul_armv7m
#define fe_sqr     wyrm_fe_sqr_armv7m
#define fe_mul_a24 wyrm_fe_mul_a24_armv7m
#define fe_select  wyrm_fe_select_armv7m

#endif /* WYRM_FE_ARMV7M_H */

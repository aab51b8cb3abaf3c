/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The X25519 field of ARMv6-M: the elements and conversions of the 13-bit field in C, a word for
 * each limb, with the arithmetic of wyrm_fe_armv6m.S.
 */
#ifndef WYRM_FE_ARMV6M_H
#define WYRM_FE_ARMV6M_H

#define WYRM_FE_WORDS 1
#include "../c/wyrm_fe_13.h"

void wyrm_fe_add_armv6m(struct fe *out, const struct fe *a, const struct fe *b);
void wyrm_fe_sub_armv6m(struct fe *out, const struct fe *a, const struct fe *b);
void wyrm_fe_mul_armv6m(struct fe *out, const struct fe *a, const struct fe *b);
void wyrm_fe_sqr_armv6m(struct fe *out, const struct fe *a, unsigned times);
void wyrm_fe_mul_a24_armv6m(struct fe *out, const struct fe *a, const struct fe *b);
void wyrm_fe_select_armv6m(struct fe *out, const struct fe *a, uint32_t mask);

#define fe_add         wyrm_fe_add_armv6m
#define fe_sub         wyrm_fe_sub_armv6m
#define fe_mul         wyrm_fe_mul_armv6m
#define fe_sqr(out, a) wyrm_fe_sqr_armv6m(out, a, 1)
#define fe_sqr_times   wyrm_fe_sqr_armv6m
#define fe_mul_a24     wyrm_fe_mul_a24_armv6m
#define fe_select      wyrm_fe_select_armv6m

#endif /* WYRM_FE_ARMV6M_H */

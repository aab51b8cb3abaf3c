/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The X25519 field of ARMv6-M: the elements and conversions of the 32-bit field in C, with the
 * arithmetic of wyrm_fe_armv6m.S.
 */
#ifndef WYRM_FE_ARMV6M_H
#define WYRM_FE_ARMV6M_H

#define WYRM_FE_LEAVES 1
#include "../c/wyrm_fe_32.h"

void wyrm_fe_mul_armv6m(struct fe *out, const struct fe *a, const struct fe *b);
void wyrm_fe_sqr_armv6m(struct fe *out, const struct fe *a, unsigned times);
void wyrm_fe_ladder_armv6m(struct fe *x, struct fe *z, const uint8_t swaps[32]);
void wyrm_fe_ladder_from_9_armv6m(struct fe *x, struct fe *z, const uint8_t swaps[32]);

/* Division steps take 126,000 fewer instructions than exponentiation, in about 700 bytes more. */
#if !WYRM_SMALL
#define FE_DIVSTEPS "wyrm_divsteps_13.h"
#endif

#define fe_mul        wyrm_fe_mul_armv6m
#define fe_sqr_times  wyrm_fe_sqr_armv6m
#define ladder        wyrm_fe_ladder_armv6m
#define ladder_from_9 wyrm_fe_ladder_from_9_armv6m

#endif /* WYRM_FE_ARMV6M_H */

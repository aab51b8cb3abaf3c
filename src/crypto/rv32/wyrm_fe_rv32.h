/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The X25519 field of RV32IM: the elements and conversions of the 32-bit field in C, with the
 * arithmetic of wyrm_fe_rv32.S.
 */
#ifndef WYRM_FE_RV32_H
#define WYRM_FE_RV32_H

#define WYRM_FE_LEAVES 1
#include "../c/wyrm_fe_32.h"

void wyrm_fe_mul_rv32(struct fe *out, const struct fe *a, const struct fe *b);
void wyrm_fe_sqr_rv32(struct fe *out, const struct fe *a, unsigned times);
void wyrm_fe_ladder_rv32(struct fe *x, struct fe *z, const uint8_t swaps[32]);
void wyrm_fe_ladder_from_9_rv32(struct fe *x, struct fe *z, const uint8_t swaps[32]); /* x is 9 */

/* Division steps take 73,000 fewer instructions than exponentiation, in about 1,200 bytes more; the
 * ladder for x = 9 saves 124,000 for about 200 bytes. */
#if !WYRM_SMALL
#define FE_DIVSTEPS   "wyrm_divsteps_30.h"
#define ladder_from_9 wyrm_fe_ladder_from_9_rv32
#endif

#define fe_mul       wyrm_fe_mul_rv32
#define fe_sqr_times wyrm_fe_sqr_rv32
#define ladder       wyrm_fe_ladder_rv32

#endif /* WYRM_FE_RV32_H */

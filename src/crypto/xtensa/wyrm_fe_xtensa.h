/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The X25519 field of an Xtensa with MULUH: the elements and conversions of the 26-bit field in C,
 * with the arithmetic of wyrm_fe_xtensa.S.
 */
#ifndef WYRM_FE_XTENSA_H
#define WYRM_FE_XTENSA_H

#define WYRM_FE_LEAVES 1
#include "../c/wyrm_fe_26.h"

void wyrm_fe_mul_xtensa(struct fe *out, const struct fe *a, const struct fe *b);
void wyrm_fe_sqr_xtensa(struct fe *out, const struct fe *a, unsigned times);
void wyrm_fe_ladder_xtensa(struct fe *x, struct fe *z, const uint8_t swaps[32]);

#define fe_mul       wyrm_fe_mul_xtensa
#define fe_sqr_times wyrm_fe_sqr_xtensa
#define ladder       wyrm_fe_ladder_xtensa

#endif /* WYRM_FE_XTENSA_H */

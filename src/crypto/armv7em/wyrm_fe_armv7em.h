/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The X25519 field of ARMv7E-M: the elements and conversions of the 32-bit field in C, with the
 * arithmetic of wyrm_fe_armv7em.S.
 */
#ifndef WYRM_FE_ARMV7EM_H
#define WYRM_FE_ARMV7EM_H

#define WYRM_FE_LEAVES 1
#include "../c/wyrm_fe_32.h"

void wyrm_fe_mul_armv7em(struct fe *out, const struct fe *a, const struct fe *b);
void wyrm_fe_sqr_armv7em(struct fe *out, const struct fe *a, unsigned times);
void wyrm_fe_ladder_armv7em(struct fe *x, struct fe *z, const uint8_t swaps[32]);

#define fe_mul       wyrm_fe_mul_armv7em
#define fe_sqr_times wyrm_fe_sqr_armv7em
#define ladder       wyrm_fe_ladder_armv7em

#endif /* WYRM_FE_ARMV7EM_H */

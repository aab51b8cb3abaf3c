/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Measured sizes: how many bytes below the frame of a public function its callees may leave
 * secrets. tests/c/ct/test_ct_wiped.py scans the stack for them. A build may set them itself.
 *
 *   WYRM_SCRUB_BYTES         of every primitive but X25519
 *   WYRM_X25519_SCRUB_BYTES  of X25519
 */
#ifndef WYRM_CRYPTO_SCRUB_H
#define WYRM_CRYPTO_SCRUB_H

#include "wyrm_crypto_select.h"

/* Assembly clears its own frames. What remains in C spills more on ARMv6-M with its eight
 * registers, and has larger frames on an Xtensa and on 64-bit machines. */
#ifndef WYRM_SCRUB_BYTES
#if WYRM_CHACHA20_ASM && WYRM_POLY1305_ASM && WYRM_BLAKE2S_ASM && !WYRM_ARCH_ARMV6M
#define WYRM_SCRUB_BYTES (WYRM_ARCH_XTENSA ? 160 : 96)
#elif WYRM_ARCH_XTENSA || __SIZEOF_POINTER__ > 4
#define WYRM_SCRUB_BYTES 448
#else
#define WYRM_SCRUB_BYTES 320
#endif
#endif

/* X25519 with everything it calls, at every level of optimisation. */
#ifndef WYRM_X25519_SCRUB_BYTES
#if WYRM_ROWS
#define WYRM_X25519_SCRUB_BYTES 640
#elif WYRM_FE_BITS == 32 && WYRM_X25519_ASM && WYRM_ARCH_ARMV6M
#define WYRM_X25519_SCRUB_BYTES 768
#elif WYRM_FE_BITS == 32 && WYRM_X25519_ASM
#define WYRM_X25519_SCRUB_BYTES (WYRM_ARCH_RV32 ? 608 : 512)
#elif WYRM_FE_BITS == 32
#define WYRM_X25519_SCRUB_BYTES 672
#elif WYRM_FE_BITS == 26 && WYRM_X25519_ASM
#define WYRM_X25519_SCRUB_BYTES 864
#else
#define WYRM_X25519_SCRUB_BYTES 1472
#endif
#endif

#endif /* WYRM_CRYPTO_SCRUB_H */

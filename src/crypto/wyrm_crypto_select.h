/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Selects the implementation of each primitive. A build may set any of these itself (-DWYRM_...);
 * the others follow from the core (wyrm_crypto_detect.h).
 *
 *   WYRM_SMALL          1: smallest code; 0: fastest
 *   WYRM_ASM            1: use this architecture's assembly (set in wyrm_config.h)
 *   WYRM_SIMD           1: use vector instructions if the processor has them (x86-64)
 *   WYRM_ROWS           limb bits of the smallest X25519 and Poly1305, 32 or 16; 0: another form
 *   WYRM_FE_BITS        bits per limb of the X25519 field: 51, 32, 26 or 13
 *   WYRM_POLY1305_BITS  bits per limb of Poly1305: 64, 32, 26 or 13
 *   WYRM_<LEAF>_ASM     1: assembly provides the leaf; 0: its portable twin does
 *   WYRM_AEAD_X86_64    1: crypto/x86_64/ takes the messages it is faster for
 */
#ifndef WYRM_CRYPTO_SELECT_H
#define WYRM_CRYPTO_SELECT_H

#include "../wyrm_config.h"
#include "wyrm_crypto_detect.h"

/* ---- Profile ---------------------------------------------------------- */

#ifndef WYRM_SMALL
#ifdef __OPTIMIZE_SIZE__
#define WYRM_SMALL 1
#else
#define WYRM_SMALL 0
#endif
#endif

/* In the smallest build X25519 and Poly1305 share the loop of wyrm_rows.h. */
#ifndef WYRM_ROWS
#if WYRM_SMALL && !WYRM_ASM
#define WYRM_ROWS (WYRM_CT_MUL64 ? 32 : 16)
#else
#define WYRM_ROWS 0
#endif
#endif

/* ---- ChaCha20-Poly1305 ------------------------------------------------ */

/* Vector instructions suit a PC's daemon. The host's tests want the code that microcontrollers run.
 */
#ifndef WYRM_SIMD
#define WYRM_SIMD 0
#endif
#ifndef WYRM_AEAD_X86_64
#define WYRM_AEAD_X86_64 (WYRM_SIMD && WYRM_ARCH_X86_64)
#endif

/* ---- ChaCha20, Poly1305, BLAKE2s -------------------------------------- */

#ifndef WYRM_POLY1305_BITS
#if WYRM_XTENSA_MULUH
#define WYRM_POLY1305_BITS 26
#elif !WYRM_CT_MUL64
#define WYRM_POLY1305_BITS 13
#elif defined(__SIZEOF_INT128__)
#define WYRM_POLY1305_BITS 64
#else
#define WYRM_POLY1305_BITS 32
#endif
#endif

#if WYRM_POLY1305_BITS == 64
#define WYRM_POLY1305_HEADER "wyrm_poly1305_64.h"
#elif WYRM_POLY1305_BITS == 32
#define WYRM_POLY1305_HEADER "wyrm_poly1305_32.h"
#elif WYRM_POLY1305_BITS == 26
#define WYRM_POLY1305_HEADER "wyrm_poly1305_26.h"
#elif WYRM_POLY1305_BITS == 13
#define WYRM_POLY1305_HEADER "wyrm_poly1305_13.h"
#else
#error "WYRM_POLY1305_BITS must be 64, 32, 26 or 13"
#endif

#ifndef WYRM_CHACHA20_ASM
#define WYRM_CHACHA20_ASM                                                                          \
    (WYRM_ASM && (WYRM_ARCH_ARMV6M || WYRM_ARCH_ARMV7M || WYRM_ARCH_ARMV7EM ||                     \
                  WYRM_ARCH_AARCH64 || WYRM_ARCH_RV32 || WYRM_ARCH_XTENSA))
#endif
#ifndef WYRM_POLY1305_ASM
#define WYRM_POLY1305_ASM                                                                          \
    (WYRM_ASM && (((WYRM_ARCH_ARMV7EM || WYRM_ARCH_RV32) && WYRM_POLY1305_BITS == 32) ||           \
                  ((WYRM_ARCH_ARMV7M || WYRM_ARCH_ARMV6M) && WYRM_POLY1305_BITS == 13) ||          \
                  (WYRM_ARCH_XTENSA &&                                                             \
                   (WYRM_POLY1305_BITS == 26 || (WYRM_POLY1305_BITS == 13 && WYRM_XTENSA_MULL)))))
#endif
#ifndef WYRM_BLAKE2S_ASM
/* On ARMv6-M it is twice as large as the small C, but smaller than the fast C: for speed only. */
#define WYRM_BLAKE2S_ASM                                                                           \
    (WYRM_ASM && (WYRM_ARCH_ARMV7M || WYRM_ARCH_ARMV7EM || WYRM_ARCH_RV32 || WYRM_ARCH_XTENSA ||   \
                  (WYRM_ARCH_ARMV6M && !WYRM_SMALL)))
#endif

/* ---- X25519 ----------------------------------------------------------- */

#ifndef WYRM_X25519_ASM
#define WYRM_X25519_ASM                                                                            \
    (WYRM_ASM && (WYRM_ARCH_ARMV7EM || WYRM_ARCH_ARMV7M || WYRM_ARCH_ARMV6M || WYRM_ARCH_RV32 ||   \
                  (WYRM_ARCH_XTENSA && WYRM_XTENSA_MULUH)))
#endif

#ifndef WYRM_FE_BITS
#if defined(__SIZEOF_INT128__)
#define WYRM_FE_BITS 51
#elif WYRM_CT_MUL64 || (WYRM_X25519_ASM && WYRM_ARCH_ARMV6M)
#define WYRM_FE_BITS 32
#elif WYRM_XTENSA_MULUH
#define WYRM_FE_BITS 26
#else
#define WYRM_FE_BITS 13
#endif
#endif

#if WYRM_X25519_ASM && WYRM_ARCH_ARMV7EM
#define WYRM_FE_HEADER "../armv7em/wyrm_fe_armv7em.h"
#elif WYRM_X25519_ASM && WYRM_ARCH_ARMV7M
#define WYRM_FE_HEADER "../armv7m/wyrm_fe_armv7m.h"
#elif WYRM_X25519_ASM && WYRM_ARCH_ARMV6M
#define WYRM_FE_HEADER "../armv6m/wyrm_fe_armv6m.h"
#elif WYRM_X25519_ASM && WYRM_ARCH_RV32
#define WYRM_FE_HEADER "../rv32/wyrm_fe_rv32.h"
#elif WYRM_X25519_ASM && WYRM_ARCH_XTENSA
#define WYRM_FE_HEADER "../xtensa/wyrm_fe_xtensa.h"
#elif WYRM_FE_BITS == 51
#define WYRM_FE_HEADER "wyrm_fe_51.h"
#elif WYRM_FE_BITS == 32
#define WYRM_FE_HEADER "wyrm_fe_32.h"
#elif WYRM_FE_BITS == 26
#define WYRM_FE_HEADER "wyrm_fe_26.h"
#elif WYRM_FE_BITS == 13
#define WYRM_FE_HEADER "wyrm_fe_13.h"
#else
#error "WYRM_FE_BITS must be 51, 32, 26 or 13"
#endif

#endif /* WYRM_CRYPTO_SELECT_H */

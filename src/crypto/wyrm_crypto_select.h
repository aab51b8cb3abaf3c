/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The only place where macros of compiler and CPU choose the implementation of a primitive. Every
 * choice is made only where the build has not made it (-DWYRM_...).
 *
 *   WYRM_ARCH_<X>    1 on that architecture; assembly files are empty elsewhere
 *   WYRM_XTENSA_WINDOWED  1: calls turn the register window; 0: call0
 *   WYRM_XTENSA_MULUH     1: there is a multiply for high words
 *   WYRM_XTENSA_MULL      1: there is one for low words
 *   WYRM_SMALL       1: smallest code; 0: fastest
 *   WYRM_ASM         1: use the assembly of this architecture; 0: portable C everywhere, which is
 *                    the least code together with WYRM_SMALL, and several times slower
 *   WYRM_CT_ADD64    1: 64-bit sums take the same time for all operands
 *   WYRM_CT_MUL64    1: 32 x 32 -> 64 products do, too
 *   WYRM_UNALIGNED   1: the core reads and writes words at any address
 *   WYRM_ROWS        bits per limb of X25519 and Poly1305 in their smallest form: 32 or 16; 0: not
 *                    that form
 *   WYRM_FE_BITS     bits per limb of the X25519 field: 51, 32, 26 or 13
 *   WYRM_POLY1305_BITS  bits per limb of Poly1305: 64, 32, 26 or 13
 *   WYRM_<LEAF>_ASM  1: assembly provides the leaf, 0: its portable twin does
 */
#ifndef WYRM_CRYPTO_SELECT_H
#define WYRM_CRYPTO_SELECT_H

/* ---- Architecture ----------------------------------------------------- */

#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M' && defined(__ARM_FEATURE_DSP)
#define WYRM_ARCH_ARMV7EM 1 /* Cortex-M4, M7; ARMv8-M mainline with DSP: M33, M55 */
#elif defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M' && defined(__ARM_ARCH_7M__)
#define WYRM_ARCH_ARMV7M 1 /* Cortex-M3 */
#elif defined(__ARM_ARCH_6M__) || defined(__ARM_ARCH_8M_BASE__)
#define WYRM_ARCH_ARMV6M 1 /* Cortex-M0, M0+, M1, M23 */
#elif defined(__riscv) && __riscv_xlen == 32 && defined(__riscv_mul)
#define WYRM_ARCH_RV32 1 /* RV32IM */
#elif defined(__aarch64__) && !defined(__AARCH64EB__)
#define WYRM_ARCH_AARCH64 1
#elif defined(__XTENSA__)
#if defined(__has_include)
#if __has_include(<xtensa/config/core-isa.h>)
#include <xtensa/config/core-isa.h>
#endif
#endif
#endif

/* What the assembly for an Xtensa must know of it. GCC tells the calling convention, or a build
 * says it, else there is no assembly; the headers of its vendor tell the rest. */
#if defined(__XTENSA__) && !defined(WYRM_XTENSA_WINDOWED)
#if defined(__XTENSA_WINDOWED_ABI__)
#define WYRM_XTENSA_WINDOWED 1
#elif defined(__XTENSA_CALL0_ABI__)
#define WYRM_XTENSA_WINDOWED 0
#endif
#endif
#ifndef WYRM_XTENSA_MULUH
#if defined(XCHAL_HAVE_MUL32_HIGH) && XCHAL_HAVE_MUL32_HIGH
#define WYRM_XTENSA_MULUH 1
#else
#define WYRM_XTENSA_MULUH 0
#endif
#endif
#ifndef WYRM_XTENSA_MULL
#if defined(XCHAL_HAVE_MUL32) && !XCHAL_HAVE_MUL32
#define WYRM_XTENSA_MULL 0
#else
#define WYRM_XTENSA_MULL 1
#endif
#endif

#ifndef WYRM_ARCH_ARMV7EM
#define WYRM_ARCH_ARMV7EM 0
#endif
#ifndef WYRM_ARCH_ARMV7M
#define WYRM_ARCH_ARMV7M 0
#endif
#ifndef WYRM_ARCH_ARMV6M
#define WYRM_ARCH_ARMV6M 0
#endif
#ifndef WYRM_ARCH_RV32
#define WYRM_ARCH_RV32 0
#endif
#ifndef WYRM_ARCH_AARCH64
#define WYRM_ARCH_AARCH64 0
#endif
#ifdef WYRM_XTENSA_WINDOWED
#define WYRM_ARCH_XTENSA 1 /* with known calling convention */
#else
#define WYRM_ARCH_XTENSA 0
#endif

/* ---- Profile ---------------------------------------------------------- */

#ifndef WYRM_SMALL
#ifdef __OPTIMIZE_SIZE__
#define WYRM_SMALL 1
#else
#define WYRM_SMALL 0
#endif
#endif

#ifndef WYRM_ASM
#define WYRM_ASM 1
#endif

/* ---- Multiplier ------------------------------------------------------- */

/* ARMv6-M has no wide multiply (libgcc's branches on its operands), Cortex-M3's UMULL takes 3 to 5
 * cycles by operand. An Xtensa may have MULUH but has no carry flag: compilers make a branch of
 * each 64-bit addition. Unknown 16-bit machines get the careful choice too. */
#ifndef WYRM_CT_ADD64
#ifdef __XTENSA__
#define WYRM_CT_ADD64 0
#else
#define WYRM_CT_ADD64 1
#endif
#endif
#ifndef WYRM_CT_MUL64
#if !WYRM_CT_ADD64
#define WYRM_CT_MUL64 0
#elif WYRM_ARCH_ARMV7M || WYRM_ARCH_ARMV6M || __SIZEOF_POINTER__ < 4
#define WYRM_CT_MUL64 0
#elif defined(__riscv) && !defined(__riscv_mul)
#define WYRM_CT_MUL64 0
#else
#define WYRM_CT_MUL64 1
#endif
#endif

/* Where size is all that counts, X25519 and Poly1305 share the loop of wyrm_rows.h. */
#ifndef WYRM_ROWS
#if WYRM_SMALL && !WYRM_ASM
#define WYRM_ROWS (WYRM_CT_MUL64 ? 32 : 16)
#else
#define WYRM_ROWS 0
#endif
#endif

/* ---- Memory ----------------------------------------------------------- */

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define WYRM_LITTLE_ENDIAN 0
#else
#define WYRM_LITTLE_ENDIAN 1
#endif

#ifndef WYRM_UNALIGNED
#if WYRM_LITTLE_ENDIAN &&                                                                          \
    (defined(__ARM_FEATURE_UNALIGNED) || defined(__x86_64__) || defined(__i386__))
#define WYRM_UNALIGNED 1
#else
#define WYRM_UNALIGNED 0
#endif
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
/* On ARMv6-M it is twice as big as the small C, if smaller than the fast: for speed only. */
#define WYRM_BLAKE2S_ASM                                                                           \
    (WYRM_ASM && (WYRM_ARCH_ARMV7M || WYRM_ARCH_ARMV7EM || WYRM_ARCH_RV32 || WYRM_ARCH_XTENSA ||   \
                  (WYRM_ARCH_ARMV6M && !WYRM_SMALL)))
#endif

/* How far below the frame of a public function its callees may leave secrets; a test that scans the
 * stack measures it. Assembly clears its own frames; with the eight registers of ARMv6-M, compilers
 * spill in what remains in C, and on an Xtensa and 64-bit machines the frames of that are larger.
 */
#ifndef WYRM_SCRUB_BYTES
#if WYRM_CHACHA20_ASM && WYRM_POLY1305_ASM && WYRM_BLAKE2S_ASM && !WYRM_ARCH_ARMV6M
#define WYRM_SCRUB_BYTES (WYRM_ARCH_XTENSA ? 160 : 96)
#elif WYRM_ARCH_XTENSA || __SIZEOF_POINTER__ > 4
#define WYRM_SCRUB_BYTES 448
#else
#define WYRM_SCRUB_BYTES 320
#endif
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

/* As WYRM_SCRUB_BYTES, for X25519 with all it calls, at every level of optimisation. */
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

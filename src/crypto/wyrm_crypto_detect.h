/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Properties of the core, from the compiler's macros. A build may set any of these itself
 * (-DWYRM_...).
 *
 *   WYRM_ARCH_<X>         1 on that architecture; its assembly files are empty elsewhere
 *   WYRM_XTENSA_WINDOWED  1: calls rotate the register window; 0: call0
 *   WYRM_XTENSA_MULUH     1: there is a multiply for high words
 *   WYRM_XTENSA_MULL      1: there is one for low words
 *   WYRM_CT_ADD64         1: 64-bit additions take the same time for all operands
 *   WYRM_CT_MUL64         1: so do 32 x 32 -> 64 products
 *   WYRM_LITTLE_ENDIAN    1: words are little-endian
 *   WYRM_UNALIGNED        1: the core reads and writes words at any address
 */
#ifndef WYRM_CRYPTO_DETECT_H
#define WYRM_CRYPTO_DETECT_H

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
#elif defined(__x86_64__)
#define WYRM_ARCH_X86_64 1
#elif defined(__XTENSA__)
#if defined(__has_include)
#if __has_include(<xtensa/config/core-isa.h>)
#include <xtensa/config/core-isa.h>
#endif
#endif
#endif

/* Properties of an Xtensa. GCC or the build names the calling convention, without which the
 * assembly is not used; the vendor's headers describe the multiplier. */
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
#ifndef WYRM_ARCH_X86_64
#define WYRM_ARCH_X86_64 0
#endif
#ifdef WYRM_XTENSA_WINDOWED
#define WYRM_ARCH_XTENSA 1 /* with known calling convention */
#else
#define WYRM_ARCH_XTENSA 0
#endif

/* ---- Multiplier ------------------------------------------------------- */

/* ARMv6-M has no wide multiply (libgcc's branches on its operands); the UMULL of a Cortex-M3 takes
 * 3 to 5 cycles depending on its operands. An Xtensa may have MULUH but has no carry flag:
 * compilers turn each 64-bit addition into a branch. Unknown 16-bit machines are assumed to be
 * no better. */
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

#endif /* WYRM_CRYPTO_DETECT_H */

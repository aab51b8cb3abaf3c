/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * wolfSSL with what is measured of it, at its fastest.
 */
#define WOLFCRYPT_ONLY
#define SINGLE_THREADED
#define NO_FILESYSTEM
#define NO_MAIN_DRIVER
#define WC_NO_RNG
#define WC_NO_HASHDRBG
#define NO_RSA
#define NO_DH
#define NO_DSA
#define NO_AES
#define NO_DES3
#define NO_RC4
#define NO_MD4
#define NO_MD5
#define NO_SHA
#define NO_SHA256
#define NO_PWDBASED
#define NO_ASN
#define NO_BIG_INT
#define NO_SIG_WRAPPER
#define WOLFSSL_NO_MALLOC
#define WOLFSSL_GENERAL_ALIGNMENT 4

#define HAVE_CURVE25519
#define HAVE_CHACHA
#define HAVE_POLY1305

#if defined(__thumb2__)
#define WOLFSSL_ARMASM
#define WOLFSSL_ARMASM_THUMB2
#define WOLFSSL_ARMASM_NO_HW_CRYPTO
#define WOLFSSL_ARMASM_NO_NEON
#define WOLFSSL_ARM_ARCH 7
#ifndef __ARM_FEATURE_DSP
#define WOLFSSL_ARM_ARCH_7M /* without UMAAL */
#endif
#endif

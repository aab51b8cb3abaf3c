/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The mechanisms of PSA that src/crypto/external/wyrm_psa.c uses.
 */
#define PSA_WANT_ALG_CHACHA20_POLY1305        1
#define PSA_WANT_ALG_ECDH                     1
#define PSA_WANT_ECC_MONTGOMERY_255           1
#define PSA_WANT_KEY_TYPE_CHACHA20            1
#define PSA_WANT_KEY_TYPE_ECC_KEY_PAIR_BASIC  1
#define PSA_WANT_KEY_TYPE_ECC_KEY_PAIR_IMPORT 1
#define PSA_WANT_KEY_TYPE_ECC_PUBLIC_KEY      1

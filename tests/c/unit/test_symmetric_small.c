/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The variants that hosts do not select, compiled into one unit instead of the library's own.
 */
#define WYRM_SMALL     1
#define WYRM_ASM       0
#define WYRM_CT_MUL64  0
#define WYRM_UNALIGNED 0

#include "../../../src/crypto/c/wyrm_blake2s.c"
#include "../../../src/crypto/c/wyrm_chacha.c"
#include "../../../src/crypto/c/wyrm_poly1305.c"
#include "../../../src/crypto/c/wyrm_rows.c"
#include "../../../src/crypto/wyrm_ct.c"
#include "../../../src/crypto/wyrm_kdf.c"
#include "../../../src/crypto/wyrm_xaead.c"
#define start start_aead
#include "../../../src/crypto/wyrm_aead.c"
#undef start

#define GROUP "test_symmetric_small"
#include "test_symmetric.c"

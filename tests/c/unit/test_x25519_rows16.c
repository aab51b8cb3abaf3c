/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The X25519 table over the smallest form, with limbs of 16 bits.
 */
#define WYRM_ROWS 16
#define GROUP     "test_x25519_rows16"
#include "../../../src/crypto/c/wyrm_rows.c"
#include "test_x25519.c"

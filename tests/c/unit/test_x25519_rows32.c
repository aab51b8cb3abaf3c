/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The X25519 table over the smallest form, with limbs of 32 bits.
 */
#define WYRM_ROWS 32
#define GROUP     "test_x25519_rows32"
#include "../../../src/crypto/c/wyrm_rows.c"
#include "test_x25519.c"

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The X25519 table over limbs of 26 bits, whatever the host would choose.
 */
#define WYRM_FE_BITS 26
#define GROUP        "test_x25519_fe26"
#include "test_x25519.c"

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The X25519 table over limbs of 13 bits, whatever the host would choose.
 */
#define WYRM_FE_BITS 13
#define GROUP        "test_x25519_fe13"
#include "test_x25519.c"

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The same tests with AVX2, which a machine with AVX-512 would not select.
 */
#define AVX2_ONLY 1
#include "test_aead_host.c"

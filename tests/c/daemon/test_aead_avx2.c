/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The same tests with the instructions that a machine with AVX-512 would not choose.
 */
#define AVX2_ONLY 1
#include "test_aead_host.c"

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The same tests with the instructions that a machine with AVX-512 would not choose.
 */
#include "test_aead_host.c"

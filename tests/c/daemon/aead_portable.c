/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 */
#define wyrm_aead_seal portable_aead_seal
#define wyrm_aead_open portable_aead_open
#include "crypto/wyrm_aead.c"

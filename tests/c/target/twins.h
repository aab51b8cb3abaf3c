/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The portable twins of the assembly leaves, under names of their own.
 */
#ifndef TWINS_H
#define TWINS_H

#include "crypto/wyrm_blake2s.h"
#include "crypto/wyrm_chacha.h"
#include "crypto/wyrm_poly1305.h"

void twin_chacha20_blocks(uint32_t state[WYRM_CHACHA20_WORDS], uint8_t *out, const uint8_t *in,
                          size_t blocks);
void twin_poly1305_blocks(struct wyrm_poly1305 *state, const uint8_t *in, size_t blocks,
                          uint32_t top);
void twin_blake2s_compress(struct wyrm_blake2s *state, const uint8_t block[WYRM_HASH_BLOCK_LEN],
                           uint32_t last);

#endif /* TWINS_H */

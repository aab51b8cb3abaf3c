/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * BLAKE2s (RFC 7693), internal interface.
 */
#ifndef WYRM_BLAKE2S_H
#define WYRM_BLAKE2S_H

#include "../wyrm_crypto.h"

/* The leaf: mixes one block into state->h under state->counter, which the caller has advanced
 * already. `last` is ~0 for the last block, otherwise 0. The block may be misaligned. */
void wyrm_blake2s_compress(struct wyrm_blake2s *state, const uint8_t block[WYRM_HASH_BLOCK_LEN],
                           uint32_t last);

/* A half of HMAC (RFC 2104): an unkeyed hash that begins with a block of the key, 1 to 64 bytes
 * long, and zeros, each word xor `pad`. */
void wyrm_blake2s_init_hmac(struct wyrm_blake2s *state, const uint8_t *key, size_t len,
                            uint32_t pad);

/* wyrm_blake2s_final without clearing anything, for callers that continue to use the state. */
void wyrm_blake2s_finish(struct wyrm_blake2s *state, uint8_t *out);

#endif /* WYRM_BLAKE2S_H */

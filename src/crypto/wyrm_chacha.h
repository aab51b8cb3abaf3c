/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * ChaCha20 (RFC 8439 section 2.3), internal interface.
 */
#ifndef WYRM_CHACHA_H
#define WYRM_CHACHA_H

#include <stddef.h>
#include <stdint.h>

#define WYRM_CHACHA20_WORDS 16
#define WYRM_CHACHA20_BLOCK 64

/* Index of the block counter in a state. */
#define WYRM_CHACHA20_COUNTER 12

void wyrm_chacha20_init(uint32_t state[WYRM_CHACHA20_WORDS], const uint8_t key[32],
                        const uint8_t nonce[12], uint32_t counter);

/* The leaf: out = in ^ key stream for `blocks` > 0 whole blocks; advances the counter. out and in
 * are equal or do not overlap, and may be misaligned. */
void wyrm_chacha20_blocks(uint32_t state[WYRM_CHACHA20_WORDS], uint8_t *out, const uint8_t *in,
                          size_t blocks);

/* A state, and a buffer for an incomplete block. The caller wipes both. */
struct wyrm_chacha20 {
    uint32_t state[WYRM_CHACHA20_WORDS];
    _Alignas(uint32_t) uint8_t tail[WYRM_CHACHA20_BLOCK];
};

/* The same for `len` bytes. Only the last call may end with an incomplete block. */
void wyrm_chacha20_stream(struct wyrm_chacha20 *s, uint8_t *out, const uint8_t *in, size_t len);

#endif /* WYRM_CHACHA_H */

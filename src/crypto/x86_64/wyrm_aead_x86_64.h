/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * ChaCha20-Poly1305 on x86-64 with AVX2 or AVX-512VL, for long messages without additional data:
 * data packets. Called by wyrm_aead.c where wyrm_crypto_select.h chose it (WYRM_AEAD_X86_64).
 */
#ifndef WYRM_AEAD_X86_64_H
#define WYRM_AEAD_X86_64_H

#include "../wyrm_crypto_select.h"

#include "../../wyrm_crypto.h"

/* True if this processor supports it and it is faster for `len` bytes of text. */
bool wyrm_aead_x86_64_serves(size_t len, size_t aad_len);

/* As wyrm_aead_seal and wyrm_aead_open, for lengths that wyrm_aead_x86_64_serves accepted; `len` is
 * without the tag. Both clear the vector registers. */
void wyrm_aead_x86_64_seal(uint8_t *out, const struct wyrm_span *spans, unsigned n, size_t pad,
                           const uint8_t nonce[WYRM_AEAD_NONCE_LEN],
                           const uint8_t key[WYRM_AEAD_KEY_LEN]);
bool wyrm_aead_x86_64_open(uint8_t *buf, size_t len, const uint8_t nonce[WYRM_AEAD_NONCE_LEN],
                           const uint8_t key[WYRM_AEAD_KEY_LEN]);

#endif /* WYRM_AEAD_X86_64_H */

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The portable ChaCha20-Poly1305 with other names, so that it can be linked beside the daemon's.
 */
#ifndef AEAD_PORTABLE_H
#define AEAD_PORTABLE_H

#include "wyrm_crypto.h"

bool portable_aead_seal(uint8_t *out, const struct wyrm_span *spans, unsigned n, size_t pad,
                        const uint8_t *aad, size_t aad_len, const uint8_t *nonce,
                        const uint8_t *key);
bool portable_aead_open(uint8_t *buf, size_t len, const uint8_t *aad, size_t aad_len,
                        const uint8_t *nonce, const uint8_t *key);

#endif /* AEAD_PORTABLE_H */

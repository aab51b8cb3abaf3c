/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * X25519 and ChaCha20-Poly1305 by Monocypher. It has no one-shot form of RFC 8439, so this is put
 * together from its parts, as its manual shows.
 */
#include "crypto/external/wyrm_gather.h"
#include "wyrm_crypto.h"

#include <monocypher.h>

bool wyrm_x25519(uint8_t out[WYRM_X25519_LEN], const uint8_t scalar[WYRM_X25519_LEN],
                 const uint8_t point[WYRM_X25519_LEN])
{
    crypto_x25519(out, scalar, point);
    return !wyrm_ct_is_zero(out, WYRM_X25519_LEN);
}

bool wyrm_x25519_base(uint8_t out[WYRM_X25519_LEN], const uint8_t scalar[WYRM_X25519_LEN])
{
    crypto_x25519_public_key(out, scalar);
    return true;
}

bool wyrm_aead_seal(uint8_t *out, const struct wyrm_span *spans, unsigned n, size_t pad,
                    const uint8_t *aad, size_t aad_len, const uint8_t nonce[WYRM_AEAD_NONCE_LEN],
                    const uint8_t key[WYRM_AEAD_KEY_LEN])
{
    size_t len;
    const uint8_t *text = wyrm_gather(out, spans, n, pad, &len);
    crypto_aead_ctx ctx;

    crypto_aead_init_ietf(&ctx, key, nonce);
    crypto_aead_write(&ctx, out, out + len, aad, aad_len, text, len);
    crypto_wipe(&ctx, sizeof(ctx));
    return true;
}

bool wyrm_aead_open(uint8_t *buf, size_t len, const uint8_t *aad, size_t aad_len,
                    const uint8_t nonce[WYRM_AEAD_NONCE_LEN], const uint8_t key[WYRM_AEAD_KEY_LEN])
{
    crypto_aead_ctx ctx;
    bool ok;

    if (len < WYRM_AEAD_TAG_LEN)
        return false;
    len -= WYRM_AEAD_TAG_LEN;
    crypto_aead_init_ietf(&ctx, key, nonce);
    ok = crypto_aead_read(&ctx, buf, buf + len, aad, aad_len, buf, len) == 0;
    crypto_wipe(&ctx, sizeof(ctx));
    return ok;
}

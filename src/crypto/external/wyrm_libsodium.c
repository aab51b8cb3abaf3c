/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * X25519 and ChaCha20-Poly1305 by libsodium (1.0.12 or later), instead of our own; BLAKE2s, which
 * it lacks, remains ours. The program calls sodium_init() first: without it libsodium uses its
 * slowest code.
 */
#ifndef ARDUINO /* whose build system compiles every file of src/ */

#include "wyrm_gather.h"

#include "../../wyrm_crypto.h"

#include <sodium.h>

bool wyrm_x25519(uint8_t out[WYRM_X25519_LEN], const uint8_t scalar[WYRM_X25519_LEN],
                 const uint8_t point[WYRM_X25519_LEN])
{
    if (crypto_scalarmult_curve25519(out, scalar, point) == 0)
        return true;
    memset(out, 0, WYRM_X25519_LEN); /* a point of low order: libsodium may have written nothing */
    return false;
}

bool wyrm_x25519_base(uint8_t out[WYRM_X25519_LEN], const uint8_t scalar[WYRM_X25519_LEN])
{
    return crypto_scalarmult_curve25519_base(out, scalar) == 0;
}

bool wyrm_aead_seal(uint8_t *out, const struct wyrm_span *spans, unsigned n, size_t pad,
                    const uint8_t *aad, size_t aad_len, const uint8_t nonce[WYRM_AEAD_NONCE_LEN],
                    const uint8_t key[WYRM_AEAD_KEY_LEN])
{
    size_t len;
    const uint8_t *text = wyrm_gather(out, spans, n, pad, &len);

    return crypto_aead_chacha20poly1305_ietf_encrypt_detached(out, out + len, NULL, text, len, aad,
                                                              aad_len, NULL, nonce, key) == 0;
}

bool wyrm_aead_open(uint8_t *buf, size_t len, const uint8_t *aad, size_t aad_len,
                    const uint8_t nonce[WYRM_AEAD_NONCE_LEN], const uint8_t key[WYRM_AEAD_KEY_LEN])
{
    if (len < WYRM_AEAD_TAG_LEN)
        return false;
    len -= WYRM_AEAD_TAG_LEN;
    /* Without an output buffer it only checks the tag; with one it would clear that buffer on
     * failure. */
    if (crypto_aead_chacha20poly1305_ietf_decrypt_detached(NULL, NULL, buf, len, buf + len, aad,
                                                           aad_len, nonce, key) != 0)
        return false;

    /* From here the packet is genuine. */
    wyrm_chacha20_xor(buf, buf, len, key, nonce, 1);
    return true;
}

void wyrm_chacha20_xor(uint8_t *out, const uint8_t *in, size_t len, const uint8_t key[32],
                       const uint8_t nonce[WYRM_AEAD_NONCE_LEN], uint32_t counter)
{
    (void)crypto_stream_chacha20_ietf_xor_ic(out, in, len, nonce, counter, key);
}

bool wyrm_hchacha20(uint8_t out[32], const uint8_t key[32], const uint8_t nonce[16])
{
    return crypto_core_hchacha20(out, nonce, key, NULL) == 0;
}

void wyrm_poly1305(uint8_t tag[WYRM_AEAD_TAG_LEN], const uint8_t *in, size_t len,
                   const uint8_t key[32])
{
    (void)crypto_onetimeauth_poly1305(tag, in, len, key);
}

#else

typedef int wyrm_external_not_built; /* ISO C requires a declaration in every file */

#endif

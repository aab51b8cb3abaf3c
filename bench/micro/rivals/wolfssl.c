/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * X25519 and ChaCha20-Poly1305 by wolfSSL, with its assembly on Thumb-2. X25519 is called below its
 * checks, allocation and blinding: the figure is its best.
 */
#include "crypto/external/wyrm_gather.h"
#include "wyrm_crypto.h"

#include <wolfssl/wolfcrypt/settings.h>

#include <wolfssl/wolfcrypt/chacha20_poly1305.h>
#include <wolfssl/wolfcrypt/fe_operations.h>
#include <wolfssl/wolfcrypt/misc.h>

/* wolfSSL leaves it out of a build without what usually needs it. */
void ForceZero(void *mem, size_t len)
{
    wyrm_wipe(mem, len);
}

bool wyrm_x25519(uint8_t out[WYRM_X25519_LEN], const uint8_t scalar[WYRM_X25519_LEN],
                 const uint8_t point[WYRM_X25519_LEN])
{
    uint8_t clamped[WYRM_X25519_LEN];

    memcpy(clamped, scalar, sizeof(clamped));
    clamped[0] &= 248;
    clamped[31] = (uint8_t)((clamped[31] & 127) | 64);
    return curve25519(out, clamped, point) == 0 && !wyrm_ct_is_zero(out, WYRM_X25519_LEN);
}

bool wyrm_x25519_base(uint8_t out[WYRM_X25519_LEN], const uint8_t scalar[WYRM_X25519_LEN])
{
    static const uint8_t base[WYRM_X25519_LEN] = {9};

    return wyrm_x25519(out, scalar, base);
}

bool wyrm_aead_seal(uint8_t *out, const struct wyrm_span *spans, unsigned n, size_t pad,
                    const uint8_t *aad, size_t aad_len, const uint8_t nonce[WYRM_AEAD_NONCE_LEN],
                    const uint8_t key[WYRM_AEAD_KEY_LEN])
{
    size_t len;
    const uint8_t *text = wyrm_gather(out, spans, n, pad, &len);

    return wc_ChaCha20Poly1305_Encrypt(key, nonce, aad, (word32)aad_len, text, (word32)len, out,
                                       out + len) == 0;
}

bool wyrm_aead_open(uint8_t *buf, size_t len, const uint8_t *aad, size_t aad_len,
                    const uint8_t nonce[WYRM_AEAD_NONCE_LEN], const uint8_t key[WYRM_AEAD_KEY_LEN])
{
    if (len < WYRM_AEAD_TAG_LEN)
        return false;
    len -= WYRM_AEAD_TAG_LEN;
    return wc_ChaCha20Poly1305_Decrypt(key, nonce, aad, (word32)aad_len, buf, (word32)len,
                                       buf + len, buf) == 0;
}

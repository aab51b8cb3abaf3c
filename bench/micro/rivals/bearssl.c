/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * X25519 and ChaCha20-Poly1305 by BearSSL, in its fastest form that takes constant time on the
 * core: m15 and ctmul32 where the wide multiply does not.
 */
#include "crypto/external/wyrm_gather.h"
#include "crypto/wyrm_crypto_select.h"
#include "wyrm_crypto.h"

#include <bearssl.h>

#if WYRM_CT_MUL64
#define CURVE    br_ec_c25519_m31
#define POLY1305 br_poly1305_ctmul_run
#else
#define CURVE    br_ec_c25519_m15
#define POLY1305 br_poly1305_ctmul32_run
#endif

bool wyrm_x25519(uint8_t out[WYRM_X25519_LEN], const uint8_t scalar[WYRM_X25519_LEN],
                 const uint8_t point[WYRM_X25519_LEN])
{
    uint8_t backwards[WYRM_X25519_LEN]; /* it wants scalars big-endian and clamps them itself */

    for (unsigned i = 0; i < WYRM_X25519_LEN; i++)
        backwards[i] = scalar[WYRM_X25519_LEN - 1 - i];
    memmove(out, point, WYRM_X25519_LEN);
    return CURVE.mul(out, WYRM_X25519_LEN, backwards, sizeof(backwards), BR_EC_curve25519) == 1 &&
           !wyrm_ct_is_zero(out, WYRM_X25519_LEN);
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

    if (text != out) /* it works in place only */
        memmove(out, text, len);
    POLY1305(key, nonce, out, len, aad, aad_len, out + len, br_chacha20_ct_run, 1);
    return true;
}

/* As its own engine does it: deciphers, then compares. */
bool wyrm_aead_open(uint8_t *buf, size_t len, const uint8_t *aad, size_t aad_len,
                    const uint8_t nonce[WYRM_AEAD_NONCE_LEN], const uint8_t key[WYRM_AEAD_KEY_LEN])
{
    uint8_t tag[WYRM_AEAD_TAG_LEN];

    if (len < WYRM_AEAD_TAG_LEN)
        return false;
    len -= WYRM_AEAD_TAG_LEN;
    POLY1305(key, nonce, buf, len, aad, aad_len, tag, br_chacha20_ct_run, 0);
    return wyrm_ct_equal(tag, buf + len, sizeof(tag));
}

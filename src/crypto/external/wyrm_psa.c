/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * X25519 and ChaCha20-Poly1305 from the PSA Crypto API 1.1 instead of our own, for chips whose
 * accelerator or secure element implements it. BLAKE2s, which PSA lacks, remains ours, as does
 * HChaCha20 for cookies. The program calls psa_crypto_init() first. Each operation imports its key
 * temporarily, so one free key slot is enough.
 *
 * PSA cannot check a tag without decrypting: a forged packet costs as much as a valid one, and its
 * buffer is overwritten. An operation may fail: the function then returns an error and zeros.
 */
#ifndef ARDUINO /* whose build system compiles every file of src/ */

#include "wyrm_gather.h"

#include "../../wyrm_crypto.h"

#include <psa/crypto.h>

static psa_key_id_t import(const uint8_t key[32], psa_key_type_t type, psa_key_usage_t usage,
                           psa_algorithm_t algorithm)
{
    psa_key_attributes_t attributes = PSA_KEY_ATTRIBUTES_INIT;
    psa_key_id_t id = PSA_KEY_ID_NULL;

    psa_set_key_type(&attributes, type);
    psa_set_key_usage_flags(&attributes, usage);
    psa_set_key_algorithm(&attributes, algorithm);
    if (psa_import_key(&attributes, key, 32, &id) != PSA_SUCCESS)
        return PSA_KEY_ID_NULL;
    return id;
}

/* ---- X25519 ----------------------------------------------------------- */

bool wyrm_x25519(uint8_t out[WYRM_X25519_LEN], const uint8_t scalar[WYRM_X25519_LEN],
                 const uint8_t point[WYRM_X25519_LEN])
{
    psa_key_id_t id = import(scalar, PSA_KEY_TYPE_ECC_KEY_PAIR(PSA_ECC_FAMILY_MONTGOMERY),
                             PSA_KEY_USAGE_DERIVE, PSA_ALG_ECDH);
    uint8_t shared[WYRM_X25519_LEN];
    size_t written = 0;
    bool ok;

    ok = psa_raw_key_agreement(PSA_ALG_ECDH, id, point, WYRM_X25519_LEN, shared, sizeof(shared),
                               &written) == PSA_SUCCESS &&
         written == sizeof(shared) && !wyrm_ct_is_zero(shared, sizeof(shared));
    (void)psa_destroy_key(id);
    if (ok)
        memcpy(out, shared, sizeof(shared));
    else
        memset(out, 0, sizeof(shared));
    wyrm_wipe(shared, sizeof(shared));
    return ok;
}

bool wyrm_x25519_base(uint8_t out[WYRM_X25519_LEN], const uint8_t scalar[WYRM_X25519_LEN])
{
    static const uint8_t base[WYRM_X25519_LEN] = {9};

    return wyrm_x25519(out, scalar, base);
}

/* ---- ChaCha20-Poly1305 ------------------------------------------------ */

bool wyrm_aead_seal(uint8_t *out, const struct wyrm_span *spans, unsigned n, size_t pad,
                    const uint8_t *aad, size_t aad_len, const uint8_t nonce[WYRM_AEAD_NONCE_LEN],
                    const uint8_t key[WYRM_AEAD_KEY_LEN])
{
    psa_key_id_t id =
        import(key, PSA_KEY_TYPE_CHACHA20, PSA_KEY_USAGE_ENCRYPT, PSA_ALG_CHACHA20_POLY1305);
    size_t len, written = 0;
    const uint8_t *text = wyrm_gather(out, spans, n, pad, &len);

    bool ok;

    /* PSA allows output and input to start at the same address. */
    ok = psa_aead_encrypt(id, PSA_ALG_CHACHA20_POLY1305, nonce, WYRM_AEAD_NONCE_LEN, aad, aad_len,
                          text, len, out, len + WYRM_AEAD_TAG_LEN, &written) == PSA_SUCCESS;
    if (!ok)
        memset(out, 0, len + WYRM_AEAD_TAG_LEN);
    (void)psa_destroy_key(id);
    return ok;
}

bool wyrm_aead_open(uint8_t *buf, size_t len, const uint8_t *aad, size_t aad_len,
                    const uint8_t nonce[WYRM_AEAD_NONCE_LEN], const uint8_t key[WYRM_AEAD_KEY_LEN])
{
    psa_key_id_t id;
    size_t written = 0;
    bool ok;

    if (len < WYRM_AEAD_TAG_LEN)
        return false;
    id = import(key, PSA_KEY_TYPE_CHACHA20, PSA_KEY_USAGE_DECRYPT, PSA_ALG_CHACHA20_POLY1305);
    ok = psa_aead_decrypt(id, PSA_ALG_CHACHA20_POLY1305, nonce, WYRM_AEAD_NONCE_LEN, aad, aad_len,
                          buf, len, buf, len - WYRM_AEAD_TAG_LEN, &written) == PSA_SUCCESS;
    (void)psa_destroy_key(id);
    return ok;
}

#else

typedef int wyrm_external_not_built; /* ISO C requires a declaration in every file */

#endif

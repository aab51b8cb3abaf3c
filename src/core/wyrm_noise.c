/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Noise_IKpsk2_25519_ChaChaPoly_BLAKE2s, paper sections 5.4.2 and 5.4.3. Called by wyrm_job_run.
 * Every line that mixes a token carries the token's Noise name.
 */
#include "wyrm_noise.h"
#include "wyrm_cookie.h"
#include "wyrm_peer.h"
#include "wyrm_wire.h"

#include "../wyrm_crypto.h"

#include <string.h>

/* Hash("Noise_IKpsk2_25519_ChaChaPoly_BLAKE2s") and
 * Hash(that || "WireGuard v1 zx2c4 Jason@zx2c4.com"): the state before the first token. A unit test
 * computes both from the strings. */
static const uint8_t initial_ck[32] = {
    0x60, 0xe2, 0x6d, 0xae, 0xf3, 0x27, 0xef, 0xc0, 0x2e, 0xc3, 0x35, 0xe2, 0xa0, 0x25, 0xd2, 0xd0,
    0x16, 0xeb, 0x42, 0x06, 0xf8, 0x72, 0x77, 0xf5, 0x2d, 0x38, 0xd1, 0x98, 0x8b, 0x78, 0xcd, 0x36};
static const uint8_t initial_hash[32] = {
    0x22, 0x11, 0xb3, 0x61, 0x08, 0x1a, 0xc5, 0x66, 0x69, 0x12, 0x43, 0xdb, 0x45, 0x8a, 0xd5, 0x32,
    0x2d, 0x9c, 0x6c, 0x66, 0x22, 0x93, 0xe8, 0xb7, 0x0e, 0xe1, 0x9c, 0x65, 0xba, 0x07, 0x9e, 0xf3};

static const uint8_t nonce_zero[WYRM_AEAD_NONCE_LEN];

static void mix_hash(struct wyrm_job *job, const uint8_t *data, size_t len)
{
    struct wyrm_blake2s state;

    wyrm_blake2s_init(&state, sizeof(job->hash), NULL, 0);
    wyrm_blake2s_update(&state, job->hash, sizeof(job->hash));
    wyrm_blake2s_update(&state, data, len);
    wyrm_blake2s_final(&state, job->hash);
}

/* Starts a handshake whose responder's static key is known in advance: the pattern's "<- s". */
static void start(struct wyrm_job *job, const uint8_t responder[WYRM_KEY_LEN])
{
    wyrm_copy_key(job->ck, initial_ck);
    wyrm_copy_key(job->hash, initial_hash);
    mix_hash(job, responder, WYRM_KEY_LEN);
}

static void mix_ephemeral(struct wyrm_job *job, const uint8_t pub[WYRM_KEY_LEN])
{
    mix_hash(job, pub, WYRM_KEY_LEN);
    wyrm_kdf(job->ck, NULL, NULL, job->ck, pub, WYRM_KEY_LEN);
}

/* Mixes DH(priv, pub) into the chaining key; `key`, if wanted, becomes the next message key. */
static bool mix_dh(struct wyrm_job *job, uint8_t *key, const uint8_t priv[WYRM_KEY_LEN],
                   const uint8_t pub[WYRM_KEY_LEN])
{
    uint8_t dh[WYRM_KEY_LEN];
    bool ok = wyrm_x25519(dh, priv, pub);

    wyrm_kdf(job->ck, key, NULL, job->ck, dh, sizeof(dh));
    wyrm_wipe(dh, sizeof(dh));
    return ok;
}

/* The static-static result, kept in the job so that commit can cache it with the peer. */
static bool mix_static_dh(struct wyrm_job *job, uint8_t key[WYRM_KEY_LEN])
{
    if (!job->has_static_dh) {
        if (!wyrm_x25519(job->static_dh, job->priv, job->peer_pub))
            return false;
        job->has_static_dh = true;
    }
    wyrm_kdf(job->ck, key, NULL, job->ck, job->static_dh, WYRM_KEY_LEN);
    return true;
}

static void mix_psk(struct wyrm_job *job, uint8_t key[WYRM_KEY_LEN])
{
    uint8_t tau[WYRM_HASH_LEN];

    wyrm_kdf(job->ck, tau, key, job->ck, job->psk, WYRM_KEY_LEN);
    mix_hash(job, tau, sizeof(tau));
    wyrm_wipe(tau, sizeof(tau));
}

/* Writes `len` encrypted bytes and a tag at job->msg[at], and mixes them into the hash. */
static void seal(struct wyrm_job *job, size_t at, const uint8_t *plain, size_t len,
                 const uint8_t key[WYRM_KEY_LEN])
{
    struct wyrm_span span = {plain, len};

    wyrm_aead_seal(job->msg + at, &span, 1, 0, job->hash, sizeof(job->hash), nonce_zero, key);
    mix_hash(job, job->msg + at, len + WYRM_TAG_LEN);
}

/* Decrypts `len` bytes and a tag at job->msg[at] into `plain`; the hash takes the ciphertext. */
static bool open(struct wyrm_job *job, uint8_t *plain, size_t at, size_t len,
                 const uint8_t key[WYRM_KEY_LEN])
{
    uint8_t text[WYRM_KEY_LEN + WYRM_TAG_LEN]; /* the longest field is a static key */
    bool ok;

    memcpy(text, job->msg + at, len + WYRM_TAG_LEN);
    ok = wyrm_aead_open(text, len + WYRM_TAG_LEN, job->hash, sizeof(job->hash), nonce_zero, key);
    if (ok && len > 0)
        memcpy(plain, text, len);
    mix_hash(job, job->msg + at, len + WYRM_TAG_LEN);
    wyrm_wipe(text, sizeof(text));
    return ok;
}

/* mac1 proves that we know the receiver's public key, mac2 that we own our address. */
static void write_macs(struct wyrm_job *job, size_t mac1_at)
{
    uint8_t key[WYRM_HASH_LEN];

    wyrm_cookie_mac1_key(key, job->peer_pub);
    wyrm_blake2s(job->msg + mac1_at, MAC_LEN, key, sizeof(key), job->msg, mac1_at);
    if (job->has_cookie)
        wyrm_blake2s(job->msg + mac1_at + MAC_LEN, MAC_LEN, job->cookie, sizeof(job->cookie),
                     job->msg, mac1_at + MAC_LEN);
}

static void write_header(struct wyrm_job *job, enum wyrm_message type)
{
    memset(job->msg, 0, sizeof(job->msg));
    wyrm_store_le32(job->msg, (uint32_t)type);
    wyrm_store_le32(job->msg + INITIATION_SENDER, job->local);
}

wyrm_status wyrm_noise_create_initiation(struct wyrm_job *job)
{
    uint8_t *ephemeral = job->msg + INITIATION_EPHEMERAL;
    uint8_t key[WYRM_KEY_LEN];
    wyrm_status status = WYRM_D_DH;

    write_header(job, WYRM_MSG_INITIATION);
    start(job, job->peer_pub);
    wyrm_x25519_base(ephemeral, job->eph);
    mix_ephemeral(job, ephemeral);                  /* e */
    if (!mix_dh(job, key, job->eph, job->peer_pub)) /* es */
        goto done;
    seal(job, INITIATION_STATIC, job->pub, WYRM_KEY_LEN, key); /* s */
    if (!mix_static_dh(job, key))                              /* ss */
        goto done;
    seal(job, INITIATION_TIMESTAMP, job->timestamp, sizeof(job->timestamp), key); /* {t} */
    write_macs(job, INITIATION_MAC1);
    status = WYRM_SEND;
done:
    wyrm_wipe(key, sizeof(key));
    return status;
}

wyrm_status wyrm_noise_read_static(struct wyrm_job *job)
{
    const uint8_t *ephemeral = job->msg + INITIATION_EPHEMERAL;
    uint8_t key[WYRM_KEY_LEN];
    wyrm_status status = WYRM_D_DH;

    job->remote = wyrm_load_le32(job->msg + INITIATION_SENDER);
    start(job, job->pub);
    mix_ephemeral(job, ephemeral);               /* e */
    if (!mix_dh(job, key, job->priv, ephemeral)) /* es */
        goto done;
    status = WYRM_D_TAG;
    if (open(job, job->peer_pub, INITIATION_STATIC, WYRM_KEY_LEN, key)) /* s */
        status = WYRM_WORK;
done:
    wyrm_wipe(key, sizeof(key));
    return status;
}

wyrm_status wyrm_noise_read_timestamp(struct wyrm_job *job)
{
    uint8_t key[WYRM_KEY_LEN], timestamp[sizeof(job->timestamp)];
    wyrm_status status = WYRM_D_DH;

    if (!mix_static_dh(job, key)) /* ss */
        goto done;
    status = WYRM_D_TAG;
    if (!open(job, timestamp, INITIATION_TIMESTAMP, sizeof(timestamp), key)) /* {t} */
        goto done;
    status = WYRM_D_TIMESTAMP;
    if (memcmp(timestamp, job->timestamp, sizeof(timestamp)) <= 0)
        goto done;
    memcpy(job->timestamp, timestamp, sizeof(timestamp));
    status = WYRM_WORK;
done:
    wyrm_wipe(key, sizeof(key));
    return status;
}

wyrm_status wyrm_noise_create_response(struct wyrm_job *job)
{
    uint8_t *ephemeral = job->msg + RESPONSE_EPHEMERAL;
    uint8_t key[WYRM_KEY_LEN], their_ephemeral[WYRM_KEY_LEN];
    wyrm_status status = WYRM_D_DH;

    wyrm_copy_key(their_ephemeral, job->msg + INITIATION_EPHEMERAL);
    write_header(job, WYRM_MSG_RESPONSE);
    wyrm_store_le32(job->msg + RESPONSE_RECEIVER, job->remote);
    wyrm_x25519_base(ephemeral, job->eph);
    mix_ephemeral(job, ephemeral);                     /* e */
    if (!mix_dh(job, NULL, job->eph, their_ephemeral)) /* ee */
        goto done;
    if (!mix_dh(job, NULL, job->eph, job->peer_pub)) /* se */
        goto done;
    mix_psk(job, key);                       /* psk */
    seal(job, RESPONSE_EMPTY, NULL, 0, key); /* {} */
    write_macs(job, RESPONSE_MAC1);
    wyrm_kdf(job->recv, job->send, NULL, job->ck, NULL, 0);
    status = WYRM_SEND;
done:
    wyrm_wipe(key, sizeof(key));
    return status;
}

wyrm_status wyrm_noise_read_response(struct wyrm_job *job)
{
    const uint8_t *ephemeral = job->msg + RESPONSE_EPHEMERAL;
    uint8_t key[WYRM_KEY_LEN];
    wyrm_status status = WYRM_D_DH;

    job->remote = wyrm_load_le32(job->msg + RESPONSE_SENDER);
    mix_ephemeral(job, ephemeral);               /* e */
    if (!mix_dh(job, NULL, job->eph, ephemeral)) /* ee */
        goto done;
    if (!mix_dh(job, NULL, job->priv, ephemeral)) /* se */
        goto done;
    mix_psk(job, key); /* psk */
    status = WYRM_D_TAG;
    if (!open(job, NULL, RESPONSE_EMPTY, 0, key)) /* {} */
        goto done;
    wyrm_kdf(job->send, job->recv, NULL, job->ck, NULL, 0);
    status = WYRM_READY;
done:
    wyrm_wipe(key, sizeof(key));
    return status;
}

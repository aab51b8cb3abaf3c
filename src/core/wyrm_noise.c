/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Noise_IKpsk2_25519_ChaChaPoly_BLAKE2s, paper sections 5.4.2 and 5.4.3. Called by wyrm_job_run.
 * Each line that processes a token of the pattern names it.
 */
#include "wyrm_noise.h"
#include "wyrm_cookie.h"
#include "wyrm_util.h"
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

/* Records the first failure. The following steps continue with invalid data, which is never used,
 * because callers check the result. */
static void fail(struct wyrm_job *job, wyrm_status reason)
{
    if (job->result >= 0)
        job->result = reason;
}

static WYRM_NOINLINE void mix_hash(struct wyrm_job *job, const uint8_t *data, size_t len)
{
    wyrm_hash_pair(job->noise.hash, job->noise.hash, WYRM_HASH_LEN, data, len);
}

/* Mixes 32 bytes into the chaining key; `key`, unless NULL, receives the next message key. */
static WYRM_NOINLINE void mix_key(struct wyrm_job *job, uint8_t *key,
                                  const uint8_t in[WYRM_KEY_LEN])
{
    wyrm_kdf(job->noise.ck, key, NULL, job->noise.ck, in, WYRM_KEY_LEN);
}

/* Starts the handshake with the responder's static key, which is known in advance: "<- s". */
static void start(struct wyrm_job *job, const uint8_t responder[WYRM_KEY_LEN])
{
    wyrm_copy_key(job->noise.ck, initial_ck);
    wyrm_copy_key(job->noise.hash, initial_hash);
    mix_hash(job, responder, WYRM_KEY_LEN);
}

static void mix_ephemeral(struct wyrm_job *job, const uint8_t pub[WYRM_KEY_LEN])
{
    mix_hash(job, pub, WYRM_KEY_LEN);
    mix_key(job, NULL, pub);
}

/* Writes the public part of our ephemeral key into the message. */
static void write_ephemeral(struct wyrm_job *job, uint8_t *pub)
{
    if (!wyrm_x25519_base(pub, job->noise.eph))
        fail(job, WYRM_E_CRYPTO);
    mix_ephemeral(job, pub);
}

/* Here and below, keys.send serves as a buffer: the session keys are derived last. */
static void mix_dh(struct wyrm_job *job, uint8_t *key, const uint8_t priv[WYRM_KEY_LEN],
                   const uint8_t pub[WYRM_KEY_LEN])
{
    if (!wyrm_x25519(job->keys.send, priv, pub))
        fail(job, WYRM_D_DH);
    mix_key(job, key, job->keys.send);
}

/* Leaves the static-static result in the job, so that commit can cache it in the peer. */
static void mix_static_dh(struct wyrm_job *job)
{
#if WYRM_CACHE_STATIC_DH
    if (!job->has_static_dh) {
        job->has_static_dh = wyrm_x25519(job->contact.static_dh, job->own.priv, job->contact.pub);
        if (!job->has_static_dh)
            fail(job, WYRM_D_DH);
    }
    mix_key(job, job->key, job->contact.static_dh);
#else
    mix_dh(job, job->key, job->own.priv, job->contact.pub);
#endif
}

static void mix_psk(struct wyrm_job *job)
{
    uint8_t *tau = job->keys.send;

    wyrm_kdf(job->noise.ck, tau, job->key, job->noise.ck, job->contact.psk, WYRM_KEY_LEN);
    mix_hash(job, tau, WYRM_HASH_LEN);
}

/* Writes `len` encrypted bytes and a tag at job->msg[at], and mixes them into the hash. */
static void seal(struct wyrm_job *job, size_t at, const uint8_t *plain, size_t len)
{
    struct wyrm_span span = {plain, len};

    if (!wyrm_aead_seal(job->msg + at, &span, 1, 0, job->noise.hash, sizeof(job->noise.hash),
                        nonce_zero, job->key))
        fail(job, WYRM_E_CRYPTO);
    mix_hash(job, job->msg + at, len + WYRM_TAG_LEN);
}

/* Decrypts `len` bytes and a tag at job->msg[at] in place, and mixes the ciphertext into the hash.
 */
static void open(struct wyrm_job *job, size_t at, size_t len)
{
    uint8_t *hash = job->keys.send; /* before the ciphertext is mixed in */

    wyrm_copy_key(hash, job->noise.hash);
    len += WYRM_TAG_LEN;
    mix_hash(job, job->msg + at, len);
    if (!wyrm_aead_open(job->msg + at, len, hash, WYRM_HASH_LEN, nonce_zero, job->key))
        fail(job, WYRM_D_TAG);
}

/* mac1 proves that we know the receiver's public key, mac2 that we receive at our address. */
static void write_macs(struct wyrm_job *job, size_t mac1_at)
{
    uint8_t *mac1 = job->msg + mac1_at, *mac2 = mac1 + MAC_LEN;

    wyrm_cookie_mac1(mac1, job->contact.pub, job->msg, mac1_at);
    if (job->has_cookie)
        wyrm_blake2s(mac2, MAC_LEN, job->contact.cookie, sizeof(job->contact.cookie), job->msg,
                     mac1_at + MAC_LEN);
}

static void write_header(struct wyrm_job *job, enum wyrm_message type)
{
    memset(job->msg, 0, sizeof(job->msg));
    wyrm_store_le32(job->msg, (uint32_t)type);
    wyrm_store_le32(job->msg + INITIATION_SENDER, job->local);
}

void wyrm_noise_create_initiation(struct wyrm_job *job)
{
    uint8_t *ephemeral = job->msg + INITIATION_EPHEMERAL;

    job->result = WYRM_SEND;
    write_header(job, WYRM_MSG_INITIATION);
    start(job, job->contact.pub);
    write_ephemeral(job, ephemeral);                                         /* e */
    mix_dh(job, job->key, job->noise.eph, job->contact.pub);                 /* es */
    seal(job, INITIATION_STATIC, job->own.pub, WYRM_KEY_LEN);                /* s */
    mix_static_dh(job);                                                      /* ss */
    seal(job, INITIATION_TIMESTAMP, job->timestamp, sizeof(job->timestamp)); /* {t} */
    write_macs(job, INITIATION_MAC1);
}

void wyrm_noise_read_static(struct wyrm_job *job)
{
    const uint8_t *ephemeral = job->msg + INITIATION_EPHEMERAL;

    job->result = WYRM_WORK;
    job->remote = wyrm_load_le32(job->msg + INITIATION_SENDER);
    start(job, job->own.pub);
    mix_ephemeral(job, ephemeral);                   /* e */
    mix_dh(job, job->key, job->own.priv, ephemeral); /* es */
    open(job, INITIATION_STATIC, WYRM_KEY_LEN);      /* s */
    wyrm_copy_key(job->contact.pub, job->msg + INITIATION_STATIC);
}

void wyrm_noise_read_timestamp(struct wyrm_job *job)
{
    const uint8_t *timestamp = job->msg + INITIATION_TIMESTAMP;

    mix_static_dh(job);                                      /* ss */
    open(job, INITIATION_TIMESTAMP, sizeof(job->timestamp)); /* {t} */
    if (job->result < 0)
        return;
    if (memcmp(timestamp, job->timestamp, sizeof(job->timestamp)) <= 0)
        fail(job, WYRM_D_TIMESTAMP);
    wyrm_copy(job->timestamp, timestamp, sizeof(job->timestamp));
}

void wyrm_noise_create_response(struct wyrm_job *job)
{
    uint8_t *ephemeral = job->msg + RESPONSE_EPHEMERAL;
    uint8_t their_ephemeral[WYRM_KEY_LEN];

    job->result = WYRM_SEND;
    wyrm_copy_key(their_ephemeral, job->msg + INITIATION_EPHEMERAL);
    write_header(job, WYRM_MSG_RESPONSE);
    wyrm_store_le32(job->msg + RESPONSE_RECEIVER, job->remote);
    write_ephemeral(job, ephemeral);                     /* e */
    mix_dh(job, NULL, job->noise.eph, their_ephemeral);  /* ee */
    mix_dh(job, NULL, job->noise.eph, job->contact.pub); /* se */
    mix_psk(job);                                        /* psk */
    seal(job, RESPONSE_EMPTY, NULL, 0);                  /* {} */
    write_macs(job, RESPONSE_MAC1);
    wyrm_kdf(job->keys.recv, job->keys.send, NULL, job->noise.ck, NULL, 0);
}

void wyrm_noise_read_response(struct wyrm_job *job)
{
    const uint8_t *ephemeral = job->msg + RESPONSE_EPHEMERAL;

    job->result = WYRM_READY;
    job->remote = wyrm_load_le32(job->msg + RESPONSE_SENDER);
    mix_ephemeral(job, ephemeral);                /* e */
    mix_dh(job, NULL, job->noise.eph, ephemeral); /* ee */
    mix_dh(job, NULL, job->own.priv, ephemeral);  /* se */
    mix_psk(job);                                 /* psk */
    open(job, RESPONSE_EMPTY, 0);                 /* {} */
    wyrm_kdf(job->keys.send, job->keys.recv, NULL, job->noise.ck, NULL, 0);
}

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The table of functions under test. Buffers are static and every run writes all of them, so that
 * two runs differ only in the secret.
 */
#include "subjects.h"

#include "wyrm.h"
#include "wyrm_crypto.h"
#include "wyrm_text.h"

#include <string.h>

enum { KEY = 32, TEXT = SECRET_LEN - KEY, HEAD = 21, AAD = 20, PAD = 11, TAG = WYRM_AEAD_TAG_LEN };
enum { SEALED = TEXT + PAD + TAG, PACKET = 640 + HEAD };

size_t subject_shift;

#define ROOM(name, len)                                                                            \
    static _Alignas(16) uint8_t name##_room[(len) + SHIFT_MAX];                                    \
    static uint8_t *name(void)                                                                     \
    {                                                                                              \
        return name##_room + subject_shift;                                                        \
    }                                                                                              \
    _Static_assert((len) > 0, "")

ROOM(key, KEY);
ROOM(text, TEXT);
ROOM(sealed, SEALED);
ROOM(packet, PACKET + TAG); /* long enough for code that processes many blocks at a time */
ROOM(out, 96);
ROOM(aad, AAD);
ROOM(nonce, WYRM_XAEAD_NONCE_LEN);

static volatile bool verdict;
static volatile uint32_t value;

static void take_key_and_text(const uint8_t secret[SECRET_LEN])
{
    memcpy(key(), secret, KEY);
    memcpy(text(), secret + KEY, TEXT);
}

/* ---- X25519 ------------------------------------------------------------- */

static void run_x25519(void)
{
    verdict = wyrm_x25519(out(), key(), text());
}

static void run_x25519_base(void)
{
    wyrm_x25519_base(out(), key());
}

static void publish_x25519_base(void)
{
    publish(out(), KEY);
}

/* ---- AEAD --------------------------------------------------------------- */

static void run_seal(void)
{
    struct wyrm_span spans[2] = {{text(), HEAD}, {text() + HEAD, TEXT - HEAD}};

    wyrm_aead_seal(sealed(), spans, 2, PAD, aad(), AAD, nonce(), key());
}

static void publish_sealed(void)
{
    publish(sealed(), SEALED);
}

static void prepare_open(const uint8_t secret[SECRET_LEN])
{
    take_key_and_text(secret);
    run_seal();
    publish_sealed();
}

static void prepare_open_forged(const uint8_t secret[SECRET_LEN])
{
    prepare_open(secret);
    sealed()[SEALED - 1] ^= 1;
}

static void run_open(void)
{
    verdict = wyrm_aead_open(sealed(), SEALED, aad(), AAD, nonce(), key());
}

static void run_xseal(void)
{
    wyrm_xaead_seal(sealed(), text(), KEY, aad(), AAD, nonce(), key());
}

static void prepare_xopen(const uint8_t secret[SECRET_LEN])
{
    take_key_and_text(secret);
    run_xseal();
    publish(sealed(), KEY + TAG);
}

static void run_xopen(void)
{
    verdict = wyrm_xaead_open(sealed(), KEY + TAG, aad(), AAD, nonce(), key());
}

static void prepare_packet(const uint8_t secret[SECRET_LEN])
{
    take_key_and_text(secret);
    for (unsigned i = 0; i < PACKET; i++)
        packet()[i] = secret[i % SECRET_LEN];
}

static void run_packet_seal(void)
{
    struct wyrm_span span = {packet(), PACKET};

    wyrm_aead_seal(packet(), &span, 1, 0, NULL, 0, nonce(), key());
}

static void publish_packet(void)
{
    publish(packet(), PACKET + TAG);
}

static void prepare_packet_open(const uint8_t secret[SECRET_LEN])
{
    prepare_packet(secret);
    run_packet_seal();
    publish_packet();
}

static void run_packet_open(void)
{
    verdict = wyrm_aead_open(packet(), PACKET + TAG, NULL, 0, nonce(), key());
}

/* ---- Hashes ------------------------------------------------------------- */

static void run_blake2s(void)
{
    wyrm_blake2s(out(), 32, key(), KEY, text(), TEXT);
}

static void run_hmac(void)
{
    wyrm_hmac(out(), key(), KEY, text(), TEXT);
}

static void run_kdf(void)
{
    wyrm_kdf(out(), out() + 32, out() + 64, key(), text(), KEY);
}

/* ---- Helpers and text --------------------------------------------------- */

/* The first half of the text equals the key where the first bit of the secret says so. */
static void prepare_equal(const uint8_t secret[SECRET_LEN])
{
    uint8_t mask = (uint8_t)(0 - (secret[0] & 1));

    take_key_and_text(secret);
    for (unsigned i = 0; i < KEY; i++)
        text()[i] ^= (uint8_t)(mask & (text()[i] ^ key()[i]));
}

static void run_equal(void)
{
    verdict = wyrm_ct_equal(key(), text(), KEY);
}

static void run_is_zero(void)
{
    verdict = wyrm_ct_is_zero(key(), KEY);
}

static void run_key_print(void)
{
    (void)wyrm_key_print(key(), (char *)text());
}

static void prepare_key_parse(const uint8_t secret[SECRET_LEN])
{
    memcpy(key(), secret, KEY);
    run_key_print();
}

static void run_key_parse(void)
{
    verdict = wyrm_key_parse((const char *)text(), WYRM_KEY_TEXT_LEN, out()) == WYRM_IDLE;
}

/* ---- Handshakes --------------------------------------------------------- */

/* The steps of wyrm_jobs.c, in its order. */
enum { INITIATE, LEARN_CALLER, RESPOND, FINISH };

static struct wyrm_job ours, theirs;

static bool same_time(void *ctx, uint8_t out_time[12])
{
    (void)ctx;
    memset(out_time, 7, 12);
    return true;
}

static const struct wyrm_platform platform = {.tai64n = same_time};

static void set_keys(struct wyrm_job *job, const uint8_t secret[SECRET_LEN], uint8_t change)
{
    memset(job, 0, sizeof(*job));
    job->io = &platform;
    for (unsigned i = 0; i < KEY; i++) {
        job->own.priv[i] = secret[i] ^ change;
        job->noise.eph[i] = secret[KEY + i] ^ change;
        job->contact.psk[i] = secret[2 * KEY + i];
    }
    wyrm_x25519_base(job->own.pub, job->own.priv);
    publish(job->own.pub, KEY);
}

/* The key of mac1 is a hash of a public key. */
static void publish_mac1_key(const struct wyrm_job *job)
{
    struct wyrm_blake2s state;

    wyrm_blake2s_init(&state, 32, NULL, 0);
    wyrm_blake2s_update(&state, "mac1----", 8);
    wyrm_blake2s_update(&state, job->own.pub, KEY);
    wyrm_blake2s_final(&state, out());
    publish(out(), 32);
}

/* We initiate, the peer responds. */
static void prepare_initiate(const uint8_t secret[SECRET_LEN])
{
    set_keys(&ours, secret, 0x00);
    set_keys(&theirs, secret, 0xa5);
    publish_mac1_key(&ours);
    publish_mac1_key(&theirs);
    memcpy(ours.contact.pub, theirs.own.pub, KEY);
    ours.step = INITIATE;
}

static void publish_message(const struct wyrm_job *job)
{
    publish(job->msg, sizeof(job->msg));
    publish(job->noise.hash, sizeof(job->noise.hash));
}

static void publish_ours(void)
{
    publish_message(&ours);
}

static void publish_theirs(void)
{
    publish_message(&theirs);
}

static void run_ours(void)
{
    wyrm_job_run(&ours);
}

static void run_theirs(void)
{
    wyrm_job_run(&theirs);
}

static void prepare_learn_caller(const uint8_t secret[SECRET_LEN])
{
    prepare_initiate(secret);
    run_ours();
    publish_ours();
    memcpy(theirs.msg, ours.msg, sizeof(theirs.msg));
    theirs.step = LEARN_CALLER;
}

static void prepare_respond(const uint8_t secret[SECRET_LEN])
{
    prepare_learn_caller(secret);
    run_theirs();
    publish_theirs();
    publish(theirs.contact.pub, KEY);
    theirs.step = RESPOND;
}

static void prepare_finish(const uint8_t secret[SECRET_LEN])
{
    prepare_respond(secret);
    run_theirs();
    publish_theirs();
    memcpy(ours.msg, theirs.msg, sizeof(ours.msg));
    ours.step = FINISH;
}

/* ---- Leaks -------------------------------------------------------------- */

static void run_leak_early_exit(void)
{
    verdict = leak_early_exit(key(), text(), KEY);
}

static void run_leak_table(void)
{
    value = leak_table(key());
}

static void run_leak_on_stack(void)
{
    leak_on_stack(key());
}

static void run_misaligned(void)
{
    value = read_word_anywhere(key_room + 1);
}

/* ---- The table ---------------------------------------------------------- */

const struct subject subjects[] = {
    {"x25519", SUBJECT_PRIMITIVE, take_key_and_text, run_x25519, NULL},
    {"x25519_base", SUBJECT_PRIMITIVE, take_key_and_text, run_x25519_base, publish_x25519_base},
    {"aead_seal", SUBJECT_PRIMITIVE, take_key_and_text, run_seal, publish_sealed},
    {"aead_open", SUBJECT_PRIMITIVE, prepare_open, run_open, NULL},
    {"aead_open_forged", SUBJECT_PRIMITIVE, prepare_open_forged, run_open, NULL},
    {"xaead_seal", SUBJECT_PRIMITIVE, take_key_and_text, run_xseal, publish_sealed},
    {"xaead_open", SUBJECT_PRIMITIVE, prepare_xopen, run_xopen, NULL},
    {"packet_seal", SUBJECT_PRIMITIVE, prepare_packet, run_packet_seal, publish_packet},
    {"packet_open", SUBJECT_PRIMITIVE, prepare_packet_open, run_packet_open, NULL},
    {"blake2s_keyed", SUBJECT_PRIMITIVE, take_key_and_text, run_blake2s, NULL},
    {"hmac", SUBJECT_PRIMITIVE, take_key_and_text, run_hmac, NULL},
    {"kdf3", SUBJECT_PRIMITIVE, take_key_and_text, run_kdf, NULL},
    {"ct_equal", SUBJECT_PRIMITIVE, prepare_equal, run_equal, NULL},
    {"ct_is_zero", SUBJECT_PRIMITIVE, take_key_and_text, run_is_zero, NULL},
    {"key_print", SUBJECT_PRIMITIVE, take_key_and_text, run_key_print, NULL},
    {"key_parse", SUBJECT_PRIMITIVE, prepare_key_parse, run_key_parse, NULL},
    {"job_initiate", SUBJECT_HANDSHAKE, prepare_initiate, run_ours, publish_ours},
    {"job_learn_caller", SUBJECT_HANDSHAKE, prepare_learn_caller, run_theirs, publish_theirs},
    {"job_respond", SUBJECT_HANDSHAKE, prepare_respond, run_theirs, publish_theirs},
    {"job_finish", SUBJECT_HANDSHAKE, prepare_finish, run_ours, publish_ours},
    {"leak_early_exit", SUBJECT_LEAK, take_key_and_text, run_leak_early_exit, NULL},
    {"leak_table", SUBJECT_LEAK, take_key_and_text, run_leak_table, NULL},
    {"leak_on_stack", SUBJECT_LEAK, take_key_and_text, run_leak_on_stack, NULL},
    {"read_word_anywhere", SUBJECT_MISALIGNED, take_key_and_text, run_misaligned, NULL},
};
const size_t subject_count = sizeof(subjects) / sizeof(subjects[0]);

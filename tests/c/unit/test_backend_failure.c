/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Cryptography that fails, as an accelerator behind an external backend may: the linker puts the
 * functions below in front of ours (see tests/c/CMakeLists.txt). Nothing goes out and no session
 * comes about; when the backend recovers, so does the tunnel.
 */
#define SET_UP    make
#define TEAR_DOWN release
#include "world.h"

static bool seal_fails, base_fails, hchacha20_fails;

bool __real_wyrm_aead_seal(uint8_t *out, const struct wyrm_span *spans, unsigned n, size_t pad,
                           const uint8_t *aad, size_t aad_len, const uint8_t *nonce,
                           const uint8_t *key);
bool __wrap_wyrm_aead_seal(uint8_t *out, const struct wyrm_span *spans, unsigned n, size_t pad,
                           const uint8_t *aad, size_t aad_len, const uint8_t *nonce,
                           const uint8_t *key);
bool __real_wyrm_x25519_base(uint8_t *out, const uint8_t *scalar);
bool __wrap_wyrm_x25519_base(uint8_t *out, const uint8_t *scalar);
bool __real_wyrm_hchacha20(uint8_t *out, const uint8_t *key, const uint8_t *nonce);
bool __wrap_wyrm_hchacha20(uint8_t *out, const uint8_t *key, const uint8_t *nonce);

bool __wrap_wyrm_aead_seal(uint8_t *out, const struct wyrm_span *spans, unsigned n, size_t pad,
                           const uint8_t *aad, size_t aad_len, const uint8_t *nonce,
                           const uint8_t *key)
{
    return !seal_fails && __real_wyrm_aead_seal(out, spans, n, pad, aad, aad_len, nonce, key);
}

bool __wrap_wyrm_x25519_base(uint8_t *out, const uint8_t *scalar)
{
    if (!base_fails)
        return __real_wyrm_x25519_base(out, scalar);
    memset(out, 0, WYRM_X25519_LEN);
    return false;
}

bool __wrap_wyrm_hchacha20(uint8_t *out, const uint8_t *key, const uint8_t *nonce)
{
    return !hchacha20_fails && __real_wyrm_hchacha20(out, key, nonce);
}

FIXTURE(make)
{
    *state = world_make(2);
    return 0;
}

FIXTURE(release)
{
    seal_fails = base_fails = hchacha20_fails = false;
    world_free(*state);
    return 0;
}

TEST(a_failed_seal_sends_no_data)
{
    struct world *w = *state;

    handshake(w, A, B);
    seal_fails = true;
    assert_int_equal(send_ip(w, A, B, 100), WYRM_E_CRYPTO);
    pump(w);
    assert_int_equal(w->delivered, 0);

    seal_fails = false;
    assert_int_equal(send_ip(w, A, B, 100), WYRM_SEND);
    pump(w);
    assert_int_equal(w->delivered, 1);
}

/* The first failure of its kind hits the initiator; `flag` is what fails. */
static void expect_no_initiation(struct world *w, bool *flag)
{
    *flag = true;
    assert_int_equal(send_ip(w, A, B, 100), WYRM_HOLD);
    pump(w);
    assert_int_equal(w->tally[A].initiations, 0);
    assert_int_equal(w->verdict, WYRM_E_CRYPTO);

    *flag = false;
    pass(w, WYRM_REKEY_TIMEOUT + 1000);
    pump(w);
    assert_int_equal(w->tally[A].initiations, 1);
    assert_true(is_up(w, A, B));
}

TEST(a_failed_seal_sends_no_initiation)
{
    expect_no_initiation(*state, &seal_fails);
}

TEST(a_failed_public_ephemeral_sends_no_initiation)
{
    expect_no_initiation(*state, &base_fails);
}

TEST(a_failed_seal_sends_no_response_and_begins_no_session)
{
    struct world *w = *state;

    assert_int_equal(send_ip(w, A, B, 100), WYRM_HOLD);
    settle(w, A);
    seal_fails = true;
    pump(w);
    assert_int_equal(w->tally[B].responses, 0);
    assert_int_equal(w->verdict, WYRM_E_CRYPTO);
    assert_int_equal(peer_of(w, B, A)->next, 0xff);
    assert_false(is_up(w, A, B));
}

TEST(a_failed_public_key_changes_nothing)
{
    struct world *w = *state;
    uint8_t key[WYRM_KEY_LEN] = {1}, pub[WYRM_KEY_LEN];

    handshake(w, A, B);
    base_fails = true;
    assert_int_equal(wyrm_set_private_key(&w->node[A].dev, key), WYRM_E_CRYPTO);
    assert_int_equal(wyrm_public_key(&w->node[A].dev, pub), WYRM_IDLE);
    assert_memory_equal(pub, w->node[A].pub, sizeof(pub));
    assert_true(is_up(w, A, B));
    assert_false(node_remembers(&w->node[A], key));
}

/* A cookie sealed under a key that anyone can compute would be a cookie for everyone. */
TEST(a_failed_hchacha20_seals_nothing)
{
    uint8_t box[16 + WYRM_AEAD_TAG_LEN];
    const uint8_t secret[16] = {1, 2, 3}, nonce[WYRM_XAEAD_NONCE_LEN] = {4};
    const uint8_t key[WYRM_AEAD_KEY_LEN] = {5};

    hchacha20_fails = true;
    assert_false(wyrm_xaead_seal(box, secret, sizeof(secret), NULL, 0, nonce, key));

    hchacha20_fails = false;
    assert_true(wyrm_xaead_seal(box, secret, sizeof(secret), NULL, 0, nonce, key));
    hchacha20_fails = true;
    assert_false(wyrm_xaead_open(box, sizeof(box), NULL, 0, nonce, key));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(a_failed_seal_sends_no_data),
        RUN(a_failed_seal_sends_no_initiation),
        RUN(a_failed_public_ephemeral_sends_no_initiation),
        RUN(a_failed_seal_sends_no_response_and_begins_no_session),
        RUN(a_failed_public_key_changes_nothing),
        RUN(a_failed_hchacha20_seals_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

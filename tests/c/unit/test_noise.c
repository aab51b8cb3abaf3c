/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The Noise_IKpsk2 handshake: both sides agree on keys, and forged messages fail.
 */
#include "world.h"

#include "core/wyrm_noise.h"

/* The initial hash and chaining key can be seen only in a message, so the test computes a whole
 * first message by hand from the strings, up to the static key's ciphertext. */
TEST(the_hash_constants_come_from_the_strings)
{
    static const char construction[] = "Noise_IKpsk2_25519_ChaChaPoly_BLAKE2s";
    static const char identifier[] = "WireGuard v1 zx2c4 Jason@zx2c4.com";
    struct world *w = world_make(2);
    struct datagram initiation;
    uint8_t ck[32], hash[32], key[32], dh[32], joined[80];
    uint8_t nonce[12] = {0};

    make_initiation(w, A, B, &initiation);
    wyrm_blake2s(ck, 32, NULL, 0, construction, sizeof(construction) - 1);
    memcpy(joined, ck, 32);
    memcpy(joined + 32, identifier, sizeof(identifier) - 1);
    wyrm_blake2s(hash, 32, NULL, 0, joined, 32 + sizeof(identifier) - 1);
    memcpy(joined, hash, 32);
    memcpy(joined + 32, w->node[B].pub, 32);
    wyrm_blake2s(hash, 32, NULL, 0, joined, 64);
    memcpy(joined, hash, 32);
    memcpy(joined + 32, initiation.data + INITIATION_EPHEMERAL, 32);
    wyrm_blake2s(hash, 32, NULL, 0, joined, 64);
    wyrm_kdf(ck, NULL, NULL, ck, initiation.data + INITIATION_EPHEMERAL, 32);
    assert_true(wyrm_x25519(dh, w->node[B].priv, initiation.data + INITIATION_EPHEMERAL));
    wyrm_kdf(ck, key, NULL, ck, dh, 32);

    assert_true(wyrm_aead_open(initiation.data + INITIATION_STATIC, 48, hash, 32, nonce, key));
    assert_memory_equal(initiation.data + INITIATION_STATIC, w->node[A].pub, 32);
    world_free(w);
}

TEST(a_handshake_gives_both_sides_the_same_two_keys)
{
    struct world *w = world_make(2);
    const struct wyrm_peer *ours = peer_of(w, A, B), *theirs = peer_of(w, B, A);
    const struct wyrm_keypair *a, *b;

    handshake(w, A, B);
    a = &ours->kp[ours->current];
    b = &theirs->kp[theirs->current];
    assert_memory_equal(a->keys.send, b->keys.recv, 32);
    assert_memory_equal(a->keys.recv, b->keys.send, 32);
    assert_memory_not_equal(a->keys.send, a->keys.recv, 32);
    assert_int_equal(a->remote, theirs->local[theirs->current]);
    assert_int_equal(ours->local[ours->current], b->remote);
    assert_true(theirs->flags & FLAG_RESPONDER && !(ours->flags & FLAG_RESPONDER));
    world_free(w);
}

TEST(either_side_may_begin)
{
    struct world *w = world_make(2);

    handshake(w, B, A);
    assert_int_equal(send_ip(w, A, B, 100), WYRM_SEND);
    assert_int_equal(send_ip(w, B, A, 200), WYRM_SEND);
    pump(w);
    assert_int_equal(w->delivered, 2);
    world_free(w);
}

static void set_psk(struct world *w, unsigned node, unsigned other, uint8_t first)
{
    uint8_t psk[32] = {0};

    psk[0] = first;
    assert_int_equal(wyrm_peer_set_psk(&w->node[node].dev, w->id[node][other], psk), WYRM_IDLE);
}

TEST(a_handshake_succeeds_with_a_preshared_key)
{
    struct world *w = world_make(2);

    set_psk(w, A, B, 7);
    set_psk(w, B, A, 7);
    handshake(w, A, B);
    assert_int_equal(send_ip(w, A, B, 100), WYRM_SEND);
    pump(w);
    assert_int_equal(w->delivered, 1);
    world_free(w);
}

TEST(a_wrong_preshared_key_stops_at_the_response)
{
    struct world *w = world_make(2);

    set_psk(w, A, B, 7);
    set_psk(w, B, A, 8);
    wyrm_peer_connect(&w->node[A].dev, w->now, w->id[A][B]);
    pump(w);
    assert_false(is_up(w, A, B));
    assert_false(is_up(w, B, A));
    assert_int_equal(drops_of(w, A, WYRM_D_TAG), 1);
    assert_true(peer_of(w, A, B)->waiting);
    world_free(w);
}

TEST(a_preshared_key_on_one_side_only_stops_at_the_response)
{
    struct world *w = world_make(2);

    set_psk(w, B, A, 8);
    wyrm_peer_connect(&w->node[A].dev, w->now, w->id[A][B]);
    pump(w);
    assert_false(is_up(w, A, B));
    assert_int_equal(drops_of(w, A, WYRM_D_TAG), 1);
    world_free(w);
}

TEST(an_initiation_of_an_unknown_peer_is_not_answered)
{
    struct world *w = world_make(2);
    uint64_t before;

    wyrm_peer_remove(&w->node[B].dev, w->id[B][A]);
    settle(w, B);
    before = node_peers_hash(&w->node[B]);
    wyrm_peer_connect(&w->node[A].dev, w->now, w->id[A][B]);
    pump(w);
    assert_int_equal(drops_of(w, B, WYRM_D_PEER), 1);
    assert_int_equal(w->tally[B].responses, 0);
    assert_int_equal(node_peers_hash(&w->node[B]), before);
    world_free(w);
}

/* Every bit of the message is covered by mac1 or by mac2's absence of a cookie. */
TEST(each_altered_byte_of_an_initiation_is_dropped)
{
    struct world *w = world_make(2);
    struct datagram initiation;
    uint64_t before = node_hash(&w->node[B]);

    make_initiation(w, A, B, &initiation);
    for (unsigned i = 0; i < INITIATION_MAC1 + MAC_LEN; i++) {
        initiation.data[i] ^= 1;
        assert_true(inject(w, B, &initiation, &w->node[A].address) < 0);
        assert_int_equal(node_hash(&w->node[B]), before);
        initiation.data[i] ^= 1;
    }
    world_free(w);
}

/* Knowing both public keys, and so mac1, does not allow changing the encrypted fields. */
TEST(each_altered_byte_with_a_right_mac1_is_dropped)
{
    struct world *w = world_make(2);
    struct datagram initiation, forged;
    uint64_t before;
    uint8_t key[32], label[40] = "mac1----";

    memcpy(label + 8, w->node[B].pub, 32);
    wyrm_blake2s(key, 32, NULL, 0, label, sizeof(label));
    make_initiation(w, A, B, &initiation);
    before = node_peers_hash(&w->node[B]);
    for (unsigned i = INITIATION_EPHEMERAL; i < INITIATION_MAC1; i++) {
        w->now += 2000; /* not under load */
        forged = initiation;
        forged.data[i] ^= 1;
        wyrm_blake2s(forged.data + INITIATION_MAC1, 16, key, 32, forged.data, INITIATION_MAC1);
        assert_int_equal(inject(w, B, &forged, &w->node[A].address), WYRM_WORK);
        settle(w, B);
        assert_int_equal(w->verdict, WYRM_D_TAG);
    }
    assert_int_equal(node_peers_hash(&w->node[B]), before);
    assert_int_equal(w->on_wire, 0);
    world_free(w);
}

TEST(each_altered_byte_of_a_response_is_dropped)
{
    struct world *w = world_make(2);
    struct datagram response, forged;
    uint64_t before;
    uint8_t key[32], label[40] = "mac1----";

    memcpy(label + 8, w->node[A].pub, 32);
    wyrm_blake2s(key, 32, NULL, 0, label, sizeof(label));
    wyrm_peer_connect(&w->node[A].dev, w->now, w->id[A][B]);
    settle(w, A);
    carry(w);
    grab(w, &response);
    before = node_peers_hash(&w->node[A]);
    for (unsigned i = 0; i < RESPONSE_MAC1; i++) {
        if (i >= RESPONSE_SENDER && i < RESPONSE_RECEIVER)
            continue; /* outside the hash, protected by mac1 alone: so the paper has it */
        forged = response;
        forged.data[i] ^= 1;
        assert_true(inject(w, A, &forged, &w->node[B].address) < 0); /* mac1 is wrong */
        wyrm_blake2s(forged.data + RESPONSE_MAC1, 16, key, 32, forged.data, RESPONSE_MAC1);
        (void)inject(w, A, &forged, &w->node[B].address);
        settle(w, A);
        assert_int_equal(node_peers_hash(&w->node[A]), before);
    }
    world_free(w);
}

TEST(every_handshake_uses_fresh_keys_indices_and_timestamps)
{
    struct world *w = world_make(2);
    struct datagram first, second;

    make_initiation(w, A, B, &first);
    w->now += 5000;
    make_initiation(w, A, B, &second);
    assert_memory_not_equal(first.data + INITIATION_SENDER, second.data + INITIATION_SENDER, 4);
    assert_memory_not_equal(first.data + INITIATION_EPHEMERAL, second.data + INITIATION_EPHEMERAL,
                            32);
    assert_memory_not_equal(first.data + INITIATION_STATIC, second.data + INITIATION_STATIC, 48);
    world_free(w);
}

/* The second handshake of two peers takes the static-static result from the cache. */
TEST(a_cached_static_result_gives_the_same_handshake)
{
    struct world *w = world_make(2);
    struct datagram cached, fresh;
    uint64_t random_state;
    uint64_t label;

    handshake(w, A, B);
    w->now += 6000;
    random_state = w->node[A].random_state;
    label = w->node[A].label;
    make_initiation(w, A, B, &cached);
    wyrm_peer_disconnect(&w->node[A].dev, w->id[A][B]);
    settle(w, A);
    peer_of(w, A, B)->flags &= (uint8_t)~FLAG_STATIC_DH;
    w->node[A].random_state = random_state;
    w->node[A].dev.last_ephemeral = 0; /* or it would be noticed */
    w->node[A].label = label;
    make_initiation(w, A, B, &fresh);
    assert_memory_equal(cached.data, fresh.data, INITIATION_LEN);
    world_free(w);
}

TEST(a_job_leaves_no_secret_behind)
{
    struct world *w = world_make(2);
    struct wyrm_packet out;
    struct wyrm_job job;
    uint8_t zero[sizeof(job) - offsetof(struct wyrm_job, own)] = {0};

    wyrm_peer_connect(&w->node[A].dev, w->now, w->id[A][B]);
    assert_int_equal(wyrm_job_take(&w->node[A].dev, w->now, &job), WYRM_WORK);
    wyrm_job_run(&job);
    assert_int_equal(wyrm_job_commit(&w->node[A].dev, w->now, &job, &out), WYRM_SEND);
    assert_memory_equal(&job.own, zero, sizeof(zero));
    world_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(the_hash_constants_come_from_the_strings),
        RUN(a_handshake_gives_both_sides_the_same_two_keys),
        RUN(either_side_may_begin),
        RUN(a_handshake_succeeds_with_a_preshared_key),
        RUN(a_wrong_preshared_key_stops_at_the_response),
        RUN(a_preshared_key_on_one_side_only_stops_at_the_response),
        RUN(an_initiation_of_an_unknown_peer_is_not_answered),
        RUN(each_altered_byte_of_an_initiation_is_dropped),
        RUN(each_altered_byte_with_a_right_mac1_is_dropped),
        RUN(each_altered_byte_of_a_response_is_dropped),
        RUN(every_handshake_uses_fresh_keys_indices_and_timestamps),
        RUN(a_cached_static_result_gives_the_same_handshake),
        RUN(a_job_leaves_no_secret_behind),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

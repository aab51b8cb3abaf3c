/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Life of a device and its peers, settings, statistics, and the promise of wyrm_deadline.
 */
#include "world.h"

static wyrm_status init_as(struct node *n, uint32_t version, size_t device, size_t peer)
{
    return wyrm_init_checked(&n->dev, &n->pools, &n->io, version, device, peer);
}

TEST(options_that_differ_are_refused)
{
    static struct node n;

    node_boot(&n, A, 1);
    assert_int_equal(init_as(&n, WYRM_VERSION + 1, sizeof(n.dev), sizeof(n.peers[0])), WYRM_E_ABI);
    assert_int_equal(init_as(&n, WYRM_VERSION, sizeof(n.dev) - 8, sizeof(n.peers[0])), WYRM_E_ABI);
    assert_int_equal(init_as(&n, WYRM_VERSION, sizeof(n.dev), sizeof(n.peers[0]) + 8), WYRM_E_ABI);
    assert_int_equal(init_as(&n, WYRM_VERSION, sizeof(n.dev), sizeof(n.peers[0])), WYRM_IDLE);
}

TEST(impossible_pools_are_refused)
{
    static struct node n;
    struct wyrm_pools good;

    node_boot(&n, A, 1);
    good = n.pools;
    n.pools.n_peers = 0;
    assert_int_equal(wyrm_init(&n.dev, &n.pools, &n.io), WYRM_E_ARG);
    n.pools = good;
    n.pools.n_peers = UINT16_MAX;
    assert_int_equal(wyrm_init(&n.dev, &n.pools, &n.io), WYRM_E_ARG);
    n.pools = good;
    n.pools.n_index = 12; /* no power of two */
    assert_int_equal(wyrm_init(&n.dev, &n.pools, &n.io), WYRM_E_ARG);
    n.pools = good;
    n.pools.n_slots = 0;
    assert_int_equal(wyrm_init(&n.dev, &n.pools, &n.io), WYRM_E_ARG);
    n.pools = good;
    assert_int_equal(wyrm_init(&n.dev, &n.pools, &n.io), WYRM_IDLE);
}

WYRM_DEVICE_DEFINE(defined, 3, 5);

TEST(one_line_defines_a_working_device)
{
    struct node n;

    node_boot(&n, A, 1);
    assert_int_equal(wyrm_init(&defined, &defined_pools, &n.io), WYRM_IDLE);
    assert_int_equal(wyrm_set_private_key(&defined, n.priv), WYRM_IDLE);
    assert_int_equal(defined_pools.n_peers, 3);
    assert_int_equal(defined_pools.n_routes, 5);
    assert_true(wyrm_deadline(&defined) == WYRM_NEVER);
}

/* ---- Keys ------------------------------------------------------------------------- */

TEST(without_a_key_there_is_no_public_key)
{
    struct world *w = world_make(2);
    uint8_t pub[32];

    assert_int_equal(wyrm_public_key(&w->node[A].dev, pub), WYRM_IDLE);
    assert_memory_equal(pub, w->node[A].pub, 32);
    wyrm_set_private_key(&w->node[A].dev, NULL);
    assert_int_equal(wyrm_public_key(&w->node[A].dev, pub), WYRM_E_KEY);
    assert_false(node_remembers(&w->node[A], w->node[A].priv));
    world_free(w);
}

TEST(without_a_key_handshakes_are_dropped)
{
    struct world *w = world_make(2);
    struct datagram initiation;
    uint64_t before;

    make_initiation(w, A, B, &initiation);
    wyrm_set_private_key(&w->node[B].dev, NULL);
    settle(w, B);
    before = node_hash(&w->node[B]);
    assert_int_equal(inject(w, B, &initiation, &w->node[A].address), WYRM_D_MAC1);
    assert_int_equal(node_hash(&w->node[B]), before);
    world_free(w);
}

TEST(setting_the_same_key_again_changes_nothing)
{
    struct world *w = world_make(2);
    uint64_t before;

    handshake(w, A, B);
    before = node_hash(&w->node[A]);
    assert_int_equal(wyrm_set_private_key(&w->node[A].dev, w->node[A].priv), WYRM_IDLE);
    assert_int_equal(node_hash(&w->node[A]), before);
    world_free(w);
}

/* Zeros are how configurations write that there is no key; as a key they would make one that
 * everybody knows. */
TEST(known_defect_52_a_key_of_zeros_is_refused_and_changes_nothing)
{
    const uint8_t zero[32] = {0};
    struct world *w = world_make(2);
    uint64_t before;

    handshake(w, A, B);
    before = node_hash(&w->node[A]);
    assert_int_equal(wyrm_set_private_key(&w->node[A].dev, zero), WYRM_E_KEY);
    assert_int_equal(node_hash(&w->node[A]), before);
    assert_true(is_up(w, A, B));
    world_free(w);
}

TEST(another_key_ends_all_sessions)
{
    struct world *w = world_make(3);
    uint8_t key[32] = {5};

    handshake(w, A, B);
    handshake(w, C, A);
    assert_int_equal(wyrm_set_private_key(&w->node[A].dev, key), WYRM_IDLE);
    assert_false(is_up(w, A, B));
    assert_false(is_up(w, A, C));
    world_free(w);
}

TEST(after_a_key_change_a_handshake_begins_at_once)
{
    struct world *w = world_make(2);
    uint8_t key[32] = {5}, pub[32];

    handshake(w, A, B);
    wyrm_set_private_key(&w->node[A].dev, key);
    wyrm_public_key(&w->node[A].dev, pub);
    wyrm_peer_remove(&w->node[B].dev, w->id[B][A]);
    memcpy(w->node[A].pub, pub, 32);
    w->id[B][A] = node_meet(&w->node[B], &w->node[A]);
    assert_int_equal(send_ip(w, A, B, 100), WYRM_HOLD);
    pump(w);
    assert_int_equal(w->delivered, 1);
    world_free(w);
}

TEST(connect_after_disconnect_begins_a_handshake_at_once)
{
    struct world *w = world_make(2);

    handshake(w, A, B);
    wyrm_peer_disconnect(&w->node[A].dev, w->id[A][B]);
    sleep_through(w, 100);
    handshake(w, A, B);
    world_free(w);
}

TEST(a_peer_with_our_new_public_key_is_removed)
{
    struct world *w = world_make(2);
    wyrm_peer_id id;

    assert_int_equal(wyrm_set_private_key(&w->node[A].dev, w->node[B].priv), WYRM_IDLE);
    assert_int_equal(wyrm_peer_find(&w->node[A].dev, w->node[B].pub, &id), WYRM_E_STATE);
    assert_int_equal(send_ip(w, A, B, 100), WYRM_D_ROUTE);
    world_free(w);
}

TEST(our_own_key_cannot_be_a_peer)
{
    struct world *w = world_make(2);
    uint8_t zero[32] = {0};
    wyrm_peer_id id;

    assert_int_equal(wyrm_peer_add(&w->node[A].dev, w->node[A].pub, &id), WYRM_E_KEY);
    assert_int_equal(wyrm_peer_add(&w->node[A].dev, zero, &id), WYRM_E_KEY);
    world_free(w);
}

/* ---- Peers ------------------------------------------------------------------------ */

TEST(peers_are_added_found_and_removed_until_full)
{
    static struct node n;
    wyrm_peer_id id;
    uint8_t pub[32] = {0};

    node_boot(&n, A, 1);
    for (uint8_t i = 0; i < NODE_PEERS; i++) {
        pub[0] = (uint8_t)(i + 1);
        assert_int_equal(wyrm_peer_add(&n.dev, pub, &id), WYRM_IDLE);
        assert_int_equal(id, i);
    }
    pub[0] = 99;
    assert_int_equal(wyrm_peer_add(&n.dev, pub, &id), WYRM_E_FULL);
    pub[0] = 3;
    assert_int_equal(wyrm_peer_find(&n.dev, pub, &id), WYRM_IDLE);
    assert_int_equal(id, 2);
    assert_int_equal(wyrm_peer_remove(&n.dev, 2), WYRM_IDLE);
    assert_int_equal(wyrm_peer_remove(&n.dev, 2), WYRM_E_STATE);
    assert_int_equal(wyrm_peer_find(&n.dev, pub, &id), WYRM_E_STATE);
    pub[0] = 99;
    assert_int_equal(wyrm_peer_add(&n.dev, pub, &id), WYRM_IDLE);
    assert_int_equal(id, 2); /* the id is reused */
}

TEST(adding_a_known_key_returns_its_id)
{
    struct world *w = world_make(2);
    wyrm_peer_id id = WYRM_NO_PEER;

    assert_int_equal(wyrm_peer_add(&w->node[A].dev, w->node[B].pub, &id), WYRM_E_EXISTS);
    assert_int_equal(id, w->id[A][B]);
    world_free(w);
}

TEST(calls_with_an_id_not_in_use_are_refused)
{
    struct world *w = world_make(2);
    struct wyrm_device *dev = &w->node[A].dev;
    struct wyrm_peer_info info;
    uint8_t psk[32] = {0};
    const wyrm_peer_id nobody[] = {5, NODE_PEERS, WYRM_NO_PEER};

    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(wyrm_peer_remove(dev, nobody[i]), WYRM_E_STATE);
        assert_int_equal(wyrm_peer_set_psk(dev, nobody[i], psk), WYRM_E_STATE);
        assert_int_equal(wyrm_peer_set_endpoint(dev, nobody[i], NULL), WYRM_E_STATE);
        assert_int_equal(wyrm_peer_set_keepalive(dev, nobody[i], 1), WYRM_E_STATE);
        assert_int_equal(wyrm_peer_connect(dev, w->now, nobody[i]), WYRM_E_STATE);
        assert_int_equal(wyrm_peer_disconnect(dev, nobody[i]), WYRM_E_STATE);
        assert_int_equal(wyrm_peer_get(dev, w->now, nobody[i], &info), WYRM_E_STATE);
    }
    world_free(w);
}

/* Its place is empty when this is told: the port must still learn whose packets to let go. */
TEST(held_packets_of_a_removed_peer_are_dropped_under_its_id)
{
    struct world *w = world_make(3);

    assert_int_equal(send_ip(w, A, B, 100), WYRM_HOLD);
    assert_int_equal(send_ip(w, A, C, 100), WYRM_HOLD);
    assert_int_equal(wyrm_peer_remove(&w->node[A].dev, w->id[A][C]), WYRM_IDLE);
    settle(w, A);
    assert_int_equal(w->held[A][w->id[A][C]].len, 0);
    assert_int_equal(w->held[A][w->id[A][B]].len, 100);
    world_free(w);
}

TEST(a_removed_peer_loses_routes_and_held_packets)
{
    struct world *w = world_make(2);

    assert_int_equal(send_ip(w, A, B, 100), WYRM_HOLD);
    assert_int_equal(wyrm_peer_remove(&w->node[A].dev, w->id[A][B]), WYRM_IDLE);
    settle(w, A);
    assert_int_equal(w->tally[A].lost, 1);
    assert_int_equal(w->tally[A].initiations, 0);
    assert_int_equal(send_ip(w, A, B, 100), WYRM_D_ROUTE);
    world_free(w);
}

/* As when wg setconf replaces all peers in one go: nobody else would free what the old one held. */
TEST(a_peer_in_the_place_of_a_removed_one_does_not_take_over_its_packets)
{
    struct world *w = world_make(2);
    struct wyrm_device *dev = &w->node[A].dev;
    wyrm_peer_id id;

    assert_int_equal(send_ip(w, A, B, 100), WYRM_HOLD);
    assert_int_equal(wyrm_peer_remove(dev, w->id[A][B]), WYRM_IDLE);
    assert_int_equal(wyrm_peer_add(dev, w->node[B].pub, &id), WYRM_IDLE);
    assert_int_equal(id, w->id[A][B]);
    settle(w, A);
    assert_int_equal(w->tally[A].lost, 1);
    assert_int_equal(w->held[A][id].len, 0);
    settle(w, A);
    assert_int_equal(w->tally[A].lost, 1); /* once */
    world_free(w);
}

TEST(a_peer_without_an_endpoint_is_unreachable_until_it_initiates)
{
    struct world *w = world_make(2);

    wyrm_peer_set_endpoint(&w->node[A].dev, w->id[A][B], NULL);
    assert_int_equal(send_ip(w, A, B, 100), WYRM_D_ENDPOINT);
    assert_int_equal(wyrm_peer_connect(&w->node[A].dev, w->now, w->id[A][B]), WYRM_D_ENDPOINT);
    handshake(w, B, A);
    assert_int_equal(send_ip(w, A, B, 100), WYRM_SEND);
    world_free(w);
}

TEST(an_endpoint_of_an_unknown_family_is_refused)
{
    struct world *w = world_make(2);
    struct wyrm_endpoint endpoint = w->node[B].address.remote;

    endpoint.family = 5;
    assert_int_equal(wyrm_peer_set_endpoint(&w->node[A].dev, w->id[A][B], &endpoint), WYRM_E_ARG);
    world_free(w);
}

TEST(an_mtu_below_576_is_refused)
{
    struct world *w = world_make(2);

    assert_int_equal(wyrm_set_mtu(&w->node[A].dev, 575), WYRM_E_ARG);
    assert_int_equal(wyrm_set_mtu(&w->node[A].dev, 576), WYRM_IDLE);
    world_free(w);
}

TEST(a_peers_settings_are_reported)
{
    struct world *w = world_make(2);
    struct wyrm_peer_info info;
    uint8_t psk[32] = {1};

    wyrm_peer_set_keepalive(&w->node[A].dev, w->id[A][B], 25);
    wyrm_peer_set_psk(&w->node[A].dev, w->id[A][B], psk);
    wyrm_peer_get(&w->node[A].dev, w->now, w->id[A][B], &info);
    assert_memory_equal(info.pub, w->node[B].pub, 32);
    assert_int_equal(info.keepalive_s, 25);
    assert_true(info.has_psk);
    assert_false(info.up);
    assert_true(info.last_handshake == WYRM_NEVER);
    assert_memory_equal(&info.endpoint, &w->node[B].address.remote, sizeof(info.endpoint));
    world_free(w);
}

/* 10 pings of 84 bytes with the handshake, counted as wg(8) counts: 148 + 92 + 20 x (96 + 32), and
 * one keepalive of 32 is spared because data confirms the session. */
TEST(bytes_are_counted_as_wg_counts_them)
{
    struct world *w = world_make(2);
    struct wyrm_peer_info a, b;

    assert_int_equal(send_ip(w, A, B, 84), WYRM_HOLD);
    pump(w);
    for (unsigned i = 1; i < 10; i++) {
        assert_int_equal(send_ip(w, B, A, 84), WYRM_SEND);
        assert_int_equal(send_ip(w, A, B, 84), WYRM_SEND);
        pump(w);
    }
    assert_int_equal(send_ip(w, B, A, 84), WYRM_SEND);
    pump(w);
    wyrm_peer_get(&w->node[A].dev, w->now, w->id[A][B], &a);
    wyrm_peer_get(&w->node[B].dev, w->now, w->id[B][A], &b);
    assert_int_equal(a.tx_bytes, 148 + 10 * 128);
    assert_int_equal(a.rx_bytes, 92 + 10 * 128);
    assert_int_equal(b.rx_bytes, a.tx_bytes);
    assert_int_equal(b.tx_bytes, a.rx_bytes);
    assert_int_equal(a.last_handshake, w->now);
    world_free(w);
}

TEST(drops_are_counted_by_reason)
{
    struct world *w = world_make(2);
    struct datagram junk = {.len = 40};

    for (int reason = WYRM_D_RANDOM; reason <= WYRM_D_MALFORMED; reason++)
        assert_int_equal(drops_of(w, A, (wyrm_status)reason), 0);
    (void)inject(w, A, &junk, &w->node[B].address);
    assert_int_equal(drops_of(w, A, WYRM_D_MALFORMED), 1);
    assert_int_equal(all_drops(w, A), 1);
    assert_int_equal(drops_of(w, A, WYRM_IDLE), 0);
    assert_int_equal(drops_of(w, A, WYRM_E_TEXT), 0);
    assert_int_equal(drops_of(w, A, (wyrm_status)-1000), 0);
    world_free(w);
}

TEST(the_local_path_of_a_datagram_is_used_for_answers)
{
    struct world *w = world_make(2);
    struct wyrm_meta from = w->node[B].address;
    struct datagram packet;

    handshake(w, A, B);
    assert_int_equal(send_ip(w, B, A, 100), WYRM_SEND);
    grab(w, &packet);
    from.local.bytes[3] = 42;
    assert_int_equal(inject(w, A, &packet, &from), WYRM_DELIVER);
    assert_int_equal(peer_of(w, A, B)->to.local.bytes[3], 42);
    wyrm_peer_set_endpoint(&w->node[A].dev, w->id[A][B], &w->node[B].address.remote);
    assert_int_equal(peer_of(w, A, B)->to.local.bytes[3], 0);
    world_free(w);
}

TEST(secrets_can_be_asked_for)
{
    struct world *w = world_make(2);
    uint8_t psk[32] = {7}, out[32];

    assert_int_equal(wyrm_get_private_key(&w->node[A].dev, out), WYRM_IDLE);
    assert_memory_equal(out, w->node[A].priv, 32);
    wyrm_peer_set_psk(&w->node[A].dev, w->id[A][B], psk);
    assert_int_equal(wyrm_peer_get_psk(&w->node[A].dev, w->id[A][B], out), WYRM_IDLE);
    assert_memory_equal(out, psk, 32);
    assert_int_equal(wyrm_peer_get_psk(&w->node[A].dev, 5, out), WYRM_E_STATE);
    wyrm_set_private_key(&w->node[A].dev, NULL);
    assert_int_equal(wyrm_get_private_key(&w->node[A].dev, out), WYRM_E_KEY);
    world_free(w);
}

TEST(setting_the_same_psk_again_changes_nothing)
{
    struct world *w = world_make(2);
    uint8_t psk[32] = {0};
    uint64_t before;

    handshake(w, A, B);
    before = node_hash(&w->node[A]);
    assert_int_equal(wyrm_peer_set_psk(&w->node[A].dev, w->id[A][B], psk), WYRM_IDLE);
    assert_int_equal(node_hash(&w->node[A]), before);
    world_free(w);
}

/* As Linux does: who sets it on both sides loses no packet, whichever side is first. */
TEST(known_defect_51_another_psk_leaves_the_sessions)
{
    struct world *w = world_make(2);
    uint8_t psk[32] = {7};

    handshake(w, A, B);
    assert_int_equal(wyrm_peer_set_psk(&w->node[A].dev, w->id[A][B], psk), WYRM_IDLE);
    assert_int_equal(send_ip(w, A, B, 100), WYRM_SEND);
    assert_int_equal(send_ip(w, B, A, 100), WYRM_SEND);
    pump(w);
    assert_int_equal(w->delivered, 2);
    assert_int_equal(w->tally[A].initiations + w->tally[B].initiations, 0);

    wyrm_peer_connect(&w->node[A].dev, w->now, w->id[A][B]);
    pass(w, 6000);
    assert_true(drops_of(w, A, WYRM_D_TAG) > 0);
    assert_int_equal(wyrm_peer_set_psk(&w->node[B].dev, w->id[B][A], psk), WYRM_IDLE);
    pass(w, 6000);
    assert_true(peer_of(w, A, B)->last_handshake > w->now - 6000);
    assert_int_equal(send_ip(w, A, B, 100), WYRM_SEND);
    pump(w);
    assert_int_equal(w->delivered, 3);
    world_free(w);
}

TEST(clearing_the_path_keeps_the_endpoint)
{
    struct world *w = world_make(2);

    peer_of(w, A, B)->to.local.bytes[0] = 1;
    assert_int_equal(wyrm_peer_path(&w->node[A].dev, w->id[A][B])->local.bytes[0], 1);
    assert_int_equal(wyrm_peer_path(&w->node[A].dev, w->id[A][B])->remote.family, 4);
    assert_int_equal(wyrm_peer_forget_path(&w->node[A].dev, w->id[A][B]), WYRM_IDLE);
    assert_int_equal(peer_of(w, A, B)->to.local.bytes[0], 0);
    assert_int_equal(peer_of(w, A, B)->to.remote.family, 4);
    assert_int_equal(wyrm_peer_forget_path(&w->node[A].dev, 5), WYRM_E_STATE);
    world_free(w);
}

TEST(a_persistent_keepalive_reconnects_after_a_key_change)
{
    struct world *w = world_make(2);
    uint8_t key[32] = {5};

    wyrm_peer_set_keepalive(&w->node[A].dev, w->id[A][B], 25);
    pump(w);
    w->tally[A] = (struct tally){0};
    wyrm_set_private_key(&w->node[A].dev, NULL);
    pass(w, 1000);
    assert_int_equal(w->tally[A].initiations, 0);
    wyrm_set_private_key(&w->node[A].dev, key);
    settle(w, A);
    assert_int_equal(w->tally[A].initiations, 1);
    world_free(w);
}

/* ---- Many peers and the deadline ----------------------------------------------------- */

TEST(poll_wants_room_for_the_longest_message)
{
    struct world *w = world_make(2);
    struct wyrm_packet out;
    uint8_t buf[WYRM_CONTROL_MAX];

    assert_int_equal(wyrm_poll(&w->node[A].dev, w->now, buf, sizeof(buf) - 1, &out), WYRM_E_SPACE);
    world_free(w);
}

TEST(no_peer_starves_in_poll)
{
    struct world *w = world_make(4);

    for (unsigned i = B; i <= D; i++)
        handshake(w, A, i);
    for (unsigned i = B; i <= D; i++)
        wyrm_peer_set_keepalive(&w->node[A].dev, w->id[A][i], 1);
    pass(w, 10000);
    assert_int_equal(w->tally[A].keepalives, 33);
    world_free(w);
}

/* After every call and a poll to the end, the deadline lies ahead and is never later than the
 * earliest timer; waking exactly then always comes to rest. settle() checks the first half. */
TEST(the_deadline_is_never_late)
{
    struct world *w = world_make(4);
    uint64_t random = 8;

    for (unsigned step = 0; step < 3000; step++) {
        unsigned from = (unsigned)(test_random(&random) % 4), to;

        to = (from + 1 + (unsigned)(test_random(&random) % 3)) % 4;
        switch (test_random(&random) % 8) {
        case 0:
            wyrm_peer_set_keepalive(&w->node[from].dev, w->id[from][to],
                                    (uint16_t)(test_random(&random) % 40));
            break;
        case 1:
            wyrm_peer_disconnect(&w->node[from].dev, w->id[from][to]);
            break;
        case 2:
            w->deaf[from] = test_random(&random) % 2;
            break;
        default:
            (void)send_ip(w, from, to, 100);
        }
        w->delivered = 0;
        pump(w);
        w->delivered = 0;
        for (unsigned n = 0; n < 4; n++)
            for (unsigned p = 0; p < NODE_PEERS; p++)
                if (w->node[n].peers[p].flags & FLAG_USED) {
                    const struct wyrm_device *dev = &w->node[n].dev;
                    wyrm_tick earliest = peer_earliest(&w->node[n].peers[p]);

                    assert_true(earliest > wyrm_time_tick(dev, w->now));
                    assert_true(dev->next_due <= earliest);
                }
        pass(w, test_random(&random) % 3000);
    }
    world_free(w);
}

TEST(an_idle_device_has_no_deadline)
{
    struct world *w = world_make(2);

    assert_true(wyrm_deadline(&w->node[A].dev) == WYRM_NEVER);
    handshake(w, A, B);
    pass(w, 600000);
    assert_true(wyrm_deadline(&w->node[A].dev) == WYRM_NEVER);
    assert_true(wyrm_deadline(&w->node[B].dev) == WYRM_NEVER);
    world_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(options_that_differ_are_refused),
        RUN(impossible_pools_are_refused),
        RUN(one_line_defines_a_working_device),
        RUN(without_a_key_there_is_no_public_key),
        RUN(without_a_key_handshakes_are_dropped),
        RUN(setting_the_same_key_again_changes_nothing),
        RUN(known_defect_52_a_key_of_zeros_is_refused_and_changes_nothing),
        RUN(another_key_ends_all_sessions),
        RUN(after_a_key_change_a_handshake_begins_at_once),
        RUN(connect_after_disconnect_begins_a_handshake_at_once),
        RUN(a_peer_with_our_new_public_key_is_removed),
        RUN(our_own_key_cannot_be_a_peer),
        RUN(peers_are_added_found_and_removed_until_full),
        RUN(adding_a_known_key_returns_its_id),
        RUN(calls_with_an_id_not_in_use_are_refused),
        RUN(held_packets_of_a_removed_peer_are_dropped_under_its_id),
        RUN(a_removed_peer_loses_routes_and_held_packets),
        RUN(a_peer_in_the_place_of_a_removed_one_does_not_take_over_its_packets),
        RUN(a_peer_without_an_endpoint_is_unreachable_until_it_initiates),
        RUN(an_endpoint_of_an_unknown_family_is_refused),
        RUN(an_mtu_below_576_is_refused),
        RUN(a_peers_settings_are_reported),
        RUN(bytes_are_counted_as_wg_counts_them),
        RUN(drops_are_counted_by_reason),
        RUN(the_local_path_of_a_datagram_is_used_for_answers),
        RUN(secrets_can_be_asked_for),
        RUN(setting_the_same_psk_again_changes_nothing),
        RUN(known_defect_51_another_psk_leaves_the_sessions),
        RUN(clearing_the_path_keeps_the_endpoint),
        RUN(a_persistent_keepalive_reconnects_after_a_key_change),
        RUN(poll_wants_room_for_the_longest_message),
        RUN(no_peer_starves_in_poll),
        RUN(the_deadline_is_never_late),
        RUN(an_idle_device_has_no_deadline),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

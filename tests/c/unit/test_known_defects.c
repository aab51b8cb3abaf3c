/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Defects of other embedded implementations, one test each, numbered as in tests/defects.toml.
 * Defects of a port are tested with the port.
 */
#include "world.h"

#include "core/wyrm_session.h"

static struct world *session(void)
{
    struct world *w = world_make(3);

    handshake(w, A, B);
    return w;
}

/* A datagram from B to A with any payload at all, sealed with the session's keys. */
static void seal_raw(struct world *w, const uint8_t *payload, size_t len, struct datagram *out)
{
    struct wyrm_keypair *kp = &peer_of(w, B, A)->kp[peer_of(w, B, A)->current];
    struct wyrm_span span = {payload, len};

    memset(out, 0, sizeof(*out));
    wyrm_session_seal(kp, &span, 1, 0, out->data);
    out->len = DATA_MIN_LEN + len;
}

static void make_keepalive(struct world *w, struct datagram *out)
{
    seal_raw(w, NULL, 0, out);
}

/* Checks that A drops the datagram for `reason`, counts it, and changes and sends nothing.
 */
static void refused(struct world *w, const struct datagram *datagram, const struct wyrm_meta *from,
                    wyrm_status reason)
{
    uint64_t before = node_hash(&w->node[A]);
    unsigned on_wire = w->on_wire, delivered = w->delivered;
    uint32_t drops = drops_of(w, A, reason), all = all_drops(w, A);

    assert_int_equal(inject(w, A, datagram, from), reason);
    assert_int_equal(drops_of(w, A, reason), drops + 1);
    assert_int_equal(all_drops(w, A), all + 1);
    assert_int_equal(node_hash(&w->node[A]), before);
    settle(w, A);
    assert_int_equal(w->on_wire, on_wire);
    assert_int_equal(w->delivered, delivered);
}

TEST(known_defect_01_the_source_is_checked_not_the_destination)
{
    struct world *w = session();
    struct datagram packet;
    uint8_t ip[60];

    make_ip4(ip, sizeof(ip), C, A, 1); /* B speaks for C */
    seal_raw(w, ip, sizeof(ip), &packet);
    assert_int_equal(inject(w, A, &packet, &w->node[B].address), WYRM_D_SOURCE);
    make_ip4(ip, sizeof(ip), 100, B, 2); /* from nowhere, to what B may have */
    seal_raw(w, ip, sizeof(ip), &packet);
    assert_int_equal(inject(w, A, &packet, &w->node[B].address), WYRM_D_SOURCE);
    assert_int_equal(w->delivered, 0);
    make_ip4(ip, sizeof(ip), B, 100, 3); /* to anywhere */
    seal_raw(w, ip, sizeof(ip), &packet);
    assert_int_equal(inject(w, A, &packet, &w->node[B].address), WYRM_DELIVER);
    world_free(w);
}

TEST(known_defect_02_a_replayed_packet_from_elsewhere_changes_nothing)
{
    struct world *w = session();
    struct wyrm_meta elsewhere = node_address(77);
    struct datagram packet;

    assert_int_equal(send_ip(w, B, A, 100), WYRM_SEND);
    packet = w->last[B];
    pump(w);
    refused(w, &packet, &elsewhere, WYRM_D_REPLAY);
    world_free(w);
}

TEST(known_defect_03_a_keepalive_is_accepted_once)
{
    struct world *w = session();
    struct wyrm_meta elsewhere = node_address(77);
    uint64_t received = peer_of(w, A, B)->rx_bytes;
    struct datagram keepalive;

    make_keepalive(w, &keepalive);
    assert_int_equal(inject(w, A, &keepalive, &w->node[B].address), WYRM_IDLE);
    assert_int_equal(peer_of(w, A, B)->rx_bytes, received + 32);
    refused(w, &keepalive, &elsewhere, WYRM_D_REPLAY);
    assert_int_equal(peer_of(w, A, B)->rx_bytes, received + 32);
    world_free(w);
}

/* A cookie reply is authenticated by public values: an observer of mac1 can forge one. */
TEST(known_defect_04_a_cookie_reply_does_not_move_the_endpoint)
{
    struct world *w = session();
    struct wyrm_meta elsewhere = node_address(77);
    struct datagram initiation, forged = {.len = COOKIE_REPLY_LEN};
    uint8_t key[32], label[40] = "cookie--", cookie[16] = {0};

    make_initiation(w, A, B, &initiation);
    memcpy(label + 8, w->node[B].pub, 32);
    wyrm_blake2s(key, 32, NULL, 0, label, sizeof(label));
    wyrm_store_le32(forged.data, WYRM_MSG_COOKIE);
    memcpy(forged.data + COOKIE_RECEIVER, initiation.data + INITIATION_SENDER, 4);
    wyrm_xaead_seal(forged.data + COOKIE_SEALED, cookie, 16, initiation.data + INITIATION_MAC1, 16,
                    forged.data + COOKIE_NONCE, key);
    assert_int_equal(inject(w, A, &forged, &elsewhere), WYRM_IDLE);
    assert_memory_equal(&peer_of(w, A, B)->to.remote, &w->node[B].address.remote,
                        sizeof(struct wyrm_endpoint));
    assert_int_equal(send_ip(w, A, B, 100), WYRM_SEND);
    assert_memory_equal(&w->last[A].to, &w->node[B].address.remote, sizeof(struct wyrm_endpoint));
    world_free(w);
}

TEST(known_defect_05_initiations_of_a_peer_are_limited)
{
    struct world *w = world_make(2);
    struct datagram initiation;

    for (unsigned i = 0; i < 100; i++) {
        make_initiation(w, A, B, &initiation);
        inject(w, B, &initiation, &w->node[A].address);
        settle(w, B);
        w->on_wire = 0;
        sleep_through(w, 1);
    }
    assert_int_equal(w->tally[B].responses, 5); /* one in 20 ms */
    assert_int_equal(drops_of(w, B, WYRM_D_RATE), 95);
    world_free(w);
}

TEST(known_defect_06_queued_messages_are_load_and_demand_cookies)
{
    struct world *w = world_make(2);
    struct datagram initiation;

    make_initiation(w, A, B, &initiation);
    assert_int_equal(inject(w, B, &initiation, &w->node[A].address), WYRM_WORK);
    for (unsigned i = 0; i < 50; i++)
        assert_int_equal(inject(w, B, &initiation, &w->node[A].address), WYRM_SEND);
    assert_int_equal(w->tally[B].cookies, 50);
    world_free(w);
}

static void a_lost_session_is_noticed(unsigned who)
{
    struct world *w = session();
    unsigned other = who == A ? B : A;

    wyrm_peer_disconnect(&w->node[other].dev, w->id[other][who]); /* it forgot everything */
    pump(w);
    assert_int_equal(send_ip(w, who, other, 100), WYRM_SEND);
    pass(w, 15333);
    assert_int_equal(w->tally[who].initiations, 1);
    assert_int_equal(send_ip(w, who, other, 100), WYRM_SEND);
    pump(w);
    assert_int_equal(w->delivered, 1);
    world_free(w);
}

TEST(known_defect_07_a_peer_that_lost_its_session_is_noticed_in_15_s)
{
    a_lost_session_is_noticed(A);
    a_lost_session_is_noticed(B);
}

TEST(known_defect_08_a_packet_without_a_session_starts_a_handshake)
{
    struct world *w = session();

    wyrm_peer_set_endpoint(&w->node[B].dev, w->id[B][A], NULL);
    assert_int_equal(send_ip(w, A, B, 100), WYRM_SEND); /* B learns where A is */
    pump(w);
    pass(w, 600000);
    assert_false(is_up(w, B, A));
    w->delivered = 0;
    assert_int_equal(send_ip(w, B, A, 100), WYRM_HOLD);
    pump(w);
    assert_int_equal(w->delivered, 1);
    world_free(w);
}

TEST(known_defect_09_all_keys_are_wiped_at_540_s_and_the_endpoint_reverts)
{
    struct world *w = session();
    struct wyrm_meta elsewhere = node_address(77);
    struct wyrm_peer *peer = peer_of(w, A, B);
    struct datagram packet;
    static const struct wyrm_keypair none[3];

    sleep_through(w, 6000);
    handshake(w, A, B); /* a previous session is there too */
    make_initiation(w, A, B, &packet);
    assert_int_equal(send_ip(w, B, A, 100), WYRM_SEND);
    grab(w, &packet);
    assert_int_equal(inject(w, A, &packet, &elsewhere), WYRM_DELIVER);
    w->deaf[A] = w->deaf[B] = true;
    pass(w, 540001);
    assert_memory_equal(peer->kp, none, sizeof(none));
    assert_true(wyrm_ct_is_zero(&peer->hs, sizeof(peer->hs)));
    assert_memory_equal(&peer->to.remote, &w->node[B].address.remote, sizeof(peer->to.remote));
    world_free(w);
}

TEST(known_defect_10_a_dead_peer_is_not_up_however_often_it_rekeyed)
{
    struct world *w = session();

    for (unsigned i = 0; i < 3; i++) {
        sleep_through(w, 6000);
        handshake(w, A, B);
    }
    w->deaf[A] = w->deaf[B] = true;
    pass(w, 179999);
    assert_true(is_up(w, A, B));
    pass(w, 1);
    assert_false(is_up(w, A, B));
    assert_false(is_up(w, B, A));
    world_free(w);
}

TEST(known_defect_12_an_inner_packet_of_1_to_19_bytes_is_dropped)
{
    struct world *w = session();
    struct datagram packet;
    uint8_t ip[60];

    make_ip4(ip, sizeof(ip), B, A, 1);
    for (size_t len = 1; len < 20; len++) {
        seal_raw(w, ip, len, &packet);
        assert_int_equal(inject(w, A, &packet, &w->node[B].address), WYRM_D_INNER);
    }
    make_ip6(ip, sizeof(ip), B, A, 1);
    for (size_t len = 1; len < 40; len++) {
        seal_raw(w, ip, len, &packet);
        assert_int_equal(inject(w, A, &packet, &w->node[B].address), WYRM_D_INNER);
    }
    assert_int_equal(w->delivered, 0);
    world_free(w);
}

/* The undefined-behaviour sanitizer sees every misaligned word that is read as one. */
TEST(known_defect_13_buffers_may_have_any_alignment)
{
    struct world *w = session();
    uint8_t ip[104], sealed[256], point[40], scalar[40], shared[40];
    struct wyrm_packet out;

    for (unsigned at = 0; at < 8; at++) {
        struct wyrm_span span = {ip + at, 96};

        make_ip4(ip + at, 96, A, B, at);
        assert_int_equal(wyrm_output(&w->node[A].dev, w->now, &span, 1, sealed + at, 200, &out),
                         WYRM_SEND);
        assert_int_equal(
            wyrm_input(&w->node[B].dev, w->now, &w->node[A].address, sealed + at, out.len, &out),
            WYRM_DELIVER);
        assert_memory_equal(out.data, ip + at, 96);
        memcpy(scalar + at, w->node[A].priv, 32);
        memcpy(point + at, w->node[B].pub, 32);
        assert_true(wyrm_x25519(shared + at, scalar + at, point + at));
        assert_memory_equal(shared + at, peer_of(w, A, B)->contact.static_dh, 32);
    }
    world_free(w);
}

TEST(known_defect_14_bit_255_of_a_point_is_ignored)
{
    struct world *w = world_make(2);
    uint8_t point[32], plain[32], marked[32];

    memcpy(point, w->node[B].pub, 32);
    assert_true(wyrm_x25519(plain, w->node[A].priv, point));
    point[31] ^= 0x80;
    assert_true(wyrm_x25519(marked, w->node[A].priv, point));
    assert_memory_equal(plain, marked, 32);
    world_free(w);
}

TEST(known_defect_15_counter_zero_is_taken_and_480_packets_of_reordering_too)
{
    struct world *w = session();
    struct wyrm_keypair *kp = &peer_of(w, B, A)->kp[peer_of(w, B, A)->current];
    struct datagram packet;
    uint8_t ip[60];

    make_ip4(ip, sizeof(ip), B, A, 1);
    for (uint64_t counter = 480; counter <= 480; counter -= 120) { /* 480, 360, ... 0 */
        kp->tx_next = counter;
        seal_raw(w, ip, sizeof(ip), &packet);
        assert_int_equal(inject(w, A, &packet, &w->node[B].address), WYRM_DELIVER);
    }
    world_free(w);
}

TEST(known_defect_16_a_long_keepalive_does_not_disturb_rekeying)
{
    static const uint16_t seconds[] = {165, 174, 175, 176, 180, 65535};

    for (unsigned i = 0; i < sizeof(seconds) / sizeof(seconds[0]); i++) {
        struct world *w = session();

        wyrm_peer_set_keepalive(&w->node[A].dev, w->id[A][B], seconds[i]);
        pump(w);
        sleep_through(w, 6000);
        for (unsigned n = 0; n < 20; n++) { /* one-way traffic towards A */
            assert_int_equal(send_ip(w, B, A, 100), WYRM_SEND);
            pass(w, 1000);
        }
        assert_int_equal(w->tally[A].initiations, 0);
        pass_until(w, w->now + 120000);
        assert_int_equal(send_ip(w, B, A, 100), WYRM_SEND);
        pass(w, 11000);
        assert_true(w->tally[A].initiations <= 1);
        world_free(w);
    }
}

TEST(known_defect_17_only_the_initiator_rekeys)
{
    struct world *w = session();

    wyrm_peer_set_keepalive(&w->node[B].dev, w->id[B][A], 25);
    w->deaf[A] = true; /* and A does not answer */
    sleep_through(w, 155000);
    for (unsigned i = 0; i < 12; i++) {
        struct datagram keepalive;

        /* as if A kept sending */
        struct wyrm_keypair *kp = &peer_of(w, A, B)->kp[peer_of(w, A, B)->current];

        memset(&keepalive, 0, sizeof(keepalive));
        wyrm_session_seal(kp, NULL, 0, 0, keepalive.data);
        keepalive.len = DATA_MIN_LEN;
        assert_int_equal(inject(w, B, &keepalive, &w->node[A].address), WYRM_IDLE);
        settle(w, B);
        sleep_through(w, 2000);
    }
    assert_int_equal(w->tally[B].initiations, 0);
    world_free(w);
}

TEST(known_defect_18_one_way_traffic_is_answered_by_keepalives)
{
    struct world *w = session();

    for (unsigned i = 0; i < 100; i++) {
        w->delivered = 0;
        assert_int_equal(send_ip(w, B, A, 100), WYRM_SEND);
        pass(w, 1000);
    }
    assert_int_equal(w->tally[B].initiations, 0); /* B never noticed that A was gone */
    assert_in_range(w->tally[A].keepalives, 9, 10);
    world_free(w);
}

TEST(known_defect_19_a_foreign_initiation_leaves_ours_in_flight)
{
    struct world *w = world_make(2);
    struct datagram theirs, answer;

    wyrm_peer_connect(&w->node[A].dev, w->now, w->id[A][B]);
    settle(w, A);
    carry(w);
    grab(w, &answer); /* B's response to ours, slow */
    make_initiation(w, B, A, &theirs);
    inject(w, A, &theirs, &w->node[B].address);
    settle(w, A);
    assert_true(peer_of(w, A, B)->waiting);
    assert_int_equal(inject(w, A, &answer, &w->node[B].address), WYRM_WORK);
    settle(w, A);
    assert_true(is_up(w, A, B));
    world_free(w);
}

TEST(known_defect_19_a_lost_initiation_is_repeated_without_traffic)
{
    struct world *w = world_make(2);

    w->deaf[B] = true;
    assert_int_equal(send_ip(w, A, B, 100), WYRM_HOLD);
    pass(w, 4000);
    w->deaf[B] = false;
    pass(w, 1400);
    assert_int_equal(w->delivered, 1);
    world_free(w);
}

TEST(known_defect_20_an_index_is_unique_among_all_peers)
{
    struct world *w = world_make(4);
    uint64_t same;

    same = w->node[A].random_state;
    for (unsigned i = B; i <= D; i++) {
        w->node[A].random_state = same; /* every first draw begins with the same bytes */
        wyrm_peer_connect(&w->node[A].dev, w->now, w->id[A][i]);
        pass(w, 12000);
        assert_true(is_up(w, A, i));
    }
    for (unsigned i = B; i <= D; i++)
        for (unsigned j = B; j < i; j++)
            assert_true(peer_of(w, A, i)->local[peer_of(w, A, i)->current] !=
                        peer_of(w, A, j)->local[peer_of(w, A, j)->current]);
    assert_int_equal(send_ip(w, D, A, 100), WYRM_SEND);
    pump(w);
    assert_int_equal(w->inbox[0].peer, w->id[A][D]);
    world_free(w);
}

TEST(known_defect_21_counters_are_compared_in_64_bits)
{
    struct world *w = session();
    struct wyrm_keypair *kp = &peer_of(w, B, A)->kp[peer_of(w, B, A)->current];
    struct datagram packet;
    uint8_t ip[60];

    make_ip4(ip, sizeof(ip), B, A, 1);
    kp->tx_next = UINT64_C(3) << 32;
    seal_raw(w, ip, sizeof(ip), &packet);
    assert_int_equal(inject(w, A, &packet, &w->node[B].address), WYRM_DELIVER);
    kp->tx_next = (UINT64_C(2) << 32) + 5;
    seal_raw(w, ip, sizeof(ip), &packet);
    refused(w, &packet, &w->node[B].address, WYRM_D_REPLAY);
    kp->tx_next = (UINT64_C(2) << 32) - 5;
    seal_raw(w, ip, sizeof(ip), &packet);
    refused(w, &packet, &w->node[B].address, WYRM_D_REPLAY);
    world_free(w);
}

TEST(known_defect_22_a_received_counter_beyond_the_limit_is_refused)
{
    struct world *w = session();
    struct wyrm_keypair *kp = &peer_of(w, B, A)->kp[peer_of(w, B, A)->current];
    struct datagram packet;
    uint8_t ip[60];

    make_ip4(ip, sizeof(ip), B, A, 1);
    for (unsigned i = 0; i < 3; i++) {
        kp->tx_next = UINT64_MAX - (UINT64_C(1) << 13) + i;
        seal_raw(w, ip, sizeof(ip), &packet);
        refused(w, &packet, &w->node[B].address, WYRM_D_EXPIRED);
    }
    world_free(w);
}

TEST(known_defect_23_a_responder_gets_through_to_an_initiator_under_load)
{
    struct world *w = world_make(2);

    w->node[A].dev.loaded_until = WYRM_TICK_NEVER;
    assert_int_equal(send_ip(w, A, B, 100), WYRM_HOLD);
    pass(w, 5400);
    assert_int_equal(w->delivered, 1);
    world_free(w);
}

static void move_to_ipv6(struct world *w, unsigned n)
{
    struct wyrm_endpoint *at = &w->node[n].address.remote;

    memset(at, 0, sizeof(*at));
    at->family = 6;
    at->port = 51820;
    at->addr[0] = 0xfe;
    at->addr[1] = 0x80;
    at->addr[15] = (uint8_t)n;
    at->scope = 2;
}

TEST(known_defect_24_endpoints_may_be_ipv6)
{
    struct world *w = world_make(2);

    move_to_ipv6(w, A);
    move_to_ipv6(w, B);
    wyrm_peer_set_endpoint(&w->node[A].dev, w->id[A][B], &w->node[B].address.remote);
    handshake(w, A, B);
    assert_int_equal(send_ip(w, B, A, 100), WYRM_SEND);
    pump(w);
    assert_int_equal(w->delivered, 1);
    assert_int_equal(w->last[B].to.scope, 2);
    world_free(w);
}

TEST(known_defect_25_a_cookie_holds_the_ipv6_address)
{
    struct world *w = world_make(2);
    struct datagram initiation, reply;

    w->node[B].dev.loaded_until = WYRM_TICK_NEVER;
    move_to_ipv6(w, A);
    make_initiation(w, A, B, &initiation);
    assert_int_equal(inject(w, B, &initiation, &w->node[A].address), WYRM_SEND);
    grab(w, &reply);
    assert_int_equal(inject(w, A, &reply, &w->node[B].address), WYRM_IDLE);
    make_initiation(w, A, B, &initiation);
    for (unsigned i = 0; i < 16; i++) {
        struct wyrm_meta other = w->node[A].address;

        other.remote.addr[i] ^= 1;
        assert_int_equal(inject(w, B, &initiation, &other), WYRM_SEND);
    }
    assert_int_equal(inject(w, B, &initiation, &w->node[A].address), WYRM_WORK);
    world_free(w);
}

TEST(known_defect_26_inner_ipv6_is_checked_like_ipv4)
{
    struct world *w = session();
    struct datagram packet;
    uint8_t ip[100];

    make_ip6(ip, 60, C, A, 1);
    seal_raw(w, ip, 60, &packet);
    assert_int_equal(inject(w, A, &packet, &w->node[B].address), WYRM_D_SOURCE);
    make_ip6(ip, 60, B, A, 1);
    ip[2] = 0xff; /* a flow label, where IPv4 has its length */
    ip[3] = 0xff;
    memset(ip + 60, 0, 40);
    seal_raw(w, ip, 64, &packet);
    assert_int_equal(inject(w, A, &packet, &w->node[B].address), WYRM_DELIVER);
    assert_int_equal(w->inbox[0].len, 60);
    ip[5] = 21; /* one byte more than there is */
    seal_raw(w, ip, 60, &packet);
    assert_int_equal(inject(w, A, &packet, &w->node[B].address), WYRM_D_INNER);
    world_free(w);
}

TEST(known_defect_27_a_default_route_does_not_shadow_a_longer_one)
{
    struct world *w = world_make(3);
    struct wyrm_prefix all;

    memset(&all, 0, sizeof(all));
    all.family = 4;
    wyrm_route_add(&w->node[A].dev, w->id[A][B], &all);
    assert_int_equal(send_ip(w, A, C, 100), WYRM_HOLD);
    assert_int_equal(w->held[A][w->id[A][C]].len, 100);
    assert_int_equal(send_ip(w, A, 200, 100), WYRM_HOLD);
    assert_int_equal(w->held[A][w->id[A][B]].len, 100);
    world_free(w);
}

TEST(known_defect_28_adding_a_known_key_says_so_and_its_settings_can_change)
{
    struct world *w = session();
    struct wyrm_endpoint moved = node_address(9).remote;
    struct wyrm_peer_info info;
    wyrm_peer_id id;

    assert_int_equal(wyrm_peer_add(&w->node[A].dev, w->node[B].pub, &id), WYRM_E_EXISTS);
    assert_int_equal(wyrm_peer_set_endpoint(&w->node[A].dev, id, &moved), WYRM_IDLE);
    wyrm_peer_get(&w->node[A].dev, w->now, id, &info);
    assert_memory_equal(&info.endpoint, &moved, sizeof(moved));
    assert_true(info.up); /* the session goes on */
    world_free(w);
}

TEST(known_defect_29_a_late_response_does_not_revive_a_disconnected_peer)
{
    struct world *w = world_make(2);
    struct datagram response;

    make_response(w, &response);
    wyrm_peer_disconnect(&w->node[A].dev, w->id[A][B]);
    settle(w, A);
    refused(w, &response, &w->node[B].address, WYRM_D_INDEX);
    assert_false(is_up(w, A, B));
    world_free(w);
}

TEST(known_defect_30_secrets_are_wiped_with_their_session_or_peer)
{
    struct world *w = session();
    struct wyrm_keypair kp = peer_of(w, A, B)->kp[peer_of(w, A, B)->current];
    uint8_t old_key[32], static_dh[32], new_key[32] = {3};

    memcpy(old_key, w->node[A].dev.own.priv, 32);
    memcpy(static_dh, peer_of(w, A, B)->contact.static_dh, 32);
    wyrm_set_private_key(&w->node[A].dev, new_key);
    assert_false(node_remembers(&w->node[A], old_key));
    assert_false(node_remembers(&w->node[A], static_dh));
    assert_false(node_remembers(&w->node[A], kp.keys.send));
    assert_false(node_remembers(&w->node[A], kp.keys.recv));
    world_free(w);
}

/* A clock that starts at 0 and one that passes 2^32: no time means "never". */
TEST(known_defect_31_no_time_of_day_is_special)
{
    static const wyrm_ms births[] = {0, 1, UINT64_C(0xffffffff), UINT64_C(0x100000000)};

    for (unsigned i = 0; i < sizeof(births) / sizeof(births[0]); i++) {
        struct world *w = world_make(2);
        struct wyrm_peer_info info;
        struct datagram initiation;

        w->now = births[i];
        w->node[B].dev.loaded_until = WYRM_TICK_NEVER;
        assert_int_equal(send_ip(w, A, B, 100), WYRM_HOLD);
        pump(w);
        assert_int_equal(w->tally[B].cookies, 1);
        assert_int_equal(w->tally[A].initiations, 1);
        make_initiation(w, A, B, &initiation);
        assert_int_equal(inject(w, B, &initiation, &w->node[A].address), WYRM_WORK);
        pump(w);
        assert_int_equal(w->delivered, 1);
        wyrm_peer_get(&w->node[A].dev, w->now, w->id[A][B], &info);
        assert_true(info.last_handshake == births[i]);
        assert_int_equal(send_ip(w, A, B, 100), WYRM_SEND);
        pass(w, 600000);
        assert_false(is_up(w, A, B));
        world_free(w);
    }
}

TEST(known_defect_32_the_slow_part_touches_nothing_of_the_device)
{
    struct world *w = world_make(2);
    struct wyrm_job job;
    uint64_t before;

    wyrm_peer_connect(&w->node[A].dev, w->now, w->id[A][B]);
    assert_int_equal(wyrm_job_take(&w->node[A].dev, w->now, &job), WYRM_WORK);
    before = node_hash(&w->node[A]);
    wyrm_job_run(&job);
    assert_int_equal(node_hash(&w->node[A]), before);
    world_free(w);
}

TEST(known_defect_34_a_failing_generator_means_no_handshake_never_a_weak_one)
{
    struct world *w = world_make(2);

    w->node[A].random_fails = true;
    w->node[B].random_fails = true;
    assert_int_equal(send_ip(w, A, B, 100), WYRM_HOLD);
    pass(w, 20000);
    assert_int_equal(w->tally[A].initiations, 0);
    w->node[A].random_fails = false;
    pass(w, 20000);
    assert_true(w->tally[A].initiations > 0);
    assert_int_equal(w->tally[B].responses + w->tally[B].cookies, 0);
    world_free(w);
}

TEST(known_defect_37_a_failing_timestamp_means_no_initiation)
{
    struct world *w = world_make(2);

    w->node[A].clock_fails = true;
    assert_int_equal(send_ip(w, A, B, 100), WYRM_HOLD);
    pass(w, 20000);
    assert_int_equal(w->tally[A].initiations, 0);
    w->node[A].clock_fails = false;
    pass(w, 6000);
    assert_int_equal(w->delivered, 1);
    world_free(w);
}

TEST(known_defect_38_an_idle_device_wakes_only_to_forget_its_keys)
{
    struct world *w = session();
    struct wyrm_device *dev = &w->node[A].dev;
    unsigned wakes = 0;

    while (wyrm_deadline(dev) != WYRM_NEVER) {
        w->now = wyrm_deadline(dev);
        settle(w, A);
        wakes++;
    }
    assert_in_range(wakes, 1, 2); /* the retry timer, long cancelled, may cost one */
    world_free(w);
}

TEST(known_defect_40_a_packet_is_copied_only_by_the_cipher)
{
    struct world *w = session();
    uint8_t ip[96], sealed[WYRM_SEALED_LEN(96)];
    struct wyrm_span span = {ip, sizeof(ip)};
    struct wyrm_packet out;

    make_ip4(ip, sizeof(ip), A, B, 1);
    assert_int_equal(wyrm_output(&w->node[A].dev, w->now, &span, 1, sealed, sizeof(sealed), &out),
                     WYRM_SEND);
    assert_ptr_equal(out.data, sealed);
    assert_int_equal(
        wyrm_input(&w->node[B].dev, w->now, &w->node[A].address, sealed, out.len, &out),
        WYRM_DELIVER);
    assert_ptr_equal(out.data, sealed + WYRM_HEADER_LEN);
    world_free(w);
}

/* ---- z ---------------------------------------------------------------------------- */

TEST(known_defect_z1_a_datagram_of_any_length_overflows_nothing)
{
    struct world *w = session();
    struct wyrm_packet out;
    uint32_t index = peer_of(w, A, B)->local[peer_of(w, A, B)->current];
    uint64_t before = node_hash(&w->node[A]);

    for (size_t len = 0; len <= 65535; len += len < 200 ? 1 : 977) {
        uint8_t *buf = test_calloc(1, len + 1);

        if (len >= 8) {
            wyrm_store_le32(buf, WYRM_MSG_DATA);
            wyrm_store_le32(buf + DATA_RECEIVER, index);
        }
        assert_true(wyrm_input(&w->node[A].dev, w->now, &w->node[B].address, buf, len, &out) < 0);
        test_free(buf);
    }
    assert_int_equal(node_hash(&w->node[A]), before);
    world_free(w);
}

TEST(known_defect_z2_a_forged_keepalive_is_refused)
{
    struct world *w = session();
    struct wyrm_meta elsewhere = node_address(77);
    struct datagram forged;

    make_keepalive(w, &forged);
    memset(forged.data + DATA_SEALED, 0, 16);
    refused(w, &forged, &elsewhere, WYRM_D_TAG);
    world_free(w);
}

TEST(known_defect_z2_a_real_keepalive_confirms_the_session)
{
    struct world *w = world_make(2);

    wyrm_peer_connect(&w->node[A].dev, w->now, w->id[A][B]);
    pump(w);
    assert_int_equal(w->tally[A].keepalives, 1);
    assert_int_equal(w->tally[A].data, 0);
    assert_int_equal(send_ip(w, B, A, 100), WYRM_SEND);
    world_free(w);
}

TEST(known_defect_z3_no_replay_of_any_kind_moves_the_endpoint)
{
    struct world *w = world_make(2);
    struct wyrm_meta elsewhere = node_address(77);
    struct datagram sent[3];

    wyrm_peer_connect(&w->node[B].dev, w->now, w->id[B][A]);
    settle(w, B);
    sent[0] = w->last[B];
    pump(w);
    assert_int_equal(send_ip(w, B, A, 100), WYRM_SEND);
    sent[1] = w->last[B];
    pump(w);
    make_keepalive(w, &sent[2]);
    inject(w, A, &sent[2], &w->node[B].address);
    settle(w, A);
    for (unsigned i = 0; i < 3; i++) {
        uint64_t before;

        sleep_through(w, 2000);
        settle(w, A);
        before = node_peers_hash(&w->node[A]);
        w->on_wire = 0;
        (void)inject(w, A, &sent[i], &elsewhere);
        settle(w, A);
        assert_int_equal(node_peers_hash(&w->node[A]), before);
        assert_int_equal(w->on_wire, 0);
    }
    world_free(w);
}

TEST(known_defect_z4_an_unknown_session_moves_nothing_and_starts_nothing)
{
    struct world *w = session();
    struct wyrm_meta elsewhere = node_address(77);
    struct datagram packet;

    sleep_through(w, 6000);
    make_keepalive(w, &packet);
    wyrm_store_le32(packet.data + DATA_RECEIVER, wyrm_load_le32(packet.data + DATA_RECEIVER) + 1);
    refused(w, &packet, &elsewhere, WYRM_D_INDEX);
    world_free(w);
}

TEST(known_defect_z5_no_ping_pong_of_handshakes_in_a_young_session)
{
    struct world *w = session();

    wyrm_peer_set_keepalive(&w->node[A].dev, w->id[A][B], 25);
    wyrm_peer_set_keepalive(&w->node[B].dev, w->id[B][A], 25);
    for (unsigned i = 0; i < 100; i++) {
        w->delivered = 0;
        assert_int_equal(send_ip(w, A, B, 100), WYRM_SEND);
        assert_int_equal(send_ip(w, B, A, 100), WYRM_SEND);
        pass(w, 1000);
    }
    assert_int_equal(w->tally[A].initiations + w->tally[B].initiations, 0);
    world_free(w);
}

TEST(known_defect_z6_every_peer_receives)
{
    struct world *w = world_make(4);

    for (unsigned i = B; i <= D; i++)
        handshake(w, i, A);
    for (unsigned i = B; i <= D; i++)
        assert_int_equal(send_ip(w, i, A, 100), WYRM_SEND);
    pump(w);
    assert_int_equal(w->delivered, 3);
    for (unsigned i = B; i <= D; i++)
        assert_int_equal(w->inbox[i - B].peer, w->id[A][i]);
    world_free(w);
}

TEST(known_defect_z7_a_packet_that_fails_to_seal_is_not_sent)
{
    struct world *w = session();
    uint8_t ip[96], buf[100], untouched[100];
    struct wyrm_span span = {ip, sizeof(ip)};
    struct wyrm_packet out = {0};

    memset(buf, 0xee, sizeof(buf));
    memcpy(untouched, buf, sizeof(buf));
    make_ip4(ip, sizeof(ip), A, B, 1);
    assert_int_equal(wyrm_output(&w->node[A].dev, w->now, &span, 1, buf, sizeof(buf), &out),
                     WYRM_E_SPACE);
    assert_memory_equal(buf, untouched, sizeof(buf));
    assert_null(out.data);
    world_free(w);
}

TEST(known_defect_z8_a_freed_peer_holds_no_byte_of_its_sessions)
{
    struct world *w = session();
    struct wyrm_peer *peer = peer_of(w, A, B);

    sleep_through(w, 6000);
    handshake(w, A, B);
    wyrm_peer_remove(&w->node[A].dev, w->id[A][B]);
    assert_true(wyrm_ct_is_zero(peer->kp, sizeof(peer->kp)));
    assert_true(wyrm_ct_is_zero(&peer->hs, sizeof(peer->hs)));
    assert_true(wyrm_ct_is_zero(peer->contact.psk, sizeof(peer->contact.psk)));
    assert_true(wyrm_ct_is_zero(peer->contact.cookie, sizeof(peer->contact.cookie)));
    world_free(w);
}

TEST(known_defect_z9_the_edges_of_the_window_are_exact)
{
    static const uint8_t none[16];
    struct world *w = session();
    struct wyrm_prefix all;
    struct datagram packet;
    uint8_t ip[60];

    memset(&all, 0, sizeof(all));
    all.family = 4; /* a prefix of no bits: no shift by 32 */
    assert_int_equal(wyrm_route_add(&w->node[A].dev, w->id[A][C], &all), WYRM_IDLE);
    assert_int_equal(send_ip(w, A, 200, 100), WYRM_HOLD);
    make_ip4(ip, 60, B, A, 1);
    seal_raw(w, ip, 59, &packet); /* the tag does not count as payload */
    assert_int_equal(inject(w, A, &packet, &w->node[B].address), WYRM_D_INNER);
    make_initiation(w, A, B, &packet); /* no cookie, no mac2 */
    assert_memory_equal(packet.data + INITIATION_MAC1 + MAC_LEN, none, 16);
    world_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(known_defect_01_the_source_is_checked_not_the_destination),
        RUN(known_defect_02_a_replayed_packet_from_elsewhere_changes_nothing),
        RUN(known_defect_03_a_keepalive_is_accepted_once),
        RUN(known_defect_04_a_cookie_reply_does_not_move_the_endpoint),
        RUN(known_defect_05_initiations_of_a_peer_are_limited),
        RUN(known_defect_06_queued_messages_are_load_and_demand_cookies),
        RUN(known_defect_07_a_peer_that_lost_its_session_is_noticed_in_15_s),
        RUN(known_defect_08_a_packet_without_a_session_starts_a_handshake),
        RUN(known_defect_09_all_keys_are_wiped_at_540_s_and_the_endpoint_reverts),
        RUN(known_defect_10_a_dead_peer_is_not_up_however_often_it_rekeyed),
        RUN(known_defect_12_an_inner_packet_of_1_to_19_bytes_is_dropped),
        RUN(known_defect_13_buffers_may_have_any_alignment),
        RUN(known_defect_14_bit_255_of_a_point_is_ignored),
        RUN(known_defect_15_counter_zero_is_taken_and_480_packets_of_reordering_too),
        RUN(known_defect_16_a_long_keepalive_does_not_disturb_rekeying),
        RUN(known_defect_17_only_the_initiator_rekeys),
        RUN(known_defect_18_one_way_traffic_is_answered_by_keepalives),
        RUN(known_defect_19_a_foreign_initiation_leaves_ours_in_flight),
        RUN(known_defect_19_a_lost_initiation_is_repeated_without_traffic),
        RUN(known_defect_20_an_index_is_unique_among_all_peers),
        RUN(known_defect_21_counters_are_compared_in_64_bits),
        RUN(known_defect_22_a_received_counter_beyond_the_limit_is_refused),
        RUN(known_defect_23_a_responder_gets_through_to_an_initiator_under_load),
        RUN(known_defect_24_endpoints_may_be_ipv6),
        RUN(known_defect_25_a_cookie_holds_the_ipv6_address),
        RUN(known_defect_26_inner_ipv6_is_checked_like_ipv4),
        RUN(known_defect_27_a_default_route_does_not_shadow_a_longer_one),
        RUN(known_defect_28_adding_a_known_key_says_so_and_its_settings_can_change),
        RUN(known_defect_29_a_late_response_does_not_revive_a_disconnected_peer),
        RUN(known_defect_30_secrets_are_wiped_with_their_session_or_peer),
        RUN(known_defect_31_no_time_of_day_is_special),
        RUN(known_defect_32_the_slow_part_touches_nothing_of_the_device),
        RUN(known_defect_34_a_failing_generator_means_no_handshake_never_a_weak_one),
        RUN(known_defect_37_a_failing_timestamp_means_no_initiation),
        RUN(known_defect_38_an_idle_device_wakes_only_to_forget_its_keys),
        RUN(known_defect_40_a_packet_is_copied_only_by_the_cipher),
        RUN(known_defect_z1_a_datagram_of_any_length_overflows_nothing),
        RUN(known_defect_z2_a_forged_keepalive_is_refused),
        RUN(known_defect_z2_a_real_keepalive_confirms_the_session),
        RUN(known_defect_z3_no_replay_of_any_kind_moves_the_endpoint),
        RUN(known_defect_z4_an_unknown_session_moves_nothing_and_starts_nothing),
        RUN(known_defect_z5_no_ping_pong_of_handshakes_in_a_young_session),
        RUN(known_defect_z6_every_peer_receives),
        RUN(known_defect_z7_a_packet_that_fails_to_seal_is_not_sent),
        RUN(known_defect_z8_a_freed_peer_holds_no_byte_of_its_sessions),
        RUN(known_defect_z9_the_edges_of_the_window_are_exact),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

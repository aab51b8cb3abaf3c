/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Data packets under a session, and the three keypairs of a peer.
 */
#include "world.h"

#include <stdlib.h>

static struct world *session(void)
{
    struct world *w = world_make(2);

    handshake(w, A, B);
    return w;
}

TEST(packets_of_every_length_arrive_as_they_were)
{
    struct world *w = session();
    uint8_t ip[1420];

    for (size_t len = 28; len <= sizeof(ip); len++) {
        w->delivered = 0;
        make_ip4(ip, len, A, B, len);
        assert_int_equal(send_raw(w, A, ip, len), WYRM_SEND);
        pump(w);
        assert_int_equal(w->delivered, 1);
        assert_int_equal(w->inbox[0].len, len);
        assert_memory_equal(w->inbox[0].data, ip, len);
    }
    world_free(w);
}

TEST(ipv6_packets_arrive_too)
{
    struct world *w = session();
    uint8_t ip[1420];

    for (size_t len = 48; len <= sizeof(ip); len += 57) {
        w->delivered = 0;
        make_ip6(ip, len, A, B, len);
        assert_int_equal(send_raw(w, A, ip, len), WYRM_SEND);
        pump(w);
        assert_int_equal(w->delivered, 1);
        assert_memory_equal(w->inbox[0].data, ip, len);
    }
    world_free(w);
}

TEST(counters_begin_at_zero_and_grow_by_one)
{
    struct world *w = world_make(2);

    assert_int_equal(send_ip(w, A, B, 100), WYRM_HOLD);
    pump(w);
    assert_int_equal(wyrm_load_le64(w->last[A].data + DATA_COUNTER), 0);
    for (unsigned i = 1; i < 20; i++) {
        assert_int_equal(send_ip(w, A, B, 100), WYRM_SEND);
        assert_int_equal(wyrm_load_le64(w->last[A].data + DATA_COUNTER), i);
    }
    world_free(w);
}

TEST(padding_fills_to_16_but_never_beyond_the_mtu)
{
    struct world *w = session();

    assert_int_equal(wyrm_set_mtu(&w->node[A].dev, 1299), WYRM_IDLE);
    for (size_t len = 28; len <= 1320; len++) {
        size_t expected = (len + 15) / 16 * 16;

        if (expected > 1299)
            expected = len > 1299 ? len : 1299;
        w->on_wire = 0;
        assert_int_equal(send_ip(w, A, B, len), WYRM_SEND);
        assert_int_equal(w->last[A].len, DATA_MIN_LEN + expected);
    }
    world_free(w);
}

TEST(padding_is_zero_and_cut_off_on_receipt)
{
    struct world *w = session();
    struct datagram packet;
    uint8_t nonce[12] = {0};
    uint64_t counter;

    assert_int_equal(send_ip(w, A, B, 33), WYRM_SEND);
    packet = w->last[A];
    pump(w);
    assert_int_equal(w->inbox[0].len, 33);
    counter = wyrm_load_le64(packet.data + DATA_COUNTER);
    wyrm_store_le64(nonce + 4, counter);
    assert_true(wyrm_aead_open(packet.data + 16, packet.len - 16, NULL, 0, nonce,
                               peer_of(w, A, B)->kp[peer_of(w, A, B)->current].keys.send));
    assert_true(wyrm_ct_is_zero(packet.data + 16 + 33, 48 - 33));
    world_free(w);
}

TEST(a_scattered_packet_is_sealed_like_a_whole_one)
{
    struct world *w = session();
    struct wyrm_keypair *kp = &peer_of(w, A, B)->kp[peer_of(w, A, B)->current];
    uint64_t counter = kp->tx_next;
    struct wyrm_packet out;
    uint8_t ip[200], whole[300], parts[300];
    struct wyrm_span span[200];

    make_ip4(ip, sizeof(ip), A, B, 1);
    span[0] = (struct wyrm_span){ip, sizeof(ip)};
    assert_int_equal(wyrm_output(&w->node[A].dev, w->now, span, 1, whole, sizeof(whole), &out),
                     WYRM_SEND);
    for (size_t piece = 1; piece < sizeof(ip); piece += 6) {
        unsigned n = 0;

        for (size_t at = 0; at < sizeof(ip); at += piece)
            span[n++] =
                (struct wyrm_span){ip + at, at + piece < sizeof(ip) ? piece : sizeof(ip) - at};
        kp->tx_next = counter;
        assert_int_equal(wyrm_output(&w->node[A].dev, w->now, span, n, parts, sizeof(parts), &out),
                         WYRM_SEND);
        assert_memory_equal(whole, parts, out.len);
    }
    world_free(w);
}

TEST(a_buffer_of_exactly_the_needed_size_is_enough)
{
    struct world *w = session();
    struct wyrm_packet out;
    uint8_t ip[100], *buf = malloc(WYRM_SEALED_LEN(sizeof(ip)));
    struct wyrm_span span = {ip, sizeof(ip)};
    uint64_t before;

    make_ip4(ip, sizeof(ip), A, B, 1);
    before = node_hash(&w->node[A]);
    assert_int_equal(
        wyrm_output(&w->node[A].dev, w->now, &span, 1, buf, WYRM_SEALED_LEN(sizeof(ip)) - 1, &out),
        WYRM_E_SPACE);
    assert_int_equal(node_hash(&w->node[A]), before); /* no counter was spent */
    assert_int_equal(
        wyrm_output(&w->node[A].dev, w->now, &span, 1, buf, WYRM_SEALED_LEN(sizeof(ip)), &out),
        WYRM_SEND);
    free(buf);
    world_free(w);
}

TEST(each_altered_byte_of_a_data_packet_is_dropped)
{
    struct world *w = session();
    struct datagram packet;
    uint64_t before = node_hash(&w->node[B]);

    assert_int_equal(send_ip(w, A, B, 64), WYRM_SEND);
    grab(w, &packet);
    for (unsigned i = 0; i < packet.len; i++) {
        packet.data[i] ^= 0x40;
        assert_true(inject(w, B, &packet, &w->node[A].address) < 0);
        packet.data[i] ^= 0x40;
        assert_int_equal(node_hash(&w->node[B]), before);
    }
    assert_int_equal(w->delivered, 0);
    world_free(w);
}

TEST(a_data_packet_cut_at_any_length_is_dropped)
{
    struct world *w = session();
    struct datagram packet;
    uint64_t before = node_hash(&w->node[B]);

    assert_int_equal(send_ip(w, A, B, 64), WYRM_SEND);
    grab(w, &packet);
    while (packet.len-- > 0) {
        assert_true(inject(w, B, &packet, &w->node[A].address) < 0);
        assert_int_equal(node_hash(&w->node[B]), before);
    }
    world_free(w);
}

TEST(a_packet_is_not_accepted_by_its_sender)
{
    struct world *w = session();
    struct datagram packet;
    uint64_t before;

    assert_int_equal(send_ip(w, A, B, 64), WYRM_SEND);
    grab(w, &packet);
    before = node_hash(&w->node[A]);
    assert_int_equal(inject(w, A, &packet, &w->node[B].address), WYRM_D_INDEX);
    assert_int_equal(node_hash(&w->node[A]), before);
    world_free(w);
}

/* A handshake has no keys for data; the memory next to it contains public values. */
TEST(a_data_packet_to_a_handshake_is_dropped)
{
    struct world *w = session();
    struct datagram packet;
    uint64_t before;

    assert_int_equal(send_ip(w, B, A, 64), WYRM_SEND);
    grab(w, &packet);
    sleep_through(w, WYRM_REKEY_TIMEOUT);
    wyrm_peer_connect(&w->node[A].dev, w->now, w->id[A][B]);
    settle(w, A);
    assert_true(peer_of(w, A, B)->waiting);
    wyrm_store_le32(packet.data + DATA_RECEIVER, peer_of(w, A, B)->local[WYRM_PLACE_HS]);
    before = node_hash(&w->node[A]);
    assert_int_equal(inject(w, A, &packet, &w->node[B].address), WYRM_D_INDEX);
    assert_int_equal(node_hash(&w->node[A]), before);
    world_free(w);
}

/* ---- Rotation --------------------------------------------------------------- */

TEST(packets_under_the_previous_session_still_arrive)
{
    struct world *w = session();
    struct datagram slow;

    assert_int_equal(send_ip(w, A, B, 64), WYRM_SEND);
    grab(w, &slow);
    sleep_through(w, 6000);
    handshake(w, A, B);
    assert_int_equal(inject(w, B, &slow, &w->node[A].address), WYRM_DELIVER);
    world_free(w);
}

TEST(packets_under_the_session_before_it_do_not)
{
    struct world *w = session();
    struct datagram slow;

    assert_int_equal(send_ip(w, A, B, 64), WYRM_SEND);
    grab(w, &slow);
    for (unsigned i = 0; i < 2; i++) {
        sleep_through(w, 6000);
        handshake(w, A, B);
    }
    assert_int_equal(inject(w, B, &slow, &w->node[A].address), WYRM_D_INDEX);
    world_free(w);
}

TEST(keys_are_wiped_when_their_session_is_replaced_twice)
{
    struct world *w = session();
    struct wyrm_keypair old = peer_of(w, A, B)->kp[peer_of(w, A, B)->current];

    for (unsigned i = 0; i < 2; i++) {
        assert_true(node_remembers(&w->node[A], old.keys.send));
        sleep_through(w, 6000);
        handshake(w, A, B);
    }
    for (unsigned i = A; i <= B; i++) {
        assert_false(node_remembers(&w->node[i], old.keys.send));
        assert_false(node_remembers(&w->node[i], old.keys.recv));
    }
    world_free(w);
}

/* However often a response is lost, the responder keeps at most three keypairs. */
TEST(an_unconfirmed_session_gives_way_to_the_next)
{
    struct world *w = session();
    struct datagram initiation;

    for (unsigned i = 0; i < 10; i++) {
        sleep_through(w, 6000);
        make_initiation(w, A, B, &initiation);
        inject(w, B, &initiation, &w->node[A].address);
        settle(w, B);
        assert_int_equal(w->tally[B].responses, i + 1);
        w->on_wire = 0;
    }
    assert_true(is_up(w, B, A)); /* by the first session */
    handshake(w, A, B);
    world_free(w);
}

TEST(both_sessions_of_a_simultaneous_start_receive)
{
    struct world *w = world_make(2);

    for (unsigned round = 0; round < 5; round++) {
        sleep_through(w, 6000);
        w->delivered = 0;
        wyrm_peer_connect(&w->node[A].dev, w->now, w->id[A][B]);
        wyrm_peer_connect(&w->node[B].dev, w->now, w->id[B][A]);
        pump(w);
        for (unsigned i = 0; i < 3; i++) {
            assert_int_equal(send_ip(w, A, B, 64), WYRM_SEND);
            assert_int_equal(send_ip(w, B, A, 64), WYRM_SEND);
            pump(w);
        }
        assert_int_equal(w->delivered, 6);
    }
    assert_int_equal(all_drops(w, A) + all_drops(w, B), 0);
    world_free(w);
}

/* Every order in which the messages of two simultaneous handshakes can cross on the wire. */
TEST(a_simultaneous_start_works_in_every_order)
{
    for (unsigned seed = 0; seed < 200; seed++) {
        struct world *w = world_make(2);
        uint64_t random = seed;

        wyrm_peer_connect(&w->node[A].dev, w->now, w->id[A][B]);
        wyrm_peer_connect(&w->node[B].dev, w->now, w->id[B][A]);
        settle(w, A);
        settle(w, B);
        while (w->on_wire > 0) {
            unsigned at = (unsigned)(test_random(&random) % w->on_wire);
            struct datagram chosen = w->wire[at];

            w->wire[at] = w->wire[0];
            w->wire[0] = chosen;
            carry(w);
        }
        assert_int_equal(send_ip(w, A, B, 64), WYRM_SEND);
        assert_int_equal(send_ip(w, B, A, 64), WYRM_SEND);
        pump(w);
        assert_int_equal(w->delivered, 2);
        world_free(w);
    }
}

/* ---- The end ---------------------------------------------------------------- */

TEST(a_closed_device_holds_no_secret)
{
    struct world *w = session();
    struct wyrm_keypair kp = peer_of(w, A, B)->kp[peer_of(w, A, B)->current];
    uint8_t psk[32] = {1, 2, 3}, static_dh[32];

    memcpy(static_dh, peer_of(w, A, B)->contact.static_dh, 32);
    memcpy(peer_of(w, A, B)->contact.psk, psk, 32);
    assert_true(node_remembers(&w->node[A], w->node[A].priv));
    wyrm_close(&w->node[A].dev);
    assert_false(node_remembers(&w->node[A], kp.keys.send));
    assert_false(node_remembers(&w->node[A], kp.keys.recv));
    assert_false(node_remembers(&w->node[A], psk));
    assert_false(node_remembers(&w->node[A], static_dh));
    assert_false(node_remembers(&w->node[A], w->node[A].priv));
    world_free(w);
}

TEST(a_removed_peer_leaves_no_secret)
{
    struct world *w = session();
    struct wyrm_keypair kp = peer_of(w, A, B)->kp[peer_of(w, A, B)->current];
    uint8_t static_dh[32];

    memcpy(static_dh, peer_of(w, A, B)->contact.static_dh, 32);
    assert_true(node_remembers(&w->node[A], static_dh));
    wyrm_peer_remove(&w->node[A].dev, w->id[A][B]);
    assert_false(node_remembers(&w->node[A], kp.keys.send));
    assert_false(node_remembers(&w->node[A], kp.keys.recv));
    assert_false(node_remembers(&w->node[A], static_dh));
    world_free(w);
}

TEST(a_disconnected_peer_leaves_no_session_secret)
{
    struct world *w = session();
    struct wyrm_keypair kp = peer_of(w, A, B)->kp[peer_of(w, A, B)->current];
    struct datagram initiation;
    uint8_t ephemeral[32];

    make_initiation(w, A, B, &initiation);
    memcpy(ephemeral, peer_of(w, A, B)->hs.eph, 32);
    wyrm_peer_disconnect(&w->node[A].dev, w->id[A][B]);
    assert_false(node_remembers(&w->node[A], kp.keys.send));
    assert_false(node_remembers(&w->node[A], kp.keys.recv));
    assert_false(node_remembers(&w->node[A], ephemeral));
    world_free(w);
}

TEST(a_finished_handshake_leaves_no_ephemeral)
{
    struct world *w = world_make(2);
    uint8_t ephemeral[32];

    wyrm_peer_connect(&w->node[A].dev, w->now, w->id[A][B]);
    settle(w, A);
    memcpy(ephemeral, peer_of(w, A, B)->hs.eph, 32);
    pump(w);
    assert_true(is_up(w, A, B));
    assert_false(node_remembers(&w->node[A], ephemeral));
    world_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(packets_of_every_length_arrive_as_they_were),
        RUN(ipv6_packets_arrive_too),
        RUN(counters_begin_at_zero_and_grow_by_one),
        RUN(padding_fills_to_16_but_never_beyond_the_mtu),
        RUN(padding_is_zero_and_cut_off_on_receipt),
        RUN(a_scattered_packet_is_sealed_like_a_whole_one),
        RUN(a_buffer_of_exactly_the_needed_size_is_enough),
        RUN(each_altered_byte_of_a_data_packet_is_dropped),
        RUN(a_data_packet_cut_at_any_length_is_dropped),
        RUN(a_packet_is_not_accepted_by_its_sender),
        RUN(a_data_packet_to_a_handshake_is_dropped),
        RUN(packets_under_the_previous_session_still_arrive),
        RUN(packets_under_the_session_before_it_do_not),
        RUN(keys_are_wiped_when_their_session_is_replaced_twice),
        RUN(an_unconfirmed_session_gives_way_to_the_next),
        RUN(both_sessions_of_a_simultaneous_start_receive),
        RUN(a_simultaneous_start_works_in_every_order),
        RUN(a_closed_device_holds_no_secret),
        RUN(a_removed_peer_leaves_no_secret),
        RUN(a_disconnected_peer_leaves_no_session_secret),
        RUN(a_finished_handshake_leaves_no_ephemeral),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

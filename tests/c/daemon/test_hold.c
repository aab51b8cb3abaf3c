/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Which packets are kept for peers without a session, and which give way.
 */
#include <stdlib.h>
#include <string.h>

#define SET_UP    open_world
#define TEAR_DOWN close_world
#include "test.h"

#include "wyrmd.h"

enum { PEERS = 16, DEAD = HELD_MAX / HELD_PER_PEER };

static struct wyrmd d;

FIXTURE(open_world)
{
    memset(&d, 0, sizeof(d));
    d.pools.n_peers = PEERS;
    return wyrmd_hold_init(&d) ? 0 : -1;
}

FIXTURE(close_world)
{
    wyrmd_drop_all_held(&d);
    assert_int_equal(d.held_used, 0);
    free(d.held);
    return 0;
}

/* Packets with the numbers from `first` on. */
static void hold(wyrm_peer_id peer, unsigned first, unsigned n)
{
    for (unsigned i = first; i < first + n; i++) {
        struct wyrm_span spans[2] = {{(const uint8_t *)&i, 2}, {(const uint8_t *)&i + 2, 2}};

        wyrmd_hold(&d, peer, spans, 2);
    }
}

static void expect(wyrm_peer_id peer, unsigned first, unsigned n)
{
    assert_int_equal(wyrmd_held(&d, peer), n);
    for (unsigned i = first; i < first + n; i++) {
        struct held *h = wyrmd_unhold(&d, peer);

        assert_non_null(h);
        assert_int_equal(h->len, sizeof(i));
        assert_memory_equal(h->data, &i, sizeof(i));
        free(h);
    }
    assert_null(wyrmd_unhold(&d, peer));
}

TEST(packets_come_back_in_order_each_for_its_peer)
{
    for (unsigned i = 0; i < 50; i++) {
        hold(3, i, 1);
        hold(5, 100 + i, 1);
    }
    expect(5, 100, 50);
    expect(3, 0, 50);
}

TEST(beyond_its_limit_a_peer_loses_its_own_oldest_packets)
{
    hold(1, 7, 1);
    hold(2, 0, HELD_PER_PEER + 20);
    expect(2, 20, HELD_PER_PEER);
    expect(1, 7, 1);
}

/* The peers that never answer fill all the room before and while the other one sends. */
TEST(dead_peers_do_not_evict_the_packets_of_a_live_one)
{
    for (wyrm_peer_id dead = 0; dead < DEAD; dead++)
        hold(dead, 0, HELD_PER_PEER);
    for (unsigned i = 0; i < 60; i++) {
        hold(DEAD, i, 1);
        for (wyrm_peer_id dead = 0; dead < DEAD; dead++)
            hold(dead, i, 3);
    }
    assert_int_equal(d.held_used, HELD_MAX);
    expect(DEAD, 0, 60);
}

TEST(room_is_shared_evenly_in_the_end)
{
    for (unsigned i = 0; i < 300; i++)
        for (wyrm_peer_id peer = 0; peer < PEERS; peer++)
            hold(peer, i, 1);
    for (wyrm_peer_id peer = 0; peer < PEERS; peer++)
        assert_in_range(wyrmd_held(&d, peer), HELD_MAX / PEERS - 1, HELD_MAX / PEERS + 1);
}

TEST(dropping_one_peers_packets_leaves_the_others)
{
    hold(1, 0, 10);
    hold(2, 50, 10);
    hold(3, 90, 4);
    wyrmd_drop_held(&d, 2);
    wyrmd_drop_held(&d, 2);
    assert_int_equal(d.held_used, 14);
    expect(3, 90, 4);
    expect(1, 0, 10);
}

TEST(any_order_of_calls_keeps_counts_and_bounds)
{
    uint32_t random = 1;

    for (unsigned step = 0; step < 100000; step++) {
        unsigned total = 0, longest = 0;
        wyrm_peer_id peer;

        random = random * 1664525 + 1013904223;
        peer = (wyrm_peer_id)(random >> 16 & (PEERS - 1));
        if (random >> 24 < 200)
            hold(peer, step, 1);
        else if (random >> 24 < 254)
            free(wyrmd_unhold(&d, peer));
        else
            wyrmd_drop_held(&d, peer);
        for (wyrm_peer_id i = 0; i < PEERS; i++) {
            unsigned n = wyrmd_held(&d, i);

            total += n;
            longest = n > longest ? n : longest;
        }
        assert_int_equal(total, d.held_used);
        assert_int_equal(longest, d.held_longest);
        assert_in_range(longest, 0, HELD_PER_PEER);
        assert_in_range(total, 0, HELD_MAX);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(packets_come_back_in_order_each_for_its_peer),
        RUN(beyond_its_limit_a_peer_loses_its_own_oldest_packets),
        RUN(dead_peers_do_not_evict_the_packets_of_a_live_one),
        RUN(room_is_shared_evenly_in_the_end),
        RUN(dropping_one_peers_packets_leaves_the_others),
        RUN(any_order_of_calls_keeps_counts_and_bounds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

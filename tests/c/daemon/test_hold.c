/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Which packets are held for peers without a session, and which are dropped when the queues are
 * full.
 */
#include <stdlib.h>
#include <string.h>

#define SET_UP    open_world
#define TEAR_DOWN close_world
#include "test.h"

#include "hold.h"

enum { PEERS = 16, DEAD = HELD_MAX / HELD_PER_PEER };

static struct wyrmd_hold queues;

FIXTURE(open_world)
{
    return wyrmd_hold_init(&queues, PEERS) ? 0 : -1;
}

FIXTURE(close_world)
{
    wyrmd_hold_drop_all(&queues);
    assert_int_equal(queues.used, 0);
    wyrmd_hold_close(&queues);
    return 0;
}

/* Holds packets numbered from `first` on. */
static void hold(wyrm_peer_id peer, unsigned first, unsigned n)
{
    for (unsigned i = first; i < first + n; i++) {
        struct wyrm_span spans[2] = {{(const uint8_t *)&i, 2}, {(const uint8_t *)&i + 2, 2}};

        wyrmd_hold_push(&queues, peer, spans, 2);
    }
}

static void expect(wyrm_peer_id peer, unsigned first, unsigned n)
{
    assert_int_equal(wyrmd_hold_count(&queues, peer), n);
    for (unsigned i = first; i < first + n; i++) {
        struct wyrmd_held *h = wyrmd_hold_pop(&queues, peer);

        assert_non_null(h);
        assert_int_equal(h->len, sizeof(i));
        assert_memory_equal(h->data, &i, sizeof(i));
        free(h);
    }
    assert_null(wyrmd_hold_pop(&queues, peer));
}

TEST(held_packets_are_returned_in_order_per_peer)
{
    for (unsigned i = 0; i < 50; i++) {
        hold(3, i, 1);
        hold(5, 100 + i, 1);
    }
    expect(5, 100, 50);
    expect(3, 0, 50);
}

TEST(a_full_queue_drops_the_oldest_packet_of_its_own_peer)
{
    hold(1, 7, 1);
    hold(2, 0, HELD_PER_PEER + 20);
    expect(2, 20, HELD_PER_PEER);
    expect(1, 7, 1);
}

/* Peers that never answer fill all the room before and while the other one sends. */
TEST(peers_that_never_answer_do_not_evict_packets_of_one_that_does)
{
    for (wyrm_peer_id dead = 0; dead < DEAD; dead++)
        hold(dead, 0, HELD_PER_PEER);
    for (unsigned i = 0; i < 60; i++) {
        hold(DEAD, i, 1);
        for (wyrm_peer_id dead = 0; dead < DEAD; dead++)
            hold(dead, i, 3);
    }
    assert_int_equal(queues.used, HELD_MAX);
    expect(DEAD, 0, 60);
}

TEST(under_pressure_all_peers_get_equal_room)
{
    for (unsigned i = 0; i < 300; i++)
        for (wyrm_peer_id peer = 0; peer < PEERS; peer++)
            hold(peer, i, 1);
    for (wyrm_peer_id peer = 0; peer < PEERS; peer++)
        assert_in_range(wyrmd_hold_count(&queues, peer), HELD_MAX / PEERS - 1,
                        HELD_MAX / PEERS + 1);
}

TEST(dropping_the_packets_of_one_peer_leaves_those_of_others)
{
    hold(1, 0, 10);
    hold(2, 50, 10);
    hold(3, 90, 4);
    wyrmd_hold_drop(&queues, 2);
    wyrmd_hold_drop(&queues, 2);
    assert_int_equal(queues.used, 14);
    expect(3, 90, 4);
    expect(1, 0, 10);
}

TEST(counts_and_limits_hold_for_random_sequences_of_calls)
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
            free(wyrmd_hold_pop(&queues, peer));
        else
            wyrmd_hold_drop(&queues, peer);
        for (wyrm_peer_id i = 0; i < PEERS; i++) {
            unsigned n = wyrmd_hold_count(&queues, i);

            total += n;
            longest = n > longest ? n : longest;
        }
        assert_int_equal(total, queues.used);
        assert_int_equal(longest, queues.longest);
        assert_in_range(longest, 0, HELD_PER_PEER);
        assert_in_range(total, 0, HELD_MAX);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(held_packets_are_returned_in_order_per_peer),
        RUN(a_full_queue_drops_the_oldest_packet_of_its_own_peer),
        RUN(peers_that_never_answer_do_not_evict_packets_of_one_that_does),
        RUN(under_pressure_all_peers_get_equal_room),
        RUN(dropping_the_packets_of_one_peer_leaves_those_of_others),
        RUN(counts_and_limits_hold_for_random_sequences_of_calls),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Cryptokey routing: longest prefix, takeover, removal, listing, and comparison with a slow model.
 */
#include "world.h"

#include <stdlib.h>

enum { PEERS = 4, ROUTES = 512 };

struct table {
    struct wyrm_device dev;
    struct wyrm_pools pools;
    struct wyrm_platform io;
    struct wyrm_peer peers[PEERS];
    struct wyrm_route routes[ROUTES];
    struct wyrm_slot slots[1];
    struct wyrm_source sources[1];
    uint16_t index[8];
};

static struct table *table_make(uint32_t n_routes)
{
    struct table *t = test_calloc(1, sizeof(*t));
    wyrm_peer_id id;

    t->pools = (struct wyrm_pools){t->peers, t->routes, t->slots, t->sources, t->index,
                                   n_routes, PEERS,     1,        1,          8};
    assert_int_equal(wyrm_init(&t->dev, &t->pools, &t->io), WYRM_IDLE);
    for (uint8_t i = 0; i < PEERS; i++) {
        uint8_t pub[32] = {(uint8_t)(i + 1)};

        assert_int_equal(wyrm_peer_add(&t->dev, pub, &id), WYRM_IDLE);
        assert_int_equal(id, i);
    }
    return t;
}

static struct wyrm_prefix ip4(uint32_t addr, unsigned bits)
{
    struct wyrm_prefix prefix;

    memset(&prefix, 0, sizeof(prefix));
    prefix.family = 4;
    prefix.bits = (uint8_t)bits;
    for (unsigned i = 0; i < 4; i++)
        prefix.addr[i] = (uint8_t)(addr >> (24 - 8 * i));
    return prefix;
}

static struct wyrm_prefix ip6(uint64_t high, uint64_t low, unsigned bits)
{
    struct wyrm_prefix prefix;

    memset(&prefix, 0, sizeof(prefix));
    prefix.family = 6;
    prefix.bits = (uint8_t)bits;
    for (unsigned i = 0; i < 8; i++) {
        prefix.addr[i] = (uint8_t)(high >> (56 - 8 * i));
        prefix.addr[8 + i] = (uint8_t)(low >> (56 - 8 * i));
    }
    return prefix;
}

static void add(struct table *t, wyrm_peer_id peer, struct wyrm_prefix prefix)
{
    assert_int_equal(wyrm_route_add(&t->dev, peer, &prefix), WYRM_IDLE);
}

static void take_away(struct table *t, wyrm_peer_id peer, struct wyrm_prefix prefix)
{
    assert_int_equal(wyrm_route_remove(&t->dev, peer, &prefix), WYRM_IDLE);
}

static wyrm_peer_id find(struct table *t, struct wyrm_prefix addr)
{
    wyrm_peer_id peer;

    if (wyrm_route_find(&t->dev, addr.family, addr.addr, &peer) != WYRM_IDLE)
        return WYRM_NO_PEER;
    return peer;
}

static wyrm_peer_id find4(struct table *t, uint32_t addr)
{
    return find(t, ip4(addr, 32));
}

static wyrm_peer_id find6(struct table *t, uint64_t high, uint64_t low)
{
    return find(t, ip6(high, low, 128));
}

TEST(the_longest_ipv4_prefix_wins)
{
    struct table *t = table_make(ROUTES);

    add(t, 0, ip4(0, 0));
    add(t, 1, ip4(0x0a000000, 8));
    add(t, 2, ip4(0x0a010000, 16));
    add(t, 3, ip4(0x0a010203, 32));
    assert_int_equal(find4(t, 0x08080808), 0);
    assert_int_equal(find4(t, 0x0a800000), 1);
    assert_int_equal(find4(t, 0x0a01ffff), 2);
    assert_int_equal(find4(t, 0x0a010203), 3);
    assert_int_equal(find4(t, 0x0a010202), 2);
    assert_int_equal(find4(t, 0x0a010204), 2);
    assert_int_equal(find4(t, 0xffffffff), 0);
    assert_int_equal(find4(t, 0), 0);
    assert_int_equal(find6(t, 0, 0), WYRM_NO_PEER);
    test_free(t);
}

TEST(the_longest_ipv6_prefix_wins)
{
    struct table *t = table_make(ROUTES);

    add(t, 0, ip6(0, 0, 0));
    add(t, 1, ip6(UINT64_C(0x2607500000000000), 0, 20));
    add(t, 2, ip6(UINT64_C(0x2607530000000000), 0, 40));
    add(t, 3, ip6(UINT64_C(0x2607530000000000), 1, 128));
    assert_int_equal(find6(t, UINT64_C(0xfd00000000000000), 1), 0);
    assert_int_equal(find6(t, UINT64_C(0x26075fffffffffff), UINT64_MAX), 1);
    assert_int_equal(find6(t, UINT64_C(0x2607530000ffffff), 0), 2);
    assert_int_equal(find6(t, UINT64_C(0x2607530000000000), 1), 3);
    assert_int_equal(find6(t, UINT64_C(0x2607530000000000), 2), 2);
    assert_int_equal(find4(t, 0x26075300), WYRM_NO_PEER);
    test_free(t);
}

TEST(the_order_of_adding_does_not_matter)
{
    static const unsigned bits[] = {0, 1, 7, 8, 9, 15, 16, 17, 24, 31, 32};
    enum { N = sizeof(bits) / sizeof(bits[0]) };
    uint64_t random = 3;

    for (unsigned round = 0; round < 100; round++) {
        struct table *t = table_make(ROUTES);
        unsigned order[N];

        for (unsigned i = 0; i < N; i++)
            order[i] = i;
        for (unsigned i = N - 1; i > 0; i--) {
            unsigned j = (unsigned)(test_random(&random) % (i + 1)), swap = order[i];

            order[i] = order[j];
            order[j] = swap;
        }
        for (unsigned i = 0; i < N; i++)
            add(t, (wyrm_peer_id)(order[i] % PEERS), ip4(0xc0a80101, bits[order[i]]));
        for (unsigned i = 0; i < N; i++) {
            /* differs from the address in the bit after the prefix: no longer one matches */
            uint32_t addr = bits[i] == 32 ? 0xc0a80101 : 0xc0a80101 ^ (0x80000000u >> bits[i]);
            unsigned longest = i;

            assert_int_equal(find4(t, addr), longest % PEERS);
        }
        test_free(t);
    }
}

TEST(another_peer_can_take_over_a_prefix)
{
    struct table *t = table_make(ROUTES);

    add(t, 0, ip4(0x0a000000, 24));
    add(t, 1, ip4(0x0a000000, 24));
    assert_int_equal(find4(t, 0x0a000001), 1);
    assert_int_equal(t->dev.routes_used, 1);
    test_free(t);
}

TEST(host_bits_are_cleared)
{
    struct table *t = table_make(ROUTES);
    struct wyrm_prefix prefix, expected = ip4(0xc0a80400, 26);
    wyrm_peer_id peer;

    add(t, 2, ip4(0xc0a8043f, 26));
    assert_int_equal(wyrm_route_get(&t->dev, 0, &prefix, &peer), WYRM_IDLE);
    assert_memory_equal(&prefix.addr, &expected.addr, sizeof(prefix.addr));
    assert_int_equal(prefix.bits, 26);
    assert_int_equal(peer, 2);
    take_away(t, 2, ip4(0xc0a80411, 26));
    assert_int_equal(t->dev.routes_used, 0);
    test_free(t);
}

TEST(impossible_prefixes_are_refused)
{
    struct table *t = table_make(ROUTES);
    struct wyrm_prefix prefix = ip4(0, 33);

    assert_int_equal(wyrm_route_add(&t->dev, 0, &prefix), WYRM_E_ARG);
    assert_int_equal(wyrm_route_remove(&t->dev, 0, &prefix), WYRM_E_ARG);
    prefix = ip6(0, 0, 129);
    assert_int_equal(wyrm_route_add(&t->dev, 0, &prefix), WYRM_E_ARG);
    prefix = ip6(0, 0, 255);
    assert_int_equal(wyrm_route_add(&t->dev, 0, &prefix), WYRM_E_ARG);
    prefix.family = 5;
    prefix.bits = 8;
    assert_int_equal(wyrm_route_add(&t->dev, 0, &prefix), WYRM_E_ARG);
    prefix = ip4(0, 8);
    assert_int_equal(wyrm_route_add(&t->dev, PEERS, &prefix), WYRM_E_STATE);
    assert_int_equal(wyrm_route_add(&t->dev, WYRM_NO_PEER, &prefix), WYRM_E_STATE);
    assert_int_equal(t->dev.routes_used, 0);
    test_free(t);
}

TEST(removing_what_another_peer_has_changes_nothing)
{
    struct table *t = table_make(ROUTES);

    add(t, 0, ip4(0x0a000000, 24));
    take_away(t, 1, ip4(0x0a000000, 24));
    take_away(t, 0, ip4(0x0a000000, 25));
    assert_int_equal(find4(t, 0x0a000001), 0);
    test_free(t);
}

TEST(a_removed_peer_is_not_found)
{
    struct table *t = table_make(ROUTES);

    for (unsigned bits = 0; bits <= 32; bits++)
        add(t, (wyrm_peer_id)(bits % 2), ip4(0x0a0b0c0d, bits));
    wyrm_route_clear(&t->dev, 0);
    assert_int_equal(find4(t, 0x0a0b0c0d), 1);
    assert_int_equal(t->dev.routes_used, 16);
    wyrm_route_clear(&t->dev, 1);
    assert_int_equal(find4(t, 0x0a0b0c0d), WYRM_NO_PEER);
    assert_int_equal(t->dev.routes_used, 0);
    test_free(t);
}

TEST(removing_a_nested_prefix_uncovers_the_next_wider_one)
{
    struct table *t = table_make(ROUTES);

    for (unsigned bits = 0; bits <= 32; bits++)
        add(t, (wyrm_peer_id)(bits % PEERS), ip4(0xc0a80101, bits));
    for (unsigned bits = 33; bits-- > 0;) {
        assert_int_equal(find4(t, 0xc0a80101), bits % PEERS);
        take_away(t, (wyrm_peer_id)(bits % PEERS), ip4(0xc0a80101, bits));
    }
    assert_int_equal(find4(t, 0xc0a80101), WYRM_NO_PEER);
    test_free(t);
}

TEST(nested_prefixes_can_be_removed_from_the_outside_in)
{
    struct table *t = table_make(ROUTES);

    for (unsigned bits = 0; bits <= 32; bits++)
        add(t, (wyrm_peer_id)(bits % PEERS), ip4(0xc0a80101, bits));
    for (unsigned bits = 0; bits <= 32; bits++) {
        assert_int_equal(find4(t, 0xc0a80101), 32 % PEERS);
        take_away(t, (wyrm_peer_id)(bits % PEERS), ip4(0xc0a80101, bits));
    }
    assert_int_equal(find4(t, 0xc0a80101), WYRM_NO_PEER);
    test_free(t);
}

TEST(a_chain_of_129_ipv6_prefixes_works_at_every_depth)
{
    struct table *t = table_make(ROUTES);
    struct wyrm_prefix all = ip6(UINT64_MAX, UINT64_MAX, 128);

    for (unsigned bits = 0; bits <= 128; bits++)
        add(t, (wyrm_peer_id)(bits % PEERS), ip6(UINT64_MAX, UINT64_MAX, bits));
    assert_int_equal(find(t, all), 128 % PEERS);
    for (unsigned bits = 0; bits < 128; bits++) {
        struct wyrm_prefix addr = all;

        addr.addr[bits / 8] ^= (uint8_t)(0x80u >> bits % 8);
        assert_int_equal(find(t, addr), bits % PEERS);
    }
    test_free(t);
}

TEST(routes_are_listed_masked_and_in_order)
{
    struct table *t = table_make(ROUTES);
    struct wyrm_prefix prefix;
    wyrm_peer_id peer;

    add(t, 0, ip6(UINT64_C(0xfd00000000000000), 7, 64));
    add(t, 1, ip4(0x0a010101, 8));
    add(t, 2, ip4(0, 0));
    add(t, 3, ip4(0x0a000000, 16));
    assert_int_equal(wyrm_route_get(&t->dev, 0, &prefix, &peer), WYRM_IDLE);
    assert_int_equal(peer, 2);
    assert_int_equal(wyrm_route_get(&t->dev, 1, &prefix, &peer), WYRM_IDLE);
    assert_int_equal(peer, 1);
    assert_int_equal(prefix.addr[1], 0);
    assert_int_equal(wyrm_route_get(&t->dev, 2, &prefix, &peer), WYRM_IDLE);
    assert_int_equal(peer, 3);
    assert_int_equal(wyrm_route_get(&t->dev, 3, &prefix, &peer), WYRM_IDLE);
    assert_int_equal(peer, 0);
    assert_int_equal(prefix.bits, 64);
    assert_int_equal(prefix.addr[15], 0);
    assert_int_equal(wyrm_route_get(&t->dev, 4, &prefix, &peer), WYRM_E_STATE);
    assert_int_equal(wyrm_route_get(&t->dev, UINT32_MAX, &prefix, &peer), WYRM_E_STATE);
    test_free(t);
}

TEST(a_full_table_refuses_but_still_lets_prefixes_change_hands)
{
    struct table *t = table_make(2);
    struct wyrm_prefix third = ip4(0x0c000000, 8);

    add(t, 0, ip4(0x0a000000, 8));
    add(t, 0, ip4(0x0b000000, 8));
    assert_int_equal(wyrm_route_add(&t->dev, 0, &third), WYRM_E_FULL);
    assert_int_equal(find4(t, 0x0c000001), WYRM_NO_PEER);
    add(t, 1, ip4(0x0b000000, 8));
    assert_int_equal(find4(t, 0x0b000001), 1);
    take_away(t, 0, ip4(0x0a000000, 8));
    add(t, 0, third);
    assert_int_equal(find4(t, 0x0c000001), 0);
    test_free(t);
}

TEST(an_empty_routing_table_finds_no_peer)
{
    struct table *t = table_make(0);
    struct wyrm_prefix any = ip4(0, 0);

    assert_int_equal(find4(t, 0x0a000001), WYRM_NO_PEER);
    assert_int_equal(wyrm_route_add(&t->dev, 0, &any), WYRM_E_FULL);
    test_free(t);
}

/* ---- Against a slow model ------------------------------------------------------ */

struct model {
    struct wyrm_prefix prefix[ROUTES];
    wyrm_peer_id peer[ROUTES];
    unsigned n;
};

static bool covers(const struct wyrm_prefix *prefix, const struct wyrm_prefix *addr)
{
    if (prefix->family != addr->family || prefix->bits > addr->bits)
        return false;
    for (unsigned bit = 0; bit < prefix->bits; bit++)
        if ((prefix->addr[bit / 8] ^ addr->addr[bit / 8]) >> (7 - bit % 8) & 1)
            return false;
    return true;
}

static void model_remove(struct model *m, const struct wyrm_prefix *prefix, int peer)
{
    for (unsigned i = 0; i < m->n; i++)
        if (m->prefix[i].bits == prefix->bits && covers(&m->prefix[i], prefix) &&
            (peer < 0 || m->peer[i] == peer)) {
            m->n--;
            m->prefix[i] = m->prefix[m->n];
            m->peer[i] = m->peer[m->n];
            return;
        }
}

static wyrm_peer_id model_find(const struct model *m, const struct wyrm_prefix *addr)
{
    wyrm_peer_id best = WYRM_NO_PEER;
    int bits = -1;

    for (unsigned i = 0; i < m->n; i++)
        if (m->prefix[i].bits > bits && covers(&m->prefix[i], addr)) {
            bits = m->prefix[i].bits;
            best = m->peer[i];
        }
    return best;
}

/* Few distinct bytes, so that prefixes nest and collide. */
static struct wyrm_prefix random_prefix(uint64_t *random, bool host)
{
    struct wyrm_prefix prefix = test_random(random) % 2 ? ip4(0, 32) : ip6(0, 0, 128);
    unsigned max = prefix.bits;

    for (unsigned i = 0; i < max / 8u; i++)
        prefix.addr[i] = (uint8_t)(test_random(random) % 4 == 0 ? test_random(random) : 0x55);
    if (!host)
        prefix.bits = (uint8_t)(test_random(random) % (max + 1));
    return prefix;
}

TEST(it_agrees_with_a_slow_model)
{
    struct table *t = table_make(ROUTES);
    struct model *m = test_calloc(1, sizeof(*m));
    uint64_t random = 11;

    for (unsigned step = 0; step < 6000; step++) {
        struct wyrm_prefix prefix = random_prefix(&random, false);
        wyrm_peer_id peer = (wyrm_peer_id)(test_random(&random) % PEERS);

        switch (test_random(&random) % 8) {
        case 0:
            if (m->n > 0 && test_random(&random) % 4)
                prefix = m->prefix[test_random(&random) % m->n];
            take_away(t, peer, prefix);
            model_remove(m, &prefix, peer);
            break;
        case 1:
            if (step % 500 == 0) {
                wyrm_route_clear(&t->dev, peer);
                for (unsigned i = m->n; i-- > 0;)
                    if (m->peer[i] == peer) {
                        m->n--;
                        m->prefix[i] = m->prefix[m->n];
                        m->peer[i] = m->peer[m->n];
                    }
            }
            break;
        default:
            if (m->n == ROUTES)
                break;
            add(t, peer, prefix);
            model_remove(m, &prefix, -1);
            m->prefix[m->n] = prefix;
            m->peer[m->n++] = peer;
        }
        assert_int_equal(t->dev.routes_used, m->n);
        for (unsigned i = 0; i < 10; i++) {
            struct wyrm_prefix addr = random_prefix(&random, true);

            assert_int_equal(find(t, addr), model_find(m, &addr));
        }
    }
    test_free(m);
    test_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(the_longest_ipv4_prefix_wins),
        RUN(the_longest_ipv6_prefix_wins),
        RUN(the_order_of_adding_does_not_matter),
        RUN(another_peer_can_take_over_a_prefix),
        RUN(host_bits_are_cleared),
        RUN(impossible_prefixes_are_refused),
        RUN(removing_what_another_peer_has_changes_nothing),
        RUN(a_removed_peer_is_not_found),
        RUN(removing_a_nested_prefix_uncovers_the_next_wider_one),
        RUN(nested_prefixes_can_be_removed_from_the_outside_in),
        RUN(a_chain_of_129_ipv6_prefixes_works_at_every_depth),
        RUN(routes_are_listed_masked_and_in_order),
        RUN(a_full_table_refuses_but_still_lets_prefixes_change_hands),
        RUN(an_empty_routing_table_finds_no_peer),
        RUN(it_agrees_with_a_slow_model),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

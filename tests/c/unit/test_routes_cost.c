/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The cost of a lookup on a gateway: the number of routes compared, for any set of routes. Includes
 * the file under test to count its comparisons.
 */
#define SET_UP setup
#include "world.h"

static unsigned compared;

static int counted(const void *a, const void *b, size_t len)
{
    compared++;
    return memcmp(a, b, len);
}

#define memcmp counted
#include "core/wyrm_routes.c"
#undef memcmp

enum {
    PEERS = 1000,
    ROUTES = 3 * PEERS,
    SEARCH = 12 /* comparisons of a binary search: 2^12 is more than ROUTES */
};

static struct wyrm_peer peers[PEERS];
static struct wyrm_route routes[ROUTES];
static struct wyrm_slot slots[1];
static struct wyrm_source sources[1];
static uint16_t heads[WYRM_INDEX_HEADS(PEERS)];
static const struct wyrm_pools pools = {
    peers, routes, slots, sources, heads, ROUTES, PEERS, 1, 1, WYRM_INDEX_HEADS(PEERS),
};
static const struct wyrm_platform platform;
static struct wyrm_device gateway;

FIXTURE(setup)
{
    assert_int_equal(wyrm_init(&gateway, &pools, &platform), WYRM_IDLE);
    for (unsigned i = 0; i < PEERS; i++) {
        uint8_t pub[WYRM_KEY_LEN] = {(uint8_t)i, (uint8_t)(i >> 8), 1};
        wyrm_peer_id id;

        assert_int_equal(wyrm_peer_add(&gateway, pub, &id), WYRM_IDLE);
        assert_int_equal(id, i);
    }
    return 0;
}

static struct wyrm_prefix ip4(uint32_t addr, unsigned bits)
{
    struct wyrm_prefix prefix = {.family = 4, .bits = (uint8_t)bits};

    for (unsigned i = 0; i < 4; i++)
        prefix.addr[i] = (uint8_t)(addr >> (24 - 8 * i));
    return prefix;
}

static struct wyrm_prefix ip6(unsigned host, unsigned bits)
{
    struct wyrm_prefix prefix = {.family = 6, .bits = (uint8_t)bits, .addr = {0xfd}};

    prefix.addr[14] = (uint8_t)(host >> 8);
    prefix.addr[15] = (uint8_t)host;
    return prefix;
}

static void add(wyrm_peer_id peer, struct wyrm_prefix prefix)
{
    assert_int_equal(wyrm_route_add(&gateway, peer, &prefix), WYRM_IDLE);
}

/* Number of routes compared to find the owner of an address. */
static unsigned cost(struct wyrm_prefix addr, wyrm_peer_id owner)
{
    wyrm_peer_id found = WYRM_NO_PEER;

    compared = 0;
    (void)wyrm_route_find(&gateway, addr.family, addr.addr, &found);
    assert_int_equal(found, owner);
    return compared;
}

/* Each peer has an address of both families and a network behind it. */
TEST(a_lookup_among_1000_peers_takes_few_searches)
{
    for (unsigned i = 0; i < PEERS; i++) {
        add((wyrm_peer_id)i, ip4(0x0a000000 + i, 32));
        add((wyrm_peer_id)i, ip6(i, 128));
        add((wyrm_peer_id)i, ip4(0xac100000 + (i << 8), 24));
    }
    for (unsigned i = 0; i < PEERS; i++) {
        assert_in_range(cost(ip4(0x0a000000 + i, 32), (wyrm_peer_id)i), 1, SEARCH);
        assert_in_range(cost(ip6(i, 128), (wyrm_peer_id)i), 1, SEARCH);
        assert_in_range(cost(ip4(0xac100007 + (i << 8), 32), (wyrm_peer_id)i), 1, SEARCH);
        assert_in_range(cost(ip4(0x08080808 + i, 32), WYRM_NO_PEER), 1, 4 * SEARCH);
    }
}

/* Prefixes that each part from the address at their last bit: every search finds the next of them.
 */
TEST(the_worst_table_costs_a_search_for_each_bit_of_the_address)
{
    for (unsigned i = 0; i < PEERS; i++)
        add((wyrm_peer_id)i, ip4(0x0a000000 + i, 32));
    for (unsigned bits = 1; bits <= 32; bits++)
        add(1, ip4(UINT32_MAX << (32 - bits) << 1, bits));
    add(2, ip4(0, 0));
    assert_in_range(cost(ip4(UINT32_MAX, 32), 2), 2 * SEARCH, 33 * SEARCH);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(a_lookup_among_1000_peers_takes_few_searches),
        RUN(the_worst_table_costs_a_search_for_each_bit_of_the_address),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

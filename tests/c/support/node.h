/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * One device for tests: the real core with its pools, a deterministic random source and a TAI64N
 * counter, both of which can be made to fail.
 */
#ifndef WYRM_TEST_NODE_H
#define WYRM_TEST_NODE_H

#include "wyrm.h"

#include <stdbool.h>
#include <stdint.h>

enum { NODE_PEERS = 8, NODE_ROUTES = 64, NODE_SLOTS = 4, NODE_SOURCES = 8, NODE_HEADS = 32 };

struct node {
    struct wyrm_device dev;
    struct wyrm_pools pools;
    struct wyrm_platform io;
    struct wyrm_peer peers[NODE_PEERS];
    struct wyrm_route routes[NODE_ROUTES];
    struct wyrm_slot slots[NODE_SLOTS];
    struct wyrm_source sources[NODE_SOURCES];
    uint16_t index[NODE_HEADS];

    unsigned name; /* 0, 1, 2...: makes keys and addresses */
    uint8_t priv[WYRM_KEY_LEN], pub[WYRM_KEY_LEN];
    struct wyrm_meta address; /* where the world finds this node */

    uint64_t random_state;
    uint32_t random_calls;
    uint32_t random_fails_at; /* this call fails (1: the first); 0: none */
    bool random_fails;        /* all fail */
    bool random_stuck;        /* always succeeds with the same bytes */
    uint64_t label;           /* of the last timestamp handed out */
    uint32_t clock_calls;
    uint32_t clock_fails_at; /* this timestamp fails (1: the first); 0: none */
    bool clock_fails;        /* none can */
    void *store;             /* if set, a struct wyrm_store that makes the timestamps instead */
};

/* A small deterministic generator (splitmix64). */
uint64_t test_random(uint64_t *state);
void test_random_fill(uint64_t *state, void *out, size_t len);

/* Boots a device with a private key and no peers; deterministic for a name and seed. */
void node_boot(struct node *node, unsigned name, uint64_t seed);

/* Adds `other` as a peer with 10.0.0.NAME+1 and fd00::NAME+1, and its address as endpoint. */
wyrm_peer_id node_meet(struct node *node, const struct node *other);

/* 192.0.2.NAME+1:51820 */
struct wyrm_meta node_address(unsigned name);

/* Hash of the device's whole state except drop counters and the time. */
uint64_t node_hash(const struct node *node);
/* Hash of peers, sessions, timers and routes only: without slots, load and cookie secret, which
 * anyone who knows the public key can change, and without the record of responses. */
uint64_t node_peers_hash(const struct node *node);
/* When the first timer of the peer is due. */
wyrm_tick peer_earliest(const struct wyrm_peer *peer);
/* True if the 32 bytes occur anywhere in the memory of device and pools. */
bool node_remembers(const struct node *node, const uint8_t secret[WYRM_KEY_LEN]);

/* IP packets from node to node whose payload is `seed`; len counts the header. IPv4 wants 28 bytes
 * at least, IPv6 48. */
void make_ip4(uint8_t *ip, size_t len, unsigned from, unsigned to, uint64_t seed);
void make_ip6(uint8_t *ip, size_t len, unsigned from, unsigned to, uint64_t seed);

#endif /* WYRM_TEST_NODE_H */

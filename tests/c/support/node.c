/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 */
#include "node.h"

#include "crypto/wyrm_bytes.h"
#include "wyrm_store.h"

#include <string.h>

uint64_t test_random(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

void test_random_fill(uint64_t *state, void *out, size_t len)
{
    uint8_t *bytes = out;

    for (size_t i = 0; i < len; i++)
        bytes[i] = (uint8_t)(test_random(state) >> 32);
}

static bool node_random(void *ctx, void *out, size_t len)
{
    struct node *node = ctx;

    node->random_calls++;
    if (node->random_fails ||
        (node->random_fails_at != 0 && node->random_calls == node->random_fails_at))
        return false;
    if (node->random_stuck)
        memset(out, 0x5a, len);
    else
        test_random_fill(&node->random_state, out, len);
    return true;
}

static bool node_tai64n(void *ctx, uint8_t out[12])
{
    struct node *node = ctx;

    node->clock_calls++;
    if (node->clock_fails ||
        (node->clock_fails_at != 0 && node->clock_calls == node->clock_fails_at))
        return false;
    if (node->store != NULL)
        return wyrm_store_tai64n(node->store, out);
    node->label++;
    memset(out, 0, 12);
    out[0] = 0x40;
    for (unsigned i = 0; i < 8; i++)
        out[4 + i] = (uint8_t)(node->label >> (56 - 8 * i));
    return true;
}

struct wyrm_meta node_address(unsigned name)
{
    struct wyrm_meta meta;

    memset(&meta, 0, sizeof(meta));
    meta.remote.family = 4;
    meta.remote.port = 51820;
    meta.remote.addr[0] = 192;
    meta.remote.addr[2] = 2;
    meta.remote.addr[3] = (uint8_t)(name + 1);
    return meta;
}

void node_boot(struct node *node, unsigned name, uint64_t seed)
{
    uint64_t state = seed + name * UINT64_C(1000003);

    memset(node, 0, sizeof(*node));
    node->name = name;
    node->address = node_address(name);
    node->pools =
        (struct wyrm_pools){node->peers, node->routes, node->slots, node->sources, node->index,
                            NODE_ROUTES, NODE_PEERS,   NODE_SLOTS,  NODE_SOURCES,  NODE_HEADS};
    node->pools.n_slots = 2;
    node->io = (struct wyrm_platform){node, node_random, node_tai64n};
    test_random_fill(&state, node->priv, sizeof(node->priv));
    node->random_state = test_random(&state);
    (void)wyrm_init(&node->dev, &node->pools, &node->io);
    (void)wyrm_set_private_key(&node->dev, node->priv);
    (void)wyrm_public_key(&node->dev, node->pub);
}

wyrm_peer_id node_meet(struct node *node, const struct node *other)
{
    struct wyrm_prefix prefix;
    wyrm_peer_id id = WYRM_NO_PEER;

    (void)wyrm_peer_add(&node->dev, other->pub, &id);
    (void)wyrm_peer_set_endpoint(&node->dev, id, &other->address.remote);
    memset(&prefix, 0, sizeof(prefix));
    prefix.family = 4;
    prefix.bits = 32;
    prefix.addr[0] = 10;
    prefix.addr[3] = (uint8_t)(other->name + 1);
    (void)wyrm_route_add(&node->dev, id, &prefix);
    memset(&prefix, 0, sizeof(prefix));
    prefix.family = 6;
    prefix.bits = 128;
    prefix.addr[0] = 0xfd;
    prefix.addr[15] = (uint8_t)(other->name + 1);
    (void)wyrm_route_add(&node->dev, id, &prefix);
    return id;
}

/* ---- What a device remembers ---------------------------------------------- */

static uint64_t mix(uint64_t hash, const void *memory, size_t len)
{
    const uint8_t *bytes = memory;

    for (; len >= 8; len -= 8, bytes += 8) { /* not quite FNV-1a: by words, for speed */
        hash = (hash ^ wyrm_load_le64(bytes)) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

uint64_t node_peers_hash(const struct node *node)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (unsigned i = 0; i < NODE_PEERS; i++) {
        hash = mix(hash, &node->peers[i].flags, sizeof(node->peers[i].flags));
        if (node->peers[i].flags != 0) {
            const uint8_t *peer = (const uint8_t *)&node->peers[i];
            size_t skipped = offsetof(struct wyrm_peer, responses);
            size_t beyond = skipped + sizeof(node->peers[i].responses);

            hash = mix(hash, peer, skipped);
            hash = mix(hash, peer + beyond, sizeof(node->peers[i]) - beyond);
        }
    }
    hash = mix(hash, node->routes, sizeof(node->routes));
    hash = mix(hash, node->index, sizeof(node->index));
    hash = mix(hash, node->dev.own.priv, sizeof(node->dev.own.priv));
    return mix(hash, &node->dev.next_due, sizeof(node->dev.next_due));
}

uint64_t node_hash(const struct node *node)
{
    struct wyrm_device dev;
    uint64_t hash = node_peers_hash(node);

    memcpy(&dev, &node->dev, sizeof(dev));
    memset(dev.drops, 0, sizeof(dev.drops));
    dev.now = 0;
    dev.origin = 0;
    hash = mix(hash, &dev, sizeof(dev));
    hash = mix(hash, node->slots, sizeof(node->slots));
    return mix(hash, node->sources, sizeof(node->sources));
}

static bool contains(const void *memory, size_t len, const uint8_t secret[WYRM_KEY_LEN])
{
    const uint8_t *bytes = memory;

    for (size_t i = 0; i + WYRM_KEY_LEN <= len; i++)
        if (memcmp(bytes + i, secret, WYRM_KEY_LEN) == 0)
            return true;
    return false;
}

wyrm_tick peer_earliest(const struct wyrm_peer *peer)
{
    wyrm_tick at = peer->timers[0];

    for (unsigned i = 1; i < WYRM_TIMERS; i++)
        if (peer->timers[i] < at)
            at = peer->timers[i];
    return at;
}

bool node_remembers(const struct node *node, const uint8_t secret[WYRM_KEY_LEN])
{
    return contains(&node->dev, sizeof(node->dev), secret) ||
           contains(node->peers, sizeof(node->peers), secret) ||
           contains(node->slots, sizeof(node->slots), secret) ||
           contains(node->sources, sizeof(node->sources), secret);
}

/* ---- Packets ---------------------------------------------------------------- */

void make_ip4(uint8_t *ip, size_t len, unsigned from, unsigned to, uint64_t seed)
{
    uint32_t sum = 0;

    memset(ip, 0, len);
    ip[0] = 0x45;
    ip[2] = (uint8_t)(len >> 8);
    ip[3] = (uint8_t)len;
    ip[8] = 64;
    ip[9] = 17;
    ip[12] = ip[16] = 10;
    ip[15] = (uint8_t)(from + 1);
    ip[19] = (uint8_t)(to + 1);
    for (unsigned i = 0; i < 20; i += 2)
        sum += (uint32_t)ip[i] << 8 | ip[i + 1];
    sum = (sum & 0xffff) + (sum >> 16);
    sum = ~((sum & 0xffff) + (sum >> 16));
    ip[10] = (uint8_t)(sum >> 8);
    ip[11] = (uint8_t)sum;
    wyrm_store_le64(ip + 20, seed);
    for (size_t i = 28; i < len; i++)
        ip[i] = (uint8_t)test_random(&seed);
}

void make_ip6(uint8_t *ip, size_t len, unsigned from, unsigned to, uint64_t seed)
{
    memset(ip, 0, len);
    ip[0] = 0x60;
    ip[4] = (uint8_t)((len - 40) >> 8);
    ip[5] = (uint8_t)(len - 40);
    ip[6] = 17;
    ip[7] = 64;
    ip[8] = ip[24] = 0xfd;
    ip[23] = (uint8_t)(from + 1);
    ip[39] = (uint8_t)(to + 1);
    wyrm_store_le64(ip + 40, seed);
    for (size_t i = 48; i < len; i++)
        ip[i] = (uint8_t)test_random(&seed);
}

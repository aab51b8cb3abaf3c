/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Cryptokey routing, paper section 2: which peer may have an inner address, as the destination of
 * what goes out and as the source of what comes in. The longest prefix wins.
 *
 * Routes are an array in the caller's pool, sorted by family, address and length, each knowing the
 * narrowest route that contains it. A look-up is a binary search for the last route not above the
 * address, then a walk outwards through at most 128 parents: bounded, and as small as a list.
 */
#include "wyrm_peer.h"

#include <string.h>

#define NO_PARENT UINT32_MAX

static unsigned family_bits(uint8_t family)
{
    return (unsigned)wyrm_addr_len(family) * 8u;
}

static bool known_family(uint8_t family)
{
    return family == 4 || (WYRM_IPV6 && family == 6);
}

static int compare(const struct wyrm_prefix *a, const struct wyrm_prefix *b)
{
    int order = (int)a->family - (int)b->family;

    if (order == 0)
        order = memcmp(a->addr, b->addr, wyrm_addr_len(a->family));
    if (order == 0)
        order = (int)a->bits - (int)b->bits;
    return order;
}

static bool contains(const struct wyrm_prefix *prefix, uint8_t family, const uint8_t *addr)
{
    unsigned whole = prefix->bits / 8u, rest = prefix->bits % 8u;

    return prefix->family == family && memcmp(prefix->addr, addr, whole) == 0 &&
           (rest == 0 || ((prefix->addr[whole] ^ addr[whole]) >> (8u - rest)) == 0);
}

/* How many routes are not above `key`. */
static uint32_t upper_bound(const struct wyrm_device *dev, const struct wyrm_prefix *key)
{
    uint32_t low = 0, high = dev->routes_used;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (compare(&dev->pools->routes[middle].prefix, key) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The narrowest route around an address, seen from the `below` routes that sort not above it. */
static uint32_t innermost(const struct wyrm_device *dev, uint32_t below, uint8_t family,
                          const uint8_t *addr)
{
    uint32_t at = below == 0 ? NO_PARENT : below - 1;

    while (at != NO_PARENT && !contains(&dev->pools->routes[at].prefix, family, addr))
        at = dev->pools->routes[at].parent;
    return at;
}

/* Parents sort before their children, so one pass finds them all. */
static void find_parents(struct wyrm_device *dev)
{
    for (uint32_t i = 0; i < dev->routes_used; i++) {
        struct wyrm_route *route = &dev->pools->routes[i];

        route->parent = innermost(dev, i, route->prefix.family, route->prefix.addr);
    }
}

/* The prefix with its host bits cleared; false if it is none. */
static bool normalise(struct wyrm_prefix *out, const struct wyrm_prefix *in)
{
    unsigned whole = in->bits / 8u, rest = in->bits % 8u;

    if (!known_family(in->family) || in->bits > family_bits(in->family))
        return false;
    *out = (struct wyrm_prefix){.family = in->family, .bits = in->bits};
    memcpy(out->addr, in->addr, whole);
    if (rest != 0)
        out->addr[whole] = (uint8_t)(in->addr[whole] & (0xff00u >> rest));
    return true;
}

/* Parents stand before their children: of what follows `at`, some move by one place. */
static void insert_at(struct wyrm_device *dev, uint32_t at, const struct wyrm_prefix *prefix,
                      wyrm_peer_id peer)
{
    struct wyrm_route *routes = dev->pools->routes;
    uint32_t parent = innermost(dev, at, prefix->family, prefix->addr), i;

    memmove(&routes[at + 1], &routes[at], (dev->routes_used - at) * sizeof(*routes));
    routes[at] = (struct wyrm_route){.prefix = *prefix, .peer = peer, .parent = parent};
    dev->routes_used++;
    /* First come those inside the new one; its parent's children become its own. */
    for (i = at + 1; i < dev->routes_used; i++) {
        struct wyrm_route *route = &routes[i];

        if (!contains(prefix, route->prefix.family, route->prefix.addr))
            break;
        if (route->parent == parent)
            route->parent = at;
        else
            route->parent++;
    }
    for (; i < dev->routes_used; i++)
        if (routes[i].parent != NO_PARENT && routes[i].parent >= at)
            routes[i].parent++;
}

static void remove_at(struct wyrm_device *dev, uint32_t at)
{
    struct wyrm_route *routes = dev->pools->routes;
    uint32_t parent = routes[at].parent;

    dev->routes_used--;
    memmove(&routes[at], &routes[at + 1], (dev->routes_used - at) * sizeof(*routes));
    for (uint32_t i = at; i < dev->routes_used; i++) {
        if (routes[i].parent == at)
            routes[i].parent = parent;
        else if (routes[i].parent != NO_PARENT && routes[i].parent > at)
            routes[i].parent--;
    }
}

wyrm_status wyrm_route_find(const struct wyrm_device *dev, uint8_t family, const uint8_t *addr,
                            wyrm_peer_id *peer)
{
    struct wyrm_prefix key = {.family = family};
    uint32_t at;

    if (!known_family(family))
        return WYRM_D_ROUTE;
    key.bits = (uint8_t)family_bits(family);
    memcpy(key.addr, addr, wyrm_addr_len(family));
    at = innermost(dev, upper_bound(dev, &key), family, addr);
    if (at == NO_PARENT)
        return WYRM_D_ROUTE;
    *peer = dev->pools->routes[at].peer;
    return WYRM_IDLE;
}

wyrm_status wyrm_route_add(struct wyrm_device *dev, wyrm_peer_id peer,
                           const struct wyrm_prefix *prefix)
{
    struct wyrm_route *routes = dev->pools->routes;
    struct wyrm_prefix key;
    uint32_t at;

    if (wyrm_used_peer(dev, peer) == NULL)
        return WYRM_E_STATE;
    if (!normalise(&key, prefix))
        return WYRM_E_ARG;

    at = upper_bound(dev, &key);
    if (at > 0 && compare(&routes[at - 1].prefix, &key) == 0) {
        routes[at - 1].peer = peer;
        return WYRM_IDLE;
    }
    if (dev->routes_used == dev->pools->n_routes)
        return WYRM_E_FULL;
    insert_at(dev, at, &key, peer);
    return WYRM_IDLE;
}

wyrm_status wyrm_route_remove(struct wyrm_device *dev, wyrm_peer_id peer,
                              const struct wyrm_prefix *prefix)
{
    struct wyrm_prefix key;
    uint32_t at;

    if (!normalise(&key, prefix))
        return WYRM_E_ARG;
    at = upper_bound(dev, &key);
    if (at > 0 && compare(&dev->pools->routes[at - 1].prefix, &key) == 0 &&
        dev->pools->routes[at - 1].peer == peer)
        remove_at(dev, at - 1);
    return WYRM_IDLE;
}

void wyrm_route_clear(struct wyrm_device *dev, wyrm_peer_id peer)
{
    struct wyrm_route *routes = dev->pools->routes;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < dev->routes_used; i++)
        if (routes[i].peer != peer)
            routes[kept++] = routes[i];
    if (kept == dev->routes_used)
        return;
    dev->routes_used = kept;
    find_parents(dev);
}

wyrm_status wyrm_route_get(const struct wyrm_device *dev, uint32_t position,
                           struct wyrm_prefix *prefix, wyrm_peer_id *peer)
{
    if (position >= dev->routes_used)
        return WYRM_E_STATE;
    *prefix = dev->pools->routes[position].prefix;
    *peer = dev->pools->routes[position].peer;
    return WYRM_IDLE;
}

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Cryptokey routing, paper section 2: which peer may have an inner address, as the destination of
 * what goes out and as the source of what comes in. The longest prefix wins.
 *
 * Routes are an array in the caller's pool, sorted by family, address and length. A lookup is a
 * few binary searches, see wyrm_route_find: bounded, and as small as a list.
 */
#include "wyrm_util.h"

#include <string.h>

/* A route begins with what it is sorted by: bytes, in the order in which they count. */
enum { KEY_LEN = offsetof(struct wyrm_route, bits) + 1 };

/* Shortens a key to its first `bits`. */
static void cut(struct wyrm_route *key, unsigned bits)
{
    unsigned keep = 0xff00u >> bits % 8u; /* of the byte in which they end */

    key->bits = (uint8_t)bits;
    for (unsigned i = bits / 8u; i < sizeof(key->addr); i++, keep = 0)
        key->addr[i] &= (uint8_t)keep;
}

/* The key of a prefix, host bits cleared; false if it is none. */
static bool make_key(struct wyrm_route *key, uint8_t family, const uint8_t *addr, unsigned bits)
{
    size_t len = wyrm_addr_len(family);

    if ((family != 4 && !(WYRM_IPV6 && family == 6)) || bits > 8 * len)
        return false;
    memset(key, 0, sizeof(*key));
    key->family = family;
    memcpy(key->addr, addr, len);
    cut(key, bits);
    return true;
}

/* The first route that sorts above `key`, or the end. */
static WYRM_NOINLINE struct wyrm_route *first_above(const struct wyrm_device *dev,
                                                    const struct wyrm_route *key)
{
    struct wyrm_route *low = dev->pools->routes;

    for (uint32_t n = dev->routes_used; n > 0;) {
        struct wyrm_route *middle = low + n / 2;

        if (memcmp(middle, key, KEY_LEN) <= 0) {
            low = middle + 1;
            n--;
        }
        n /= 2;
    }
    return low;
}

/* How many of their first `bits` two addresses share. */
static unsigned common_bits(const uint8_t *a, const uint8_t *b, unsigned bits)
{
    unsigned n = 0;

    while (n < bits && a[n / 8] == b[n / 8])
        n += 8;
    if (n < bits)
        for (unsigned differ = a[n / 8] ^ b[n / 8]; differ < 0x80u; differ <<= 1)
            n++;
    return n < bits ? n : bits;
}

/* All prefixes of an address sort not above it, the longest last; so it is looked for from the last
 * route not above the address. If that one contains the address, nothing narrower does. Else the
 * two part after some bits, and whatever contains the address is no longer than these: a longer one
 * would stand between the two. Thus the search goes on with a shorter address, at most as often as
 * it has bits. */
const struct wyrm_route *wyrm_route_match(const struct wyrm_device *dev, uint8_t family,
                                          const uint8_t *addr)
{
    const struct wyrm_route *route;
    struct wyrm_route key;

    if (!make_key(&key, family, addr, 8u * (unsigned)wyrm_addr_len(family)))
        return NULL;
    while ((route = first_above(dev, &key)) > dev->pools->routes && (--route)->family == family) {
        unsigned common = common_bits(route->addr, key.addr, route->bits);

        if (common == route->bits)
            return route;
        cut(&key, common);
    }
    return NULL;
}

wyrm_status wyrm_route_find(const struct wyrm_device *dev, uint8_t family, const uint8_t *addr,
                            wyrm_peer_id *peer)
{
    const struct wyrm_route *route = wyrm_route_match(dev, family, addr);

    if (route == NULL)
        return WYRM_D_ROUTE;
    *peer = route->peer;
    return WYRM_OK;
}

/* How many bytes of routes stand from `at` on. */
static size_t bytes_from(const struct wyrm_device *dev, const struct wyrm_route *at)
{
    return (size_t)((const uint8_t *)(dev->pools->routes + dev->routes_used) - (const uint8_t *)at);
}

/* True if `key` is the route before `place`, where it would stand if it is none. */
static bool before(const struct wyrm_device *dev, const struct wyrm_route *place,
                   const struct wyrm_route *key)
{
    return place > dev->pools->routes && memcmp(place - 1, key, KEY_LEN) == 0;
}

wyrm_status wyrm_route_add(struct wyrm_device *dev, wyrm_peer_id peer,
                           const struct wyrm_prefix *prefix)
{
    struct wyrm_route key, *place;

    /* Routes are also tried without peers, see wyrm_uapi.c. */
    if (dev->pools->peers != NULL && wyrm_used_peer(dev, peer) == NULL)
        return WYRM_E_STATE;
    if (!make_key(&key, prefix->family, prefix->addr, prefix->bits))
        return WYRM_E_ARG;

    place = first_above(dev, &key);
    if (before(dev, place, &key)) {
        place--;
    } else {
        if (dev->routes_used == dev->pools->n_routes)
            return WYRM_E_FULL;
        memmove(place + 1, place, bytes_from(dev, place));
        dev->routes_used++;
        wyrm_copy(place, &key, sizeof(key));
    }
    place->peer = peer;
    return WYRM_OK;
}

wyrm_status wyrm_route_remove(struct wyrm_device *dev, wyrm_peer_id peer,
                              const struct wyrm_prefix *prefix)
{
    struct wyrm_route key, *above;

    if (!make_key(&key, prefix->family, prefix->addr, prefix->bits))
        return WYRM_E_ARG;
    above = first_above(dev, &key);
    if (before(dev, above, &key) && (above - 1)->peer == peer) {
        memmove(above - 1, above, bytes_from(dev, above));
        dev->routes_used--;
    }
    return WYRM_OK;
}

void wyrm_route_clear(struct wyrm_device *dev, wyrm_peer_id peer)
{
    struct wyrm_route *at = dev->pools->routes, *kept = at;

    for (uint32_t n = dev->routes_used; n > 0; n--, at++) {
        if (at->peer == peer)
            dev->routes_used--;
        else
            memmove(kept++, at, sizeof(*at));
    }
}

wyrm_status wyrm_route_get(const struct wyrm_device *dev, uint32_t position,
                           struct wyrm_prefix *prefix, wyrm_peer_id *peer)
{
    const struct wyrm_route *route;

    if (position >= dev->routes_used)
        return WYRM_E_STATE;
    route = &dev->pools->routes[position];
    prefix->family = route->family;
    prefix->bits = route->bits;
    wyrm_copy(prefix->addr, route->addr, sizeof(prefix->addr));
    *peer = route->peer;
    return WYRM_OK;
}

void wyrm_route_chain(const struct wyrm_device *dev, uint32_t *first, uint32_t *next)
{
    memset(first, 0xff, dev->pools->n_peers * sizeof(*first));
    for (uint32_t at = dev->routes_used; at-- > 0;) {
        wyrm_peer_id peer = dev->pools->routes[at].peer;

        next[at] = first[peer];
        first[peer] = at;
    }
}

wyrm_status wyrm_route_next(const struct wyrm_device *dev, wyrm_peer_id peer,
                            struct wyrm_prefix *prefix, const uint32_t *first, const uint32_t *next)
{
    const struct wyrm_route *routes = dev->pools->routes;
    uint32_t at = first != NULL ? first[peer] : 0;
    struct wyrm_route key;
    wyrm_peer_id owner;

    if (prefix->family != 0) {
        if (!make_key(&key, prefix->family, prefix->addr, prefix->bits))
            return WYRM_E_ARG;
        at = (uint32_t)(first_above(dev, &key) - routes);
        /* The chain leads on only from where it has led to. */
        if (next != NULL && before(dev, routes + at, &key) && routes[at - 1].peer == peer)
            at = next[at - 1];
    }
    while (at < dev->routes_used && routes[at].peer != peer)
        at++;
    return wyrm_route_get(dev, at, prefix, &owner);
}

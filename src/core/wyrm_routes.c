/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Cryptokey routing, paper section 2: which peer is allowed an inner address, as the destination of
 * outgoing and the source of incoming packets. The longest prefix wins.
 *
 * Routes are an array in the caller's pool, sorted by family, address and length. A lookup takes a
 * bounded number of binary searches (see wyrm_route_match) and no memory besides.
 */
#include "wyrm_util.h"

#include <string.h>

/* The sort key is the first bytes of a route, compared in this order. */
enum { KEY_LEN = offsetof(struct wyrm_route, bits) + 1 };

/* Shortens a key to its first `bits`. */
static void cut(struct wyrm_route *key, unsigned bits)
{
    unsigned keep = 0xff00u >> bits % 8u; /* mask of the last byte */

    key->bits = (uint8_t)bits;
    for (unsigned i = bits / 8u; i < sizeof(key->addr); i++, keep = 0)
        key->addr[i] &= (uint8_t)keep;
}

/* The key of a prefix, host bits cleared. False if the prefix is invalid. */
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

/* The first route greater than `key`, or the end. */
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

/* The number of leading bits, at most `bits`, that two addresses have in common. */
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

/* All prefixes of an address are less than or equal to it, the longest being the greatest. So the
 * search starts with the greatest route that is not above the address. If that contains the
 * address, it is the longest match. Otherwise the two differ after some common bits, and no longer
 * prefix can match, since it would lie between them: the search continues with the address cut to
 * these bits, at most once per bit. */
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

/* Bytes of the routes from `at` to the end. */
static size_t bytes_from(const struct wyrm_device *dev, const struct wyrm_route *at)
{
    return (size_t)((const uint8_t *)(dev->pools->routes + dev->routes_used) - (const uint8_t *)at);
}

/* True if the route before `place` has this key; `place` is where a new one would be inserted. */
static bool before(const struct wyrm_device *dev, const struct wyrm_route *place,
                   const struct wyrm_route *key)
{
    return place > dev->pools->routes && memcmp(place - 1, key, KEY_LEN) == 0;
}

wyrm_status wyrm_route_add(struct wyrm_device *dev, wyrm_peer_id peer,
                           const struct wyrm_prefix *prefix)
{
    struct wyrm_route key, *place;

    /* wyrm_uapi.c tries routes on a device without peers. */
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

    for (uint32_t n = dev->routes_used; n > 0; n--, at++)
        if (at->peer == peer)
            dev->routes_used--;
        else
            memmove(kept++, at, sizeof(*at));
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
        /* The chain is valid only from a route of this peer. */
        if (next != NULL && before(dev, routes + at, &key) && routes[at - 1].peer == peer)
            at = next[at - 1];
    }
    while (at < dev->routes_used && routes[at].peer != peer)
        at++;
    return wyrm_route_get(dev, at, prefix, &owner);
}

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * lwIP's four hooks for a tunnel, placed in front of the application's own, which still run. Name
 * this file as LWIP_HOOK_FILENAME in lwipopts.h; if the application has such a file already,
 * include this one at its end. The hooks' macros may be defined there or in lwipopts.h.
 *
 * Routing: a packet for an allowed prefix enters the tunnel. For all others the application's hook
 * decides; if it has none, or returns NULL, the interface with the longest matching prefix does.
 * Input: forged packets are dropped first, then the application's hook sees the packet.
 */
#ifndef WYRM_LWIP_HOOKS_H
#define WYRM_LWIP_HOOKS_H

#include "wyrm_lwip.h"

#ifdef __cplusplus
extern "C" {
#endif

static inline bool wyrm_lwip_is_tunnel(struct netif *netif)
{
    return netif != NULL && wyrm_lwip_from_netif(netif) != NULL;
}

/* lwIP asks it before any other way to route, and must know that it exists before this file. */
#if LWIP_IPV4 && !defined(LWIP_HOOK_IP4_ROUTE_SRC)
#error "define LWIP_HOOK_IP4_ROUTE_SRC(src, dest) in lwipopts.h, as wyrm_lwip_route4(src, dest)"
#endif

/* Each function is compiled while the macro still means the application's hook. */
#if LWIP_IPV4
static inline struct netif *wyrm_lwip_interpose_route4(const ip4_addr_t *src,
                                                       const ip4_addr_t *dest)
{
    struct netif *best = wyrm_lwip_route4(src, dest), *theirs = NULL;

    if (!wyrm_lwip_is_tunnel(best))
        theirs = LWIP_HOOK_IP4_ROUTE_SRC(src, dest);
    return theirs != NULL ? theirs : best;
}

#undef LWIP_HOOK_IP4_ROUTE_SRC
#define LWIP_HOOK_IP4_ROUTE_SRC(src, dest) wyrm_lwip_interpose_route4(src, dest)

static inline int wyrm_lwip_interpose_input4(struct pbuf *p, struct netif *inp)
{
    if (wyrm_lwip_input4(p, inp))
        return 1;
#ifdef LWIP_HOOK_IP4_INPUT
    return LWIP_HOOK_IP4_INPUT(p, inp);
#else
    return 0;
#endif
}

#undef LWIP_HOOK_IP4_INPUT
#define LWIP_HOOK_IP4_INPUT(p, inp) wyrm_lwip_interpose_input4(p, inp)
#endif

#if LWIP_IPV6
static inline struct netif *wyrm_lwip_interpose_route6(const ip6_addr_t *src,
                                                       const ip6_addr_t *dest)
{
    struct netif *tunnel = wyrm_lwip_route6(src, dest);

#ifdef LWIP_HOOK_IP6_ROUTE
    return tunnel != NULL ? tunnel : LWIP_HOOK_IP6_ROUTE(src, dest);
#else
    return tunnel;
#endif
}

#undef LWIP_HOOK_IP6_ROUTE
#define LWIP_HOOK_IP6_ROUTE(src, dest) wyrm_lwip_interpose_route6(src, dest)

static inline int wyrm_lwip_interpose_input6(struct pbuf *p, struct netif *inp)
{
    if (wyrm_lwip_input6(p, inp))
        return 1;
#ifdef LWIP_HOOK_IP6_INPUT
    return LWIP_HOOK_IP6_INPUT(p, inp);
#else
    return 0;
#endif
}

#undef LWIP_HOOK_IP6_INPUT
#define LWIP_HOOK_IP6_INPUT(p, inp) wyrm_lwip_interpose_input6(p, inp)
#endif

#ifdef __cplusplus
}
#endif

#endif /* WYRM_LWIP_HOOKS_H */

/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Protects the ARP table and the IPv6 neighbor cache from floods. lwIP evicts resolved entries to
 * make room for unresolved ones, so replies to packets with forged source addresses could evict the
 * tunnel's peers.
 */
#ifndef NEIGHBORS_H
#define NEIGHBORS_H

#include <stdbool.h>
#include <stdint.h>

#include "lwip/ip4_addr.h"
#include "lwip/ip6_addr.h"

struct netif;

/** True if a packet to `dest` may be sent, even if that requires resolving its link-layer address.
 * Peers, the gateway and name servers may always be resolved; other hosts only while few are
 * unresolved. Core lock held. */
bool neighbors_may_ask(struct netif *netif, const ip4_addr_t *dest);
bool neighbors_may_ask6(struct netif *netif, const ip6_addr_t *dest);

/** Number of packets dropped by these two. */
uint32_t neighbors_refused(void);

#endif

/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Strangers must not empty the ARP table: it gives up resolved entries for unresolved ones, so a
 * flood of packets with forged sources would push out those of the tunnel's peers.
 */
#ifndef NEIGHBORS_H
#define NEIGHBORS_H

#include <stdbool.h>
#include <stdint.h>

#include "lwip/ip4_addr.h"

struct netif;

/** True: an ARP request for the destination does no harm, or none is needed. Peers, gateway and
 * name servers may always be asked for, others as long as few are in doubt. Core lock held. */
bool neighbors_may_ask(struct netif *netif, const ip4_addr_t *dest);

/** Packets that were not sent for that reason. */
uint32_t neighbors_refused(void);

#endif

/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The last check on every IP packet sent over Ethernet: it drops the tunnel's traffic, however it
 * got there. Replies sent through the interface of the request, sockets bound to an interface and
 * packets sent before the tunnel starts all bypass routing, but not this check. A dropped packet
 * causes no neighbor lookup, so no inside address appears in ARP or neighbor discovery. Core lock
 * held unless stated otherwise.
 */
#ifndef GUARD_H
#define GUARD_H

#include <stdbool.h>
#include <stdint.h>

#include "wyrm.h"

struct netif;
struct pbuf;

/** Installs the check in an Ethernet interface that was just added. */
void guard_install(struct netif *netif);

/** Refuses traffic for these prefixes until guard_release(). Copies at most GUARD_PREFIXES. With
 * more, or NULL, refuses everything except DHCP, neighbor discovery and echo requests (the
 * console's ping) to attached networks. */
#define GUARD_PREFIXES 32
void guard_hold(const struct wyrm_prefix *prefixes, unsigned count);

/** Under the strict policy the tunnel's prefixes, and those of guard_hold(), also cover attached
 * networks, multicast and link-local addresses. Only DHCP, neighbor discovery and guard_bypass()
 * stay exempt. */
void guard_set_strict(bool on);

/** Ends guard_hold(), when the tunnel is up or off. Only the tunnel's routes are checked then. */
void guard_release(void);

/** Call when the tunnel's prefixes have changed in another way: the guard caches verdicts. It
 * detects changes of addresses and interfaces itself. */
void guard_reconsider(void);

/** True while guard_hold() is in force. Any task. */
bool guard_is_holding(void);

/** While on, all packets pass. For endpoint lookups. */
void guard_bypass(bool on);

/** Packets refused since boot. */
uint32_t guard_refused(void);

#endif

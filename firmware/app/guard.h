/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The last check on every IP packet sent by Ethernet: traffic of the tunnel is dropped, however it
 * got there. Replies sent through the interface of the request, sockets bound to an interface and
 * packets before the tunnel starts bypass routing, but not this check. A dropped packet triggers no
 * neighbor lookup, so no inside address appears in ARP or neighbor discovery. Core lock held unless
 * said otherwise.
 */
#ifndef GUARD_H
#define GUARD_H

#include <stdbool.h>
#include <stdint.h>

#include "wyrm.h"

struct netif;
struct pbuf;

/** Puts the guard in front of an Ethernet interface that was just added. */
void guard_install(struct netif *netif);

/** Until guard_release(): traffic for these prefixes is refused. Copied, GUARD_PREFIXES at most;
 * more than that, or NULL, refuse everything but DHCP, neighbor discovery and echo requests (the
 * console's ping) to attached networks. */
#define GUARD_PREFIXES 32
void guard_hold(const struct wyrm_prefix *prefixes, unsigned count);

/** The strict policy, for guard_hold() too: no attached network, group or link-local address is
 * exempt from the tunnel's prefixes. DHCP, neighbor discovery and guard_bypass() are. */
void guard_set_strict(bool on);

/** Ends guard_hold(): the tunnel is up, or off. From now on only its routes count. */
void guard_release(void);

/** True while guard_hold() is in force. Any task. */
bool guard_is_holding(void);

/** Lets the next packets pass whatever their destination, or no longer: lookups of endpoints. */
void guard_bypass(bool on);

/** Packets refused since boot. */
uint32_t guard_refused(void);

#endif

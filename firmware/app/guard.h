/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The last check on every IP packet that leaves by Ethernet: what belongs to the tunnel does not,
 * however it got there. Replies that go back by the interface they came from, sockets bound to an
 * interface and the time before the tunnel starts all bypass routing; this does not. A refused
 * packet asks for no neighbor either, so that no inside address appears in ARP or neighbor
 * discovery. Core lock held unless said otherwise.
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

/** The tunnel is up, or is not wanted any more: from here on only its routes count. */
void guard_release(void);

/** True while guard_hold() is in force. Any task. */
bool guard_is_holding(void);

/** Lets the next packets pass whatever their destination, or no longer: lookups of endpoints. */
void guard_bypass(bool on);

/** Packets refused since boot. */
uint32_t guard_refused(void);

#endif

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Detects encrypted datagrams that are routed back into the tunnel they came from.
 */
#ifndef WYRMD_ROUTING_LOOP_H
#define WYRMD_ROUTING_LOOP_H

#include "core.h"
#include "udp.h"

/* True if `ip` is a datagram of the daemon's own sockets that could loop forever. One that goes to
 * a peer behind another peer is fine. */
bool wyrmd_routing_loop(const struct wyrmd_core *core, const struct wyrmd_udp *udp,
                        const uint8_t *ip, size_t len);

#endif /* WYRMD_ROUTING_LOOP_H */

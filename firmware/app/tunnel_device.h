/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The memory of the board's one tunnel. tunnel.h controls it; the modules below tunnel.h (guard,
 * names, neighbors) only need to know which interface and which peers it has.
 */
#ifndef TUNNEL_DEVICE_H
#define TUNNEL_DEVICE_H

#include <stdbool.h>

#include "wyrm_lwip.h"

#define TUNNEL_PEERS  4
#define TUNNEL_ROUTES 16
#define TUNNEL_HELD   8
#define TUNNEL_IPV4   1 /* addresses; one IPv6 address of a netif is the link-local one */
#define TUNNEL_IPV6   (LWIP_IPV6_NUM_ADDRESSES - 1)

/** The tunnel, for queries; never NULL. */
struct wyrm_lwip *tunnel_lwip(void);

bool tunnel_is_up(void);

#endif

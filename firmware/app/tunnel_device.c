/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 */
#include "tunnel_device.h"

WYRM_LWIP_DEFINE(tunnel, TUNNEL_PEERS, TUNNEL_ROUTES, TUNNEL_HELD);

struct wyrm_lwip *tunnel_lwip(void)
{
    return &tunnel;
}

bool tunnel_is_up(void)
{
    return wyrm_lwip_port(&tunnel) != 0;
}

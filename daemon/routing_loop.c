/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 */
#include "routing_loop.h"

#include <string.h>
#include <unistd.h>

enum { NESTING_MAX = 8 };

/* A datagram from our port and an address of this machine is ours: nobody else can have bound it.
 */
static bool is_own(const struct wyrmd_udp *udp, const uint8_t *ip, size_t len)
{
    bool v4 = len >= 28 && ip[0] >> 4 == 4 && ip[9] == IPPROTO_UDP && !(ip[6] & 0x1f) && !ip[7];
    bool v6 = len >= 48 && ip[0] >> 4 == 6 && (ip[6] == IPPROTO_UDP || ip[6] == IPPROTO_FRAGMENT);
    size_t at = v4 ? (size_t)(ip[0] & 15) * 4 : v6 && ip[6] == IPPROTO_FRAGMENT ? 48 : 40;
    union address local = {0};
    bool own;
    int fd;

    if ((!v4 && !v6) || at + 2 > len || (ip[at] << 8 | ip[at + 1]) != udp->port)
        return false;
    fd = socket(v4 ? AF_INET : AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return false;
    local.any.sa_family = v4 ? AF_INET : AF_INET6;
    if (v4)
        memcpy(&local.v4.sin_addr, ip + 12, 4);
    else
        memcpy(&local.v6.sin6_addr, ip + 8, 16);
    own = bind(fd, &local.any, v4 ? sizeof(local.v4) : sizeof(local.v6)) == 0;
    close(fd);
    return own;
}

/* A packet to `addr` is sealed for the endpoint of the peer that has this address, and that
 * endpoint may itself be the address of a peer. True if this ends at an address outside the tunnel.
 */
static bool leads_out(const struct wyrmd_core *core, uint8_t family, const uint8_t *addr)
{
    struct wyrm_peer_info info;
    wyrm_peer_id peer;

    for (unsigned i = 0; i < NESTING_MAX; i++) {
        if (wyrm_route_find(&core->dev, family, addr, &peer) != WYRM_IDLE ||
            wyrm_peer_get(&core->dev, core->now, peer, &info) != WYRM_IDLE ||
            info.endpoint.family == 0)
            return true;
        family = info.endpoint.family;
        addr = info.endpoint.addr;
    }
    return false;
}

bool wyrmd_routing_loop(const struct wyrmd_core *core, const struct wyrmd_udp *udp,
                        const uint8_t *ip, size_t len)
{
    bool v4 = ip[0] >> 4 == 4;

    return is_own(udp, ip, len) && !leads_out(core, v4 ? 4 : 6, ip + (v4 ? 16 : 24));
}

/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 */
#include "neighbors.h"

#include <string.h>

#include "lwip/etharp.h"
#include "lwip/netif.h"
#include "lwip/sys.h"

#include "net.h"
#include "tunnel_device.h"

#define STRANGERS  8     /* unresolved at a time: half of ARP_TABLE_SIZE */
#define PENDING_MS 5000u /* lwIP drops an unresolved entry after this */

_Static_assert(2 * STRANGERS <= ARP_TABLE_SIZE, "strangers leave half of the ARP table");

static struct stranger {
    ip4_addr_t address; /* 0: free */
    uint32_t since;
} strangers[STRANGERS];

static ip4_addr_t latest_peer; /* so that most packets need no search */
static uint32_t refused;

static bool is_endpoint(const struct wyrm_endpoint *endpoint, const ip4_addr_t *address)
{
    return endpoint->family == 4 && memcmp(endpoint->addr, &address->addr, 4) == 0;
}

static bool is_peer(const ip4_addr_t *address)
{
    struct wyrm_lwip *tunnel = tunnel_lwip();
    struct wyrm_peer_info info;

    for (wyrm_peer_id id = 0; tunnel_is_up() && id < TUNNEL_PEERS; id++)
        if (wyrm_peer_get(wyrm_lwip_device(tunnel), wyrm_lwip_now_locked(tunnel), id, &info) ==
                WYRM_IDLE &&
            (is_endpoint(&info.endpoint, address) || is_endpoint(&info.configured, address))) {
            latest_peer = *address;
            return true;
        }
    return false;
}

static bool is_name_server(const ip4_addr_t *address)
{
    ip_addr_t server;

    for (unsigned n = 0; n < DNS_MAX_SERVERS && net_lan_dns(n, &server); n++)
        if (IP_IS_V4(&server) && ip4_addr_eq(ip_2_ip4(&server), address))
            return true;
    return false;
}

static bool is_known(struct netif *netif, const ip4_addr_t *address)
{
    const ip4_addr_t *found;
    struct eth_addr *mac;

    return etharp_find_addr(netif, address, &mac, &found) >= 0;
}

/* True if `address` is being resolved already or one more is allowed; remembers it then. */
static bool admit_stranger(const ip4_addr_t *address)
{
    struct stranger *place = NULL;
    uint32_t now = sys_now();

    for (struct stranger *s = strangers; s < strangers + STRANGERS; s++) {
        bool over = ip4_addr_isany_val(s->address) || now - s->since >= PENDING_MS;

        if (!over && ip4_addr_eq(&s->address, address))
            return true; /* has an ARP entry already */
        if (over)
            place = s;
    }
    if (place)
        *place = (struct stranger){.address = *address, .since = now};
    return place != NULL;
}

bool neighbors_may_ask(struct netif *netif, const ip4_addr_t *dest)
{
    if (ip4_addr_eq(dest, &latest_peer))
        return true;
    if (ip4_addr_ismulticast(dest) || ip4_addr_isbroadcast(dest, netif) ||
        !ip4_addr_net_eq(dest, netif_ip4_addr(netif), netif_ip4_netmask(netif)))
        return true; /* no ARP request, or one for the gateway */
    if (is_known(netif, dest) || ip4_addr_eq(dest, netif_ip4_gw(netif)) || is_peer(dest) ||
        is_name_server(dest) || admit_stranger(dest))
        return true;
    refused++;
    return false;
}

uint32_t neighbors_refused(void)
{
    return refused;
}

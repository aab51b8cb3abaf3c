/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 */
#include "neighbors.h"

#include <string.h>

#include "lwip/etharp.h"
#include "lwip/netif.h"
#include "lwip/priv/nd6_priv.h"
#include "lwip/sys.h"

#include "net.h"
#include "tunnel_device.h"

#define STRANGERS  8     /* unresolved at once: half of ARP_TABLE_SIZE */
#define PENDING_MS 5000u /* lwIP drops an unresolved entry after this */

#define STRANGERS6 (LWIP_ND6_NUM_NEIGHBORS / 2)

_Static_assert(2 * STRANGERS <= ARP_TABLE_SIZE, "unresolved hosts get half of the ARP table");

static struct stranger {
    ip4_addr_t address; /* 0: free */
    uint32_t since;
} strangers[STRANGERS];

static ip4_addr_t latest_peer; /* avoids most searches */
static uint32_t refused;

static bool is_endpoint(const struct wyrm_endpoint *endpoint, uint8_t family, const void *address)
{
    return endpoint->family == family &&
           memcmp(endpoint->addr, address, family == 4 ? sizeof(ip4_addr_t) : 16) == 0;
}

static bool is_peer(uint8_t family, const void *address)
{
    struct wyrm_lwip *tunnel = tunnel_lwip();
    struct wyrm_peer_info info;

    for (wyrm_peer_id id = 0; tunnel_is_up() && id < TUNNEL_PEERS; id++)
        if (wyrm_peer_get(wyrm_lwip_device(tunnel), wyrm_lwip_now_locked(tunnel), id, &info) ==
                WYRM_IDLE &&
            (is_endpoint(&info.endpoint, family, address) ||
             is_endpoint(&info.configured, family, address)))
            return true;
    return false;
}

static bool is_name_server(uint8_t family, const void *address)
{
    struct wyrm_endpoint at;
    ip_addr_t server;

    for (unsigned n = 0; n < DNS_MAX_SERVERS && net_lan_dns(n, &server); n++) {
        net_to_endpoint(&server, 0, &at);
        if (is_endpoint(&at, family, address))
            return true;
    }
    return false;
}

/* ---- IPv4 ---- */

static bool is_known(struct netif *netif, const ip4_addr_t *address)
{
    const ip4_addr_t *found;
    struct eth_addr *mac;

    return etharp_find_addr(netif, address, &mac, &found) >= 0;
}

/* True, and records `address`, if it is being resolved already or one more is allowed. */
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
    if (is_peer(4, &dest->addr)) {
        latest_peer = *dest;
        return true;
    }
    if (is_known(netif, dest) || ip4_addr_eq(dest, netif_ip4_gw(netif)) ||
        is_name_server(4, &dest->addr) || admit_stranger(dest))
        return true;
    refused++;
    return false;
}

/* ---- IPv6 ---- */

/* Other packets are sent to a router. */
static bool is_on_link(const struct netif *netif, const ip6_addr_t *address)
{
    if (ip6_addr_islinklocal(address))
        return true;
    for (s8_t i = 0; i < LWIP_IPV6_NUM_ADDRESSES; i++)
        if (ip6_addr_isvalid(netif_ip6_addr_state(netif, i)) &&
            ip6_addr_net_eq(address, netif_ip6_addr(netif, i)))
            return true;
    for (unsigned i = 0; i < LWIP_ND6_NUM_PREFIXES; i++)
        if (prefix_list[i].netif == netif && prefix_list[i].invalidation_timer > 0 &&
            ip6_addr_net_eq(address, &prefix_list[i].prefix))
            return true;
    return false;
}

/* lwIP evicts entries in any other state before those of unresolved neighbors. */
static bool has_entry_or_few_are_unresolved(const struct netif *netif, const ip6_addr_t *address)
{
    unsigned unresolved = 0;

    for (unsigned i = 0; i < LWIP_ND6_NUM_NEIGHBORS; i++) {
        const struct nd6_neighbor_cache_entry *entry = &neighbor_cache[i];

        if (entry->state == ND6_NO_ENTRY)
            continue;
        if (entry->netif == netif && ip6_addr_eq(&entry->next_hop_address, address))
            return true;
        unresolved += entry->state == ND6_INCOMPLETE && !entry->isrouter;
    }
    return unresolved < STRANGERS6;
}

bool neighbors_may_ask6(struct netif *netif, const ip6_addr_t *dest)
{
    if (ip6_addr_ismulticast(dest) || !is_on_link(netif, dest) ||
        has_entry_or_few_are_unresolved(netif, dest) || is_peer(6, dest->addr) ||
        is_name_server(6, dest->addr))
        return true;
    refused++;
    return false;
}

uint32_t neighbors_refused(void)
{
    return refused;
}

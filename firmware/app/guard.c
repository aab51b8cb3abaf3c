/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 */
#include "guard.h"

#include <string.h>

#include "lwip/etharp.h"
#include "lwip/netif.h"
#include "lwip/pbuf.h"
#include "lwip/prot/icmp.h"
#include "lwip/prot/icmp6.h"
#include "lwip/prot/ip.h"
#include "lwip/prot/ip4.h"
#include "lwip/prot/ip6.h"

#include "neighbors.h"
#include "tunnel_device.h"

#define OUTSIDE_KEPT 4u /* destinations of each family */

#define DHCP_CLIENT 68
#define DHCP_SERVER 67
#define MLD_QUERY   130
#define MLD2_REPORT 143

static netif_output_fn send4;
static netif_output_ip6_fn send6;

static struct {
    bool holding, everything, bypass, strict;
    unsigned count;
    struct wyrm_prefix prefixes[GUARD_PREFIXES];
    uint32_t refused;
} guard;

/* ---- the tunnel's traffic ---- */

static unsigned common_bits(const uint8_t *a, const uint8_t *b, unsigned max)
{
    unsigned bits = 0;

    while (bits < max && !((a[bits / 8] ^ b[bits / 8]) & 0x80 >> bits % 8))
        bits++;
    return bits;
}

/* True if a prefix of guard_hold() contains `address` and is at least as long as the attached
 * network's. */
static bool is_held(uint8_t family, const void *address, unsigned attached_bits)
{
    for (unsigned i = 0; guard.holding && i < guard.count; i++) {
        const struct wyrm_prefix *p = &guard.prefixes[i];

        if (p->family == family && p->bits >= attached_bits &&
            common_bits(p->addr, address, p->bits) == p->bits)
            return true;
    }
    return false;
}

static bool is_tunnel(const struct netif *netif)
{
    return netif && netif == wyrm_lwip_netif(tunnel_lwip());
}

/* Prefix length of the attached network that contains the address; 0: none. */
static unsigned attached4(const struct netif *netif, const ip4_addr_t *dest)
{
    if (!ip4_addr_net_eq(dest, netif_ip4_addr(netif), netif_ip4_netmask(netif)))
        return 0;
    return wyrm_lwip_mask_bits(netif_ip4_netmask(netif));
}

/* lwIP treats each of its addresses as part of a /64. */
static unsigned attached6(const struct netif *netif, const ip6_addr_t *dest)
{
    for (s8_t i = 0; i < LWIP_IPV6_NUM_ADDRESSES; i++)
        if (ip6_addr_isvalid(netif_ip6_addr_state(netif, i)) &&
            ip6_addr_net_eq(dest, netif_ip6_addr(netif, i)))
            return 64;
    return 0;
}

static bool is_routed_into_tunnel4(const struct netif *netif, const ip4_addr_t *dest)
{
    if (!guard.strict && (ip4_addr_ismulticast(dest) || ip4_addr_isbroadcast(dest, netif)))
        return false;
    return (guard.holding && is_held(4, &dest->addr, guard.strict ? 0 : attached4(netif, dest))) ||
           is_tunnel(wyrm_lwip_route4(NULL, dest));
}

static bool is_routed_into_tunnel6(const struct netif *netif, const ip6_addr_t *dest)
{
    if (!guard.strict && (ip6_addr_ismulticast(dest) || ip6_addr_islinklocal(dest)))
        return false;
    return (guard.holding && is_held(6, dest->addr, guard.strict ? 0 : attached6(netif, dest))) ||
           is_tunnel(wyrm_lwip_route6(NULL, dest));
}

/* Destinations found to be outside the tunnel, so that a packet's route is not looked up twice.
 * Only these are cached: a cache miss costs a lookup and cannot leak a packet. */
static struct {
    struct {
        bool known;
        ip4_addr_t dest;
    } four[OUTSIDE_KEPT];
    struct {
        bool known;
        ip6_addr_t dest;
    } six[OUTSIDE_KEPT];
} outside;

/* The tunnel's own datagrams are not traffic for it: routing ignores it while it sends one. */
static bool belongs_to_tunnel4(const struct netif *netif, const ip4_addr_t *dest)
{
    unsigned place = lwip_ntohl(dest->addr) % OUTSIDE_KEPT;

    if (wyrm_lwip_is_sending_locked(tunnel_lwip()))
        return guard.holding && is_routed_into_tunnel4(netif, dest);
    if (outside.four[place].known && ip4_addr_eq(&outside.four[place].dest, dest))
        return false;
    if (is_routed_into_tunnel4(netif, dest))
        return true;
    outside.four[place].known = true;
    outside.four[place].dest = *dest;
    return false;
}

static bool belongs_to_tunnel6(const struct netif *netif, const ip6_addr_t *dest)
{
    unsigned place = lwip_ntohl(dest->addr[3]) % OUTSIDE_KEPT;

    if (outside.six[place].known && ip6_addr_eq(&outside.six[place].dest, dest))
        return false;
    if (is_routed_into_tunnel6(netif, dest))
        return true;
    if (!wyrm_lwip_is_sending_locked(tunnel_lwip())) {
        outside.six[place].known = true;
        outside.six[place].dest = *dest;
    }
    return false;
}

/* ---- packets that keep the device on its network ---- */

static bool is_dhcp(const struct pbuf *p)
{
    uint8_t ip[IP_HLEN_MAX + 4];
    u16_t len = pbuf_copy_partial(p, ip, sizeof ip, 0);
    unsigned at = 4u * (ip[0] & 15);

    return len >= at + 4 && ip[9] == IP_PROTO_UDP && (ip[6] & 0x1f) == 0 && ip[7] == 0 &&
           ip[at] == 0 && ip[at + 1] == DHCP_CLIENT && ip[at + 2] == 0 && ip[at + 3] == DHCP_SERVER;
}

static bool is_echo_request4(const struct pbuf *p)
{
    uint8_t ip[IP_HLEN_MAX + 1];
    u16_t len = pbuf_copy_partial(p, ip, sizeof ip, 0);
    unsigned at = 4u * (ip[0] & 15);

    return len > at && ip[9] == IP_PROTO_ICMP && (ip[6] & 0x3f) == 0 && ip[7] == 0 &&
           ip[at] == ICMP_ECHO;
}

/* Type of an ICMPv6 message, which may follow one hop-by-hop header, as in multicast listener
 * reports; 0: not ICMPv6. */
static uint8_t icmp6_type(const struct pbuf *p)
{
    uint8_t next = pbuf_get_at(p, 6);
    u16_t at = IP6_HLEN;

    if (next == IP6_NEXTH_HOPBYHOP) {
        next = pbuf_get_at(p, at);
        at = (u16_t)(at + 8u * (1u + pbuf_get_at(p, (u16_t)(at + 1))));
    }
    return next == IP6_NEXTH_ICMP6 ? pbuf_get_at(p, at) : 0;
}

static bool is_neighbor_discovery(const struct pbuf *p)
{
    uint8_t type = icmp6_type(p);

    return (type >= MLD_QUERY && type <= ICMP6_TYPE_RD) || type == MLD2_REPORT;
}

/* If lwIP must resolve the endpoint first, the datagram leaves later from the neighbor cache, when
 * the routing functions can no longer tell that the tunnel sent it. */
static bool is_from_tunnel6(const struct pbuf *p)
{
    uint16_t port = wyrm_lwip_port(tunnel_lwip());

    return port != 0 && pbuf_get_at(p, 6) == IP6_NEXTH_UDP &&
           pbuf_get_at(p, IP6_HLEN) == port >> 8 && pbuf_get_at(p, IP6_HLEN + 1) == (port & 0xff);
}

/* A neighbor solicitation reveals its target to everyone on the link. The longest prefix decides
 * even under the strict policy, because the endpoint and the routers are neighbors. */
static bool solicits_inside(const struct netif *netif, const struct pbuf *p)
{
    const struct wyrm_route *route = NULL;
    ip6_addr_t target;
    unsigned bits;

    if (icmp6_type(p) != ICMP6_TYPE_NS ||
        pbuf_copy_partial(p, target.addr, sizeof target.addr, IP6_HLEN + 8) != sizeof target.addr)
        return false;
    if (ip6_addr_islinklocal(&target))
        return false;
    ip6_addr_clear_zone(&target);
    bits = attached6(netif, &target);
    if (wyrm_lwip_port(tunnel_lwip()) != 0) /* only then does the device exist */
        route = wyrm_route_match(wyrm_lwip_device(tunnel_lwip()), 6, (const uint8_t *)target.addr);
    return is_held(6, target.addr, bits) || (route && route->bits >= bits);
}

/* ---- the check ---- */

static bool may_leave4(const struct netif *netif, const struct pbuf *p, const ip4_addr_t *dest)
{
    bool refused = guard.holding && guard.everything
                       ? !is_echo_request4(p) || attached4(netif, dest) == 0
                       : belongs_to_tunnel4(netif, dest);

    return !refused || guard.bypass || is_dhcp(p);
}

static bool may_leave6(const struct netif *netif, const struct pbuf *p, const ip6_addr_t *dest)
{
    if (guard.bypass || is_from_tunnel6(p))
        return true;
    if (is_neighbor_discovery(p))
        return !solicits_inside(netif, p);
    if (guard.holding && guard.everything)
        return icmp6_type(p) == ICMP6_TYPE_EREQ && attached6(netif, dest) > 0;
    return !belongs_to_tunnel6(netif, dest);
}

static err_t output4(struct netif *netif, struct pbuf *p, const ip4_addr_t *dest)
{
    if (!may_leave4(netif, p, dest)) {
        guard.refused++;
        return ERR_RTE;
    }
    return neighbors_may_ask(netif, dest) ? send4(netif, p, dest) : ERR_RTE;
}

static err_t output6(struct netif *netif, struct pbuf *p, const ip6_addr_t *dest)
{
    if (!may_leave6(netif, p, dest)) {
        guard.refused++;
        return ERR_RTE;
    }
    return neighbors_may_ask6(netif, dest) ? send6(netif, p, dest) : ERR_RTE;
}

/* ---- control ---- */

void guard_reconsider(void)
{
    memset(&outside, 0, sizeof outside);
}

/* An address, or the state of an interface or link. */
static void on_change(struct netif *netif, netif_nsc_reason_t reason,
                      const netif_ext_callback_args_t *args)
{
    (void)netif;
    (void)reason;
    (void)args;
    guard_reconsider();
}

void guard_install(struct netif *netif)
{
    NETIF_DECLARE_EXT_CALLBACK(watch)

    netif_remove_ext_callback(&watch); /* installed again */
    netif_add_ext_callback(&watch, on_change);
    send4 = netif->output;
    send6 = netif->output_ip6;
    netif->output = output4;
    netif->output_ip6 = output6;
}

void guard_hold(const struct wyrm_prefix *prefixes, unsigned count)
{
    guard.everything = !prefixes || count > GUARD_PREFIXES;
    guard.count = guard.everything ? 0 : count;
    if (guard.count > 0)
        memcpy(guard.prefixes, prefixes, count * sizeof *prefixes);
    guard.holding = true;
    guard_reconsider();
}

void guard_set_strict(bool on)
{
    guard.strict = on;
    guard_reconsider();
}

void guard_release(void)
{
    guard.holding = false;
    guard_reconsider();
}

bool guard_is_holding(void)
{
    return guard.holding;
}

void guard_bypass(bool on)
{
    guard.bypass = on;
}

uint32_t guard_refused(void)
{
    return guard.refused;
}

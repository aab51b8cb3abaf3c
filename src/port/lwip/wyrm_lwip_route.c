/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Hooks for lwIP: which interface a packet leaves through, and which packets may come in past the
 * tunnel. Both ask the same question: what interface has the best claim to an address? Everything
 * here runs under lwIP's core lock.
 */
#ifdef WYRM_PORT_LWIP

#include "wyrm_lwip_parts.h"

#include "lwip/prot/dhcp6.h"
#include "lwip/prot/iana.h"
#include "lwip/prot/icmp6.h"
#include "lwip/prot/ip.h"
#include "lwip/prot/ip4.h"
#include "lwip/prot/ip6.h"
#include "lwip/udp.h"

/* How strong an interface's claim to an address is: the length of the prefix that holds the
 * address, or one of these. */
enum { NO_CLAIM = -1, STRICT_CLAIM = 129, OWN_CLAIM = 130 };

/* ---- Claims ------------------------------------------------------------------ */

#if LWIP_IPV4
/* A DHCP server chooses the netmask; ones behind a zero do not make the prefix longer. */
static int prefix_length(const ip4_addr_t *netmask)
{
    uint32_t mask = lwip_ntohl(netmask->addr);
    int bits = 0;

    for (; (mask & 0x80000000u) != 0; mask <<= 1) {
        bits++;
    }
    return bits;
}

static int attached4(const struct netif *netif, const ip4_addr_t *addr)
{
    const ip4_addr_t *own = netif_ip4_addr(netif), *mask = netif_ip4_netmask(netif);

    if (ip4_addr_isany_val(*own) || !ip4_addr_net_eq(addr, own, mask)) {
        return NO_CLAIM;
    }
    return ip4_addr_eq(addr, own) ? OWN_CLAIM : prefix_length(mask);
}
#endif

#if LWIP_IPV6
/* lwIP takes every address of its own as one of a /64. */
static int attached6(const struct netif *netif, const ip6_addr_t *addr)
{
    int claim = NO_CLAIM;

    for (s8_t i = 0; i < LWIP_IPV6_NUM_ADDRESSES && claim != OWN_CLAIM; i++) {
        const ip6_addr_t *own = netif_ip6_addr(netif, i);

        if (ip6_addr_isvalid(netif_ip6_addr_state(netif, i)) && ip6_addr_net_eq(addr, own)) {
            claim = ip6_addr_eq(addr, own) ? OWN_CLAIM : 64;
        }
    }
    return claim;
}
#endif

/* The claim of an interface by its own addresses. */
static int attached(const struct netif *netif, const ip_addr_t *addr)
{
#if LWIP_IPV6
    if (IP_IS_V6(addr)) {
        return attached6(netif, ip_2_ip6(addr));
    }
#endif
#if LWIP_IPV4
    return attached4(netif, ip_2_ip4(addr));
#else
    return NO_CLAIM;
#endif
}

/* The claim of a tunnel by the allowed prefixes of its peers. Groups and link-local addresses mean
 * another thing on every link; only the strict policy takes them as addresses like others. */
static int allowed(const struct wyrm_lwip *lwip, const ip_addr_t *addr, bool strictly)
{
    const struct wyrm_route *route =
        wyrm_route_match(lwip->device, IP_IS_V6(addr) ? 6 : 4, (const uint8_t *)addr);
    bool strict = strictly && lwip->strict;

    if (route == NULL ||
        (!strict && (ip_addr_ismulticast(addr) || (IP_IS_V6(addr) && ip_addr_islinklocal(addr))))) {
        return NO_CLAIM;
    }
    return strict ? STRICT_CLAIM : route->bits;
}

/* The interface with the best claim, a tunnel if there are several; NULL: none has any. While a
 * tunnel sends a datagram of its own, it claims nothing. */
static struct netif *claimant(const ip_addr_t *addr, bool strictly)
{
    struct netif *netif, *best = NULL;
    int most = NO_CLAIM;

    if (ip_addr_isloopback(addr)) {
        return NULL;
    }
    NETIF_FOREACH(netif)
    {
        struct wyrm_lwip *lwip = wyrm_lwip_of(netif);

        if (!netif_is_up(netif) || !netif_is_link_up(netif) || (lwip != NULL && lwip->sending)) {
            continue;
        }
        int claim = attached(netif, addr);
        if (lwip != NULL && claim != OWN_CLAIM) {
            claim = LWIP_MAX(claim, allowed(lwip, addr, strictly));
        }
        if (claim > most || (lwip != NULL && claim == most && claim != NO_CLAIM)) {
            most = claim;
            best = netif;
        }
    }
    return best;
}

/* ---- Outwards ----------------------------------------------------------------- */

#if LWIP_IPV4
struct netif *wyrm_lwip_route4(const ip4_addr_t *src, const ip4_addr_t *dest)
{
    ip_addr_t addr;

    LWIP_UNUSED_ARG(src);
    ip_addr_copy_from_ip4(addr, *dest);
    return claimant(&addr, true);
}
#endif

#if LWIP_IPV6
struct netif *wyrm_lwip_route6(const ip6_addr_t *src, const ip6_addr_t *dest)
{
    ip_addr_t addr;

    LWIP_UNUSED_ARG(src);
    ip_addr_copy_from_ip6(addr, *dest);
    struct netif *netif = claimant(&addr, true);

    /* lwIP knows better which of its neighbours are on the link. */
    return netif == NULL || wyrm_lwip_of(netif) == NULL ? NULL : netif;
}
#endif

/* ---- Inwards ------------------------------------------------------------------ */

/* What a packet may be that comes from an address beyond the tunnel: nothing that lwIP would answer
 * or an application would take for a peer's; datagrams for a tunnel and the like; or what only
 * neighbours say, from a network that is attached here. */
enum kind { ORDINARY, NEIGHBOUR, OUTSIDE };

static uint16_t get16(const struct pbuf *p, uint16_t at)
{
    return (uint16_t)(pbuf_get_at(p, at) << 8 | pbuf_get_at(p, (uint16_t)(at + 1)));
}

/* Datagrams for a tunnel, for lwIP's DHCP client, and for sockets that the application has bound to
 * this interface: their answers leave through it too. */
static enum kind kind_of_port(const struct netif *inp, uint16_t port, uint16_t dhcp_port)
{
    const struct udp_pcb *pcb = udp_pcbs;

    while (pcb != NULL && (pcb->local_port != port || (pcb->recv != wyrm_lwip_receive &&
                                                       pcb->netif_idx != netif_get_index(inp)))) {
        pcb = pcb->next;
    }
    return pcb != NULL || port == dhcp_port ? OUTSIDE : ORDINARY;
}

/* The tunnel that owns `addr`; NULL: none. */
static struct wyrm_lwip *tunnel_at(const ip_addr_t *addr)
{
    struct netif *netif;

    NETIF_FOREACH(netif)
    {
        struct wyrm_lwip *lwip = wyrm_lwip_of(netif);

        if (lwip != NULL && attached(netif, addr) == OWN_CLAIM) {
            return lwip;
        }
    }
    return NULL;
}

/* The tunnel that `src` belongs to; NULL: none. */
static struct wyrm_lwip *tunnel_behind(const ip_addr_t *src, enum kind kind)
{
    struct netif *netif = claimant(src, kind == ORDINARY);

    return netif == NULL ? NULL : wyrm_lwip_of(netif);
}

/* Consumes and counts a packet that has come past the tunnel it claims to come from, or to whose
 * address it goes. */
static int drop_spoofed(struct pbuf *p, struct netif *inp, const ip_addr_t *src,
                        const ip_addr_t *dest, enum kind kind)
{
    struct wyrm_lwip *lwip = tunnel_at(dest);

    if (lwip == NULL && kind != OUTSIDE && wyrm_lwip_of(inp) == NULL) {
        lwip = tunnel_behind(src, kind);
    }
    if (lwip == NULL || inp == &lwip->netif) {
        return 0;
    }
    lwip->counters.spoofed++;
    pbuf_free(p);
    return 1;
}

#if LWIP_IPV4
/* lwIP completes no datagram without its first fragment, so the others may pass. */
static enum kind kind_of4(const struct pbuf *p, const struct netif *inp)
{
    const struct ip_hdr *ip = p->payload;

    if (IPH_PROTO(ip) != IP_PROTO_UDP) {
        return ORDINARY;
    }
    if ((IPH_OFFSET(ip) & PP_HTONS(IP_OFFMASK)) != 0) {
        return OUTSIDE;
    }
    return kind_of_port(inp, get16(p, (uint16_t)(IPH_HL_BYTES(ip) + 2)),
                        LWIP_IANA_PORT_DHCP_CLIENT);
}

int wyrm_lwip_input4(struct pbuf *p, struct netif *inp)
{
    const struct ip_hdr *ip = p->payload;
    ip_addr_t src, dest;

    if (p->len < IP_HLEN) {
        return 0; /* lwIP drops it */
    }
    ip_addr_copy_from_ip4(src, ip->src);
    ip_addr_copy_from_ip4(dest, ip->dest);
    return drop_spoofed(p, inp, &src, &dest, kind_of4(p, inp));
}
#endif

#if LWIP_IPV6
/* Behind one short extension header at most; more than that nobody we know sends. */
static enum kind kind_of6(const struct pbuf *p, const struct netif *inp)
{
    enum { HEADER_LEN = 8, MLD_QUERY = 130, REDIRECT = 137 };
    uint8_t next = IP6H_NEXTH((const struct ip6_hdr *)p->payload);
    uint16_t at = IP6_HLEN;
    bool later = false; /* a fragment other than the first */

    if (next == IP6_NEXTH_FRAGMENT ||
        (next == IP6_NEXTH_HOPBYHOP && pbuf_get_at(p, IP6_HLEN + 1) == 0)) {
        later = next == IP6_NEXTH_FRAGMENT && get16(p, IP6_HLEN + 2) >= 8;
        next = pbuf_get_at(p, IP6_HLEN);
        at += HEADER_LEN;
    }
    if (next == IP6_NEXTH_UDP) {
        return later ? OUTSIDE : kind_of_port(inp, get16(p, (uint16_t)(at + 2)), DHCP6_CLIENT_PORT);
    }
    uint8_t type = pbuf_get_at(p, at);

    if (next != IP6_NEXTH_ICMP6 || later) {
        return ORDINARY;
    }
    if (type < ICMP6_TYPE_EREQ) {
        return OUTSIDE; /* errors: never answered, and they tell the MTU of the way to an endpoint
                         */
    }
    return type >= MLD_QUERY && type <= REDIRECT ? NEIGHBOUR : ORDINARY;
}

int wyrm_lwip_input6(struct pbuf *p, struct netif *inp)
{
    const struct ip6_hdr *ip = p->payload;
    ip_addr_t src, dest;

    if (p->len < IP6_HLEN) {
        return 0; /* lwIP drops it */
    }
    ip_addr_copy_from_ip6_packed(src, ip->src);
    ip_addr_copy_from_ip6_packed(dest, ip->dest);
    ip6_addr_assign_zone(ip_2_ip6(&src), IP6_UNICAST, inp);
    ip6_addr_assign_zone(ip_2_ip6(&dest), IP6_UNKNOWN, inp);
    return drop_spoofed(p, inp, &src, &dest, kind_of6(p, inp));
}
#endif

#else
typedef int wyrm_lwip_route_is_not_built; /* ISO C wants something in every file */
#endif

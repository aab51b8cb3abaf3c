/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * lwIP's routing and input hooks: choose the interface for an outgoing packet, and drop incoming
 * packets that forge an address behind a tunnel. Both find the interface that best matches an
 * address. Everything here requires lwIP's core lock.
 */
#include "wyrm_lwip_private.h"

#if WYRM_PORT_LWIP

#include "lwip/prot/dhcp6.h"
#include "lwip/prot/iana.h"
#include "lwip/prot/icmp6.h"
#include "lwip/prot/ip.h"
#include "lwip/prot/ip4.h"
#include "lwip/prot/ip6.h"
#include "lwip/udp.h"

/* How well an interface matches an address: the length of the longest prefix that contains the
 * address, or one of these. */
enum { NO_MATCH = -1, STRICT_MATCH = 129, OWN_ADDRESS = 130 };

/* ---- Matching ---------------------------------------------------------------- */

#if LWIP_IPV4
static int match_addresses4(const struct netif *netif, const ip4_addr_t *addr)
{
    const ip4_addr_t *own = netif_ip4_addr(netif), *mask = netif_ip4_netmask(netif);

    if (ip4_addr_isany_val(*own) || !ip4_addr_net_eq(addr, own, mask))
        return NO_MATCH;
    return ip4_addr_eq(addr, own) ? OWN_ADDRESS : (int)wyrm_lwip_mask_bits(mask);
}
#endif

#if LWIP_IPV6
/* lwIP treats each IPv6 address of an interface as part of a /64. */
static int match_addresses6(const struct netif *netif, const ip6_addr_t *addr)
{
    int match = NO_MATCH;

    for (s8_t i = 0; i < LWIP_IPV6_NUM_ADDRESSES && match != OWN_ADDRESS; i++) {
        const ip6_addr_t *own = netif_ip6_addr(netif, i);

        if (ip6_addr_isvalid(netif_ip6_addr_state(netif, i)) && ip6_addr_net_eq(addr, own))
            match = ip6_addr_eq(addr, own) ? OWN_ADDRESS : 64;
    }
    return match;
}
#endif

/* Match of an interface by its own addresses and their prefixes. */
static int match_addresses(const struct netif *netif, const ip_addr_t *addr)
{
#if LWIP_IPV6
    if (IP_IS_V6(addr))
        return match_addresses6(netif, ip_2_ip6(addr));
#endif
#if LWIP_IPV4
    return match_addresses4(netif, ip_2_ip4(addr));
#else
    return NO_MATCH;
#endif
}

/* Match of a tunnel by its peers' allowed prefixes. Multicast and link-local addresses are specific
 * to a link; only the strict policy treats them like other addresses. */
static int match_routes(const struct wyrm_lwip *lwip, const ip_addr_t *addr, bool honour_strict)
{
    const struct wyrm_route *route =
        wyrm_route_match(lwip->device, IP_IS_V6(addr) ? 6 : 4, (const uint8_t *)addr);
    bool strict = honour_strict && lwip->strict;

    if (route == NULL ||
        (!strict && (ip_addr_ismulticast(addr) || (IP_IS_V6(addr) && ip_addr_islinklocal(addr)))))
        return NO_MATCH;
    return strict ? STRICT_MATCH : route->bits;
}

/* The interface that matches best; a tunnel wins ties. NULL: none matches. Ignores a tunnel that is
 * sending a datagram of its own, which must leave through another interface. */
static struct netif *best_match(const ip_addr_t *addr, bool honour_strict)
{
    struct netif *netif, *best = NULL;
    int longest = NO_MATCH;

    if (ip_addr_isloopback(addr))
        return NULL;
    NETIF_FOREACH(netif)
    {
        struct wyrm_lwip *lwip = wyrm_lwip_from_netif(netif);

        if (!netif_is_up(netif) || !netif_is_link_up(netif) || (lwip != NULL && lwip->sending))
            continue;
        int match = match_addresses(netif, addr);
        if (lwip != NULL && match != OWN_ADDRESS)
            match = LWIP_MAX(match, match_routes(lwip, addr, honour_strict));
        if (match > longest || (lwip != NULL && match == longest && match != NO_MATCH)) {
            longest = match;
            best = netif;
        }
    }
    return best;
}

/* ---- Routing hooks ------------------------------------------------------------ */

#if LWIP_IPV4
struct netif *wyrm_lwip_route4(const ip4_addr_t *src, const ip4_addr_t *dest)
{
    ip_addr_t addr;

    LWIP_UNUSED_ARG(src);
    ip_addr_copy_from_ip4(addr, *dest);
    return best_match(&addr, true);
}
#endif

#if LWIP_IPV6
struct netif *wyrm_lwip_route6(const ip6_addr_t *src, const ip6_addr_t *dest)
{
    ip_addr_t addr;

    LWIP_UNUSED_ARG(src);
    ip_addr_copy_from_ip6(addr, *dest);
    struct netif *netif = best_match(&addr, true);

    /* NULL lets lwIP choose among the other interfaces: it knows which prefixes are on-link. */
    return netif == NULL || wyrm_lwip_from_netif(netif) == NULL ? NULL : netif;
}
#endif

/* ---- Input hooks -------------------------------------------------------------- */

/* Which source addresses another interface may deliver. CHECKED: none that routes into a tunnel,
 * for lwIP would answer it and applications would take it for a peer. NEIGHBOUR: also those of
 * attached networks, whatever the strict policy says, so that neighbour discovery works. EXEMPT:
 * all. */
enum source_check { CHECKED, NEIGHBOUR, EXEMPT };

static uint16_t get16(const struct pbuf *p, uint16_t at)
{
    return (uint16_t)(pbuf_get_at(p, at) << 8 | pbuf_get_at(p, (uint16_t)(at + 1)));
}

/* Exempt are the tunnels' own ports, lwIP's DHCP client, and sockets that the application has bound
 * to this interface: their replies leave through it too. */
static enum source_check check_of_port(const struct netif *inp, uint16_t port, uint16_t dhcp_port)
{
    const struct udp_pcb *pcb = udp_pcbs;

    while (pcb != NULL && (pcb->local_port != port || (pcb->recv != wyrm_lwip_receive &&
                                                       pcb->netif_idx != netif_get_index(inp))))
        pcb = pcb->next;
    return pcb != NULL || port == dhcp_port ? EXEMPT : CHECKED;
}

/* The tunnel that has the address `addr`; NULL: none. */
static struct wyrm_lwip *tunnel_with_address(const ip_addr_t *addr)
{
    struct netif *netif;

    NETIF_FOREACH(netif)
    {
        struct wyrm_lwip *lwip = wyrm_lwip_from_netif(netif);

        if (lwip != NULL && match_addresses(netif, addr) == OWN_ADDRESS)
            return lwip;
    }
    return NULL;
}

/* The tunnel that packets to `src` would be routed into; NULL: none. */
static struct wyrm_lwip *tunnel_towards(const ip_addr_t *src, enum source_check check)
{
    struct netif *netif = best_match(src, check == CHECKED);

    return netif == NULL ? NULL : wyrm_lwip_from_netif(netif);
}

/* Frees and counts a packet if it is for an address of a tunnel, or from an address behind one, but
 * did not arrive through it. Returns 1 if so. */
static int drop_spoofed(struct pbuf *p, struct netif *inp, const ip_addr_t *src,
                        const ip_addr_t *dest, enum source_check check)
{
    struct wyrm_lwip *lwip = tunnel_with_address(dest);

    if (lwip == NULL && check != EXEMPT && wyrm_lwip_from_netif(inp) == NULL)
        lwip = tunnel_towards(src, check);
    if (lwip == NULL || inp == &lwip->netif)
        return 0;
    lwip->counters.spoofed++;
    pbuf_free(p);
    return 1;
}

#if LWIP_IPV4
/* Later fragments may pass: without the first one, lwIP does not reassemble the datagram. */
static enum source_check check_of4(const struct pbuf *p, const struct netif *inp)
{
    const struct ip_hdr *ip = p->payload;

    if (IPH_PROTO(ip) != IP_PROTO_UDP)
        return CHECKED;
    if ((IPH_OFFSET(ip) & PP_HTONS(IP_OFFMASK)) != 0)
        return EXEMPT;
    return check_of_port(inp, get16(p, (uint16_t)(IPH_HL_BYTES(ip) + 2)),
                         LWIP_IANA_PORT_DHCP_CLIENT);
}

int wyrm_lwip_input4(struct pbuf *p, struct netif *inp)
{
    const struct ip_hdr *ip = p->payload;
    ip_addr_t src, dest;

    if (p->len < IP_HLEN)
        return 0; /* lwIP drops it */
    ip_addr_copy_from_ip4(src, ip->src);
    ip_addr_copy_from_ip4(dest, ip->dest);
    return drop_spoofed(p, inp, &src, &dest, check_of4(p, inp));
}
#endif

#if LWIP_IPV6
/* Looks behind one extension header of eight bytes; known senders use no more. */
static enum source_check check_of6(const struct pbuf *p, const struct netif *inp)
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
    if (next == IP6_NEXTH_UDP)
        return later ? EXEMPT : check_of_port(inp, get16(p, (uint16_t)(at + 2)), DHCP6_CLIENT_PORT);
    uint8_t type = pbuf_get_at(p, at);

    if (next != IP6_NEXTH_ICMP6 || later)
        return CHECKED;
    if (type < ICMP6_TYPE_EREQ)
        return EXEMPT; /* errors are never answered, and report the path MTU to an endpoint */
    return type >= MLD_QUERY && type <= REDIRECT ? NEIGHBOUR : CHECKED;
}

int wyrm_lwip_input6(struct pbuf *p, struct netif *inp)
{
    const struct ip6_hdr *ip = p->payload;
    ip_addr_t src, dest;

    if (p->len < IP6_HLEN)
        return 0; /* lwIP drops it */
    ip_addr_copy_from_ip6_packed(src, ip->src);
    ip_addr_copy_from_ip6_packed(dest, ip->dest);
    ip6_addr_assign_zone(ip_2_ip6(&src), IP6_UNICAST, inp);
    ip6_addr_assign_zone(ip_2_ip6(&dest), IP6_UNKNOWN, inp);
    return drop_spoofed(p, inp, &src, &dest, check_of6(p, inp));
}
#endif

#endif /* WYRM_PORT_LWIP */

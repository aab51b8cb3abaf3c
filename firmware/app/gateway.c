/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * lwIP's own forwarding clears the checksums of IPv4 packets, reports no path MTU and never sends a
 * packet back into the interface that it came from, which a hub of peers needs. So lwIP's hooks
 * pass the packets that are for somebody else to this module.
 */
#include "gateway.h"

#include <string.h>

#include "lwip/icmp.h"
#include "lwip/icmp6.h"
#include "lwip/inet_chksum.h"
#include "lwip/ip.h"
#include "lwip/ip4_frag.h"
#include "lwip/netif.h"
#include "lwip/prot/ip.h"
#include "lwip/prot/ip4.h"
#include "lwip/prot/ip6.h"
#include "lwip/sys.h"
#include "lwip/tcpip.h"

#include "commands.h"
#include "conf.h"
#include "console.h"
#include "lwip_hooks.h"
#include "net.h"
#include "shell.h"
#include "tunnel_device.h"

#define ERROR_HEADER   8
#define ERROR4_MAX     576  /* RFC 1812 section 4.3.2.3 */
#define ERROR6_MAX     1280 /* RFC 4443 section 2.4 (c) */
#define ERRORS_AT_ONCE 10   /* and as many per second (RFC 4443 section 2.4 (f)) */

struct netif *gateway_in4;
static bool forwarding;
static struct gateway_counters counters;

/* A packet for somebody else, and the two interfaces. */
struct transit {
    struct pbuf *p;
    struct netif *in, *out;
    ip_addr_t src, dest;
    uint8_t *hops; /* TTL or hop limit */
    uint8_t protocol;
    uint8_t header_len;
    bool later_fragment, may_fragment;
};

void gateway_switch(bool on)
{
    forwarding = on;
}

bool gateway_is_on(void)
{
    return forwarding;
}

void gateway_count(struct gateway_counters *out)
{
    *out = counters;
}

/* ---- where to ---- */

static bool is_ours6(const ip6_addr_t *address)
{
    struct netif *netif;

    NETIF_FOREACH(netif)
    {
        if (netif_get_ip6_addr_match(netif, address) >= 0)
            return true;
    }
    return false;
}

/* A host of the attached network, other than this device. */
static bool is_neighbor4(const ip4_addr_t *address)
{
    const struct netif *lan = net_interface();
    const ip4_addr_t *own = netif_ip4_addr(lan), *mask = netif_ip4_netmask(lan);

    return !ip4_addr_isany_val(*own) && ip4_addr_net_eq(address, own, mask) &&
           !ip4_addr_eq(address, own) && !ip4_addr_isbroadcast(address, lan) &&
           (address->addr & ~mask->addr) != 0;
}

/* lwIP treats each of its addresses as part of a /64. */
static bool is_neighbor6(const ip6_addr_t *address)
{
    const struct netif *lan = net_interface();

    if (ip6_addr_islinklocal(address) || ip6_addr_ismulticast(address))
        return false;
    for (s8_t i = 1; i < LWIP_IPV6_NUM_ADDRESSES; i++)
        if (ip6_addr_isvalid(netif_ip6_addr_state(lan, i)) &&
            ip6_addr_net_eq(address, netif_ip6_addr(lan, i)))
            return !is_ours6(address);
    return false;
}

static bool is_neighbor(const ip_addr_t *address)
{
    return IP_IS_V6(address) ? is_neighbor6(ip_2_ip6(address)) : is_neighbor4(ip_2_ip4(address));
}

static struct netif *route(const ip_addr_t *address)
{
    return IP_IS_V6(address) ? wyrm_lwip_route6(NULL, ip_2_ip6(address))
                             : wyrm_lwip_route4(NULL, ip_2_ip4(address));
}

/* An address behind the tunnel, by the same choice that routes packets to it. */
static bool is_remote(const ip_addr_t *address)
{
    struct netif *tunnel = wyrm_lwip_netif(tunnel_lwip());
    bool own =
        tunnel && (IP_IS_V6(address) ? netif_get_ip6_addr_match(tunnel, ip_2_ip6(address)) >= 0
                                     : ip4_addr_eq(ip_2_ip4(address), netif_ip4_addr(tunnel)));

    return tunnel && !own && !ip_addr_ismulticast(address) && route(address) == tunnel;
}

/* Both ends must be where routing would look for them; an address cannot be at both places. */
static struct netif *next_interface(const struct transit *t)
{
    struct netif *lan = net_interface(), *tunnel = wyrm_lwip_netif(tunnel_lwip());

    if (!tunnel || !netif_is_up(tunnel))
        return NULL;
    if (t->in == lan)
        return is_neighbor(&t->src) && !is_remote(&t->src) && is_remote(&t->dest) ? tunnel : NULL;
    if (t->in != tunnel || !is_remote(&t->src))
        return NULL;
    if (is_remote(&t->dest))
        return tunnel; /* from one peer to another */
    return is_neighbor(&t->dest) ? lan : NULL;
}

/* ---- errors to the sender ---- */

/* Only about what cannot be an error itself. */
static bool may_report(const struct transit *t)
{
    uint8_t type = pbuf_get_at(t->p, t->header_len);

    if (t->later_fragment)
        return false;
    if (t->protocol == IP_PROTO_TCP || t->protocol == IP_PROTO_UDP)
        return true;
    if (IP_IS_V6(&t->src))
        return t->protocol == IP6_NEXTH_ICMP6 &&
               (type == ICMP6_TYPE_EREQ || type == ICMP6_TYPE_EREP);
    return t->protocol == IP_PROTO_ICMP && (type == ICMP_ECHO || type == ICMP_ER);
}

static bool take_turn(void)
{
    static uint32_t since, count;
    uint32_t now = sys_now();

    if (now - since >= 1000) {
        since = now;
        count = 0;
    }
    return count++ < ERRORS_AT_ONCE;
}

/* Types and codes by family; both kinds of header have the MTU at the same offset. */
static void report(const struct transit *t, uint8_t type, uint8_t code, uint32_t mtu)
{
    bool six = IP_IS_V6(&t->src);
    uint16_t room = six ? ERROR6_MAX - IP6_HLEN : ERROR4_MAX - IP_HLEN;
    uint16_t quoted = LWIP_MIN(t->p->tot_len, (uint16_t)(room - ERROR_HEADER));
    const ip_addr_t *own = ip_netif_get_local_ip(t->in, &t->src);

    if (!own || ip_addr_isany(own) || !may_report(t) || !take_turn())
        return;
    struct pbuf *q = pbuf_alloc(PBUF_IP, (uint16_t)(ERROR_HEADER + quoted), PBUF_RAM);

    if (!q)
        return;
    struct icmp6_hdr *error = q->payload;
    uint8_t protocol = six ? IP6_NEXTH_ICMP6 : IP_PROTO_ICMP;

    *error = (struct icmp6_hdr){.type = type, .code = code, .data = lwip_htonl(mtu)};
    (void)pbuf_copy_partial(t->p, error + 1, quoted, 0);
    error->chksum =
        six ? ip_chksum_pseudo(q, protocol, q->tot_len, own, &t->src) : inet_chksum_pbuf(q);
    (void)ip_output_if(q, own, &t->src, ICMP_TTL, 0, protocol, t->in);
    pbuf_free(q);
}

static void report_expired(const struct transit *t)
{
    counters.expired++;
    if (IP_IS_V6(&t->src))
        report(t, ICMP6_TYPE_TE, ICMP6_TE_HL, 0);
    else
        report(t, ICMP_TE, ICMP_TE_TTL, 0);
}

static void report_too_big(const struct transit *t)
{
    counters.too_big++;
    if (IP_IS_V6(&t->src))
        report(t, ICMP6_TYPE_PTB, 0, t->out->mtu);
    else
        report(t, ICMP_DUR, ICMP_DUR_FRAG, t->out->mtu);
}

/* ---- forwarding ---- */

/* RFC 1624, equation 3, for a TTL that is one lower. */
static void lower_ttl(struct ip_hdr *ip)
{
    uint32_t sum = (uint32_t)lwip_ntohs(IPH_CHKSUM(ip)) + 0x100;

    IPH_TTL_SET(ip, IPH_TTL(ip) - 1);
    IPH_CHKSUM_SET(ip, lwip_htons((uint16_t)(sum + (sum >> 16))));
}

static err_t send(const struct transit *t)
{
    if (IP_IS_V6(&t->dest)) {
        (*t->hops)--;
        return t->out->output_ip6(t->out, t->p, ip_2_ip6(&t->dest));
    }
    lower_ttl(t->p->payload);
    if (t->p->tot_len > t->out->mtu)
        return ip4_frag(t->p, t->out, ip_2_ip4(&t->dest));
    return t->out->output(t->out, t->p, ip_2_ip4(&t->dest));
}

static void forward(struct transit *t)
{
    t->out = next_interface(t);
    if (!t->out)
        counters.refused++;
    else if (*t->hops <= 1)
        report_expired(t);
    else if (t->p->tot_len > t->out->mtu && !t->may_fragment)
        report_too_big(t);
    else
        counters.forwarded += send(t) == ERR_OK;
}

/* lwIP has checked header, checksum and length, and frees the packet. */
int gateway_forward4(struct pbuf *p)
{
    struct ip_hdr *ip = p->payload;
    uint16_t offset = lwip_ntohs(IPH_OFFSET(ip));
    struct transit t = {.p = p,
                        .in = gateway_in4,
                        .hops = &ip->_ttl,
                        .protocol = IPH_PROTO(ip),
                        .header_len = IPH_HL_BYTES(ip),
                        .later_fragment = (offset & IP_OFFMASK) != 0,
                        .may_fragment = (offset & IP_DF) == 0};

    ip_addr_copy_from_ip4(t.src, ip->src);
    ip_addr_copy_from_ip4(t.dest, ip->dest);
    /* Options may ask for a route of the sender's choice. */
    if (forwarding && !(p->flags & (PBUF_FLAG_LLBCAST | PBUF_FLAG_LLMCAST)) &&
        t.header_len == IP_HLEN)
        forward(&t);
    else
        counters.refused += forwarding;
    return 0;
}

/* Cuts off what follows the packet, such as an Ethernet frame's padding. */
static bool trim6(struct pbuf *p)
{
    uint32_t len;

    if (p->len < IP6_HLEN)
        return false;
    len = IP6_HLEN + (uint32_t)IP6H_PLEN((const struct ip6_hdr *)p->payload);
    if (len > p->tot_len)
        return false;
    pbuf_realloc(p, (uint16_t)len);
    return true;
}

bool gateway_take6(struct pbuf *p, struct netif *in)
{
    struct ip6_hdr *ip = p->payload;
    struct transit t = {.p = p, .in = in, .header_len = IP6_HLEN};

    if (!forwarding || p->len < IP6_HLEN)
        return false;
    ip_addr_copy_from_ip6_packed(t.src, ip->src);
    ip_addr_copy_from_ip6_packed(t.dest, ip->dest);
    ip6_addr_assign_zone(ip_2_ip6(&t.src), IP6_UNICAST, in);
    ip6_addr_assign_zone(ip_2_ip6(&t.dest), IP6_UNKNOWN, in);
    if (ip_addr_ismulticast(&t.dest) || ip6_addr_islinklocal(ip_2_ip6(&t.dest)) ||
        is_ours6(ip_2_ip6(&t.dest)))
        return false;
    t.hops = &ip->_hoplim;
    t.protocol = IP6H_NEXTH(ip);
    t.later_fragment = t.protocol == IP6_NEXTH_FRAGMENT;
    if (!(p->flags & (PBUF_FLAG_LLBCAST | PBUF_FLAG_LLMCAST)) && trim6(p))
        forward(&t);
    pbuf_free(p);
    return true;
}

/* ---- the command ---- */

bool command_ip_forward(const char *word)
{
    bool on = strcmp(word, "on") == 0;

    if (!on && strcmp(word, "off") != 0)
        return shell_usage();
    conf_set_forward(on);
    LOCK_TCPIP_CORE();
    gateway_switch(on);
    UNLOCK_TCPIP_CORE();
    return true;
}

void show_ip_forward(void)
{
    struct gateway_counters c;

    LOCK_TCPIP_CORE();
    bool on = gateway_is_on();
    gateway_count(&c);
    UNLOCK_TCPIP_CORE();
    console_printf("forward    %s  forwarded %u  refused %u  expired %u  too-big %u\n",
                   on ? "on" : "off", (unsigned)c.forwarded, (unsigned)c.refused,
                   (unsigned)c.expired, (unsigned)c.too_big);
}

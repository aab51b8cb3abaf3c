/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * What a tunnel does to plain packets besides encrypting them: check sums in software, the TCP
 * segment size, ICMP errors to the sender, and no neighbour discovery. Called by wyrm_lwip.c.
 */
#ifdef WYRM_PORT_LWIP

#include "wyrm_lwip_parts.h"

#include "lwip/icmp.h"
#include "lwip/icmp6.h"
#include "lwip/inet_chksum.h"
#include "lwip/ip4.h"
#include "lwip/ip6.h"
#include "lwip/prot/icmp.h"
#include "lwip/prot/icmp6.h"
#include "lwip/prot/ip4.h"
#include "lwip/prot/ip6.h"

#include <string.h>

enum {
    TCP_HEADER = 20,
    TCP_FLAGS = 13,
    TCP_SYN = 0x02,
    OPTION_END = 0,
    OPTION_NOP = 1,
    OPTION_MSS = 2,
    OPTION_MSS_LEN = 4,
    ICMP_ERROR_HEADER = 8,
    IP4_ERROR_MAX = 576,  /* RFC 1812 section 4.3.2.3 */
    IP6_ERROR_MAX = 1280, /* RFC 4443 section 2.4 (c) */
    ND_HOP_LIMIT = 255    /* RFC 4861: of every valid neighbour discovery message */
};

/* Where the parts of an inner packet are. `protocol` is 0 for a fragment other than the first. */
struct layout {
    uint8_t version, protocol;
    uint16_t header;
    bool fragment;
};

/* As pbuf_get_at; headers lie in the first piece but for odd cases. */
static inline uint8_t get8(const struct pbuf *p, uint16_t at)
{
    return at < p->len ? ((const uint8_t *)p->payload)[at] : pbuf_get_at(p, at);
}

static uint16_t get16(const struct pbuf *p, uint16_t at)
{
    return (uint16_t)(get8(p, at) << 8 | get8(p, (uint16_t)(at + 1)));
}

static void put16(struct pbuf *p, uint16_t at, uint16_t value)
{
    pbuf_put_at(p, at, (uint8_t)(value >> 8));
    pbuf_put_at(p, (uint16_t)(at + 1), (uint8_t)value);
}

/* IPv6 extension headers are not followed: what lies behind them is nobody's business here. */
static bool parse(const struct pbuf *p, struct layout *out)
{
    out->version = get8(p, 0) >> 4;
    if (out->version == 6 && p->tot_len >= IP6_HLEN) {
        out->header = IP6_HLEN;
        out->protocol = get8(p, 6);
        out->fragment = out->protocol == IP6_NEXTH_FRAGMENT;
        return true;
    }
    if (out->version == 4 && p->tot_len >= IP_HLEN) {
        uint16_t offset = get16(p, 6);

        out->header = (uint16_t)((get8(p, 0) & 15) * 4);
        out->protocol = (offset & IP_OFFMASK) != 0 ? 0 : get8(p, 9);
        out->fragment = (offset & (IP_OFFMASK | IP_MF)) != 0;
        return out->header >= IP_HLEN && out->header <= p->tot_len;
    }
    return false;
}

static void addresses(const struct pbuf *p, uint8_t version, ip_addr_t *src, ip_addr_t *dst)
{
#if LWIP_IPV6
    if (version == 6) {
        ip6_addr_p_t raw[2];

        pbuf_copy_partial(p, raw, sizeof(raw), 8);
        ip_addr_copy_from_ip6_packed(*src, raw[0]);
        ip_addr_copy_from_ip6_packed(*dst, raw[1]);
    }
#endif
#if LWIP_IPV4
    if (version == 4) {
        uint32_t raw[2];

        pbuf_copy_partial(p, raw, sizeof(raw), 12);
        ip_addr_set_ip4_u32(src, raw[0]);
        ip_addr_set_ip4_u32(dst, raw[1]);
    }
#endif
}

/* ---- Check sums -------------------------------------------------------- */

/* Position of the check sum in the transport header; 0: none that we know. */
static uint16_t checksum_at(const struct layout *l)
{
    switch (l->protocol) {
    case IP_PROTO_TCP:
        return 16;
    case IP_PROTO_UDP:
        return 6;
    case IP_PROTO_ICMP:
        return l->version == 4 ? 2 : 0;
    case IP6_NEXTH_ICMP6:
        return l->version == 6 ? 2 : 0;
    default:
        return 0;
    }
}

static uint16_t transport_checksum(struct pbuf *p, const struct layout *l)
{
    ip_addr_t src, dst;
    uint16_t sum;

    addresses(p, l->version, &src, &dst);
    pbuf_remove_header(p, l->header);
    if (l->version == 4 && l->protocol == IP_PROTO_ICMP) {
        sum = inet_chksum_pbuf(p);
    } else {
        sum = ip_chksum_pseudo(p, l->protocol, p->tot_len, &src, &dst);
    }
    pbuf_add_header_force(p, l->header);
    return lwip_ntohs(sum);
}

/* Only headers that lwIP or a driver wrote are ours to complete; both lie behind their struct. */
static bool headers_writable(const struct pbuf *p, uint16_t len)
{
    return p->len >= len && (p->type_internal & PBUF_TYPE_FLAG_STRUCT_DATA_CONTIGUOUS) != 0;
}

void wyrm_lwip_fill_checksums(struct pbuf *p)
{
    struct layout l;

    if (!parse(p, &l)) {
        return;
    }
    uint16_t at = checksum_at(&l);
    uint16_t headers = (uint16_t)(l.header + (at != 0 && !l.fragment ? at + 2 : 0));

    if (!headers_writable(p, headers)) {
        return;
    }
    if (l.version == 4 && get16(p, 10) == 0) {
        put16(p, 10, lwip_ntohs(inet_chksum(p->payload, l.header)));
    }
    if (headers == l.header || get16(p, (uint16_t)(l.header + at)) != 0) {
        return;
    }
    uint16_t sum = transport_checksum(p, &l);
    /* UDP: 0 would say "none" (RFC 768). */
    put16(p, (uint16_t)(l.header + at), sum == 0 && l.protocol == IP_PROTO_UDP ? 0xffff : sum);
}

/* ---- TCP segment size --------------------------------------------------- */

/* Position of the MSS value of a TCP SYN; 0: there is none. */
static uint16_t mss_at(const struct pbuf *p, const struct layout *l)
{
    if (l->protocol != IP_PROTO_TCP || p->tot_len < l->header + TCP_HEADER ||
        (get8(p, (uint16_t)(l->header + TCP_FLAGS)) & TCP_SYN) == 0) {
        return 0;
    }
    uint16_t end = (uint16_t)(l->header + (get8(p, (uint16_t)(l->header + 12)) >> 4) * 4);
    uint16_t at = (uint16_t)(l->header + TCP_HEADER);

    if (end > p->tot_len) {
        return 0;
    }
    while (at + OPTION_MSS_LEN <= end) {
        uint8_t kind = get8(p, at);
        uint8_t len = kind == OPTION_NOP ? 1 : get8(p, (uint16_t)(at + 1));

        if (kind == OPTION_END || len == 0) {
            return 0;
        }
        if (kind == OPTION_MSS) {
            return len == OPTION_MSS_LEN ? (uint16_t)(at + 2) : 0;
        }
        at = (uint16_t)(at + len);
    }
    return 0;
}

static uint16_t mss_limit(const struct layout *l, uint16_t mtu)
{
    return (uint16_t)(mtu - (l->version == 4 ? IP_HLEN : IP6_HLEN) - TCP_HEADER);
}

bool wyrm_lwip_mss_too_big(const struct pbuf *p, uint16_t mtu)
{
    struct layout l;

    if (!parse(p, &l)) {
        return false;
    }
    uint16_t at = mss_at(p, &l);

    return at != 0 && get16(p, at) > mss_limit(&l, mtu);
}

static uint16_t swap16(uint16_t value)
{
    return (uint16_t)(value << 8 | value >> 8);
}

void wyrm_lwip_clamp_mss(struct pbuf *p, uint16_t mtu)
{
    struct layout l;

    if (!parse(p, &l)) {
        return;
    }
    uint16_t at = mss_at(p, &l);
    uint16_t sum_at = (uint16_t)(l.header + 16);
    uint16_t old = get16(p, at), mss = mss_limit(&l, mtu);

    put16(p, at, mss);
    /* RFC 1624, equation 3. An option at an odd place spreads over two words of the sum. */
    if ((at - l.header) % 2 != 0) {
        old = swap16(old);
        mss = swap16(mss);
    }
    uint32_t sum = (uint16_t)~get16(p, sum_at);
    sum += (uint16_t)~old + (uint32_t)mss;
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    put16(p, sum_at, (uint16_t)~sum);
}

/* ---- Neighbour discovery ------------------------------------------------- */

/* lwIP believes router advertisements from any interface, and a peer with ::/0 may use any source.
 * They count only with a hop limit of 255, whatever extension headers or fragments they hide in. */
void wyrm_lwip_disarm_nd(struct pbuf *p)
{
    struct layout l;

    if (parse(p, &l) && l.version == 6 && get8(p, 7) == ND_HOP_LIMIT &&
        l.protocol != IP_PROTO_TCP && l.protocol != IP_PROTO_UDP) {
        pbuf_put_at(p, 7, ND_HOP_LIMIT - 1);
    }
}

/* ---- ICMP errors ---------------------------------------------------------- */

/* No errors about errors, fragments, packets to or from a group, or to a neighbour of nobody. */
static bool may_refuse(const struct pbuf *p, const struct layout *l, const ip_addr_t *src,
                       const ip_addr_t *dst)
{
    if (l->protocol == 0 || ip_addr_isany(src) || ip_addr_islinklocal(src) ||
        ip_addr_ismulticast(src) || ip_addr_ismulticast(dst)) {
        return false;
    }
    uint8_t type = p->tot_len > l->header ? get8(p, l->header) : 0;

    if (l->version == 6) {
        return l->protocol != IP6_NEXTH_ICMP6 || type == ICMP6_TYPE_EREQ || type == ICMP6_TYPE_EREP;
    }
    return l->protocol != IP_PROTO_ICMP || type == ICMP_ECHO || type == ICMP_ER;
}

/* An ICMP error about `p` in at most `room` bytes, all but its check sum; NULL: no memory. Both
 * families tell the MTU in the same place (RFC 1191, RFC 4443 section 3.2). */
static WYRM_LWIP_APART struct pbuf *error_about(struct wyrm_lwip *lwip, struct pbuf *p,
                                                uint16_t room, uint16_t type_and_code,
                                                enum wyrm_lwip_refusal why)
{
    uint16_t len = LWIP_MIN(p->tot_len, (uint16_t)(room - ICMP_ERROR_HEADER));
    struct pbuf *q = pbuf_alloc(PBUF_IP, (uint16_t)(ICMP_ERROR_HEADER + len), PBUF_RAM);

    if (q == NULL) {
        lwip->counters.no_memory++;
        return NULL;
    }
    memset(q->payload, 0, ICMP_ERROR_HEADER);
    put16(q, 0, type_and_code);
    if (why == WYRM_LWIP_TOO_BIG) {
        put16(q, 6, lwip->netif.mtu);
    }
    pbuf_copy_partial(p, (uint8_t *)q->payload + ICMP_ERROR_HEADER, len, 0);
    return q;
}

#if LWIP_IPV4
static void refuse4(struct wyrm_lwip *lwip, struct pbuf *p, const ip4_addr_t *src,
                    enum wyrm_lwip_refusal why)
{
    uint16_t code = why == WYRM_LWIP_TOO_BIG ? ICMP_DUR_FRAG : ICMP_DUR_HOST;
    struct netif *netif = ip4_route(src);
    struct pbuf *q = netif == NULL ? NULL
                                   : error_about(lwip, p, IP4_ERROR_MAX - IP_HLEN,
                                                 (uint16_t)(ICMP_DUR << 8 | code), why);

    if (q == NULL) {
        return;
    }
    put16(q, 2, lwip_ntohs(inet_chksum_pbuf(q)));
    (void)ip4_output_if(q, netif_ip4_addr(&lwip->netif), src, ICMP_TTL, 0, IP_PROTO_ICMP, netif);
    pbuf_free(q);
}
#endif

#if LWIP_IPV6
static void refuse6(struct wyrm_lwip *lwip, struct pbuf *p, const ip6_addr_t *src,
                    enum wyrm_lwip_refusal why)
{
    const ip_addr_t *own = ip6_select_source_address(&lwip->netif, src);
    struct netif *netif = own == NULL ? NULL : ip6_route(ip_2_ip6(own), src);
    uint16_t code =
        why == WYRM_LWIP_TOO_BIG ? ICMP6_TYPE_PTB << 8 : ICMP6_TYPE_DUR << 8 | ICMP6_DUR_ADDRESS;
    struct pbuf *q =
        netif == NULL ? NULL : error_about(lwip, p, IP6_ERROR_MAX - IP6_HLEN, code, why);

    if (q == NULL) {
        return;
    }
    put16(q, 2, lwip_ntohs(ip6_chksum_pseudo(q, IP6_NEXTH_ICMP6, q->tot_len, ip_2_ip6(own), src)));
    (void)ip6_output_if(q, ip_2_ip6(own), src, LWIP_ICMP6_HL, 0, IP6_NEXTH_ICMP6, netif);
    pbuf_free(q);
}
#endif

void wyrm_lwip_refuse(struct wyrm_lwip *lwip, struct pbuf *p, enum wyrm_lwip_refusal why)
{
    struct layout l;
    ip_addr_t src = {0}, dst = {0};

    /* The error itself may come back to us, if its receiver is behind this tunnel: once only. */
    if (lwip->complaining) {
        return;
    }
    if (why == WYRM_LWIP_TOO_BIG) {
        lwip->counters.too_big++;
    } else {
        lwip->counters.unreachable++;
    }
    if (!parse(p, &l)) {
        return;
    }
    addresses(p, l.version, &src, &dst);
    if (!may_refuse(p, &l, &src, &dst)) {
        return;
    }
    lwip->complaining = true;
#if LWIP_IPV4
    if (l.version == 4) {
        refuse4(lwip, p, ip_2_ip4(&src), why);
    }
#endif
#if LWIP_IPV6
    if (l.version == 6) {
        refuse6(lwip, p, ip_2_ip6(&src), why);
    }
#endif
    lwip->complaining = false;
}

#else
typedef int wyrm_lwip_inner_is_not_built; /* ISO C wants something in every file */
#endif

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Inner packets: checksums that lwIP left to hardware, MSS clamping, ICMP errors to the sender.
 */
#include "wyrm_lwip_private.h"

#if WYRM_PORT_LWIP

#include "lwip/icmp.h"
#include "lwip/icmp6.h"
#include "lwip/inet_chksum.h"
#include "lwip/ip4.h"
#include "lwip/ip6.h"
#include "lwip/prot/icmp.h"
#include "lwip/prot/icmp6.h"
#include "lwip/prot/ip4.h"
#include "lwip/prot/ip6.h"
#include "lwip/sys.h"

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
    IP4_ERROR_MAX = 576,     /* RFC 1812 section 4.3.2.3 */
    IP6_ERROR_MAX = 1280,    /* RFC 4443 section 2.4 (c) */
    ERROR_INTERVAL_MS = 100, /* RFC 4443 section 2.4 (f): ten per second, bursts of ten */
    ERROR_BURST = 10
};

/* A parsed inner packet. `protocol` is 0 for a fragment other than the first. */
struct layout {
    uint16_t header;
    uint8_t version, protocol;
    bool fragment;
    ip_addr_t src, dst;
};

/* pbuf_get_at() with a fast path: headers almost always lie in the first pbuf. */
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

/* Does not look behind IPv6 extension headers. Requires the IP header in the first pbuf, as lwIP
 * does. */
static bool parse(const struct pbuf *p, struct layout *out)
{
    uint8_t version = get8(p, 0) >> 4;

    out->version = version;
#if LWIP_IPV6
    const struct ip6_hdr *ip6 = p->payload;

    if (p->len >= IP6_HLEN && version == 6) {
        out->header = IP6_HLEN;
        out->protocol = IP6H_NEXTH(ip6);
        out->fragment = out->protocol == IP6_NEXTH_FRAGMENT;
        ip_addr_copy_from_ip6_packed(out->src, ip6->src);
        ip_addr_copy_from_ip6_packed(out->dst, ip6->dest);
        return true;
    }
#endif
#if LWIP_IPV4
    const struct ip_hdr *ip4 = p->payload;

    if (p->len >= IP_HLEN && version == 4) {
        uint16_t offset = lwip_ntohs(IPH_OFFSET(ip4));

        out->header = IPH_HL_BYTES(ip4);
        out->protocol = (offset & IP_OFFMASK) != 0 ? 0 : IPH_PROTO(ip4);
        out->fragment = (offset & (IP_OFFMASK | IP_MF)) != 0;
        ip_addr_set_ip4_u32(&out->src, ip4->src.addr);
        ip_addr_set_ip4_u32(&out->dst, ip4->dest.addr);
        return out->header >= IP_HLEN && out->header <= p->len;
    }
#endif
    return false;
}

/* ---- Checksums --------------------------------------------------------- */

/* Offset of the checksum in the transport header; 0: unknown protocol. */
static uint16_t checksum_offset(const struct layout *l)
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

/* Checksum of the transport segment in `p`, in network order. */
static uint16_t transport_checksum(struct pbuf *p, uint8_t protocol, const ip_addr_t *src,
                                   const ip_addr_t *dst)
{
    return protocol == IP_PROTO_ICMP ? inet_chksum_pbuf(p)
                                     : ip_chksum_pseudo(p, protocol, p->tot_len, src, dst);
}

/* True if the first `len` bytes may be changed: they are contiguous and were allocated with the
 * pbuf, as the headers that lwIP or a driver wrote are. */
static bool headers_writable(const struct pbuf *p, uint16_t len)
{
    return p->len >= len && (p->type_internal & PBUF_TYPE_FLAG_STRUCT_DATA_CONTIGUOUS) != 0;
}

void wyrm_lwip_fill_checksums(struct pbuf *p)
{
    struct layout l;

    if (!parse(p, &l))
        return;
    uint16_t at = checksum_offset(&l);
    uint16_t headers = (uint16_t)(l.header + (at != 0 && !l.fragment ? at + 2 : 0));

    if (!headers_writable(p, headers))
        return;
    if (l.version == 4 && get16(p, 10) == 0)
        put16(p, 10, lwip_ntohs(inet_chksum(p->payload, l.header)));
    if (headers == l.header || get16(p, (uint16_t)(l.header + at)) != 0)
        return;
    pbuf_remove_header(p, l.header);
    uint16_t sum = lwip_ntohs(transport_checksum(p, l.protocol, &l.src, &l.dst));
    pbuf_add_header_force(p, l.header);
    /* In UDP, 0 means "no checksum" (RFC 768). */
    put16(p, (uint16_t)(l.header + at), sum == 0 && l.protocol == IP_PROTO_UDP ? 0xffff : sum);
}

/* ---- MSS clamping ------------------------------------------------------- */

/* Offset of the MSS value in a TCP SYN; 0: not a SYN, or no MSS option. */
static uint16_t find_mss(const struct pbuf *p, uint16_t tcp)
{
    uint16_t end = (uint16_t)(tcp + (get8(p, (uint16_t)(tcp + 12)) >> 4) * 4);
    uint16_t at = (uint16_t)(tcp + TCP_HEADER);

    if (end > p->tot_len || (get8(p, (uint16_t)(tcp + TCP_FLAGS)) & TCP_SYN) == 0)
        return 0;
    while (at + OPTION_MSS_LEN <= end) {
        uint8_t kind = get8(p, at);
        uint8_t len = kind == OPTION_NOP ? 1 : get8(p, (uint16_t)(at + 1));

        if (kind == OPTION_END || len == 0)
            return 0;
        if (kind == OPTION_MSS)
            return len == OPTION_MSS_LEN ? (uint16_t)(at + 2) : 0;
        at = (uint16_t)(at + len);
    }
    return 0;
}

bool wyrm_lwip_mss_too_big(const struct pbuf *p, uint16_t mtu, struct wyrm_lwip_mss *out)
{
    struct layout l;

    if (!parse(p, &l) || l.protocol != IP_PROTO_TCP || p->tot_len < l.header + TCP_HEADER)
        return false;
    out->offset = find_mss(p, l.header);
    out->checksum_offset = (uint16_t)(l.header + 16);
    out->limit = (uint16_t)(mtu - (l.version == 4 ? IP_HLEN : IP6_HLEN) - TCP_HEADER);
    return out->offset != 0 && get16(p, out->offset) > out->limit;
}

static uint16_t swap16(uint16_t value)
{
    return (uint16_t)(value << 8 | value >> 8);
}

void wyrm_lwip_clamp_mss(struct pbuf *p, uint16_t start, const struct wyrm_lwip_mss *mss)
{
    uint16_t at = (uint16_t)(start + mss->offset),
             sum_at = (uint16_t)(start + mss->checksum_offset);
    uint16_t old = get16(p, at), new = mss->limit;

    put16(p, at, new);
    /* RFC 1624, equation 3. A value at an odd offset spans two words of the checksum; the length of
     * an IP header is even. */
    if (mss->offset % 2 != 0) {
        old = swap16(old);
        new = swap16(new);
    }
    uint32_t sum = (uint16_t)~get16(p, sum_at);
    sum += (uint16_t)~old + (uint32_t) new;
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    put16(p, sum_at, (uint16_t)~sum);
}

/* ---- ICMP errors ---------------------------------------------------------- */

/* No errors about ICMP errors, fragments, multicast, or packets whose source is no unicast address
 * that can be reached through routing (RFC 1122 section 3.2.2, RFC 4443 section 2.4 e). */
static bool may_send_error(const struct pbuf *p, const struct layout *l)
{
    if (l->protocol == 0 || ip_addr_isany(&l->src) || ip_addr_islinklocal(&l->src) ||
        ip_addr_ismulticast(&l->src) || ip_addr_ismulticast(&l->dst))
        return false;
    uint8_t type = get8(p, l->header);

    if (l->version == 6)
        return l->protocol != IP6_NEXTH_ICMP6 || type == ICMP6_TYPE_EREQ || type == ICMP6_TYPE_EREP;
    return l->protocol != IP_PROTO_ICMP || type == ICMP_ECHO || type == ICMP_ER;
}

/* ICMP and ICMPv6 errors have the same header, with the MTU at the same offset (RFC 1191, RFC 4443
 * section 3.2). */
static void fill_icmp_error(struct icmp6_hdr *icmp, uint8_t version, enum wyrm_lwip_error error,
                            uint16_t mtu)
{
    static const struct {
        uint8_t type, code;
    } kinds[2][2] = {
        [WYRM_LWIP_UNREACHABLE] = {{ICMP_DUR, ICMP_DUR_HOST}, {ICMP6_TYPE_DUR, ICMP6_DUR_ADDRESS}},
        [WYRM_LWIP_TOO_BIG] = {{ICMP_DUR, ICMP_DUR_FRAG}, {ICMP6_TYPE_PTB, 0}},
    };

    icmp->type = kinds[error][version == 6].type;
    icmp->code = kinds[error][version == 6].code;
    icmp->chksum = 0;
    icmp->data = error == WYRM_LWIP_TOO_BIG ? lwip_htonl(mtu) : 0;
}

static WYRM_NOINLINE void send_error(struct wyrm_lwip *lwip, struct pbuf *p, const struct layout *l,
                                     enum wyrm_lwip_error error)
{
    uint16_t room = l->version == 6 ? IP6_ERROR_MAX - IP6_HLEN : IP4_ERROR_MAX - IP_HLEN;
    uint8_t protocol = l->version == 6 ? IP6_NEXTH_ICMP6 : IP_PROTO_ICMP;
    uint16_t quoted = LWIP_MIN(p->tot_len, (uint16_t)(room - ICMP_ERROR_HEADER));
    const ip_addr_t *own = ip_netif_get_local_ip(&lwip->netif, &l->src);
    struct netif *netif = own == NULL ? NULL : ip_route(own, &l->src);

    if (netif == NULL)
        return;
    struct pbuf *q = pbuf_alloc(PBUF_IP, (uint16_t)(ICMP_ERROR_HEADER + quoted), PBUF_RAM);

    if (q == NULL) {
        lwip->counters.no_memory++;
        return;
    }
    struct icmp6_hdr *icmp = q->payload;

    fill_icmp_error(icmp, l->version, error, lwip->netif.mtu);
    pbuf_copy_partial(p, icmp + 1, quoted, 0);
    icmp->chksum = transport_checksum(q, protocol, own, &l->src);
    (void)ip_output_if(q, own, &l->src, ICMP_TTL, 0, protocol, netif);
    pbuf_free(q);
}

/* A token bucket, stored as the time when it will be full. A time that is not within reach has
 * passed, perhaps so long ago that lwIP's clock has wrapped since. */
static bool take_token(struct wyrm_lwip *lwip)
{
    uint32_t now = sys_now();
    uint32_t wait = lwip->errors_full - now;

    if (wait > ERROR_BURST * ERROR_INTERVAL_MS)
        wait = 0;
    if (wait > (ERROR_BURST - 1) * ERROR_INTERVAL_MS)
        return false;
    lwip->errors_full = now + wait + ERROR_INTERVAL_MS;
    return true;
}

void wyrm_lwip_send_icmp_error(struct wyrm_lwip *lwip, struct pbuf *p, enum wyrm_lwip_error error)
{
    struct layout l;

    /* The error may itself be routed into this tunnel; do not answer it with another one. */
    if (!lwip->sending_error && parse(p, &l) && may_send_error(p, &l) && take_token(lwip)) {
        lwip->sending_error = true;
        send_error(lwip, p, &l, error);
        lwip->sending_error = false;
    }
}

#endif /* WYRM_PORT_LWIP */

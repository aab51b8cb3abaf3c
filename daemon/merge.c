/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * One system call and one pass through the network stack for up to 64 KiB, instead of one per
 * packet. Only packets with a correct checksum are merged, because the system does not check those
 * of a merged segment again.
 */
#include "merge.h"
#include "checksum.h"

#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

enum {
    FLOWS = 8,
    PARTS = 64,
    HEADERS_MAX = 100,
    TCP_PSH = 0x08,
    TCP_ACK = 0x10,
    DONT_FRAGMENT = 0x40
};

/* A parsed packet. */
struct shape {
    uint8_t *ip;
    size_t len, ip_len, head_len;
    uint8_t protocol; /* 0: neither TCP nor UDP */
    bool mergeable;
    bool obscured; /* may belong to a flow, but its ports are not visible */
};

/* Packets to be written as one. parts[0] and parts[1] are the headers, the rest is payload. */
struct flow {
    struct shape first;
    struct iovec parts[2 + PARTS];
    uint8_t head[HEADERS_MAX];
    unsigned used; /* payloads; 0: free */
    size_t payload;
    bool closed; /* no packet may follow */
};

struct wyrmd_merge {
    const struct wyrmd_tun *tun;
    struct flow flows[FLOWS];
};

static uint32_t load(const uint8_t *p, unsigned bytes)
{
    uint32_t value = 0;

    for (unsigned i = 0; i < bytes; i++)
        value = value << 8 | p[i];
    return value;
}

static void store16(uint8_t *p, size_t value)
{
    p[0] = (uint8_t)(value >> 8);
    p[1] = (uint8_t)value;
}

struct wyrmd_merge *wyrmd_merge_new(const struct wyrmd_tun *tun)
{
    struct wyrmd_merge *merge = calloc(1, sizeof(*merge));

    if (merge != NULL)
        merge->tun = tun;
    return merge;
}

/* ---- Parsing ------------------------------------------------------------- */

/* The IPv4 header checksum counts, too: merging would replace a wrong one by a correct one. */
static bool checksums_are_correct(const struct shape *s)
{
    size_t len = s->len - s->ip_len;
    uint32_t words[5];

    memcpy(words, s->ip, sizeof(words));
    if (s->ip_len == 20 &&
        wyrmd_fold((uint64_t)words[0] + words[1] + words[2] + words[3] + words[4]) != UINT16_MAX)
        return false;
    return wyrmd_fold(wyrmd_sum(wyrmd_sum_pseudo(0, s->ip, s->protocol, len), s->ip + s->ip_len,
                                len)) == UINT16_MAX;
}

static void parse_tcp(struct shape *s)
{
    const uint8_t *tcp = s->ip + s->ip_len;

    if (s->len < s->ip_len + 20)
        return;
    s->protocol = IPPROTO_TCP;
    s->head_len = s->ip_len + (size_t)(tcp[12] >> 4) * 4;
    s->mergeable = s->head_len >= s->ip_len + 20 && s->head_len < s->len &&
                   (tcp[13] & ~TCP_PSH) == TCP_ACK && checksums_are_correct(s);
}

static void parse_udp(struct shape *s, bool offload)
{
    const uint8_t *udp = s->ip + s->ip_len;

    if (s->len < s->ip_len + 8)
        return;
    s->protocol = IPPROTO_UDP;
    s->head_len = s->ip_len + 8;
    s->mergeable = offload && s->head_len < s->len && load(udp + 4, 2) == s->len - s->ip_len &&
                   load(udp + 6, 2) != 0 && checksums_are_correct(s);
}

/* Hop-by-hop options, routing, fragment, authentication, destination options, mobility. */
static bool is_extension_header(uint8_t next)
{
    return next == 0 || next == 43 || next == 44 || next == 51 || next == 60 || next == 135;
}

/* The core has checked the IP header and that its length is `len`. */
static struct shape parse(const struct wyrmd_tun *tun, uint8_t *ip, size_t len)
{
    struct shape s = {.ip = ip, .len = len};
    uint8_t next;

    if (ip[0] == 0x45 && (load(ip + 6, 2) & 0x3fff) == 0) {
        s.ip_len = 20;
        next = ip[9];
    } else if (ip[0] >> 4 == 6) {
        s.ip_len = 40;
        next = ip[6];
        s.obscured = is_extension_header(next);
    } else {
        s.obscured = true; /* options or a fragment */
        return s;
    }
    if (next == IPPROTO_TCP)
        parse_tcp(&s);
    else if (next == IPPROTO_UDP)
        parse_udp(&s, tun->udp_offload);
    return s;
}

/* ---- Merging ------------------------------------------------------------- */

static bool same_flow(const struct shape *a, const struct shape *b)
{
    size_t at = a->ip_len == 20 ? 12 : 8;

    return a->protocol == b->protocol && a->ip_len == b->ip_len &&
           memcmp(a->ip + at, b->ip + at, a->ip_len - at) == 0 &&
           memcmp(a->ip + a->ip_len, b->ip + b->ip_len, 4) == 0;
}

/* Compares everything in the IP header but length, identification and checksum. */
static bool same_ip_header(const struct flow *f, const struct shape *s)
{
    const uint8_t *a = f->first.ip, *b = s->ip;

    if (s->ip_len == 40)
        return memcmp(a, b, 4) == 0 && a[7] == b[7];
    return a[1] == b[1] && memcmp(a + 6, b + 6, 3) == 0 &&
           (a[6] & DONT_FRAGMENT || (uint16_t)(load(a + 4, 2) + f->used) == load(b + 4, 2));
}

/* Compares acknowledgement, window and options, and checks that the sequence continues. */
static bool same_tcp_header(const struct flow *f, const struct shape *s)
{
    const uint8_t *a = f->first.ip + f->first.ip_len, *b = s->ip + s->ip_len;

    return memcmp(a + 8, b + 8, 5) == 0 && memcmp(a + 14, b + 14, 2) == 0 &&
           memcmp(a + 18, b + 18, s->head_len - s->ip_len - 18) == 0 &&
           load(a + 4, 4) + (uint32_t)f->payload == load(b + 4, 4);
}

static bool fits(const struct flow *f, const struct shape *s)
{
    size_t payload = s->len - s->head_len;

    return s->mergeable && !f->closed && f->used < PARTS && s->head_len == f->first.head_len &&
           payload <= f->first.len - f->first.head_len &&
           f->first.head_len + f->payload + payload <= PACKET_MAX && same_ip_header(f, s) &&
           (s->protocol == IPPROTO_UDP || same_tcp_header(f, s));
}

static void append(struct flow *f, const struct shape *s)
{
    size_t payload = s->len - s->head_len;
    bool pushed = s->protocol == IPPROTO_TCP && s->ip[s->ip_len + 13] & TCP_PSH;

    if (f->used == 0) {
        f->first = *s;
        f->payload = 0;
        memcpy(f->head, s->ip, s->head_len);
    }
    if (pushed)
        f->head[s->ip_len + 13] |= TCP_PSH;
    f->closed = pushed || payload < f->first.len - f->first.head_len;
    f->parts[2 + f->used++] = (struct iovec){s->ip + s->head_len, payload};
    f->payload += payload;
}

/* ---- Writing ------------------------------------------------------------- */

/* Completes the headers of a merged segment. The system completes the checksum, from the sum of the
 * pseudo header. */
static void finish_headers(struct flow *f, struct virtio_net_hdr *how)
{
    const struct shape *s = &f->first;
    uint8_t *l4 = f->head + s->ip_len;
    bool v4 = s->ip_len == 20, tcp = s->protocol == IPPROTO_TCP;
    size_t l4_len = s->head_len - s->ip_len + f->payload;
    uint16_t sum;

    *how = (struct virtio_net_hdr){
        .flags = VIRTIO_NET_HDR_F_NEEDS_CSUM,
        .gso_type = !tcp ? VIRTIO_NET_HDR_GSO_UDP_L4
                    : v4 ? VIRTIO_NET_HDR_GSO_TCPV4
                         : VIRTIO_NET_HDR_GSO_TCPV6,
        .hdr_len = (uint16_t)s->head_len,
        .gso_size = (uint16_t)(s->len - s->head_len),
        .csum_start = (uint16_t)s->ip_len,
        .csum_offset = tcp ? 16 : 6,
    };
    if (v4) {
        store16(f->head + 2, s->ip_len + l4_len);
        memset(f->head + 10, 0, 2);
        sum = (uint16_t)~wyrmd_fold(wyrmd_sum(0, f->head, 20));
        memcpy(f->head + 10, &sum, sizeof(sum));
    } else {
        store16(f->head + 4, l4_len);
    }
    if (!tcp)
        store16(l4 + 4, l4_len);
    sum = wyrmd_fold(wyrmd_sum_pseudo(0, f->head, s->protocol, l4_len));
    memcpy(l4 + how->csum_offset, &sum, sizeof(sum));
}

static void flush(const struct wyrmd_tun *tun, struct flow *f)
{
    struct virtio_net_hdr how;

    if (f->used == 1) {
        wyrmd_tun_write(tun, f->first.ip, f->first.len);
    } else if (f->used > 1) {
        finish_headers(f, &how);
        f->parts[0] = (struct iovec){&how, sizeof(how)};
        f->parts[1] = (struct iovec){f->head, f->first.head_len};
        wyrmd_tun_writev(tun, f->parts, 2 + (int)f->used);
    }
    f->used = 0;
}

void wyrmd_merge_flush(struct wyrmd_merge *merge)
{
    for (unsigned i = 0; i < FLOWS; i++)
        flush(merge->tun, &merge->flows[i]);
}

/* Compares source addresses only: a routing header replaces the destination. */
static bool same_sender(const struct shape *a, const struct shape *b)
{
    bool v4 = a->ip[0] >> 4 == 4;

    return a->ip[0] >> 4 == b->ip[0] >> 4 &&
           memcmp(a->ip + (v4 ? 12 : 8), b->ip + (v4 ? 12 : 8), v4 ? 4 : 16) == 0;
}

void wyrmd_merge_push(struct wyrmd_merge *merge, uint8_t *ip, size_t len)
{
    struct shape s = parse(merge->tun, ip, len);
    struct flow *f = NULL;

    /* A packet that is written immediately must not overtake earlier ones of its flow. */
    for (unsigned i = 0; i < FLOWS && s.obscured; i++)
        if (merge->flows[i].used > 0 && same_sender(&merge->flows[i].first, &s))
            flush(merge->tun, &merge->flows[i]);
    for (unsigned i = 0; i < FLOWS && s.protocol != 0; i++)
        if (merge->flows[i].used > 0 && same_flow(&merge->flows[i].first, &s))
            f = &merge->flows[i];
    if (f != NULL && fits(f, &s)) {
        append(f, &s);
        return;
    }
    if (f != NULL)
        flush(merge->tun, f); /* packets of a flow keep their order */
    for (unsigned i = 0; i < FLOWS && f == NULL && s.mergeable; i++)
        if (merge->flows[i].used == 0)
            f = &merge->flows[i];
    if (f != NULL && s.mergeable)
        append(f, &s);
    else
        wyrmd_tun_write(merge->tun, ip, len);
}

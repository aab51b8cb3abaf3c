/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Packets out of the tunnel. Consecutive ones of a TCP or UDP flow are handed to the system as one
 * long packet, which it would otherwise have to put together itself (generic receive offload):
 * one system call and one way through its stack for up to 64 KiB. Only packets with a right
 * checksum are merged, because the system takes the word of the long packet for its parts.
 */
#include "wyrmd.h"

#include <errno.h>
#include <linux/virtio_net.h>
#include <string.h>
#include <sys/uio.h>

#ifndef VIRTIO_NET_HDR_GSO_UDP_L4 /* Linux 6.2 */
#define VIRTIO_NET_HDR_GSO_UDP_L4 5
#endif

enum {
    FLOWS = 8,
    PARTS = 64,
    HEADERS_MAX = 100,
    TCP_PSH = 0x08,
    TCP_ACK = 0x10,
    DONT_FRAGMENT = 0x40
};

/* One packet, taken apart. */
struct shape {
    uint8_t *ip;
    size_t len, ip_len, head_len;
    uint8_t protocol; /* 0: neither TCP nor UDP */
    bool mergeable;
    bool obscured; /* may belong to a flow, but the IP header does not tell to which */
};

/* Packets that go out as one. parts[0] and parts[1] are the headers, the rest is payload. */
struct flow {
    struct shape first;
    struct iovec parts[2 + PARTS];
    uint8_t head[HEADERS_MAX];
    unsigned used; /* payloads; 0: free */
    size_t payload;
    bool closed; /* nothing may follow */
};

static struct flow flows[FLOWS];

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

/* ---- Taking apart -------------------------------------------------------- */

/* That of an IPv4 header, too: the system would see a new one. */
static bool checksums_are_right(const struct shape *s)
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

static void look_at_tcp(struct shape *s)
{
    const uint8_t *tcp = s->ip + s->ip_len;

    if (s->len < s->ip_len + 20)
        return;
    s->protocol = IPPROTO_TCP;
    s->head_len = s->ip_len + (size_t)(tcp[12] >> 4) * 4;
    s->mergeable = s->head_len >= s->ip_len + 20 && s->head_len < s->len &&
                   (tcp[13] & ~TCP_PSH) == TCP_ACK && checksums_are_right(s);
}

static void look_at_udp(struct shape *s, bool offload)
{
    const uint8_t *udp = s->ip + s->ip_len;

    if (s->len < s->ip_len + 8)
        return;
    s->protocol = IPPROTO_UDP;
    s->head_len = s->ip_len + 8;
    s->mergeable = offload && s->head_len < s->len && load(udp + 4, 2) == s->len - s->ip_len &&
                   load(udp + 6, 2) != 0 && checksums_are_right(s);
}

/* Hop-by-hop options, routing, fragment, authentication, destination options, mobility. */
static bool is_extension_header(uint8_t next)
{
    return next == 0 || next == 43 || next == 44 || next == 51 || next == 60 || next == 135;
}

/* The core has seen to it that the IP header is well-formed and says `len`. */
static struct shape look_at(const struct wyrmd *d, uint8_t *ip, size_t len)
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
        look_at_tcp(&s);
    else if (next == IPPROTO_UDP)
        look_at_udp(&s, d->udp_offload);
    return s;
}

/* ---- Putting together ---------------------------------------------------- */

static bool same_flow(const struct shape *a, const struct shape *b)
{
    size_t at = a->ip_len == 20 ? 12 : 8;

    return a->protocol == b->protocol && a->ip_len == b->ip_len &&
           memcmp(a->ip + at, b->ip + at, a->ip_len - at) == 0 &&
           memcmp(a->ip + a->ip_len, b->ip + b->ip_len, 4) == 0;
}

/* Everything in the IP header but length, identification and checksum. */
static bool same_ip_header(const struct flow *f, const struct shape *s)
{
    const uint8_t *a = f->first.ip, *b = s->ip;

    if (s->ip_len == 40)
        return memcmp(a, b, 4) == 0 && a[7] == b[7];
    return a[1] == b[1] && memcmp(a + 6, b + 6, 3) == 0 &&
           (a[6] & DONT_FRAGMENT || (uint16_t)(load(a + 4, 2) + f->used) == load(b + 4, 2));
}

/* Acknowledgement, window, options; and the sequence goes on. */
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

/* ---- Handing over -------------------------------------------------------- */

static void hand_over(const struct wyrmd *d, struct iovec *parts, int n)
{
    /* A full queue or an interface that is down loses the packet, as any link does. */
    if (writev(d->tun, parts, n) < 0 && d->verbose)
        wyrmd_log(d, "packet for the system lost: %s", strerror(errno));
}

void wyrmd_tun_write(const struct wyrmd *d, uint8_t *ip, size_t len)
{
    struct virtio_net_hdr how = {0};
    struct iovec parts[2] = {{&how, sizeof(how)}, {ip, len}};

    hand_over(d, parts, 2);
}

/* Headers of the whole: its length, and the checksum left to the system but for the pseudo header.
 */
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

static void flush(const struct wyrmd *d, struct flow *f)
{
    struct virtio_net_hdr how;

    if (f->used == 1) {
        wyrmd_tun_write(d, f->first.ip, f->first.len);
    } else if (f->used > 1) {
        finish_headers(f, &how);
        f->parts[0] = (struct iovec){&how, sizeof(how)};
        f->parts[1] = (struct iovec){f->head, f->first.head_len};
        hand_over(d, f->parts, 2 + (int)f->used);
    }
    f->used = 0;
}

void wyrmd_merge_flush(struct wyrmd *d)
{
    for (unsigned i = 0; i < FLOWS; i++)
        flush(d, &flows[i]);
}

/* By address only, and not the destination's: a routing header replaces it. */
static bool same_sender(const struct shape *a, const struct shape *b)
{
    bool v4 = a->ip[0] >> 4 == 4;

    return a->ip[0] >> 4 == b->ip[0] >> 4 &&
           memcmp(a->ip + (v4 ? 12 : 8), b->ip + (v4 ? 12 : 8), v4 ? 4 : 16) == 0;
}

void wyrmd_merge(struct wyrmd *d, uint8_t *ip, size_t len)
{
    struct shape s = look_at(d, ip, len);
    struct flow *f = NULL;

    /* A packet that is written at once must not overtake earlier ones of its flow. */
    for (unsigned i = 0; i < FLOWS && s.obscured; i++)
        if (flows[i].used > 0 && same_sender(&flows[i].first, &s))
            flush(d, &flows[i]);
    for (unsigned i = 0; i < FLOWS && s.protocol != 0; i++)
        if (flows[i].used > 0 && same_flow(&flows[i].first, &s))
            f = &flows[i];
    if (f != NULL && fits(f, &s)) {
        append(f, &s);
        return;
    }
    if (f != NULL)
        flush(d, f); /* packets of a flow keep their order */
    for (unsigned i = 0; i < FLOWS && f == NULL && s.mergeable; i++)
        if (flows[i].used == 0)
            f = &flows[i];
    if (f != NULL && s.mergeable)
        append(f, &s);
    else
        wyrmd_tun_write(d, ip, len);
}

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The system passes on TCP and UDP in segments of up to 64 KiB whose checksums are incomplete
 * (segmentation offload). Here they are cut into packets of the MTU.
 */
#include "transmit.h"
#include "checksum.h"
#include "routing_loop.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <unistd.h>

enum {
    TUN_READS = 16,     /* per event; each may return 64 KiB */
    HEADERS_MAX = 4096, /* IPv6 may have long extension headers */
    TCP_FIN_PSH = 0x09,
    TCP_CWR = 0x80
};

static uint32_t load(const uint8_t *p, unsigned bytes)
{
    uint32_t value = 0;

    for (unsigned i = 0; i < bytes; i++)
        value = value << 8 | p[i];
    return value;
}

static void store(uint8_t *p, unsigned bytes, uint32_t value)
{
    for (unsigned i = bytes; i-- > 0; value >>= 8)
        p[i] = (uint8_t)value;
}

/* Completes a checksum: its field holds the sum of the pseudo header. */
static void fill_checksum(uint8_t *ip, size_t len, const struct virtio_net_hdr *how)
{
    size_t start = how->csum_start, field = start + how->csum_offset;
    uint16_t sum;

    if (field + sizeof(sum) > len)
        return; /* malformed: the core drops it */
    sum = (uint16_t)~wyrmd_fold(wyrmd_sum(0, ip + start, len - start));
    if (sum == 0)
        sum = UINT16_MAX; /* zero means "no checksum" in UDP; in TCP both are equivalent */
    memcpy(ip + field, &sum, sizeof(sum));
}

/* Turns a copy of the segment's headers into those of packet number `i` with `part` bytes of
 * payload. `whole` is the segment's length after its IP header. The checksum field holds the sum of
 * the segment's pseudo header, in which only the length is replaced: it cannot be recomputed, as an
 * IPv6 routing header may hide the final destination. */
static void adjust_headers(uint8_t *head, size_t head_len, const struct virtio_net_hdr *how,
                           uint32_t i, const uint8_t *payload, size_t part, size_t whole)
{
    size_t ip_len = how->csum_start, l4_head = head_len - ip_len;
    uint8_t *l4 = head + ip_len;
    uint64_t pseudo;
    uint16_t sum;

    if (head[0] >> 4 == 4) {
        store(head + 2, 2, (uint32_t)(head_len + part));
        store(head + 4, 2, load(head + 4, 2) + i);
        memset(head + 10, 0, 2);
        sum = (uint16_t)~wyrmd_fold(wyrmd_sum(0, head, ip_len));
        memcpy(head + 10, &sum, sizeof(sum));
    } else {
        store(head + 4, 2, (uint32_t)(head_len - 40 + part));
    }
    if (how->gso_type == VIRTIO_NET_HDR_GSO_UDP_L4) {
        store(l4 + 4, 2, (uint32_t)(8 + part));
    } else {
        store(l4 + 4, 4, load(l4 + 4, 4) + i * how->gso_size);
        if (l4_head + i * how->gso_size + part < whole)
            l4[13] = (uint8_t)(l4[13] & ~TCP_FIN_PSH);
        if (i > 0)
            l4[13] = (uint8_t)(l4[13] & ~TCP_CWR);
    }
    memcpy(&sum, l4 + how->csum_offset, sizeof(sum));
    pseudo = (uint64_t)sum + (uint16_t)~htons((uint16_t)whole) + htons((uint16_t)(l4_head + part));
    memset(l4 + how->csum_offset, 0, 2);
    sum = (uint16_t)~wyrmd_fold(wyrmd_sum(wyrmd_sum(pseudo, l4, l4_head), payload, part));
    if (sum == 0)
        sum = UINT16_MAX;
    memcpy(l4 + how->csum_offset, &sum, sizeof(sum));
}

/* Cuts a TCP or UDP segment into packets of gso_size bytes of payload. */
static void send_segment(const struct wyrmd_transmitter *tx, uint8_t *ip, size_t len,
                         const struct virtio_net_hdr *how)
{
    bool udp = how->gso_type == VIRTIO_NET_HDR_GSO_UDP_L4;
    size_t ip_len = how->csum_start, head_len = ip_len + 8, part;
    uint8_t head[HEADERS_MAX];
    uint32_t i = 0;

    if (!udp && ip_len + 20 <= len)
        head_len = ip_len + (size_t)(ip[ip_len + 12] >> 4) * 4;
    if (ip_len < 20 || head_len < ip_len + (udp ? 8 : 20) || head_len > HEADERS_MAX ||
        head_len > len || how->gso_size == 0 || how->csum_offset != (udp ? 6 : 16))
        return; /* malformed */
    if (wyrmd_routing_loop(tx->core, tx->udp, ip, len))
        return;
    for (size_t at = head_len; at < len; at += part, i++) {
        struct wyrm_span spans[2] = {{head, head_len}, {ip + at, 0}};

        part = len - at < how->gso_size ? len - at : how->gso_size;
        spans[1].len = part;
        memcpy(head, ip, head_len);
        adjust_headers(head, head_len, how, i, ip + at, part, len - ip_len);
        wyrmd_tunnel_send(tx->tunnel, spans, 2);
    }
}

bool wyrmd_transmit(const struct wyrmd_transmitter *tx)
{
    static uint8_t packet[sizeof(struct virtio_net_hdr) + PACKET_MAX];
    uint8_t *ip = packet + sizeof(struct virtio_net_hdr);
    struct virtio_net_hdr how;

    for (unsigned i = 0; i < TUN_READS; i++) {
        ssize_t len = read(tx->tun->fd, packet, sizeof(packet));

        if (len < 0 && (errno == EAGAIN || errno == EINTR))
            break;
        if (len < 0 && errno == EINVAL)
            continue; /* dropped: a segment of a kind that the header cannot describe */
        if (len < (ssize_t)sizeof(how))
            return false; /* EBADFD: the interface was deleted */
        len -= (ssize_t)sizeof(how);
        memcpy(&how, packet, sizeof(how));
        how.gso_type = (uint8_t)(how.gso_type & ~VIRTIO_NET_HDR_GSO_ECN);
        if (how.gso_type != VIRTIO_NET_HDR_GSO_NONE) {
            send_segment(tx, ip, (size_t)len, &how);
        } else if (!wyrmd_routing_loop(tx->core, tx->udp, ip, (size_t)len)) {
            struct wyrm_span span = {ip, (size_t)len};

            if (how.flags & VIRTIO_NET_HDR_F_NEEDS_CSUM)
                fill_checksum(ip, (size_t)len, &how);
            wyrmd_tunnel_send(tx->tunnel, &span, 1);
        }
    }
    return true;
}

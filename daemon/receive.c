/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Datagrams arrive in batches, long runs of them as one message (UDP_GRO), with the TOS and the
 * local address and interface they arrived at.
 */
#include "receive.h"

#include <netinet/udp.h>
#include <stdlib.h>
#include <string.h>

bool wyrmd_receiver_init(struct wyrmd_receiver *rx, struct wyrmd_tunnel *tunnel)
{
    rx->tunnel = tunnel;
    rx->inbox = malloc((size_t)INBOX * SEALED_MAX);
    return rx->inbox != NULL;
}

static void read_address(struct wyrm_endpoint *out, const union address *from)
{
    if (from->any.sa_family == AF_INET) {
        out->family = 4;
        out->port = ntohs(from->v4.sin_port);
        memcpy(out->addr, &from->v4.sin_addr, 4);
    } else {
        out->family = 6;
        out->port = ntohs(from->v6.sin6_port);
        out->scope = from->v6.sin6_scope_id;
        memcpy(out->addr, &from->v6.sin6_addr, 16);
    }
}

/* Sets TOS and local address; returns the length of each datagram but the last, 0: only one. */
static size_t read_control(struct wyrm_meta *meta, struct msghdr *header)
{
    struct wyrmd_path path = {0};
    int segment = 0;

    for (struct cmsghdr *c = CMSG_FIRSTHDR(header); c != NULL; c = CMSG_NXTHDR(header, c)) {
        const uint8_t *data = CMSG_DATA(c);

        if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_PKTINFO) {
            memcpy(path.addr, data + offsetof(struct in_pktinfo, ipi_spec_dst), 4);
            memcpy(&path.interface, data + offsetof(struct in_pktinfo, ipi_ifindex), 4);
        } else if (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_PKTINFO) {
            memcpy(path.addr, data + offsetof(struct in6_pktinfo, ipi6_addr), 16);
            memcpy(&path.interface, data + offsetof(struct in6_pktinfo, ipi6_ifindex), 4);
        } else if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_TOS)
            meta->tos = data[0];
        else if (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_TCLASS) {
            int tclass;

            memcpy(&tclass, data, sizeof(tclass));
            meta->tos = (uint8_t)tclass;
        } else if (c->cmsg_level == IPPROTO_UDP && c->cmsg_type == UDP_GRO)
            memcpy(&segment, data, sizeof(segment));
    }
    memcpy(meta->local.bytes, &path, sizeof(path));
    return segment > 0 ? (size_t)segment : 0;
}

/* Returns how many datagrams the message holds. */
static unsigned take_message(struct wyrmd_tunnel *tunnel, struct msghdr *header, size_t len)
{
    uint8_t *data = header->msg_iov->iov_base;
    struct wyrm_meta meta = {0};
    size_t segment, part;
    unsigned n = 0;

    if (header->msg_flags & MSG_TRUNC)
        return 1; /* longer than any valid datagram */
    read_address(&meta.remote, header->msg_name);
    segment = read_control(&meta, header);
    if (segment == 0)
        segment = len;
    for (size_t at = 0; at < len; at += part, n++) {
        part = len - at < segment ? len - at : segment;
        wyrmd_tunnel_receive(tunnel, &meta, data + at, part);
    }
    return n;
}

unsigned wyrmd_receive(struct wyrmd_receiver *rx, int fd, unsigned max)
{
    static struct mmsghdr messages[INBOX];
    static struct iovec vectors[INBOX];
    static union address from[INBOX];
    static struct control control[INBOX];
    unsigned datagrams = 0;
    int n;

    max = max < INBOX ? max : INBOX;
    for (unsigned i = 0; i < max; i++) {
        vectors[i] = (struct iovec){rx->inbox + (size_t)i * SEALED_MAX, SEALED_MAX};
        messages[i].msg_hdr = (struct msghdr){.msg_name = &from[i],
                                              .msg_namelen = sizeof(from[i]),
                                              .msg_iov = &vectors[i],
                                              .msg_iovlen = 1,
                                              .msg_control = &control[i],
                                              .msg_controllen = sizeof(control[i])};
    }
    n = recvmmsg(fd, messages, max, MSG_DONTWAIT, NULL);
    for (int i = 0; i < n && rx->tunnel->up; i++) {
        datagrams += take_message(rx->tunnel, &messages[i].msg_hdr, messages[i].msg_len);
        wyrmd_tunnel_poll(rx->tunnel);
    }
    wyrmd_merge_flush(rx->tunnel->merge);
    return datagrams;
}

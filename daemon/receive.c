/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Datagrams come in batches, long runs of them in one piece (UDP_GRO), each with the TOS and the
 * local address and interface it came to.
 */
#include "udp.h"

#include <netinet/udp.h>
#include <string.h>

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

/* Fills TOS and local address; the length of each datagram but the last, 0: there is only one. */
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

/* How many datagrams it was. */
static unsigned take_message(struct wyrmd *d, struct msghdr *header, size_t len)
{
    uint8_t *data = header->msg_iov->iov_base;
    struct wyrm_meta meta = {0};
    size_t segment, part;
    unsigned n = 0;

    if (header->msg_flags & MSG_TRUNC)
        return 1; /* one that did not fit is none of ours */
    read_address(&meta.remote, header->msg_name);
    segment = read_control(&meta, header);
    if (segment == 0)
        segment = len;
    for (size_t at = 0; at < len; at += part, n++) {
        part = len - at < segment ? len - at : segment;
        wyrmd_input(d, &meta, data + at, part);
    }
    return n;
}

unsigned wyrmd_udp_read(struct wyrmd *d, int fd, unsigned max)
{
    static struct mmsghdr messages[INBOX];
    static struct iovec vectors[INBOX];
    static union address from[INBOX];
    static struct control control[INBOX];
    unsigned datagrams = 0;
    int n;

    max = max < INBOX ? max : INBOX;
    for (unsigned i = 0; i < max; i++) {
        vectors[i] = (struct iovec){d->inbox + (size_t)i * SEALED_MAX, SEALED_MAX};
        messages[i].msg_hdr = (struct msghdr){.msg_name = &from[i],
                                              .msg_namelen = sizeof(from[i]),
                                              .msg_iov = &vectors[i],
                                              .msg_iovlen = 1,
                                              .msg_control = &control[i],
                                              .msg_controllen = sizeof(control[i])};
    }
    n = recvmmsg(fd, messages, max, MSG_DONTWAIT, NULL);
    for (int i = 0; i < n && d->up; i++) {
        datagrams += take_message(d, &messages[i].msg_hdr, messages[i].msg_len);
        wyrmd_service(d);
    }
    wyrmd_merge_flush(d);
    return datagrams;
}

void wyrmd_udp_readable(struct wyrmd *d, int fd)
{
    if (wyrmd_udp_read(d, fd, INBOX) > 0)
        d->data_seen = d->now;
}

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The sockets: one for IPv4, one for IPv6, on the same port. Datagrams come and go in batches, with
 * the local address, interface and TOS of each beside it, so that answers leave the way the peer's
 * packets came (struct wyrm_path holds address and interface number).
 */
#include "wyrmd.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* What struct wyrm_path holds here. */
struct local {
    uint8_t addr[16];
    uint32_t ifindex;
};
_Static_assert(sizeof(struct local) <= WYRM_PATH_LEN, "WYRM_PATH_LEN is too small");

union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

struct control {
    _Alignas(struct cmsghdr)
        uint8_t room[CMSG_SPACE(sizeof(struct in6_pktinfo)) + CMSG_SPACE(sizeof(int))];
};

/* ---- Sockets ------------------------------------------------------------ */

static int set(int fd, int level, int option, int value)
{
    return setsockopt(fd, level, option, &value, sizeof(value));
}

static int open_socket(int family, uint16_t port, uint32_t mark)
{
    union address local = {0};
    int fd = socket(family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    socklen_t len = family == AF_INET ? sizeof(local.v4) : sizeof(local.v6);

    if (fd < 0)
        return -1;
    if (family == AF_INET) {
        local.v4.sin_family = AF_INET;
        local.v4.sin_port = htons(port);
        (void)set(fd, IPPROTO_IP, IP_PKTINFO, 1);
        (void)set(fd, IPPROTO_IP, IP_RECVTOS, 1);
    } else {
        local.v6.sin6_family = AF_INET6;
        local.v6.sin6_port = htons(port);
        (void)set(fd, IPPROTO_IPV6, IPV6_V6ONLY, 1);
        (void)set(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, 1);
        (void)set(fd, IPPROTO_IPV6, IPV6_RECVTCLASS, 1);
    }
    (void)set(fd, SOL_SOCKET, SO_RCVBUF, 4 << 20);
    (void)set(fd, SOL_SOCKET, SO_SNDBUF, 4 << 20);
    if ((mark != 0 && set(fd, SOL_SOCKET, SO_MARK, (int)mark) < 0) ||
        bind(fd, &local.any, len) < 0) {
        int error = errno;

        close(fd);
        errno = error;
        return -1;
    }
    return fd;
}

static uint16_t port_of(int fd)
{
    union address local;
    socklen_t len = sizeof(local);

    if (getsockname(fd, &local.any, &len) < 0)
        return 0;
    return ntohs(local.any.sa_family == AF_INET ? local.v4.sin_port : local.v6.sin6_port);
}

int wyrmd_udp_bind(struct wyrmd *d, uint16_t port)
{
    int v4, v6;

    if (port != 0 && port == d->port)
        return 0;
    v4 = open_socket(AF_INET, port, d->fwmark);
    if (v4 < 0)
        return errno;
    port = port_of(v4);
    v6 = open_socket(AF_INET6, port, d->fwmark);
    if (v6 < 0 && errno != EAFNOSUPPORT) {
        int error = errno;

        close(v4);
        return error;
    }
    if (d->udp4 >= 0)
        close(d->udp4);
    if (d->udp6 >= 0)
        close(d->udp6);
    d->udp4 = v4;
    d->udp6 = v6;
    d->port = port;
    if (!wyrmd_watch(d, v4) || (v6 >= 0 && !wyrmd_watch(d, v6)))
        return errno;
    return 0;
}

int wyrmd_udp_mark(struct wyrmd *d, uint32_t mark)
{
    if (set(d->udp4, SOL_SOCKET, SO_MARK, (int)mark) < 0 ||
        (d->udp6 >= 0 && set(d->udp6, SOL_SOCKET, SO_MARK, (int)mark) < 0))
        return errno;
    d->fwmark = mark;
    return 0;
}

/* ---- Receive ------------------------------------------------------------ */

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

static void read_control(struct wyrm_meta *meta, struct msghdr *header)
{
    struct local local = {0};

    for (struct cmsghdr *c = CMSG_FIRSTHDR(header); c != NULL; c = CMSG_NXTHDR(header, c)) {
        if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_PKTINFO) {
            struct in_pktinfo info;

            memcpy(&info, CMSG_DATA(c), sizeof(info));
            memcpy(local.addr, &info.ipi_spec_dst, 4);
            local.ifindex = (uint32_t)info.ipi_ifindex;
        } else if (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_PKTINFO) {
            struct in6_pktinfo info;

            memcpy(&info, CMSG_DATA(c), sizeof(info));
            memcpy(local.addr, &info.ipi6_addr, 16);
            local.ifindex = info.ipi6_ifindex;
        } else if ((c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_TOS) ||
                   (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_TCLASS)) {
            meta->tos = *CMSG_DATA(c);
        }
    }
    memcpy(meta->local.bytes, &local, sizeof(local));
}

static void take(struct wyrmd *d, struct mmsghdr *message, uint8_t *data, const union address *from)
{
    struct wyrm_meta meta = {0};
    struct wyrm_packet out;

    read_address(&meta.remote, from);
    read_control(&meta, &message->msg_hdr);
    switch (wyrm_input(&d->dev, wyrmd_now(), &meta, data, message->msg_len, &out)) {
    case WYRM_DELIVER:
        wyrmd_tun_write(d, out.data, out.len);
        break;
    case WYRM_SEND:
        wyrmd_udp_queue(d, &out);
        break;
    default:
        break;
    }
}

void wyrmd_udp_readable(struct wyrmd *d, int fd)
{
    static struct mmsghdr messages[BATCH];
    static struct iovec vectors[BATCH];
    static union address from[BATCH];
    static struct control control[BATCH];
    int n;

    for (unsigned i = 0; i < BATCH; i++) {
        vectors[i] = (struct iovec){d->inbox[i], SEALED_MAX};
        messages[i].msg_hdr = (struct msghdr){.msg_name = &from[i],
                                              .msg_namelen = sizeof(from[i]),
                                              .msg_iov = &vectors[i],
                                              .msg_iovlen = 1,
                                              .msg_control = &control[i],
                                              .msg_controllen = sizeof(control[i])};
    }
    n = recvmmsg(fd, messages, BATCH, MSG_DONTWAIT, NULL);
    for (int i = 0; i < n; i++) {
        /* A datagram that did not fit is none of ours. */
        if (!(messages[i].msg_hdr.msg_flags & MSG_TRUNC))
            take(d, &messages[i], d->inbox[i], &from[i]);
        wyrmd_service(d);
    }
}

/* ---- Send --------------------------------------------------------------- */

static socklen_t write_address(union address *to, const struct wyrm_endpoint *endpoint)
{
    memset(to, 0, sizeof(*to));
    if (endpoint->family == 4) {
        to->v4.sin_family = AF_INET;
        to->v4.sin_port = htons(endpoint->port);
        memcpy(&to->v4.sin_addr, endpoint->addr, 4);
        return sizeof(to->v4);
    }
    to->v6.sin6_family = AF_INET6;
    to->v6.sin6_port = htons(endpoint->port);
    to->v6.sin6_scope_id = endpoint->scope;
    memcpy(&to->v6.sin6_addr, endpoint->addr, 16);
    return sizeof(to->v6);
}

static struct cmsghdr *add_control(struct msghdr *header, struct cmsghdr *at, int level, int type,
                                   const void *data, size_t len)
{
    at->cmsg_level = level;
    at->cmsg_type = type;
    at->cmsg_len = CMSG_LEN(len);
    memcpy(CMSG_DATA(at), data, len);
    header->msg_controllen += CMSG_SPACE(len);
    return (struct cmsghdr *)((uint8_t *)at + CMSG_SPACE(len));
}

/* TOS, and the local address unless the system may choose. */
static void write_control(struct msghdr *header, struct control *control,
                          const struct wyrm_meta *to)
{
    bool v4 = to->remote.family == 4;
    struct cmsghdr *at = (struct cmsghdr *)control->room;
    struct local local;
    int tos = to->tos;

    memset(control, 0, sizeof(*control));
    header->msg_control = control;
    header->msg_controllen = 0;
    at = v4 ? add_control(header, at, IPPROTO_IP, IP_TOS, &tos, sizeof(tos))
            : add_control(header, at, IPPROTO_IPV6, IPV6_TCLASS, &tos, sizeof(tos));
    memcpy(&local, to->local.bytes, sizeof(local));
    if (local.ifindex == 0)
        return;
    if (v4) {
        struct in_pktinfo info = {.ipi_ifindex = (int)local.ifindex};

        memcpy(&info.ipi_spec_dst, local.addr, 4);
        (void)add_control(header, at, IPPROTO_IP, IP_PKTINFO, &info, sizeof(info));
    } else {
        struct in6_pktinfo info = {.ipi6_ifindex = local.ifindex};

        memcpy(&info.ipi6_addr, local.addr, 16);
        (void)add_control(header, at, IPPROTO_IPV6, IPV6_PKTINFO, &info, sizeof(info));
    }
}

uint8_t *wyrmd_udp_room(struct wyrmd *d)
{
    if (d->outbox.used == BATCH)
        wyrmd_udp_flush(d);
    return d->outbox.data[d->outbox.used];
}

void wyrmd_udp_commit(struct wyrmd *d, const struct wyrm_packet *packet)
{
    struct outbox *box = &d->outbox;

    box->len[box->used] = packet->len;
    box->to[box->used] = packet->to;
    box->peer[box->used] = packet->peer;
    box->used++;
}

void wyrmd_udp_queue(struct wyrmd *d, const struct wyrm_packet *packet)
{
    memcpy(wyrmd_udp_room(d), packet->data, packet->len);
    wyrmd_udp_commit(d, packet);
}

/* Sends from `first` on as many as go to the same socket; how many went or were lost. */
static unsigned send_run(struct wyrmd *d, unsigned first)
{
    static struct mmsghdr messages[BATCH];
    static struct iovec vectors[BATCH];
    static union address to[BATCH];
    static struct control control[BATCH];
    struct outbox *box = &d->outbox;
    uint8_t family = box->to[first].remote.family;
    unsigned n = 0;
    int fd = family == 4 ? d->udp4 : d->udp6;
    int sent;

    for (unsigned i = first; i < box->used && box->to[i].remote.family == family; i++, n++) {
        vectors[n] = (struct iovec){box->data[i], box->len[i]};
        messages[n].msg_hdr = (struct msghdr){
            .msg_name = &to[n],
            .msg_namelen = write_address(&to[n], &box->to[i].remote),
            .msg_iov = &vectors[n],
            .msg_iovlen = 1,
        };
        write_control(&messages[n].msg_hdr, &control[n], &box->to[i]);
    }
    if (fd < 0)
        return n;
    sent = sendmmsg(fd, messages, n, 0);
    if (sent > 0)
        return (unsigned)sent;
    if (errno == EINVAL || errno == ENETUNREACH || errno == EADDRNOTAVAIL) {
        /* The local address may be gone: let the system choose, now and from here on. */
        messages[0].msg_hdr.msg_controllen = 0;
        messages[0].msg_hdr.msg_control = NULL;
        if (box->peer[first] != WYRM_NO_PEER)
            (void)wyrm_peer_forget_path(&d->dev, box->peer[first]);
        memset(&box->to[first].local, 0, sizeof(box->to[first].local));
        if (sendmsg(fd, &messages[0].msg_hdr, 0) >= 0)
            return 1;
    }
    if (d->verbose)
        wyrmd_log(d, "sendmmsg: %s", strerror(errno));
    return 1; /* lost, as on any network */
}

void wyrmd_udp_flush(struct wyrmd *d)
{
    unsigned done = 0;

    while (done < d->outbox.used)
        done += send_run(d, done);
    d->outbox.used = 0;
}

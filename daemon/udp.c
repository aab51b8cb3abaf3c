/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The sockets: one for IPv4, one for IPv6, on the same port. Datagrams leave in batches, long runs
 * of them in one piece that the system cuts (UDP_SEGMENT).
 *
 * Beside each stands the TOS, and the local address it came to: answers leave from there, as far as
 * routes allow (see paths.c). Which interface they take is for the routes to say.
 */
#include "udp.h"

#include <errno.h>
#include <netinet/udp.h>
#include <string.h>
#include <unistd.h>

enum {
    SEGMENTS = 64,
    SEGMENTED_MAX = 65000,
    SOCKET_BUFFER = 4 << 20,
    NO_RUNS_MS = 30000, /* to a path that refused one */
    PORT_TRIES = 16,
    ONION_SKINS = 8
};

/* ---- Sockets ------------------------------------------------------------ */

static int set(int fd, int level, int option, int value)
{
    return setsockopt(fd, level, option, &value, sizeof(value));
}

/* Bounded by the system unless we are privileged. */
static void set_buffers(int fd, int receive)
{
    if (set(fd, SOL_SOCKET, SO_RCVBUFFORCE, receive) < 0)
        (void)set(fd, SOL_SOCKET, SO_RCVBUF, receive);
    if (set(fd, SOL_SOCKET, SO_SNDBUFFORCE, SOCKET_BUFFER) < 0)
        (void)set(fd, SOL_SOCKET, SO_SNDBUF, SOCKET_BUFFER);
}

int wyrmd_udp_socket(int family, uint16_t port, uint32_t mark, int buffer, bool shared)
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
        /* As the kernel's: what is too long for the path is fragmented, never refused. */
        (void)set(fd, IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_DONT);
    } else {
        local.v6.sin6_family = AF_INET6;
        local.v6.sin6_port = htons(port);
        (void)set(fd, IPPROTO_IPV6, IPV6_V6ONLY, 1);
        (void)set(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, 1);
        (void)set(fd, IPPROTO_IPV6, IPV6_RECVTCLASS, 1);
        (void)set(fd, IPPROTO_IPV6, IPV6_MTU_DISCOVER, IPV6_PMTUDISC_DONT);
    }
    set_buffers(fd, buffer);
    (void)set(fd, IPPROTO_UDP, UDP_GRO, 1); /* without, datagrams just come one by one */
    if ((mark != 0 && set(fd, SOL_SOCKET, SO_MARK, (int)mark) < 0) ||
        (shared && set(fd, SOL_SOCKET, SO_REUSEPORT, 1) < 0) || bind(fd, &local.any, len) < 0) {
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

/* Both sockets on one port; the second is -1 where there is no IPv6. 0 or an errno. */
static int open_pair(int fds[2], uint16_t port, uint32_t mark)
{
    int error;

    fds[0] = wyrmd_udp_socket(AF_INET, port, mark, SOCKET_BUFFER, false);
    if (fds[0] < 0)
        return errno;
    fds[1] = wyrmd_udp_socket(AF_INET6, port_of(fds[0]), mark, SOCKET_BUFFER, false);
    if (fds[1] >= 0 || errno == EAFNOSUPPORT || errno == EADDRNOTAVAIL)
        return 0;
    error = errno;
    close(fds[0]);
    return error;
}

static void replace(struct wyrmd *d, const int fds[2])
{
    const struct {
        int *mine, fd;
    } sockets[2] = {{&d->udp4, fds[0]}, {&d->udp6, fds[1]}};

    for (unsigned i = 0; i < 2; i++) {
        if (*sockets[i].mine >= 0)
            close(*sockets[i].mine);
        *sockets[i].mine = sockets[i].fd;
        if (sockets[i].fd >= 0 && !wyrmd_watch(d, sockets[i].fd))
            wyrmd_log(d, "epoll: %s", strerror(errno));
    }
}

int wyrmd_udp_bind(struct wyrmd *d, uint16_t port)
{
    int fds[2] = {-1, -1}, error = 0;

    if (d->port != 0 && (port == d->port || (port == 0 && !d->port_chosen))) {
        d->port_chosen = port != 0;
        return 0;
    }
    /* A port that the system finds free for IPv4 may be taken for IPv6. */
    for (unsigned i = 0; i < (port == 0 ? PORT_TRIES : 1); i++)
        if ((error = open_pair(fds, port, d->fwmark)) != EADDRINUSE)
            break;
    if (error != 0)
        return error;
    wyrmd_udp_flush(d);
    replace(d, fds);
    d->port = port_of(fds[0]);
    d->port_chosen = port != 0;
    wyrmd_initiations_open(d);
    return 0;
}

int wyrmd_udp_mark(struct wyrmd *d, uint32_t mark)
{
    int error;

    if (mark == d->fwmark)
        return 0;
    if (set(d->udp4, SOL_SOCKET, SO_MARK, (int)mark) < 0 ||
        (d->udp6 >= 0 && set(d->udp6, SOL_SOCKET, SO_MARK, (int)mark) < 0))
        return errno;
    error = wyrmd_initiations_mark(d, mark);
    if (error != 0)
        return error;
    d->fwmark = mark;
    return 0;
}

/* Nobody else can have our port on an address of this machine. */
static bool is_own(const struct wyrmd *d, const uint8_t *ip, size_t len)
{
    bool v4 = len >= 28 && ip[0] >> 4 == 4 && ip[9] == IPPROTO_UDP && !(ip[6] & 0x1f) && !ip[7];
    bool v6 = len >= 48 && ip[0] >> 4 == 6 && (ip[6] == IPPROTO_UDP || ip[6] == IPPROTO_FRAGMENT);
    size_t at = v4 ? (size_t)(ip[0] & 15) * 4 : v6 && ip[6] == IPPROTO_FRAGMENT ? 48 : 40;
    union address local = {0};
    bool own;
    int fd;

    if ((!v4 && !v6) || at + 2 > len || (ip[at] << 8 | ip[at + 1]) != d->port)
        return false;
    fd = socket(v4 ? AF_INET : AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return false;
    local.any.sa_family = v4 ? AF_INET : AF_INET6;
    if (v4)
        memcpy(&local.v4.sin_addr, ip + 12, 4);
    else
        memcpy(&local.v6.sin6_addr, ip + 8, 16);
    own = bind(fd, &local.any, v4 ? sizeof(local.v4) : sizeof(local.v6)) == 0;
    close(fd);
    return own;
}

/* Sealed once more, a packet to `addr` goes to the endpoint of the peer that has that address,
 * which may itself be somebody's address: does that ever end? */
static bool leads_out(const struct wyrmd *d, uint8_t family, const uint8_t *addr)
{
    struct wyrm_peer_info info;
    wyrm_peer_id peer;

    for (unsigned skin = 0; skin < ONION_SKINS; skin++) {
        if (wyrm_route_find(&d->dev, family, addr, &peer) != WYRM_IDLE ||
            wyrm_peer_get(&d->dev, d->now, peer, &info) != WYRM_IDLE || info.endpoint.family == 0)
            return true;
        family = info.endpoint.family;
        addr = info.endpoint.addr;
    }
    return false;
}

bool wyrmd_udp_loops(const struct wyrmd *d, const uint8_t *ip, size_t len)
{
    bool v4 = ip[0] >> 4 == 4;

    return is_own(d, ip, len) && !leads_out(d, v4 ? 4 : 6, ip + (v4 ? 16 : 24));
}

/* ---- The queue ----------------------------------------------------------- */

uint8_t *wyrmd_udp_room(struct wyrmd *d)
{
    if (d->outbox.used == OUTBOX || d->outbox.fill + SEALED_MAX > OUTBOX_BYTES)
        wyrmd_udp_flush(d);
    return d->outbox.bytes + d->outbox.fill;
}

void wyrmd_udp_commit(struct wyrmd *d, const struct wyrm_packet *packet)
{
    struct outbox *box = &d->outbox;

    box->queue[box->used++] = (struct outgoing){
        .data = packet->data, .len = packet->len, .to = packet->to, .peer = packet->peer};
    box->fill += (packet->len + 15) & ~(size_t)15;
}

void wyrmd_udp_queue(struct wyrmd *d, const struct wyrm_packet *packet)
{
    struct wyrm_packet copy = *packet;

    copy.data = wyrmd_udp_room(d);
    memcpy(copy.data, packet->data, packet->len);
    wyrmd_udp_commit(d, &copy);
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

static void add_control(struct msghdr *header, int level, int type, const void *data, size_t len)
{
    struct cmsghdr *at =
        (struct cmsghdr *)((uint8_t *)header->msg_control + header->msg_controllen);

    at->cmsg_level = level;
    at->cmsg_type = type;
    at->cmsg_len = CMSG_LEN(len);
    memcpy(CMSG_DATA(at), data, len);
    header->msg_controllen += CMSG_SPACE(len);
}

/* TOS; the local address unless the system may choose; the length of datagrams in a long send. */
static void write_control(struct msghdr *header, struct control *control,
                          const struct wyrm_meta *to, size_t segment)
{
    static const struct wyrm_path any;
    bool v4 = to->remote.family == 4;
    uint16_t gso = (uint16_t)segment;
    int tos = to->tos;

    memset(control, 0, sizeof(*control));
    header->msg_control = control;
    header->msg_controllen = 0;
    add_control(header, v4 ? IPPROTO_IP : IPPROTO_IPV6, v4 ? IP_TOS : IPV6_TCLASS, &tos,
                sizeof(tos));
    if (segment != 0)
        add_control(header, IPPROTO_UDP, UDP_SEGMENT, &gso, sizeof(gso));
    if (memcmp(&to->local, &any, sizeof(any)) == 0)
        return;
    if (v4) {
        struct in_pktinfo info = {0};

        memcpy(&info.ipi_spec_dst, to->local.bytes, 4);
        add_control(header, IPPROTO_IP, IP_PKTINFO, &info, sizeof(info));
    } else {
        struct in6_pktinfo info = {0};

        memcpy(&info.ipi6_addr, to->local.bytes, 16);
        add_control(header, IPPROTO_IPV6, IPV6_PKTINFO, &info, sizeof(info));
    }
}

/* Paths differ in what they can carry: where the MTU is lower than a datagram's length, where
 * packets are transformed (IPsec), or where the interface makes no checksums, the system refuses
 * runs. */
static bool may_go_as_run(const struct wyrmd *d, const struct outgoing *o)
{
    return o->peer == WYRM_NO_PEER || d->now >= d->no_runs[o->peer].until ||
           o->len < d->no_runs[o->peer].len;
}

/* How many datagrams from `first` on can go as one: to the same place, of the same length, of which
 * only the last may be shorter. */
static unsigned run_from(const struct wyrmd *d, unsigned first)
{
    const struct outgoing *queue = d->outbox.queue;
    size_t len = queue[first].len, total = len;
    unsigned n = 1;

    if (!may_go_as_run(d, &queue[first]))
        return 1;
    while (n < SEGMENTS && first + n < d->outbox.used) {
        const struct outgoing *next = &queue[first + n];

        total += next->len;
        if (queue[first + n - 1].len != len || next->len > len || total > SEGMENTED_MAX ||
            memcmp(&next->to, &queue[first].to, sizeof(next->to)) != 0)
            break;
        n++;
    }
    return n;
}

static ssize_t send_alone(int fd, const struct outgoing *o)
{
    struct iovec vector = {o->data, o->len};
    struct control control;
    union address to;
    struct msghdr header = {.msg_name = &to, .msg_iov = &vector, .msg_iovlen = 1};

    header.msg_namelen = write_address(&to, &o->to.remote);
    write_control(&header, &control, &o->to, 0);
    return sendmsg(fd, &header, 0);
}

/* The local address may be gone: lets the system choose, now and from here on. */
static void forget_path(struct wyrmd *d, unsigned first)
{
    struct outgoing *queue = d->outbox.queue;
    struct wyrm_path gone = queue[first].to.local;

    if (queue[first].peer != WYRM_NO_PEER)
        (void)wyrm_peer_forget_path(&d->dev, queue[first].peer);
    for (unsigned i = first; i < d->outbox.used; i++)
        if (queue[i].peer == queue[first].peer &&
            memcmp(&queue[i].to.local, &gone, sizeof(gone)) == 0)
            memset(&queue[i].to.local, 0, sizeof(gone));
}

/* The system has refused the first datagram of the queue from `first` on, or the run of `n` that
 * begins there, with this error; how many were dealt with. What no other way of sending helps is
 * lost: the queue is full, or a firewall says no. */
static unsigned deal_with(struct wyrmd *d, int fd, unsigned first, unsigned n, int error)
{
    static const struct wyrm_path any;
    const struct outgoing *o = &d->outbox.queue[first];
    bool run_may_be_why = n > 1 && (error == EINVAL || error == EMSGSIZE || error == EIO);
    bool path_may_be_why = (error == EINVAL || error == ENETUNREACH || error == EADDRNOTAVAIL) &&
                           memcmp(&o->to.local, &any, sizeof(any)) != 0;

    if (run_may_be_why && send_alone(fd, o) >= 0) {
        if (o->peer != WYRM_NO_PEER) {
            d->no_runs[o->peer].until = d->now + NO_RUNS_MS;
            d->no_runs[o->peer].len = error == EIO ? 0 : o->len;
            return 1;
        }
        for (unsigned i = 1; i < n; i++)
            (void)send_alone(fd, o + i);
        return n;
    }
    if (path_may_be_why) {
        forget_path(d, first);
        return 0;
    }
    if (d->verbose)
        wyrmd_log(d, "%u datagrams lost: %s", n, strerror(error));
    return n;
}

/* Sends from `first` on as many as go to the same socket in one call; how many were dealt with. */
static unsigned send_from(struct wyrmd *d, unsigned first)
{
    static struct mmsghdr messages[OUTBOX];
    static struct iovec vectors[OUTBOX];
    static union address to[OUTBOX];
    static struct control control[OUTBOX];
    unsigned ends[OUTBOX], n = 0, at = first;
    struct outgoing *queue = d->outbox.queue;
    uint8_t family = queue[first].to.remote.family;
    int fd = family == 4 ? d->udp4 : d->udp6, sent;

    while (at < d->outbox.used && queue[at].to.remote.family == family) {
        unsigned run = run_from(d, at);

        for (unsigned i = at; i < at + run; i++)
            vectors[i] = (struct iovec){queue[i].data, queue[i].len};
        messages[n].msg_hdr =
            (struct msghdr){.msg_name = &to[n], .msg_iov = &vectors[at], .msg_iovlen = run};
        messages[n].msg_hdr.msg_namelen = write_address(&to[n], &queue[at].to.remote);
        write_control(&messages[n].msg_hdr, &control[n], &queue[at].to,
                      run > 1 ? queue[at].len : 0);
        at += run;
        ends[n++] = at;
    }
    if (fd < 0)
        return at - first;
    sent = sendmmsg(fd, messages, n, 0);
    if (sent > 0)
        return ends[sent - 1] - first;
    return deal_with(d, fd, first, ends[0] - first, errno);
}

void wyrmd_udp_flush(struct wyrmd *d)
{
    unsigned done = 0;

    while (done < d->outbox.used)
        done += send_from(d, done);
    d->outbox.used = 0;
    d->outbox.fill = 0;
}

void wyrmd_udp_close(struct wyrmd *d)
{
    if (d->udp4 >= 0)
        close(d->udp4);
    if (d->udp6 >= 0)
        close(d->udp6);
    d->udp4 = d->udp6 = -1;
    wyrmd_initiations_close(d);
}

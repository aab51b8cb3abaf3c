/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Datagrams leave in batches, long runs of them as one that the system cuts (UDP_SEGMENT). Each
 * carries the TOS, and as its source the local address that the peer's datagrams arrive at, as long
 * as routes allow it (see paths.c). The interface is left to the routing table.
 */
#include "outbox.h"
#include "system.h"

#include <errno.h>
#include <netinet/udp.h>
#include <stdlib.h>
#include <string.h>

enum {
    SEGMENTS = 64,
    SEGMENTED_MAX = 65000,
    NO_RUNS_MS = 30000 /* to a path that refused one */
};

bool wyrmd_outbox_init(struct wyrmd_outbox *box, struct wyrmd_core *core,
                       const struct wyrmd_udp *udp)
{
    box->core = core;
    box->udp = udp;
    box->bytes = malloc(OUTBOX_BYTES);
    box->no_runs = calloc(core->pools.n_peers, sizeof(*box->no_runs));
    return box->bytes != NULL && box->no_runs != NULL;
}

/* ---- The queue ----------------------------------------------------------- */

uint8_t *wyrmd_outbox_room(struct wyrmd_outbox *box)
{
    if (box->used == OUTBOX || box->fill + SEALED_MAX > OUTBOX_BYTES)
        wyrmd_outbox_flush(box);
    return box->bytes + box->fill;
}

void wyrmd_outbox_commit(struct wyrmd_outbox *box, const struct wyrm_packet *packet)
{
    box->queue[box->used++] = (struct wyrmd_outgoing){
        .data = packet->data, .len = packet->len, .to = packet->to, .peer = packet->peer};
    box->fill += (packet->len + 15) & ~(size_t)15;
}

void wyrmd_outbox_push(struct wyrmd_outbox *box, const struct wyrm_packet *packet)
{
    struct wyrm_packet copy = *packet;

    copy.data = wyrmd_outbox_room(box);
    memcpy(copy.data, packet->data, packet->len);
    wyrmd_outbox_commit(box, &copy);
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

/* TOS; for a run, the length of its datagrams; the local address unless the system chooses. */
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

/* The system refuses runs where the path MTU is lower than a datagram's length, where packets are
 * transformed (IPsec), or where the interface does not compute checksums. */
static bool may_go_as_run(const struct wyrmd_outbox *box, const struct wyrmd_outgoing *o)
{
    return o->peer == WYRM_NO_PEER || box->core->now >= box->no_runs[o->peer].until ||
           o->len < box->no_runs[o->peer].len;
}

/* How many datagrams from `first` on can be sent as one: to the same address, and of the same
 * length but for the last, which may be shorter. */
static unsigned run_from(const struct wyrmd_outbox *box, unsigned first)
{
    const struct wyrmd_outgoing *queue = box->queue;
    size_t len = queue[first].len, total = len;
    unsigned n = 1;

    if (!may_go_as_run(box, &queue[first]))
        return 1;
    while (n < SEGMENTS && first + n < box->used) {
        const struct wyrmd_outgoing *next = &queue[first + n];

        total += next->len;
        if (queue[first + n - 1].len != len || next->len > len || total > SEGMENTED_MAX ||
            memcmp(&next->to, &queue[first].to, sizeof(next->to)) != 0)
            break;
        n++;
    }
    return n;
}

static ssize_t send_alone(int fd, const struct wyrmd_outgoing *o)
{
    struct iovec vector = {o->data, o->len};
    struct control control;
    union address to;
    struct msghdr header = {.msg_name = &to, .msg_iov = &vector, .msg_iovlen = 1};

    header.msg_namelen = write_address(&to, &o->to.remote);
    write_control(&header, &control, &o->to, 0);
    return sendmsg(fd, &header, 0);
}

/* The local address may be gone: let the system choose, for this and later datagrams. */
static void forget_path(struct wyrmd_outbox *box, unsigned first)
{
    struct wyrmd_outgoing *queue = box->queue;
    struct wyrm_path gone = queue[first].to.local;

    if (queue[first].peer != WYRM_NO_PEER)
        (void)wyrm_peer_forget_path(&box->core->dev, queue[first].peer);
    for (unsigned i = first; i < box->used; i++)
        if (queue[i].peer == queue[first].peer &&
            memcmp(&queue[i].to.local, &gone, sizeof(gone)) == 0)
            memset(&queue[i].to.local, 0, sizeof(gone));
}

/* Handles an error of sendmmsg for the datagram `first`, or the run of `n` that begins there;
 * returns how many are done with. If neither single datagrams nor another source address can help,
 * they are dropped: the interface's queue is full, or a firewall rejects them. */
static unsigned handle_error(struct wyrmd_outbox *box, int fd, unsigned first, unsigned n,
                             int error)
{
    static const struct wyrm_path any;
    const struct wyrmd_outgoing *o = &box->queue[first];
    bool run_suspected = n > 1 && (error == EINVAL || error == EMSGSIZE || error == EIO);
    bool path_suspected = (error == EINVAL || error == ENETUNREACH || error == EADDRNOTAVAIL) &&
                          memcmp(&o->to.local, &any, sizeof(any)) != 0;

    if (run_suspected && send_alone(fd, o) >= 0) {
        if (o->peer != WYRM_NO_PEER) {
            box->no_runs[o->peer].until = box->core->now + NO_RUNS_MS;
            box->no_runs[o->peer].len = error == EIO ? 0 : o->len;
            return 1;
        }
        for (unsigned i = 1; i < n; i++)
            (void)send_alone(fd, o + i);
        return n;
    }
    if (path_suspected) {
        forget_path(box, first);
        return 0;
    }
    wyrmd_log_verbose("%u datagrams dropped by the system: %s", n, strerror(error));
    return n;
}

/* Sends datagrams from `first` on that share a socket in one call; returns how many are done with.
 */
static unsigned send_from(struct wyrmd_outbox *box, unsigned first)
{
    static struct mmsghdr messages[OUTBOX];
    static struct iovec vectors[OUTBOX];
    static union address to[OUTBOX];
    static struct control control[OUTBOX];
    unsigned ends[OUTBOX], n = 0, at = first;
    struct wyrmd_outgoing *queue = box->queue;
    uint8_t family = queue[first].to.remote.family;
    int fd = family == 4 ? box->udp->fd4 : box->udp->fd6, sent;

    while (at < box->used && queue[at].to.remote.family == family) {
        unsigned run = run_from(box, at);

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
    return handle_error(box, fd, first, ends[0] - first, errno);
}

void wyrmd_outbox_flush(struct wyrmd_outbox *box)
{
    unsigned done = 0;

    while (done < box->used)
        done += send_from(box, done);
    box->used = 0;
    box->fill = 0;
}

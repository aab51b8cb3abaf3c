/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Whether answers to a peer may still leave from the local address that it was reached at. As in
 * the kernel's implementation they may while the address is local and the route to the peer leaves
 * by the interface that the peer's datagrams arrive on. Checking costs a system call per peer, so
 * events that cannot have changed the way to a peer are passed over.
 */
#include "udp.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <unistd.h>

_Static_assert(sizeof(struct wyrmd_path) <= WYRM_PATH_LEN, "WYRM_PATH_LEN is too small");

/* ---- One peer ----------------------------------------------------------- */

static bool is_local(const struct wyrm_endpoint *remote, const struct wyrmd_path *path)
{
    bool v4 = remote->family == 4, local;
    union address address = {0};
    int fd = socket(v4 ? AF_INET : AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    if (fd < 0)
        return false;
    address.any.sa_family = v4 ? AF_INET : AF_INET6;
    if (v4) {
        memcpy(&address.v4.sin_addr, path->addr, 4);
    } else {
        memcpy(&address.v6.sin6_addr, path->addr, 16);
        if (IN6_IS_ADDR_LINKLOCAL(&address.v6.sin6_addr))
            address.v6.sin6_scope_id = path->interface;
    }
    local = bind(fd, &address.any, v4 ? sizeof(address.v4) : sizeof(address.v6)) == 0;
    close(fd);
    return local;
}

struct question {
    struct nlmsghdr header;
    struct rtmsg route;
    uint8_t attributes[128];
};

static void add(struct question *q, unsigned short type, const void *data, size_t len)
{
    struct rtattr *at = (struct rtattr *)((uint8_t *)q + NLMSG_ALIGN(q->header.nlmsg_len));

    at->rta_type = type;
    at->rta_len = (unsigned short)RTA_LENGTH(len);
    memcpy(RTA_DATA(at), data, len);
    q->header.nlmsg_len = NLMSG_ALIGN(q->header.nlmsg_len) + (uint32_t)RTA_SPACE(len);
}

/* The attribute of a message about routes, NULL if there is none of at least `len` bytes. */
static const void *find(const struct nlmsghdr *message, unsigned short type, size_t len)
{
    const struct rtmsg *route = NLMSG_DATA(message);
    size_t left = RTM_PAYLOAD(message);

    for (const struct rtattr *at = RTM_RTA(route); RTA_OK(at, left); at = RTA_NEXT(at, left))
        if (at->rta_type == type && RTA_PAYLOAD(at) >= len)
            return RTA_DATA(at);
    return NULL;
}

/* The interface by which a datagram from the path's address to the peer leaves; 0: none. */
static uint32_t route_to(const struct wyrmd *d, int netlink, const struct wyrm_endpoint *remote,
                         const struct wyrmd_path *path)
{
    size_t addr_len = remote->family == 4 ? 4 : 16;
    uint16_t sport = htons(d->port), dport = htons(remote->port);
    uint8_t udp = IPPROTO_UDP;
    _Alignas(struct nlmsghdr) uint8_t answer[4096];
    const struct nlmsghdr *message = (const struct nlmsghdr *)answer;
    const uint32_t *interface;
    struct question q = {
        .header = {.nlmsg_len = NLMSG_LENGTH(sizeof(struct rtmsg)),
                   .nlmsg_type = RTM_GETROUTE,
                   .nlmsg_flags = NLM_F_REQUEST},
        .route = {.rtm_family = remote->family == 4 ? AF_INET : AF_INET6,
                  .rtm_dst_len = (uint8_t)(addr_len * 8),
                  .rtm_src_len = (uint8_t)(addr_len * 8)},
    };
    ssize_t n;

    add(&q, RTA_DST, remote->addr, addr_len);
    add(&q, RTA_SRC, path->addr, addr_len);
    add(&q, RTA_IP_PROTO, &udp, sizeof(udp));
    add(&q, RTA_SPORT, &sport, sizeof(sport));
    add(&q, RTA_DPORT, &dport, sizeof(dport));
    if (d->fwmark != 0)
        add(&q, RTA_MARK, &d->fwmark, sizeof(d->fwmark));
    if (remote->scope != 0)
        add(&q, RTA_OIF, &remote->scope, sizeof(remote->scope));
    if (send(netlink, &q, q.header.nlmsg_len, 0) < 0)
        return 0;
    n = recv(netlink, answer, sizeof(answer), MSG_DONTWAIT); /* the kernel answers within send */
    if (n < (ssize_t)NLMSG_LENGTH(sizeof(struct rtmsg)) || !NLMSG_OK(message, (size_t)n) ||
        message->nlmsg_type != RTM_NEWROUTE)
        return 0;
    interface = find(message, RTA_OIF, sizeof(*interface));
    return interface != NULL ? *interface : 0;
}

/* ---- All peers ---------------------------------------------------------- */

static bool path_of(const struct wyrmd *d, wyrm_peer_id id, struct wyrm_endpoint *remote,
                    struct wyrmd_path *path)
{
    static const struct wyrmd_path unknown;
    const struct wyrm_meta *to = wyrm_peer_path(&d->dev, id);

    *remote = to->remote;
    memcpy(path, to->local.bytes, sizeof(*path));
    return memcmp(path, &unknown, sizeof(unknown)) != 0;
}

static void suspect_all(struct wyrmd *d)
{
    memset(d->suspects, 1, d->pools.n_peers);
}

static bool covers(const uint8_t *prefix, unsigned bits, const uint8_t *addr)
{
    unsigned rest = bits % 8;

    if (memcmp(prefix, addr, bits / 8) != 0)
        return false;
    return rest == 0 || ((prefix[bits / 8] ^ addr[bits / 8]) >> (8 - rest)) == 0;
}

/* Only peers that the route may lead to. */
static void suspect_by_route(struct wyrmd *d, const struct nlmsghdr *message)
{
    const struct rtmsg *route = NLMSG_DATA(message);
    static const uint8_t any[16];
    const uint8_t *prefix;
    uint8_t family = route->rtm_family == AF_INET ? 4 : 6;
    struct wyrm_endpoint remote;
    struct wyrmd_path path;

    if (route->rtm_flags & RTM_F_CLONED)
        return; /* what the kernel has learned about one destination is no route */
    prefix = find(message, RTA_DST, (route->rtm_dst_len + 7u) / 8);
    if (prefix == NULL)
        prefix = any;
    for (wyrm_peer_id id = 0; id < d->pools.n_peers; id++)
        if (!d->suspects[id] && path_of(d, id, &remote, &path) && remote.family == family)
            d->suspects[id] = covers(prefix, route->rtm_dst_len, remote.addr);
}

void wyrmd_paths_hear(struct wyrmd *d, const void *messages, size_t len)
{
    size_t left = len;

    for (const struct nlmsghdr *m = messages; NLMSG_OK(m, left); m = NLMSG_NEXT(m, left)) {
        switch (m->nlmsg_type) {
        case RTM_NEWROUTE:
        case RTM_DELROUTE:
            if (m->nlmsg_len >= NLMSG_LENGTH(sizeof(struct rtmsg)))
                suspect_by_route(d, m);
            break;
        case RTM_NEWADDR: /* if it has changed a route, a message says so */
            break;
        default: /* with an address or an interface, routes may go without a word */
            suspect_all(d);
            break;
        }
    }
}

void wyrmd_paths_hear_all(struct wyrmd *d)
{
    suspect_all(d);
}

void wyrmd_paths_check(struct wyrmd *d)
{
    int netlink = -1;

    for (wyrm_peer_id id = 0; id < d->pools.n_peers; id++) {
        struct wyrm_endpoint remote;
        struct wyrmd_path path;

        if (!d->suspects[id])
            continue;
        d->suspects[id] = 0;
        if (!path_of(d, id, &remote, &path))
            continue;
        if (netlink < 0)
            netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
        if (netlink < 0 || !is_local(&remote, &path) ||
            route_to(d, netlink, &remote, &path) != path.interface)
            (void)wyrm_peer_forget_path(&d->dev, id);
    }
    if (netlink >= 0)
        close(netlink);
}

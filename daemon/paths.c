/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * As in the kernel's implementation, a local address stays in use while it is assigned to this
 * machine and the route to the peer leaves by the interface that the peer's datagrams arrive on.
 * Checking this takes a system call per peer, so events that cannot change the route to a peer are
 * ignored.
 */
#include "paths.h"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

_Static_assert(sizeof(struct wyrmd_path) <= WYRM_PATH_LEN, "WYRM_PATH_LEN is too small");

bool wyrmd_paths_init(struct wyrmd_paths *paths, struct wyrmd_core *core,
                      const struct wyrmd_udp *udp)
{
    paths->core = core;
    paths->udp = udp;
    paths->suspects = calloc(core->pools.n_peers, 1);
    return paths->suspects != NULL;
}

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

struct request {
    struct nlmsghdr header;
    struct rtmsg route;
    uint8_t attributes[128];
};

static void add(struct request *request, unsigned short type, const void *data, size_t len)
{
    struct rtattr *at =
        (struct rtattr *)((uint8_t *)request + NLMSG_ALIGN(request->header.nlmsg_len));

    at->rta_type = type;
    at->rta_len = (unsigned short)RTA_LENGTH(len);
    memcpy(RTA_DATA(at), data, len);
    request->header.nlmsg_len = NLMSG_ALIGN(request->header.nlmsg_len) + (uint32_t)RTA_SPACE(len);
}

/* Finds an attribute of at least `len` bytes in a message about routes; NULL if there is none. */
static const void *find(const struct nlmsghdr *message, unsigned short type, size_t len)
{
    const struct rtmsg *route = NLMSG_DATA(message);
    size_t left = RTM_PAYLOAD(message);

    for (const struct rtattr *at = RTM_RTA(route); RTA_OK(at, left); at = RTA_NEXT(at, left))
        if (at->rta_type == type && RTA_PAYLOAD(at) >= len)
            return RTA_DATA(at);
    return NULL;
}

/* The interface that the route from the path's address to the peer leaves by; 0: none. */
static uint32_t route_to(const struct wyrmd_paths *paths, int netlink,
                         const struct wyrm_endpoint *remote, const struct wyrmd_path *path)
{
    size_t addr_len = remote->family == 4 ? 4 : 16;
    uint16_t sport = htons(paths->udp->port), dport = htons(remote->port);
    uint8_t udp = IPPROTO_UDP;
    _Alignas(struct nlmsghdr) uint8_t answer[4096];
    const struct nlmsghdr *message = (const struct nlmsghdr *)answer;
    const uint32_t *interface;
    struct request request = {
        .header = {.nlmsg_len = NLMSG_LENGTH(sizeof(struct rtmsg)),
                   .nlmsg_type = RTM_GETROUTE,
                   .nlmsg_flags = NLM_F_REQUEST},
        .route = {.rtm_family = remote->family == 4 ? AF_INET : AF_INET6,
                  .rtm_dst_len = (uint8_t)(addr_len * 8),
                  .rtm_src_len = (uint8_t)(addr_len * 8)},
    };
    ssize_t n;

    add(&request, RTA_DST, remote->addr, addr_len);
    add(&request, RTA_SRC, path->addr, addr_len);
    add(&request, RTA_IP_PROTO, &udp, sizeof(udp));
    add(&request, RTA_SPORT, &sport, sizeof(sport));
    add(&request, RTA_DPORT, &dport, sizeof(dport));
    if (paths->udp->mark != 0)
        add(&request, RTA_MARK, &paths->udp->mark, sizeof(paths->udp->mark));
    if (remote->scope != 0)
        add(&request, RTA_OIF, &remote->scope, sizeof(remote->scope));
    if (send(netlink, &request, request.header.nlmsg_len, 0) < 0)
        return 0;
    n = recv(netlink, answer, sizeof(answer),
             MSG_DONTWAIT); /* the kernel has answered within send */
    if (n < (ssize_t)NLMSG_LENGTH(sizeof(struct rtmsg)) || !NLMSG_OK(message, (size_t)n) ||
        message->nlmsg_type != RTM_NEWROUTE)
        return 0;
    interface = find(message, RTA_OIF, sizeof(*interface));
    return interface != NULL ? *interface : 0;
}

/* ---- All peers ---------------------------------------------------------- */

static bool path_of(const struct wyrmd_paths *paths, wyrm_peer_id id, struct wyrm_endpoint *remote,
                    struct wyrmd_path *path)
{
    static const struct wyrmd_path unknown;
    const struct wyrm_meta *to = wyrm_peer_path(&paths->core->dev, id);

    *remote = to->remote;
    memcpy(path, to->local.bytes, sizeof(*path));
    return memcmp(path, &unknown, sizeof(unknown)) != 0;
}

void wyrmd_paths_suspect_all(struct wyrmd_paths *paths)
{
    memset(paths->suspects, 1, paths->core->pools.n_peers);
}

static bool covers(const uint8_t *prefix, unsigned bits, const uint8_t *addr)
{
    unsigned rest = bits % 8;

    if (memcmp(prefix, addr, bits / 8) != 0)
        return false;
    return rest == 0 || ((prefix[bits / 8] ^ addr[bits / 8]) >> (8 - rest)) == 0;
}

/* Marks only peers that the route may lead to. */
static void suspect_by_route(struct wyrmd_paths *paths, const struct nlmsghdr *message)
{
    const struct rtmsg *route = NLMSG_DATA(message);
    static const uint8_t any[16];
    const uint8_t *prefix;
    uint8_t family = route->rtm_family == AF_INET ? 4 : 6;
    struct wyrm_endpoint remote;
    struct wyrmd_path path;

    if (route->rtm_flags & RTM_F_CLONED)
        return; /* a cache entry for one destination */
    prefix = find(message, RTA_DST, (route->rtm_dst_len + 7u) / 8);
    if (prefix == NULL)
        prefix = any;
    for (wyrm_peer_id id = 0; id < paths->core->pools.n_peers; id++)
        if (!paths->suspects[id] && path_of(paths, id, &remote, &path) && remote.family == family)
            paths->suspects[id] = covers(prefix, route->rtm_dst_len, remote.addr);
}

void wyrmd_paths_notify(struct wyrmd_paths *paths, const void *messages, size_t len)
{
    size_t left = len;

    for (const struct nlmsghdr *m = messages; NLMSG_OK(m, left); m = NLMSG_NEXT(m, left)) {
        switch (m->nlmsg_type) {
        case RTM_NEWROUTE:
        case RTM_DELROUTE:
            if (m->nlmsg_len >= NLMSG_LENGTH(sizeof(struct rtmsg)))
                suspect_by_route(paths, m);
            break;
        case RTM_NEWADDR: /* a route that changes has a message of its own */
            break;
        default: /* routes of a removed address or interface have none */
            wyrmd_paths_suspect_all(paths);
            break;
        }
    }
}

void wyrmd_paths_check(struct wyrmd_paths *paths)
{
    int netlink = -1;

    for (wyrm_peer_id id = 0; id < paths->core->pools.n_peers; id++) {
        struct wyrm_endpoint remote;
        struct wyrmd_path path;

        if (!paths->suspects[id])
            continue;
        paths->suspects[id] = 0;
        if (!path_of(paths, id, &remote, &path))
            continue;
        if (netlink < 0)
            netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
        if (netlink < 0 || !is_local(&remote, &path) ||
            route_to(paths, netlink, &remote, &path) != path.interface)
            (void)wyrm_peer_forget_path(&paths->core->dev, id);
    }
    if (netlink >= 0)
        close(netlink);
}

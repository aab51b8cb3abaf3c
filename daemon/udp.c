/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 */
#include "udp.h"

#include <errno.h>
#include <unistd.h>

enum { SOCKET_BUFFER = 4 << 20, PORT_TRIES = 16 };

static int set(int fd, int level, int option, int value)
{
    return setsockopt(fd, level, option, &value, sizeof(value));
}

/* Without CAP_NET_ADMIN the system limits the size. */
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
        /* As the kernel's: fragment a datagram that is longer than the path MTU. */
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
    (void)set(fd, IPPROTO_UDP, UDP_GRO, 1); /* if refused, datagrams come one by one */
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

/* Without IPv6 on this machine, only the socket for IPv4. 0 or an errno. */
static int open_pair(struct wyrmd_udp *udp, uint16_t port, uint32_t mark)
{
    int error;

    udp->fd4 = wyrmd_udp_socket(AF_INET, port, mark, SOCKET_BUFFER, false);
    if (udp->fd4 < 0)
        return errno;
    udp->port = port_of(udp->fd4);
    udp->fd6 = wyrmd_udp_socket(AF_INET6, udp->port, mark, SOCKET_BUFFER, false);
    if (udp->fd6 >= 0 || errno == EAFNOSUPPORT || errno == EADDRNOTAVAIL)
        return 0;
    error = errno;
    close(udp->fd4);
    return error;
}

int wyrmd_udp_open(struct wyrmd_udp *udp, uint16_t port, uint32_t mark)
{
    int error = 0;

    *udp = (struct wyrmd_udp){.port_chosen = port != 0, .mark = mark};
    /* A port that is free for IPv4 may be in use for IPv6. */
    for (unsigned i = 0; i < (port == 0 ? PORT_TRIES : 1); i++)
        if ((error = open_pair(udp, port, mark)) != EADDRINUSE)
            break;
    return error;
}

int wyrmd_udp_set_mark(struct wyrmd_udp *udp, uint32_t mark)
{
    if (set(udp->fd4, SOL_SOCKET, SO_MARK, (int)mark) < 0 ||
        (udp->fd6 >= 0 && set(udp->fd6, SOL_SOCKET, SO_MARK, (int)mark) < 0))
        return errno;
    udp->mark = mark;
    return 0;
}

void wyrmd_udp_close(struct wyrmd_udp *udp)
{
    if (udp->fd4 >= 0)
        close(udp->fd4);
    if (udp->fd6 >= 0)
        close(udp->fd6);
    udp->fd4 = udp->fd6 = -1;
}

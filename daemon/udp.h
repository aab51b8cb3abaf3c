/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The UDP sockets for data, one per address family on the same port, and the layout of the
 * addresses and control messages that recvmmsg and sendmmsg pass along with a datagram.
 */
#ifndef WYRMD_UDP_H
#define WYRMD_UDP_H

#include <wyrm.h>

#include <netinet/in.h>
#include <sys/socket.h>

#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#define UDP_GRO     104
#endif

enum { SEALED_MAX = (65535 + 15) / 16 * 16 + 32 }; /* the longest datagram */

struct wyrmd_udp {
    int fd4, fd6; /* -1: none */
    uint16_t port;
    bool port_chosen; /* by the user, not by the system */
    uint32_t mark;
};

union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

struct control {
    _Alignas(struct cmsghdr) uint8_t room[CMSG_SPACE(sizeof(struct in6_pktinfo)) +
                                          CMSG_SPACE(sizeof(int)) + CMSG_SPACE(sizeof(int))];
};

/* The content of a struct wyrm_path: the local address that a peer's datagrams arrive at, of the
 * same family as the remote address, and their interface. All zero: the system chooses. */
struct wyrmd_path {
    uint8_t addr[16];
    uint32_t interface;
};

/* Opens a socket bound to the port on every address; -1 with errno. */
int wyrmd_udp_socket(int family, uint16_t port, uint32_t mark, int buffer, bool shared);
/* Opens sockets for data, on any free port if `port` is 0. Without IPv6, `fd6` is -1. 0 or an
 * errno. */
int wyrmd_udp_open(struct wyrmd_udp *udp, uint16_t port, uint32_t mark);
/* Sets SO_MARK; 0 or an errno. */
int wyrmd_udp_set_mark(struct wyrmd_udp *udp, uint32_t mark);
void wyrmd_udp_close(struct wyrmd_udp *udp);

#endif /* WYRMD_UDP_H */

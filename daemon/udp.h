/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * What recvmmsg and sendmmsg have beside a datagram.
 */
#ifndef WYRMD_UDP_H
#define WYRMD_UDP_H

#include "wyrmd.h"

#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#define UDP_GRO     104
#endif

union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

struct control {
    _Alignas(struct cmsghdr) uint8_t room[CMSG_SPACE(sizeof(struct in6_pktinfo)) +
                                          CMSG_SPACE(sizeof(int)) + CMSG_SPACE(sizeof(int))];
};

/* udp.c: a socket bound to the port on every address, -1 with errno. */
int wyrmd_udp_socket(int family, uint16_t port, uint32_t mark, int buffer, bool shared);

/* receive.c: reads up to `max` messages, INBOX at most; how many datagrams these were. */
unsigned wyrmd_udp_read(struct wyrmd *d, int fd, unsigned max);

#endif /* WYRMD_UDP_H */

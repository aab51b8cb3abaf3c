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

#endif /* WYRMD_UDP_H */

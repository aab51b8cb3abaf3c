/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Datagrams from peers: read from a UDP socket and passed to the tunnel.
 */
#ifndef WYRMD_RECEIVE_H
#define WYRMD_RECEIVE_H

#include "tunnel.h"

enum { INBOX = 32 }; /* messages per recvmmsg */

struct wyrmd_receiver {
    struct wyrmd_tunnel *tunnel;
    uint8_t *inbox; /* INBOX messages of SEALED_MAX bytes */
};

bool wyrmd_receiver_init(struct wyrmd_receiver *rx, struct wyrmd_tunnel *tunnel);
/* Reads up to `max` messages, INBOX at most, and returns how many datagrams they held. */
unsigned wyrmd_receive(struct wyrmd_receiver *rx, int fd, unsigned max);

#endif /* WYRMD_RECEIVE_H */

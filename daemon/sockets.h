/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Port and mark of all UDP sockets together.
 */
#ifndef WYRMD_SOCKETS_H
#define WYRMD_SOCKETS_H

#include "initiations.h"
#include "outbox.h"

struct wyrmd_sockets {
    int epoll;
    struct wyrmd_udp *udp;
    struct wyrmd_outbox *outbox;
    struct wyrmd_initiations *initiations;
};

/* (Re)binds the sockets to the port, 0: any free one. 0 or an errno; on error nothing changes. */
int wyrmd_sockets_bind(struct wyrmd_sockets *sockets, uint16_t port);
/* 0 or an errno. */
int wyrmd_sockets_set_mark(struct wyrmd_sockets *sockets, uint32_t mark);
void wyrmd_sockets_close(struct wyrmd_sockets *sockets);

#endif /* WYRMD_SOCKETS_H */

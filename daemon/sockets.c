/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 */
#include "sockets.h"
#include "system.h"

#include <errno.h>
#include <string.h>

static void watch(const struct wyrmd_sockets *sockets, int fd)
{
    if (fd >= 0 && !wyrmd_watch(sockets->epoll, fd))
        wyrmd_log("epoll: %s", strerror(errno));
}

int wyrmd_sockets_bind(struct wyrmd_sockets *sockets, uint16_t port)
{
    struct wyrmd_udp *udp = sockets->udp, opened;
    int error;

    if (udp->port != 0 && (port == udp->port || (port == 0 && !udp->port_chosen))) {
        udp->port_chosen = port != 0;
        return 0;
    }
    error = wyrmd_udp_open(&opened, port, udp->mark);
    if (error != 0)
        return error;
    wyrmd_outbox_flush(sockets->outbox);
    wyrmd_udp_close(udp);
    *udp = opened;
    watch(sockets, udp->fd4);
    watch(sockets, udp->fd6);
    wyrmd_initiations_open(sockets->initiations);
    return 0;
}

int wyrmd_sockets_set_mark(struct wyrmd_sockets *sockets, uint32_t mark)
{
    int error;

    if (mark == sockets->udp->mark)
        return 0;
    error = wyrmd_initiations_set_mark(sockets->initiations, mark);
    return error != 0 ? error : wyrmd_udp_set_mark(sockets->udp, mark);
}

void wyrmd_sockets_close(struct wyrmd_sockets *sockets)
{
    wyrmd_udp_close(sockets->udp);
    wyrmd_initiations_close(sockets->initiations);
}

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Sockets that keep floods of initiations away from data.
 */
#ifndef WYRMD_INITIATIONS_H
#define WYRMD_INITIATIONS_H

#include "receive.h"

enum { INITIATION_SOCKETS = 64 }; /* per address family */

struct wyrmd_initiations {
    const struct wyrmd_core *core;
    const struct wyrmd_udp *udp; /* the sockets for data */
    struct wyrmd_receiver *receiver;
    int epoll; /* the loop's */
    int fd;    /* an epoll descriptor with the sockets of both families, -1: not initialized */
    int fds4[INITIATION_SOCKETS], fds6[INITIATION_SOCKETS];
    wyrm_ms due; /* do not read earlier; 0: no limit */
    wyrm_ms steered, data_seen;
};

/* Call with `core`, `udp` and `receiver` set; false with errno. */
bool wyrmd_initiations_init(struct wyrmd_initiations *in, int epoll);
/* (Re)opens the sockets next to those for data. If the system refuses, initiations arrive there. */
void wyrmd_initiations_open(struct wyrmd_initiations *in);
void wyrmd_initiations_close(struct wyrmd_initiations *in);
/* 0 or an errno. */
int wyrmd_initiations_set_mark(const struct wyrmd_initiations *in, uint32_t mark);
/* Receives some datagrams, the same share from every socket. */
void wyrmd_initiations_receive(struct wyrmd_initiations *in);
/* Starts to listen again once `due` has passed. */
void wyrmd_initiations_resume(struct wyrmd_initiations *in);
/* There is data: initiations get only a limited rate for a while. */
void wyrmd_initiations_note_data(struct wyrmd_initiations *in);

#endif /* WYRMD_INITIATIONS_H */

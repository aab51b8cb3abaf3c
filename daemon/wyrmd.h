/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The daemon: all modules together, and the event loop.
 */
#ifndef WYRMD_H
#define WYRMD_H

#include "initiations.h"
#include "transmit.h"
#include "uapi.h"

struct wyrmd {
    struct wyrmd_core core;
    struct wyrmd_tun tun;
    struct wyrmd_udp udp;
    struct wyrmd_outbox outbox;
    struct wyrmd_hold hold;
    struct wyrmd_handshakes handshakes;
    struct wyrmd_tunnel tunnel;
    struct wyrmd_transmitter transmitter;
    struct wyrmd_receiver receiver;
    struct wyrmd_initiations initiations;
    struct wyrmd_sockets sockets;
    struct wyrmd_paths paths;
    struct wyrmd_uapi uapi;
    int epoll, timer, signals;
    int routes; /* netlink: interfaces, addresses, routes and rules */
    wyrm_ms armed;
    bool stop;
};

/* Handles events until a signal arrives, or the interface or the control socket is removed. Returns
 * the exit status. */
int wyrmd_run(struct wyrmd *d);

#endif /* WYRMD_H */

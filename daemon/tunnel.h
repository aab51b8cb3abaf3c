/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The core and what its verdicts lead to: packets and datagrams go in, the results go where they
 * belong. While the interface is down, nothing is sent or answered.
 */
#ifndef WYRMD_TUNNEL_H
#define WYRMD_TUNNEL_H

#include "core.h"
#include "handshakes.h"
#include "hold.h"
#include "merge.h"
#include "outbox.h"

struct wyrmd_tunnel {
    struct wyrmd_core *core;
    const struct wyrmd_tun *tun;
    struct wyrmd_merge *merge;
    struct wyrmd_outbox *outbox;
    struct wyrmd_hold *hold;
    struct wyrmd_handshakes *handshakes;
    struct wyrm_job job;
    bool work; /* handshake jobs may be waiting */
    bool up;
};

/* Sends one inner packet, or holds a copy of it until the peer has a session. */
void wyrmd_tunnel_send(struct wyrmd_tunnel *tunnel, const struct wyrm_span *ip, unsigned n);
/* Handles one datagram. It is decrypted in place and must stay until wyrmd_merge_flush. */
void wyrmd_tunnel_receive(struct wyrmd_tunnel *tunnel, const struct wyrm_meta *meta, uint8_t *data,
                          size_t len);
/* Polls the core until it is idle. */
void wyrmd_tunnel_poll(struct wyrmd_tunnel *tunnel);
/* Runs some of the handshakes that wait. */
void wyrmd_tunnel_run_jobs(struct wyrmd_tunnel *tunnel);
/* Follows the state of the interface. */
void wyrmd_tunnel_set_up(struct wyrmd_tunnel *tunnel, bool up);
/* Drops held packets and wipes the handshake in progress. */
void wyrmd_tunnel_close(struct wyrmd_tunnel *tunnel);

#endif /* WYRMD_TUNNEL_H */

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Datagrams on their way to sendmmsg: queued, then sent in batches.
 */
#ifndef WYRMD_OUTBOX_H
#define WYRMD_OUTBOX_H

#include "core.h"
#include "udp.h"

enum { OUTBOX = 256, OUTBOX_BYTES = 512 * 1024 };

struct wyrmd_outbox {
    struct wyrmd_core *core;
    const struct wyrmd_udp *udp;
    uint8_t *bytes;
    size_t fill;
    unsigned used;
    struct wyrmd_outgoing {
        uint8_t *data;
        size_t len;
        struct wyrm_meta to;
        wyrm_peer_id peer;
    } queue[OUTBOX];
    struct wyrmd_no_runs { /* per peer: no runs of datagrams of this length or longer */
        wyrm_ms until;
        size_t len;
    } * no_runs;
};

bool wyrmd_outbox_init(struct wyrmd_outbox *box, struct wyrmd_core *core,
                       const struct wyrmd_udp *udp);
/* SEALED_MAX bytes in the queue to seal a packet into, and the call that queues the result. */
uint8_t *wyrmd_outbox_room(struct wyrmd_outbox *box);
void wyrmd_outbox_commit(struct wyrmd_outbox *box, const struct wyrm_packet *packet);
/* Queues a copy of a datagram. */
void wyrmd_outbox_push(struct wyrmd_outbox *box, const struct wyrm_packet *packet);
/* Sends all that is queued. */
void wyrmd_outbox_flush(struct wyrmd_outbox *box);

#endif /* WYRMD_OUTBOX_H */

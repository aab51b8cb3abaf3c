/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Outgoing packets that wait for their peer's handshake.
 */
#ifndef WYRMD_HOLD_H
#define WYRMD_HOLD_H

#include <wyrm.h>

enum { HELD_PER_PEER = 128, HELD_MAX = 1024 };

struct wyrmd_held {
    struct wyrmd_held *next;
    size_t len;
    uint8_t data[];
};

struct wyrmd_hold {
    struct wyrmd_hold_queue *queues; /* one per peer */
    unsigned used, longest;
    wyrm_peer_id rings[HELD_PER_PEER + 1]; /* per length: a peer with such a queue, or none */
};

bool wyrmd_hold_init(struct wyrmd_hold *hold, wyrm_peer_id peers);
void wyrmd_hold_close(struct wyrmd_hold *hold);
/* Queues a copy of a packet. */
void wyrmd_hold_push(struct wyrmd_hold *hold, wyrm_peer_id peer, const struct wyrm_span *ip,
                     unsigned n);
/* How many packets wait for this peer. */
unsigned wyrmd_hold_count(const struct wyrmd_hold *hold, wyrm_peer_id peer);
/* The oldest packet that waits for this peer, which the caller frees; NULL if there is none. */
struct wyrmd_held *wyrmd_hold_pop(struct wyrmd_hold *hold, wyrm_peer_id peer);
void wyrmd_hold_drop(struct wyrmd_hold *hold, wyrm_peer_id peer);
void wyrmd_hold_drop_all(struct wyrmd_hold *hold);

#endif /* WYRMD_HOLD_H */

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The table from session indices to the keypair or handshake they name: chains threaded through
 * the peers, heads in the caller's pool. Indices are random, so nobody can make a chain long.
 */
#ifndef WYRM_INDEX_H
#define WYRM_INDEX_H

#include "wyrm_util.h"

#define WYRM_MAX_PEERS (UINT16_MAX / WYRM_PLACES - 1)

/* Gives the peer's place a session index, which nobody has yet, and takes it back. */
#if WYRM_RESPONDER
void wyrm_index_insert(struct wyrm_device *dev, struct wyrm_peer *peer, unsigned place,
                       uint32_t local);
void wyrm_index_remove(struct wyrm_device *dev, struct wyrm_peer *peer, unsigned place);
#else
static inline void wyrm_index_insert(struct wyrm_device *dev, struct wyrm_peer *peer,
                                     unsigned place, uint32_t local)
{
    (void)dev;
    peer->local[place] = local;
}

static inline void wyrm_index_remove(struct wyrm_device *dev, struct wyrm_peer *peer,
                                     unsigned place)
{
    (void)dev, (void)peer, (void)place; /* in use as long as a session or a handshake has it */
}
#endif
/* The peer and its place that have this index; NULL if nobody has. */
struct wyrm_peer *wyrm_index_find(const struct wyrm_device *dev, uint32_t local, unsigned *place);

#endif /* WYRM_INDEX_H */

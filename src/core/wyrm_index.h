/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The table from session indices to the keypair or handshake they name: chains threaded through
 * the peers, heads in the caller's pool. Indices are random, so nobody can make a chain long.
 */
#ifndef WYRM_INDEX_H
#define WYRM_INDEX_H

#include "wyrm_peer.h"

/* Peer and place within the peer in one number. */
typedef uint16_t wyrm_index_ref;
#define WYRM_NO_REF    UINT16_MAX
#define WYRM_MAX_PEERS (WYRM_NO_REF / WYRM_PLACES)

static inline wyrm_peer_id wyrm_ref_peer(wyrm_index_ref ref)
{
    return (wyrm_peer_id)(ref / WYRM_PLACES);
}
static inline unsigned wyrm_ref_place(wyrm_index_ref ref)
{
    return ref % WYRM_PLACES;
}

void wyrm_index_clear(struct wyrm_device *dev);
/* Gives the peer's place a session index, which nobody has yet. */
void wyrm_index_insert(struct wyrm_device *dev, struct wyrm_peer *peer, unsigned place,
                       uint32_t local);
void wyrm_index_remove(struct wyrm_device *dev, struct wyrm_peer *peer, unsigned place);
/* WYRM_NO_REF if nobody has this index. */
wyrm_index_ref wyrm_index_find(const struct wyrm_device *dev, uint32_t local);

#endif /* WYRM_INDEX_H */

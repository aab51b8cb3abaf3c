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
#define WYRM_REF_HS    3u /* place of the handshake; 0..2 are keypairs */
#define WYRM_MAX_PEERS (WYRM_NO_REF / 4u)

static inline wyrm_index_ref wyrm_ref(wyrm_peer_id peer, unsigned place)
{
    return (wyrm_index_ref)(peer * 4u + place);
}
static inline wyrm_peer_id wyrm_ref_peer(wyrm_index_ref ref)
{
    return (wyrm_peer_id)(ref / 4u);
}
static inline unsigned wyrm_ref_place(wyrm_index_ref ref)
{
    return ref % 4u;
}

void wyrm_index_clear(struct wyrm_device *dev);
/* Files the `local` index that stands at `ref` already. */
void wyrm_index_insert(struct wyrm_device *dev, wyrm_index_ref ref);
void wyrm_index_remove(struct wyrm_device *dev, wyrm_index_ref ref);
/* WYRM_NO_REF if nobody has this index. */
wyrm_index_ref wyrm_index_find(const struct wyrm_device *dev, uint32_t local);

#endif /* WYRM_INDEX_H */

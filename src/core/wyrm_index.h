/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Lookup of session indices, which identify a keypair or a handshake. The chains run through the
 * peers, their heads are in the caller's pool. Indices are random, so an attacker cannot make a
 * chain long.
 */
#ifndef WYRM_INDEX_H
#define WYRM_INDEX_H

#include "wyrm_util.h"

#define WYRM_MAX_PEERS (UINT16_MAX / WYRM_PLACES - 1)

/* Assigns a session index that is not in use to a place of the peer, and removes it. */
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
    (void)dev, (void)peer, (void)place; /* in use as long as the session or handshake exists */
}
#endif
/* The peer with this index and its place, or NULL. */
struct wyrm_peer *wyrm_index_find(const struct wyrm_device *dev, uint32_t local, unsigned *place);

#endif /* WYRM_INDEX_H */

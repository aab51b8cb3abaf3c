/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Chained hash table of session indices. wyrm_session.c and wyrm_jobs.c insert and remove them,
 * wyrm_transport.c looks them up. An entry combines the id of a peer, plus one, and a place of that
 * peer; 0 ends the chain. A client has few peers and searches them one by one instead.
 */
#include "wyrm_index.h"

#if WYRM_RESPONDER

static struct wyrm_peer *peer_of(const struct wyrm_device *dev, uint16_t entry)
{
    return wyrm_peer_at(dev, (wyrm_peer_id)(entry / WYRM_PLACES - 1));
}

/* Returns the head or link that contains the entry of `local`, or the end of the chain if the index
 * is not in use. */
static WYRM_NOINLINE uint16_t *find_entry(const struct wyrm_device *dev, uint32_t local)
{
    uint16_t *entry = &dev->pools->index[local & (dev->pools->n_index - 1u)];

    while (*entry != 0) {
        struct wyrm_peer *peer = peer_of(dev, *entry);
        unsigned place = *entry % WYRM_PLACES;

        if (peer->local[place] == local)
            break;
        entry = &peer->link[place];
    }
    return entry;
}

void wyrm_index_insert(struct wyrm_device *dev, struct wyrm_peer *peer, unsigned place,
                       uint32_t local)
{
    *find_entry(dev, local) = (uint16_t)((peer->id + 1u) * WYRM_PLACES + place);
    peer->local[place] = local;
    peer->link[place] = 0;
}

void wyrm_index_remove(struct wyrm_device *dev, struct wyrm_peer *peer, unsigned place)
{
    *find_entry(dev, peer->local[place]) = peer->link[place];
}

struct wyrm_peer *wyrm_index_find(const struct wyrm_device *dev, uint32_t local, unsigned *place)
{
    uint16_t entry = *find_entry(dev, local);

    *place = entry % WYRM_PLACES;
    return entry != 0 ? peer_of(dev, entry) : NULL;
}

#else

/* True if the peer uses the index at this place. */
static bool in_use(const struct wyrm_peer *peer, unsigned place)
{
    return place == WYRM_PLACE_HS ? peer->waiting : wyrm_session_in_use(peer, place);
}

struct wyrm_peer *wyrm_index_find(const struct wyrm_device *dev, uint32_t local, unsigned *place)
{
    for (unsigned id = 0; id < dev->pools->n_peers; id++) {
        struct wyrm_peer *peer = wyrm_used_peer(dev, (wyrm_peer_id)id);

        for (*place = 0; peer != NULL && *place < WYRM_PLACES; ++*place)
            if (peer->local[*place] == local && in_use(peer, *place))
                return peer;
    }
    return NULL;
}

#endif

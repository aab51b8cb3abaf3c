/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Chained hash table of session indices. Called by wyrm_session.c and wyrm_jobs.c to file and by
 * wyrm_device.c to look up.
 */
#include "wyrm_index.h"

static uint16_t *head_of(const struct wyrm_device *dev, uint32_t local)
{
    return &dev->pools->index[local & (dev->pools->n_index - 1u)];
}

void wyrm_index_clear(struct wyrm_device *dev)
{
    for (unsigned i = 0; i < dev->pools->n_index; i++)
        dev->pools->index[i] = WYRM_NO_REF;
}

void wyrm_index_insert(struct wyrm_device *dev, struct wyrm_peer *peer, unsigned place,
                       uint32_t local)
{
    uint16_t *head = head_of(dev, local);

    peer->local[place] = local;
    peer->link[place] = *head;
    *head = (wyrm_index_ref)(peer->id * WYRM_PLACES + place);
}

void wyrm_index_remove(struct wyrm_device *dev, struct wyrm_peer *peer, unsigned place)
{
    uint16_t *link = head_of(dev, peer->local[place]);

    while (*link != WYRM_NO_REF) {
        struct wyrm_peer *at = wyrm_peer_at(dev, wyrm_ref_peer(*link));
        uint16_t *next = &at->link[wyrm_ref_place(*link)];

        if (next == &peer->link[place])
            *link = *next;
        else
            link = next;
    }
}

wyrm_index_ref wyrm_index_find(const struct wyrm_device *dev, uint32_t local)
{
    wyrm_index_ref ref = *head_of(dev, local);

    while (ref != WYRM_NO_REF) {
        const struct wyrm_peer *peer = wyrm_peer_at(dev, wyrm_ref_peer(ref));

        if (peer->local[wyrm_ref_place(ref)] == local)
            break;
        ref = peer->link[wyrm_ref_place(ref)];
    }
    return ref;
}

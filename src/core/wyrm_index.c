/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Chained hash table of session indices. Called by wyrm_session.c and wyrm_jobs.c to file and by
 * wyrm_device.c to look up.
 */
#include "wyrm_index.h"

static uint32_t *local_at(const struct wyrm_device *dev, wyrm_index_ref ref)
{
    struct wyrm_peer *peer = wyrm_peer_at(dev, wyrm_ref_peer(ref));
    unsigned place = wyrm_ref_place(ref);

    return place == WYRM_REF_HS ? &peer->hs.local : &peer->kp[place].local;
}

static uint16_t *link_at(const struct wyrm_device *dev, wyrm_index_ref ref)
{
    struct wyrm_peer *peer = wyrm_peer_at(dev, wyrm_ref_peer(ref));
    unsigned place = wyrm_ref_place(ref);

    return place == WYRM_REF_HS ? &peer->hs.index_link : &peer->kp[place].index_link;
}

static uint16_t *head_of(const struct wyrm_device *dev, uint32_t local)
{
    return &dev->pools->index[local & (dev->pools->n_index - 1u)];
}

void wyrm_index_clear(struct wyrm_device *dev)
{
    for (unsigned i = 0; i < dev->pools->n_index; i++)
        dev->pools->index[i] = WYRM_NO_REF;
}

void wyrm_index_insert(struct wyrm_device *dev, wyrm_index_ref ref)
{
    uint16_t *head = head_of(dev, *local_at(dev, ref));

    *link_at(dev, ref) = *head;
    *head = ref;
}

void wyrm_index_remove(struct wyrm_device *dev, wyrm_index_ref ref)
{
    uint16_t *link = head_of(dev, *local_at(dev, ref));

    while (*link != WYRM_NO_REF && *link != ref)
        link = link_at(dev, *link);
    if (*link == ref)
        *link = *link_at(dev, ref);
}

wyrm_index_ref wyrm_index_find(const struct wyrm_device *dev, uint32_t local)
{
    wyrm_index_ref ref = *head_of(dev, local);

    while (ref != WYRM_NO_REF && *local_at(dev, ref) != local)
        ref = *link_at(dev, ref);
    return ref;
}

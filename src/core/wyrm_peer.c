/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Finding peers, and the few lines that every file of the core shares.
 */
#include "wyrm_peer.h"

#include <string.h>

WYRM_APART struct wyrm_peer *wyrm_peer_at(const struct wyrm_device *dev, wyrm_peer_id id)
{
    return &dev->pools->peers[id];
}

WYRM_APART wyrm_status wyrm_drop(struct wyrm_device *dev, wyrm_status reason)
{
    dev->drops[WYRM_D_MALFORMED - reason]++;
    return reason;
}

WYRM_APART void wyrm_copy_key(uint8_t out[WYRM_KEY_LEN], const uint8_t in[WYRM_KEY_LEN])
{
    memcpy(out, in, WYRM_KEY_LEN);
}

struct wyrm_peer *wyrm_used_peer(const struct wyrm_device *dev, wyrm_peer_id id)
{
    if (id >= dev->pools->n_peers || !wyrm_used(wyrm_peer_at(dev, id)))
        return NULL;
    return wyrm_peer_at(dev, id);
}

wyrm_status wyrm_peer_find(const struct wyrm_device *dev, const uint8_t pub[WYRM_KEY_LEN],
                           wyrm_peer_id *out)
{
    for (wyrm_peer_id id = 0; id < dev->pools->n_peers; id++) {
        const struct wyrm_peer *peer = wyrm_used_peer(dev, id);

        if (peer != NULL && memcmp(peer->pub, pub, WYRM_KEY_LEN) == 0) {
            *out = id;
            return WYRM_IDLE;
        }
    }
    return WYRM_E_STATE;
}

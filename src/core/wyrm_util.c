/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Helpers shared by all files of the core.
 */
#include "wyrm_util.h"

WYRM_NOINLINE struct wyrm_peer *wyrm_peer_at(const struct wyrm_device *dev, wyrm_peer_id id)
{
    return &dev->pools->peers[id];
}

WYRM_NOINLINE wyrm_status wyrm_drop(struct wyrm_device *dev, wyrm_status status)
{
    if (status <= WYRM_D_MALFORMED)
        dev->drops[WYRM_D_MALFORMED - status]++;
    return status;
}

WYRM_NOINLINE void wyrm_post(struct wyrm_device *dev, struct wyrm_peer *peer, enum wyrm_event event)
{
    peer->events |= (uint8_t)event;
    if (event == EVENT_INITIATE)
        dev->work = true;
    else
        dev->pending = true;
}

void wyrm_copy_key(uint8_t out[WYRM_KEY_LEN], const uint8_t in[WYRM_KEY_LEN])
{
    wyrm_copy(out, in, WYRM_KEY_LEN);
}

struct wyrm_peer *wyrm_used_peer(const struct wyrm_device *dev, wyrm_peer_id id)
{
    struct wyrm_peer *peer;

    if (id >= dev->pools->n_peers)
        return NULL;
    peer = wyrm_peer_at(dev, id);
    return wyrm_peer_in_use(peer) ? peer : NULL;
}

struct wyrm_peer *wyrm_peer_by_key(const struct wyrm_device *dev, const uint8_t pub[WYRM_KEY_LEN])
{
    for (unsigned id = 0; id < dev->pools->n_peers; id++) {
        struct wyrm_peer *peer = wyrm_used_peer(dev, (wyrm_peer_id)id);

        if (peer != NULL && memcmp(peer->contact.pub, pub, WYRM_KEY_LEN) == 0)
            return peer;
    }
    return NULL;
}

void wyrm_hash_pair(uint8_t out[WYRM_HASH_LEN], const uint8_t *a, size_t a_len, const uint8_t *b,
                    size_t b_len)
{
    struct wyrm_blake2s state;

    wyrm_blake2s_init(&state, WYRM_HASH_LEN, NULL, 0);
    wyrm_blake2s_update(&state, a, a_len);
    wyrm_blake2s_update(&state, b, b_len);
    wyrm_blake2s_final(&state, out);
}

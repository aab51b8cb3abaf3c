/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The life of a device and its own identity: wyrm_init to wyrm_close.
 */
#include "wyrm_cookie.h"
#include "wyrm_index.h"
#include "wyrm_peer.h"
#include "wyrm_time.h"

#include "../wyrm_crypto.h"

#include <string.h>

static WYRM_NOINLINE void clear_slots(const struct wyrm_pools *pools)
{
    wyrm_wipe(pools->slots, pools->n_slots * sizeof(*pools->slots));
}

wyrm_status wyrm_init_checked(struct wyrm_device *dev, const struct wyrm_pools *pools,
                              const struct wyrm_platform *io, uint32_t version, size_t device_size,
                              size_t peer_size)
{
    if (version != WYRM_VERSION || device_size != sizeof(*dev) ||
        peer_size != sizeof(struct wyrm_peer))
        return WYRM_E_ABI;
    if (pools->n_peers == 0 || pools->n_peers > WYRM_MAX_PEERS || pools->n_slots == 0 ||
        (WYRM_RESPONDER && (pools->n_sources == 0 || pools->n_index == 0 ||
                            (pools->n_index & (pools->n_index - 1u)) != 0)))
        return WYRM_E_ARG;

    memset(dev, 0, offsetof(struct wyrm_device, epoch));
    dev->epoch++;
    memset(pools->peers, 0, pools->n_peers * sizeof(*pools->peers));
    clear_slots(pools);
    if (WYRM_RESPONDER) {
        memset(pools->index, 0, pools->n_index * sizeof(*pools->index));
        memset(pools->sources, 0, pools->n_sources * sizeof(*pools->sources));
    }
    dev->pools = pools;
    dev->io = io;
    dev->mtu = WYRM_DEFAULT_MTU;
    dev->next_due = WYRM_TICK_NEVER;
    return WYRM_OK;
}

void wyrm_close(struct wyrm_device *dev)
{
    wyrm_wipe(dev->pools->peers, dev->pools->n_peers * sizeof(*dev->pools->peers));
    clear_slots(dev->pools);
    wyrm_wipe(dev, offsetof(struct wyrm_device, epoch));
    dev->epoch++;
}

wyrm_status wyrm_set_private_key(struct wyrm_device *dev, const uint8_t key[WYRM_KEY_LEN])
{
    const struct wyrm_peer *self;
    uint8_t pub[WYRM_KEY_LEN];

    if (key != NULL) {
        if (wyrm_ct_is_zero(key, WYRM_KEY_LEN))
            return WYRM_E_KEY;
        if (wyrm_ct_equal(key, dev->own.priv, WYRM_KEY_LEN))
            return WYRM_OK;
        if (!wyrm_x25519_base(pub, key))
            return WYRM_E_CRYPTO;
    }

    wyrm_wipe(&dev->own, sizeof(dev->own));
    dev->has_key = false;
    for (unsigned i = 0; i < dev->pools->n_peers; i++) {
        struct wyrm_peer *peer = wyrm_used_peer(dev, (wyrm_peer_id)i);

        if (peer == NULL)
            continue;
        wyrm_peer_forget_keys(dev, peer);
#if WYRM_CACHE_STATIC_DH
        wyrm_wipe(peer->contact.static_dh, sizeof(peer->contact.static_dh));
#endif
        peer->flags &= (uint8_t) ~(FLAG_STATIC_DH | FLAG_LAST_MAC1);
        peer->cookie_born = 0;
        wyrm_peer_start_keepalives(dev, peer);
    }
    clear_slots(dev->pools); /* the messages were addressed to the previous key */
    if (key == NULL)
        return WYRM_OK;

    wyrm_copy_key(dev->own.priv, key);
    wyrm_copy_key(dev->own.pub, pub);
    if (WYRM_RESPONDER)
        wyrm_cookie_set_key(dev);
    dev->has_key = true;
    self = wyrm_peer_by_key(dev, dev->own.pub);
    return self != NULL ? wyrm_peer_remove(dev, self->id) : WYRM_OK;
}

wyrm_status wyrm_public_key(const struct wyrm_device *dev, uint8_t out[WYRM_KEY_LEN])
{
    if (!dev->has_key)
        return WYRM_E_KEY;
    wyrm_copy_key(out, dev->own.pub);
    return WYRM_OK;
}

wyrm_status wyrm_get_private_key(const struct wyrm_device *dev, uint8_t out[WYRM_KEY_LEN])
{
    if (!dev->has_key)
        return WYRM_E_KEY;
    wyrm_copy_key(out, dev->own.priv);
    return WYRM_OK;
}

wyrm_status wyrm_set_mtu(struct wyrm_device *dev, uint16_t mtu)
{
    if (mtu < 576)
        return WYRM_E_ARG;
    dev->mtu = mtu;
    return WYRM_OK;
}

uint32_t wyrm_drops(const struct wyrm_device *dev, wyrm_status reason)
{
    int at = WYRM_D_MALFORMED - reason;

    return at >= 0 && at < WYRM_DROP_REASONS ? dev->drops[at] : 0;
}

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Suspend and resume. An image is a header with a digest, then the device, its peers, its routes
 * and the heads of its session index. Queued handshake messages and rate limits are not kept.
 */
#include "../wyrm_sleep.h"

#include "wyrm_session.h"
#include "wyrm_timers.h"

#include "../wyrm_crypto.h"

#include <string.h>

/* "WyZz", little-endian. */
#define MAGIC UINT32_C(0x7a5a7957)

/* A persistent keepalive that became due during the sleep waits this long, in ms, because data sent
 * after waking up makes it unnecessary. */
#define WAKE_GRACE 1000u

/* Offsets in the header. The digest covers the rest of the header and the body. */
enum { AT_MAGIC = 0, AT_LEN = 4, AT_LAYOUT = 8, AT_DIGEST = 16 };
enum { LAYOUT_LEN = AT_DIGEST - AT_LAYOUT };

_Static_assert(AT_DIGEST + WYRM_HASH_LEN == WYRM_IMAGE_HEADER_LEN, "the digest ends the header");

/* ---- Layout -------------------------------------------------------------- */

struct part {
    void *memory;
    size_t len;
};

enum { PARTS = 4 };

/* The memory that an image consists of, in its order. */
static void list_parts(struct wyrm_device *dev, struct part parts[PARTS])
{
    const struct wyrm_pools *pools = dev->pools;

    parts[0] = (struct part){dev, offsetof(struct wyrm_device, epoch)};
    parts[1] = (struct part){pools->peers, pools->n_peers * sizeof(*pools->peers)};
    parts[2] = (struct part){pools->routes, pools->n_routes * sizeof(*pools->routes)};
    parts[3] =
        (struct part){pools->index, WYRM_RESPONDER ? pools->n_index * sizeof(*pools->index) : 0};
}

static size_t image_len(const struct part parts[PARTS])
{
    size_t len = WYRM_IMAGE_HEADER_LEN;

    for (unsigned i = 0; i < PARTS; i++)
        len += parts[i].len;
    return len;
}

/* A hash of all that decides where something stands in an image. */
static void hash_layout(const struct wyrm_pools *pools, uint8_t out[LAYOUT_LEN])
{
    const uint32_t facts[] = {
        WYRM_VERSION,
        WYRM_RESPONDER,
        WYRM_IPV6,
        WYRM_CACHE_STATIC_DH,
        WYRM_REPLAY_BITS,
        WYRM_PATH_LEN,
        sizeof(struct wyrm_device),
        offsetof(struct wyrm_device, origin),
        offsetof(struct wyrm_device, routes_used),
        offsetof(struct wyrm_device, own),
        sizeof(struct wyrm_peer),
        offsetof(struct wyrm_peer, to),
        offsetof(struct wyrm_peer, timers),
        offsetof(struct wyrm_peer, local),
        offsetof(struct wyrm_peer, kp),
        offsetof(struct wyrm_peer, hs),
        offsetof(struct wyrm_peer, contact),
        sizeof(struct wyrm_keypair),
        offsetof(struct wyrm_keypair, keys),
        offsetof(struct wyrm_keypair, replay),
        sizeof(struct wyrm_route),
        pools->n_peers,
        pools->n_routes,
        pools->n_index,
    };

    wyrm_blake2s(out, LAYOUT_LEN, NULL, 0, facts, sizeof(facts));
}

static void hash_image(const uint8_t *image, size_t len, uint8_t out[WYRM_HASH_LEN])
{
    wyrm_hash_pair(out, image, AT_DIGEST, image + WYRM_IMAGE_HEADER_LEN,
                   len - WYRM_IMAGE_HEADER_LEN);
}

static void empty_device(struct wyrm_device *dev)
{
    const struct wyrm_pools *pools = dev->pools;
    const struct wyrm_platform *io = dev->io;

    wyrm_close(dev); /* outdates all jobs */
    (void)wyrm_init(dev, pools, io);
}

/* ---- Suspend ------------------------------------------------------------- */

static void drop_handshake(struct wyrm_device *dev, struct wyrm_peer *peer)
{
    wyrm_session_wipe_handshake(dev, peer);
    wyrm_timers_disarm(peer, WYRM_TIMER_RETRY);
    peer->flags &= (uint8_t) ~(FLAG_INITIATING | FLAG_INITIATION_SENT | FLAG_HOLDING);
    peer->events &= EVENT_KEEPALIVE;
}

wyrm_status wyrm_suspend(struct wyrm_device *dev, wyrm_ms now, void *image, size_t cap)
{
    uint8_t *out = image, *body = out + WYRM_IMAGE_HEADER_LEN;
    struct part parts[PARTS];
    size_t len;

    list_parts(dev, parts);
    len = image_len(parts);
    if (cap < len)
        return WYRM_E_SPACE;
    wyrm_time_set(dev, now);
    for (unsigned i = 0; i < dev->pools->n_peers; i++) {
        struct wyrm_peer *peer = wyrm_peer_at(dev, (wyrm_peer_id)i);

        if (wyrm_peer_in_use(peer))
            drop_handshake(dev, peer);
    }

    memset(out, 0, WYRM_IMAGE_HEADER_LEN);
    for (unsigned i = 0; i < PARTS; body += parts[i++].len)
        memcpy(body, parts[i].memory, parts[i].len);
    wyrm_store_le32(out + AT_MAGIC, MAGIC);
    wyrm_store_le32(out + AT_LEN, (uint32_t)len);
    hash_layout(dev->pools, out + AT_LAYOUT);
    hash_image(out, len, out + AT_DIGEST);
    empty_device(dev);
    return WYRM_OK;
}

/* ---- Resume -------------------------------------------------------------- */

/* Changes nothing. */
static wyrm_status check_image(struct wyrm_device *dev, const uint8_t *image, size_t cap)
{
    uint8_t hash[WYRM_HASH_LEN];
    struct part parts[PARTS];
    size_t len;

    list_parts(dev, parts);
    len = image_len(parts);
    if (cap < WYRM_IMAGE_HEADER_LEN || wyrm_load_le32(image + AT_MAGIC) != MAGIC)
        return WYRM_E_IMAGE;
    hash_layout(dev->pools, hash);
    if (cap < len || wyrm_load_le32(image + AT_LEN) != len ||
        memcmp(image + AT_LAYOUT, hash, LAYOUT_LEN) != 0)
        return WYRM_E_ABI;
    hash_image(image, len, hash);
    return memcmp(image + AT_DIGEST, hash, sizeof(hash)) == 0 ? WYRM_OK : WYRM_E_IMAGE;
}

static void load_image(struct wyrm_device *dev, const uint8_t *image)
{
    const uint8_t *body = image + WYRM_IMAGE_HEADER_LEN;
    const struct wyrm_pools *pools = dev->pools;
    const struct wyrm_platform *io = dev->io;
    uint16_t mtu = dev->mtu;
    struct part parts[PARTS];

    empty_device(dev);
    list_parts(dev, parts);
    for (unsigned i = 0; i < PARTS; body += parts[i++].len)
        memcpy(parts[i].memory, body, parts[i].len);
    dev->pools = pools; /* of this boot, as the MTU */
    dev->io = io;
    dev->mtu = mtu;
    dev->work = false;
    dev->work_announced = false;
    dev->pending = true;
}

/* Silence counts only while the device is awake: a peer that could not be heard during the sleep
 * has not failed to answer. The local path belongs to the previous boot. */
static void wake_peer(struct wyrm_device *dev, struct wyrm_peer *peer, wyrm_ms moved)
{
    wyrm_tick *timers = peer->timers;

    memset(&peer->to.local, 0, sizeof(peer->to.local));
    if (timers[WYRM_TIMER_NEW_HANDSHAKE] != WYRM_TICK_NEVER)
        timers[WYRM_TIMER_NEW_HANDSHAKE] = dev->now + WYRM_KEEPALIVE_TIMEOUT + WYRM_REKEY_TIMEOUT;
    if (timers[WYRM_TIMER_KEEPALIVE] != WYRM_TICK_NEVER)
        timers[WYRM_TIMER_KEEPALIVE] = dev->now + WYRM_KEEPALIVE_TIMEOUT;
    if (timers[WYRM_TIMER_PERSISTENT] < dev->now + WAKE_GRACE)
        timers[WYRM_TIMER_PERSISTENT] = dev->now + WAKE_GRACE;
    if (peer->last_handshake != WYRM_NEVER) {
        peer->last_handshake += moved;
        peer->last_handshake -= peer->last_handshake == WYRM_NEVER;
    }
}

wyrm_status wyrm_resume(struct wyrm_device *dev, wyrm_ms now, wyrm_ms slept, void *image,
                        size_t cap)
{
    wyrm_status status = check_image(dev, image, cap);
    wyrm_ms origin, moved; /* by how much the clock of this boot differs */

    if (status == WYRM_OK)
        load_image(dev, image);
    wyrm_wipe(image, cap);
    if (status != WYRM_OK)
        return status;

    if (slept > WYRM_NEVER / 4)
        slept = WYRM_NEVER / 4;
    origin = now - slept - dev->now;
    moved = origin - dev->origin;
    dev->origin = origin;
    wyrm_time_set(dev, now);
    for (unsigned i = 0; i < dev->pools->n_peers; i++) {
        struct wyrm_peer *peer = wyrm_peer_at(dev, (wyrm_peer_id)i);

        if (!wyrm_peer_in_use(peer))
            continue;
        wake_peer(dev, peer, moved);
        if (wyrm_session_current(peer, dev->now) != NULL)
            status = WYRM_READY;
    }
    return status;
}

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The clock inside the core. The caller's clock has 64 bits and any origin; what the core remembers
 * is never far from now, so it keeps 32 bits of it. When now comes near the end of their range, the
 * origin moves, and every time that is kept with it: what would fall off the range stops at its
 * end, where it means the same, long ago.
 */
#include "wyrm_time.h"
#include "wyrm_util.h"

/* From its timers to its session indices, a peer has nothing but ticks. */
enum {
    BACKWARD_MS = 1000, /* how far apart the clocks of threads that take turns may be */
    PEER_TICKS_AT = offsetof(struct wyrm_peer, timers),
    PEER_TICKS = (offsetof(struct wyrm_peer, local) - PEER_TICKS_AT) / sizeof(wyrm_tick),
    DEVICE_TICKS_AT = offsetof(struct wyrm_device, next_due),
    DEVICE_TICKS =
        (offsetof(struct wyrm_device, last_ephemeral) - DEVICE_TICKS_AT) / sizeof(wyrm_tick)
};

/* Moves `n` ticks, which stand `stride` bytes apart, `by` ms towards long ago. */
static WYRM_NOINLINE void move_ticks(void *first, size_t n, size_t stride, uint32_t by)
{
    for (uint8_t *at = first; n > 0; n--, at += stride) {
        wyrm_tick *tick = (void *)at;

        if (*tick != WYRM_TICK_NEVER)
            *tick = *tick > by ? *tick - by : 0;
    }
}

/* Puts the origin where now, `ahead` of the old one, is at WYRM_TICK_START. */
static void move_origin(struct wyrm_device *dev, wyrm_ms ahead)
{
    wyrm_ms far = ahead - WYRM_TICK_START; /* beyond 64 bits the first time, when all is 0 */
    uint32_t by = far > UINT32_MAX ? UINT32_MAX : (uint32_t)far;

    for (unsigned i = 0; i < dev->pools->n_peers; i++) {
        struct wyrm_peer *peer = wyrm_peer_at(dev, (wyrm_peer_id)i);

        move_ticks((uint8_t *)peer + PEER_TICKS_AT, PEER_TICKS, sizeof(wyrm_tick), by);
        move_ticks(&peer->kp[0].born, WYRM_SESSIONS, sizeof(peer->kp[0]), by);
    }
    move_ticks((uint8_t *)dev + DEVICE_TICKS_AT, DEVICE_TICKS, sizeof(wyrm_tick), by);
    if (WYRM_RESPONDER)
        move_ticks(&dev->pools->sources->full, dev->pools->n_sources, sizeof(struct wyrm_source),
                   by);
    dev->origin += far;
}

void wyrm_time_set(struct wyrm_device *dev, wyrm_ms now)
{
    wyrm_ms ahead = now - dev->origin;

    /* A clock that was set back goes on from where it was: all that is to come would else wait for
     * as long as it was set back by. */
    if (dev->now != 0 && (int64_t)(ahead + BACKWARD_MS - dev->now) < 0) {
        dev->origin += ahead - dev->now;
        return;
    }
    if (ahead < WYRM_TICK_MIN || ahead >= WYRM_TICK_MAX) {
        move_origin(dev, ahead);
        ahead = WYRM_TICK_START;
    }
    dev->now = (wyrm_tick)ahead;
}

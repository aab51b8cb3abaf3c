/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The clock inside the core. The caller's clock has 64 bits and any origin. The core stores 32
 * bits, because its times are never far from now. When now approaches the end of their range, the
 * origin and all stored times move; times that would leave the range stop at 0, which still means
 * long ago.
 */
#include "wyrm_time.h"
#include "wyrm_util.h"

/* All members of a peer from its timers to its session indices are ticks. */
enum {
    BACKWARD_MS = 1000, /* tolerated difference between the clocks of several threads */
    PEER_TICKS_AT = offsetof(struct wyrm_peer, timers),
    PEER_TICKS = (offsetof(struct wyrm_peer, local) - PEER_TICKS_AT) / sizeof(wyrm_tick),
    DEVICE_TICKS_AT = offsetof(struct wyrm_device, next_due),
    DEVICE_TICKS =
        (offsetof(struct wyrm_device, last_ephemeral) - DEVICE_TICKS_AT) / sizeof(wyrm_tick)
};

/* Moves `n` ticks, `stride` bytes apart, into the past by `by` ms. */
static WYRM_NOINLINE void move_ticks(void *first, size_t n, size_t stride, uint32_t by)
{
    for (uint8_t *at = first; n > 0; n--, at += stride) {
        wyrm_tick *tick = (void *)at;

        if (*tick != WYRM_TICK_NEVER)
            *tick = *tick > by ? *tick - by : 0;
    }
}

/* Moves the origin so that now, `ahead` of the old origin, becomes WYRM_TICK_START. */
static void move_origin(struct wyrm_device *dev, wyrm_ms ahead)
{
    wyrm_ms far = ahead - WYRM_TICK_START; /* wraps the first time, when all ticks are 0 */
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

    /* If the clock was set back, continue from where it was: otherwise all timers would be late by
     * that difference. */
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

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The clock inside the core. The caller's clock has 64 bits and any origin; what the core remembers
 * is never far from now, so it keeps 32 bits of it. When now comes near an end of their range, the
 * origin moves, and every time that is kept with it: what would fall off the range stops at its
 * end, where it means the same, long ago or not soon.
 */
#include "wyrm_peer.h"

struct move {
    wyrm_ms by; /* what is added to every time, modulo 2^64 */
    bool forward;
};

static WYRM_APART void move_tick(const struct move *move, wyrm_tick *tick)
{
    wyrm_ms at = *tick + move->by;

    if (*tick == 0 || *tick == WYRM_TICK_NEVER)
        return;
    if (at > WYRM_TICK_MAX)
        at = move->forward ? 0 : WYRM_TICK_MAX;
    *tick = (wyrm_tick)at;
}

static void move_peer(const struct move *move, struct wyrm_peer *peer)
{
    for (unsigned i = 0; i < WYRM_TIMERS; i++)
        move_tick(move, &peer->timers[i]);
    for (unsigned i = 0; i < WYRM_SESSIONS; i++)
        move_tick(move, &peer->kp[i].born);
    move_tick(move, &peer->last_handshake_tx);
    move_tick(move, &peer->attempt_since);
    move_tick(move, &peer->cookie_born);
#if WYRM_RESPONDER
    move_tick(move, &peer->last_initiation_rx);
#endif
}

static void move_origin(struct wyrm_device *dev, wyrm_ms origin)
{
    struct move move = {dev->origin - origin, origin - dev->origin <= UINT64_MAX / 2};

    for (unsigned i = 0; i < dev->pools->n_peers; i++)
        move_peer(&move, &dev->pools->peers[i]);
    move_tick(&move, &dev->next_due);
#if WYRM_RESPONDER
    for (unsigned i = 0; i < dev->pools->n_sources; i++)
        move_tick(&move, &dev->pools->sources[i].full);
    move_tick(&move, &dev->loaded_until);
    move_tick(&move, &dev->cookie_born);
#endif
    dev->origin = origin;
}

void wyrm_time_set(struct wyrm_device *dev, wyrm_ms now)
{
    wyrm_ms ahead = now - dev->origin;

    if (ahead < WYRM_TICK_MIN || ahead > WYRM_TICK_MAX) {
        move_origin(dev, now - WYRM_TICK_START);
        ahead = WYRM_TICK_START;
    }
    dev->now = (wyrm_tick)ahead;
}

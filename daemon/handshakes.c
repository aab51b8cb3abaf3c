/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Recorded rather than computed on demand: a computed time would change when the wall clock is set,
 * and jitter by the time between reading the two clocks.
 */
#include "handshakes.h"
#include "system.h"

#include <stdlib.h>
#include <time.h>

bool wyrmd_handshakes_init(struct wyrmd_handshakes *handshakes, const struct wyrmd_core *core)
{
    handshakes->core = core;
    handshakes->peers = calloc(core->pools.n_peers, sizeof(*handshakes->peers));
    return handshakes->peers != NULL;
}

void wyrmd_handshakes_record(struct wyrmd_handshakes *handshakes, wyrm_peer_id peer)
{
    const struct wyrmd_core *core = handshakes->core;
    struct wyrm_peer_info info;
    struct timespec wall;

    if (wyrm_peer_get(&core->dev, core->now, peer, &info) != WYRM_IDLE ||
        info.last_handshake == WYRM_NEVER || clock_gettime(CLOCK_REALTIME, &wall) < 0)
        return;
    handshakes->peers[peer] = (struct wyrmd_handshake){
        .at = info.last_handshake,
        .unix_ms = (uint64_t)wall.tv_sec * 1000 + (uint64_t)wall.tv_nsec / 1000000 -
                   (wyrmd_now() - info.last_handshake),
    };
}

uint64_t wyrmd_handshakes_unix_ms(struct wyrmd_handshakes *handshakes, wyrm_peer_id peer,
                                  wyrm_ms at)
{
    const struct wyrmd_handshake *last = &handshakes->peers[peer];

    if (last->unix_ms == 0 || last->at != at)
        wyrmd_handshakes_record(handshakes, peer);
    return last->unix_ms;
}

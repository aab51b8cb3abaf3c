/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The time of day of each peer's last handshake, which the core knows only by its own clock.
 */
#ifndef WYRMD_HANDSHAKES_H
#define WYRMD_HANDSHAKES_H

#include "core.h"

struct wyrmd_handshakes {
    const struct wyrmd_core *core;
    struct wyrmd_handshake {
        wyrm_ms at;
        uint64_t unix_ms; /* 0: not recorded */
    } * peers;
};

bool wyrmd_handshakes_init(struct wyrmd_handshakes *handshakes, const struct wyrmd_core *core);
/* Records the time of the peer's last handshake. */
void wyrmd_handshakes_record(struct wyrmd_handshakes *handshakes, wyrm_peer_id peer);
/* The Unix time in ms of the handshake that was at `at` on the core's clock. */
uint64_t wyrmd_handshakes_unix_ms(struct wyrmd_handshakes *handshakes, wyrm_peer_id peer,
                                  wyrm_ms at);

#endif /* WYRMD_HANDSHAKES_H */

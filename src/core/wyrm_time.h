/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Times inside the core. Ticks are compared as unsigned numbers and never wrap: 0 is long ago,
 * WYRM_TICK_NEVER is never, and the origin moves so that all other times stay between them.
 */
#ifndef WYRM_TIME_H
#define WYRM_TIME_H

#include "../wyrm.h"

#define WYRM_TICK_NEVER UINT32_MAX
/* The current tick is between MIN and MAX, so its distance from 0 and NEVER exceeds every span in
 * use (the longest is a persistent keepalive of 65535 s). A new origin sets it to START, 12 days
 * from both. */
#define WYRM_TICK_MIN   (UINT32_C(1) << 30)
#define WYRM_TICK_START (UINT32_C(1) << 31)
#define WYRM_TICK_MAX   (UINT32_C(3) << 30)

/* Constants of the protocol, paper section 6.1; times in ms. */
#define WYRM_REKEY_AFTER_MESSAGES (UINT64_C(1) << 60)
#define WYRM_REKEY_AFTER_TIME     120000u /* ms; then the initiator renews the session */
#define WYRM_REJECT_AFTER_TIME    180000u /* then a session is not used any more */
#define WYRM_REKEY_ATTEMPT_TIME   90000u  /* then a handshake without response is given up */
#define WYRM_REKEY_TIMEOUT        5000u   /* between two initiations to a peer */
#define WYRM_KEEPALIVE_TIMEOUT    10000u
#define WYRM_INITIATION_INTERVAL  20u /* between two initiations accepted from a peer */

/* Called first by every public call that takes the time. */
void wyrm_time_set(struct wyrm_device *dev, wyrm_ms now);

/* `now` in ticks, for calls that must not move the origin; limited to WYRM_TICK_NEVER. */
static inline wyrm_tick wyrm_time_tick(const struct wyrm_device *dev, wyrm_ms now)
{
    wyrm_ms ahead = now - dev->origin;

    return ahead < WYRM_TICK_NEVER ? (wyrm_tick)ahead : WYRM_TICK_NEVER;
}

/* True if at least `span` ms have passed since `since`. All ages are checked here. A clock that
 * runs backwards makes nothing older. */
static inline bool wyrm_expired(wyrm_tick now, wyrm_tick since, uint32_t span)
{
    return since + span <= now; /* cannot overflow: `since` is at most WYRM_TICK_MAX */
}

#endif /* WYRM_TIME_H */

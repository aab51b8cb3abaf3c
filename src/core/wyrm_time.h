/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Times inside the core. Past and future must not be told apart by a sign that wraps, so ticks are
 * plain numbers, compared as such: 0 is long ago, WYRM_TICK_NEVER never, and what lies between is
 * kept between by moving the origin.
 */
#ifndef WYRM_TIME_H
#define WYRM_TIME_H

#include "../wyrm.h"

#define WYRM_TICK_NEVER UINT32_MAX
/* Now is between these two: later than 0 and earlier than NEVER by more than any span in use (the
 * longest is a persistent keepalive of 65535 s). A new origin puts it at START, 12 days from each.
 */
#define WYRM_TICK_MIN   (UINT32_C(1) << 30)
#define WYRM_TICK_START (UINT32_C(1) << 31)
#define WYRM_TICK_MAX   (UINT32_C(3) << 30)

/* Constants of the protocol, paper section 6.1; times in ms. */
#define WYRM_REKEY_AFTER_MESSAGES (UINT64_C(1) << 60)
#define WYRM_REKEY_AFTER_TIME     120000u /* ms; the initiator of a session renews it */
#define WYRM_REJECT_AFTER_TIME    180000u /* a session is dead */
#define WYRM_REKEY_ATTEMPT_TIME   90000u  /* then a handshake that finds no answer is given up */
#define WYRM_REKEY_TIMEOUT        5000u   /* between two initiations to a peer */
#define WYRM_KEEPALIVE_TIMEOUT    10000u
#define WYRM_INITIATION_INTERVAL  20u /* between two initiations accepted from a peer */

/* Every call of the API that is told the time says so here first. */
void wyrm_time_set(struct wyrm_device *dev, wyrm_ms now);

/* `now` in ticks, for those who may not move the origin: at most late. */
static inline wyrm_tick wyrm_time_tick(const struct wyrm_device *dev, wyrm_ms now)
{
    wyrm_ms ahead = now - dev->origin;

    return ahead < WYRM_TICK_NEVER ? (wyrm_tick)ahead : WYRM_TICK_NEVER;
}

/* True if at least `span` ms have passed since `since`. The only way in which ages are measured; a
 * clock that runs backwards makes nothing older, and stands still when it was set back. */
static inline bool wyrm_expired(wyrm_tick now, wyrm_tick since, uint32_t span)
{
    return since + span <= now; /* cannot overflow: `since` is at most WYRM_TICK_MAX */
}

#endif /* WYRM_TIME_H */

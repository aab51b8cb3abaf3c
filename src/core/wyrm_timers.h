/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The timers of paper section 6. The rest of the core reports events when they happen;
 * wyrm_timers.c alone decides what follows, and when.
 */
#ifndef WYRM_TIMERS_H
#define WYRM_TIMERS_H

#include "wyrm_time.h"
#include "wyrm_util.h"

void wyrm_timers_clear(struct wyrm_peer *peer);
void wyrm_timers_restart_persistent(struct wyrm_device *dev, struct wyrm_peer *peer);

static inline void wyrm_timers_disarm(struct wyrm_peer *peer, enum wyrm_timer timer)
{
    peer->timers[timer] = WYRM_TICK_NEVER;
}

/* Events, reported when they happen. */

/* An authenticated datagram was sent. */
static inline void wyrm_timers_sent(struct wyrm_device *dev, struct wyrm_peer *peer)
{
    wyrm_timers_disarm(peer, WYRM_TIMER_KEEPALIVE);
    wyrm_timers_restart_persistent(dev, peer);
}
/* An authenticated datagram was received. */
static inline void wyrm_timers_received(struct wyrm_device *dev, struct wyrm_peer *peer)
{
    wyrm_timers_disarm(peer, WYRM_TIMER_NEW_HANDSHAKE);
    wyrm_timers_restart_persistent(dev, peer);
}
/* The datagram is a data packet; without content it is a keepalive. Renews the session in time. A
 * packet being sent is sealed with `kp` after this call. */
void wyrm_timers_data_sent(struct wyrm_device *dev, struct wyrm_peer *peer,
                           const struct wyrm_keypair *kp, size_t content);
void wyrm_timers_data_received(struct wyrm_device *dev, struct wyrm_peer *peer, size_t content);
/* An initiation with this session index was sent, or could not be made. */
void wyrm_timers_initiated(struct wyrm_device *dev, struct wyrm_peer *peer, uint32_t index);
/* A new session exists, confirmed or not. */
void wyrm_timers_session_derived(struct wyrm_device *dev, struct wyrm_peer *peer);
/* The initiator received the response, or the responder the first data packet. */
static inline void wyrm_timers_handshake_complete(struct wyrm_peer *peer)
{
    wyrm_timers_disarm(peer, WYRM_TIMER_RETRY);
    peer->unanswered = 0;
}
/* A keepalive was due but there was no session: requests a handshake. */
void wyrm_timers_keepalive_failed(struct wyrm_device *dev, struct wyrm_peer *peer);
/* Requests a handshake: now, or as soon as REKEY_TIMEOUT allows. */
void wyrm_timers_request_handshake(struct wyrm_device *dev, struct wyrm_peer *peer);

/* Which part of the peer's endpoint may be the reason why it does not answer. */
enum wyrm_suspicion {
    SUSPECT_NOTHING = 0,
    /* The local address and interface: another route may exist by now. */
    SUSPECT_PATH = 1,
    /* The remote address, too: the peer may have left the one it roamed to. */
    SUSPECT_ENDPOINT = 3
};

/* Acts on every timer of the peer that is due, and lowers the device's next_due to the others. */
enum wyrm_suspicion wyrm_timers_expire(struct wyrm_device *dev, struct wyrm_peer *peer);

#endif /* WYRM_TIMERS_H */

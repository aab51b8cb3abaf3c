/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Timer policy, paper section 6. Five timers per peer:
 *
 *   retry          an initiation was not answered: send another, up to REKEY_ATTEMPT_TIME
 *   new_handshake  data was sent and nothing received: the peer may have lost the session
 *   keepalive      data was received and nothing sent: send a keepalive
 *   persistent     send a keepalive to keep NAT mappings open
 *   zero_keys      the last session ended long ago: wipe its keys
 */
#include "wyrm_timers.h"
#include "wyrm_session.h"

#include <string.h>

/* Up to a third of a second, so that two peers do not retry in step. It need not be unpredictable:
 * it is derived from a session index, which is random and public. */
static uint32_t jitter(uint32_t index)
{
    return index % 334;
}

static bool armed(const struct wyrm_peer *peer, enum wyrm_timer timer)
{
    return peer->timers[timer] != WYRM_TICK_NEVER;
}

static void arm_at(struct wyrm_device *dev, struct wyrm_peer *peer, enum wyrm_timer timer,
                   wyrm_tick at)
{
    peer->timers[timer] = at;
    if (at < dev->next_due)
        dev->next_due = at;
}

static WYRM_NOINLINE void arm(struct wyrm_device *dev, struct wyrm_peer *peer,
                              enum wyrm_timer timer, uint32_t span)
{
    arm_at(dev, peer, timer, dev->now + span);
}

void wyrm_timers_clear(struct wyrm_peer *peer)
{
    memset(peer->timers, 0xff, sizeof(peer->timers)); /* WYRM_TICK_NEVER */
}

void wyrm_timers_restart_persistent(struct wyrm_device *dev, struct wyrm_peer *peer)
{
    if (peer->persistent_s > 0)
        arm(dev, peer, WYRM_TIMER_PERSISTENT, peer->persistent_s * UINT32_C(1000));
}

void wyrm_timers_initiated(struct wyrm_device *dev, struct wyrm_peer *peer, uint32_t index)
{
    arm(dev, peer, WYRM_TIMER_RETRY, WYRM_REKEY_TIMEOUT + jitter(index));
}

void wyrm_timers_session_derived(struct wyrm_device *dev, struct wyrm_peer *peer)
{
    arm(dev, peer, WYRM_TIMER_ZERO_KEYS, 3 * WYRM_REJECT_AFTER_TIME);
}

/* Does nothing while a retry is pending: the retry has jitter and counts unanswered initiations,
 * and steady traffic would always come before it. The retry timer is armed here rather than when
 * the worker has made the initiation, so that the attempt ends even if that takes long. */
static void initiate(struct wyrm_device *dev, struct wyrm_peer *peer)
{
    uint32_t wait = WYRM_REKEY_TIMEOUT;

    if (armed(peer, WYRM_TIMER_RETRY) || peer->to.remote.family == 0 || !dev->has_key)
        return;
    if (!wyrm_expired(dev->now, peer->last_handshake_tx, WYRM_REKEY_TIMEOUT))
        wait -= dev->now - peer->last_handshake_tx;
    else if (!(peer->flags & FLAG_INITIATING))
        wyrm_post(dev, peer, EVENT_INITIATE);
    arm(dev, peer, WYRM_TIMER_RETRY, wait);
}

/* Each request extends the attempt, which ends REKEY_ATTEMPT_TIME after the last one (paper section
 * 6.4). */
void wyrm_timers_request_handshake(struct wyrm_device *dev, struct wyrm_peer *peer)
{
    peer->attempt_since = dev->now;
    initiate(dev, peer);
}

void wyrm_timers_keepalive_failed(struct wyrm_device *dev, struct wyrm_peer *peer)
{
    wyrm_timers_restart_persistent(dev, peer); /* even if no handshake can start now */
    wyrm_timers_request_handshake(dev, peer);
}

void wyrm_timers_data_sent(struct wyrm_device *dev, struct wyrm_peer *peer,
                           const struct wyrm_keypair *kp, size_t content)
{
    peer->events &= (uint8_t)~EVENT_KEEPALIVE;
    if (content > 0 && !armed(peer, WYRM_TIMER_NEW_HANDSHAKE))
        arm(dev, peer, WYRM_TIMER_NEW_HANDSHAKE,
            WYRM_KEEPALIVE_TIMEOUT + WYRM_REKEY_TIMEOUT + jitter(peer->local[peer->current]));
    if (kp->tx_next >= WYRM_REKEY_AFTER_MESSAGES ||
        (!(peer->flags & FLAG_RESPONDER) &&
         wyrm_expired(dev->now, kp->born, WYRM_REKEY_AFTER_TIME)))
        wyrm_timers_request_handshake(dev, peer);
}

void wyrm_timers_data_received(struct wyrm_device *dev, struct wyrm_peer *peer, size_t content)
{
    const struct wyrm_keypair *kp = wyrm_session_current(peer, dev->now);

    if (content > 0 && !armed(peer, WYRM_TIMER_KEEPALIVE))
        arm(dev, peer, WYRM_TIMER_KEEPALIVE, WYRM_KEEPALIVE_TIMEOUT);
    if (kp == NULL || peer->flags & (FLAG_RESPONDER | FLAG_LATE_REKEY))
        return;
    if (wyrm_expired(dev->now, kp->born,
                     WYRM_REJECT_AFTER_TIME - WYRM_KEEPALIVE_TIMEOUT - WYRM_REKEY_TIMEOUT)) {
        peer->flags |= FLAG_LATE_REKEY;
        wyrm_timers_request_handshake(dev, peer);
    }
}

/* The retry timer expired: counts the initiation if it was sent. If it was not, the handshake in
 * flight is that of an earlier retry, whose response would be too late. */
static void count_unanswered(struct wyrm_device *dev, struct wyrm_peer *peer)
{
    if (peer->flags & FLAG_INITIATION_SENT)
        peer->unanswered++;
    else
        wyrm_session_wipe_handshake(dev, peer);
    peer->flags &= (uint8_t)~FLAG_INITIATION_SENT;
}

/* The attempt ended without a response. Reports WYRM_LOST even if no packet is held: the
 * application may show that the tunnel is down. */
static void give_up(struct wyrm_device *dev, struct wyrm_peer *peer)
{
    wyrm_session_wipe_handshake(dev, peer);
    peer->flags &= (uint8_t)~FLAG_INITIATING;
    peer->events &= (uint8_t)~EVENT_INITIATE;
    if (peer->unanswered == 0 && wyrm_session_current(peer, dev->now) != NULL)
        return; /* no initiation was sent, for lack of randomness or CPU time */
    wyrm_timers_disarm(peer, WYRM_TIMER_KEEPALIVE);
    peer->flags &= (uint8_t)~FLAG_HOLDING;
    wyrm_post(dev, peer, EVENT_LOST);
}

/* Steady traffic can extend an attempt forever, but not keep the configured endpoint from being
 * tried after the initiations of one REKEY_ATTEMPT_TIME. */
static enum wyrm_suspicion retry(struct wyrm_device *dev, struct wyrm_peer *peer)
{
    unsigned tolerated = WYRM_REKEY_ATTEMPT_TIME / WYRM_REKEY_TIMEOUT;

    count_unanswered(dev, peer);
    if (wyrm_expired(dev->now, peer->attempt_since, WYRM_REKEY_ATTEMPT_TIME) ||
        peer->to.remote.family == 0) {
        give_up(dev, peer);
        tolerated = 1;
    } else {
        initiate(dev, peer);
    }
    return peer->unanswered >= tolerated ? SUSPECT_ENDPOINT : SUSPECT_PATH;
}

static enum wyrm_suspicion expire(struct wyrm_device *dev, struct wyrm_peer *peer,
                                  enum wyrm_timer timer)
{
    switch (timer) {
    case WYRM_TIMER_RETRY:
        return retry(dev, peer);
    case WYRM_TIMER_NEW_HANDSHAKE:
        wyrm_timers_request_handshake(dev, peer);
        return SUSPECT_PATH;
    case WYRM_TIMER_ZERO_KEYS:
        wyrm_session_wipe(dev, peer);
        break;
    default:
        wyrm_post(dev, peer, EVENT_KEEPALIVE);
    }
    return SUSPECT_NOTHING;
}

enum wyrm_suspicion wyrm_timers_expire(struct wyrm_device *dev, struct wyrm_peer *peer)
{
    enum wyrm_suspicion suspicion = SUSPECT_NOTHING;

    if (!wyrm_peer_in_use(peer))
        return SUSPECT_NOTHING;
    for (unsigned i = 0; i < WYRM_TIMERS; i++) {
        wyrm_tick at = peer->timers[i];

        if (at > dev->now) {
            arm_at(dev, peer, i, at);
        } else {
            wyrm_timers_disarm(peer, i);
            suspicion |= expire(dev, peer, i);
        }
    }
    return suspicion;
}

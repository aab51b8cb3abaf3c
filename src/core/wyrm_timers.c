/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Timer policy, paper section 6: facts in, deadlines and events out. Five timers per peer:
 *
 *   retry          an initiation found no answer: send another, up to REKEY_ATTEMPT_TIME
 *   new_handshake  data went out and nothing came back: the peer has lost the session
 *   keepalive      data came in and nothing went out: tell the peer that we are there
 *   persistent     keep a hole in a NAT open
 *   zero_keys      the last session ended long ago: forget its keys
 */
#include "wyrm_timers.h"
#include "wyrm_session.h"

#include <string.h>

/* Up to a third of a second against two peers in step. It need not be unpredictable, so it comes
 * from a session index, which is random and public. */
static uint32_t jitter(uint32_t index)
{
    return index % 334;
}

static bool armed(const struct wyrm_peer *peer, enum wyrm_timer timer)
{
    return peer->timers[timer] != WYRM_TICK_NEVER;
}

static void disarm(struct wyrm_peer *peer, enum wyrm_timer timer)
{
    peer->timers[timer] = WYRM_TICK_NEVER;
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

WYRM_NOINLINE void wyrm_timers_owe(struct wyrm_device *dev, struct wyrm_peer *peer,
                                   enum wyrm_event event)
{
    peer->events |= (uint8_t)event;
    if (event == EVENT_INITIATE)
        dev->work = true;
    else
        dev->pending = true;
}

static void traversed(struct wyrm_device *dev, struct wyrm_peer *peer)
{
    if (peer->persistent_s > 0)
        arm(dev, peer, WYRM_TIMER_PERSISTENT, peer->persistent_s * UINT32_C(1000));
}

void wyrm_timers_sent(struct wyrm_device *dev, struct wyrm_peer *peer, const struct wyrm_meta *to,
                      struct wyrm_packet *out)
{
    wyrm_copy(&out->to, to, sizeof(out->to));
    out->peer = peer->id;
    peer->tx_bytes += out->len;
    disarm(peer, WYRM_TIMER_KEEPALIVE);
    traversed(dev, peer);
}

void wyrm_timers_received(struct wyrm_device *dev, struct wyrm_peer *peer,
                          const struct wyrm_meta *from, size_t len)
{
    if (from != NULL)
        wyrm_copy(&peer->to, from, sizeof(peer->to));
    peer->rx_bytes += len;
    disarm(peer, WYRM_TIMER_NEW_HANDSHAKE);
    traversed(dev, peer);
}

void wyrm_timers_initiated(struct wyrm_device *dev, struct wyrm_peer *peer, uint32_t index)
{
    arm(dev, peer, WYRM_TIMER_RETRY, WYRM_REKEY_TIMEOUT + jitter(index));
}

void wyrm_timers_session_derived(struct wyrm_device *dev, struct wyrm_peer *peer)
{
    arm(dev, peer, WYRM_TIMER_ZERO_KEYS, 3 * WYRM_REJECT_AFTER_TIME);
}

void wyrm_timers_handshake_complete(struct wyrm_device *dev, struct wyrm_peer *peer)
{
    disarm(peer, WYRM_TIMER_RETRY);
    peer->facts &= (uint8_t) ~(FACT_LAST_MINUTE | FACT_HOLDING | FACT_INITIATING | FACT_SENT);
    peer->events &= (uint8_t) ~(EVENT_INITIATE | EVENT_LOST);
    peer->unanswered = 0;
    peer->last_handshake = dev->origin + dev->now;
    wyrm_timers_owe(dev, peer, EVENT_READY);
}

/* Waits for a retry that is due anyway: busy traffic would always be faster, by the jitter, and the
 * retry is what counts how long nobody has answered. It is armed at once and not when the worker
 * has made the initiation, which may take long, so that the attempt has an end in any case. */
static void initiate(struct wyrm_device *dev, struct wyrm_peer *peer)
{
    uint32_t wait = WYRM_REKEY_TIMEOUT;

    if (armed(peer, WYRM_TIMER_RETRY) || peer->to.remote.family == 0 || !dev->has_key)
        return;
    if (!wyrm_expired(dev->now, peer->last_handshake_tx, WYRM_REKEY_TIMEOUT))
        wait -= dev->now - peer->last_handshake_tx;
    else if (!(peer->facts & FACT_INITIATING))
        wyrm_timers_owe(dev, peer, EVENT_INITIATE);
    arm(dev, peer, WYRM_TIMER_RETRY, wait);
}

/* Whoever still asks prolongs the attempt: it is given up REKEY_ATTEMPT_TIME after the last wish
 * (paper section 6.4). */
void wyrm_timers_want_handshake(struct wyrm_device *dev, struct wyrm_peer *peer)
{
    peer->attempt_since = dev->now;
    initiate(dev, peer);
}

void wyrm_timers_keepalive_unsent(struct wyrm_device *dev, struct wyrm_peer *peer)
{
    traversed(dev, peer); /* goes on even if no handshake can begin now */
    wyrm_timers_want_handshake(dev, peer);
}

void wyrm_timers_data_sent(struct wyrm_device *dev, struct wyrm_peer *peer,
                           const struct wyrm_keypair *kp, size_t content)
{
    peer->events &= (uint8_t)~EVENT_KEEPALIVE;
    if (content > 0 && !armed(peer, WYRM_TIMER_NEW_HANDSHAKE))
        arm(dev, peer, WYRM_TIMER_NEW_HANDSHAKE,
            WYRM_KEEPALIVE_TIMEOUT + WYRM_REKEY_TIMEOUT + jitter(peer->local[peer->current]));
    if (kp->tx_next >= WYRM_REKEY_AFTER_MESSAGES ||
        (!(peer->facts & FACT_THEIRS) && wyrm_expired(dev->now, kp->born, WYRM_REKEY_AFTER_TIME)))
        wyrm_timers_want_handshake(dev, peer);
}

void wyrm_timers_data_received(struct wyrm_device *dev, struct wyrm_peer *peer, size_t content)
{
    const struct wyrm_keypair *kp = wyrm_session_current(peer, dev->now);

    if (content > 0 && !armed(peer, WYRM_TIMER_KEEPALIVE))
        arm(dev, peer, WYRM_TIMER_KEEPALIVE, WYRM_KEEPALIVE_TIMEOUT);
    if (kp == NULL || peer->facts & (FACT_THEIRS | FACT_LAST_MINUTE))
        return;
    if (wyrm_expired(dev->now, kp->born,
                     WYRM_REJECT_AFTER_TIME - WYRM_KEEPALIVE_TIMEOUT - WYRM_REKEY_TIMEOUT)) {
        peer->facts |= FACT_LAST_MINUTE;
        wyrm_timers_want_handshake(dev, peer);
    }
}

/* Goes back to the endpoint the user configured, in case the one the peer roamed to is gone for
 * good. */
static WYRM_NOINLINE void fall_back(struct wyrm_peer *peer)
{
    peer->unanswered = 0;
    if (peer->configured.family != 0)
        wyrm_copy(&peer->to.remote, &peer->configured, sizeof(peer->configured));
}

/* An initiation found no answer, if it went out at all. That of the retry before is too old: it
 * would have been replaced by now. */
static void count_silence(struct wyrm_device *dev, struct wyrm_peer *peer)
{
    if (peer->facts & FACT_SENT)
        peer->unanswered++;
    else
        wyrm_session_wipe_handshake(dev, peer);
    peer->facts &= (uint8_t)~FACT_SENT;
}

/* Nobody answered for REKEY_ATTEMPT_TIME, or there is nobody to ask: release what waits. The port
 * is told even if nothing waits: somebody may want to know that the tunnel is down. */
static void give_up(struct wyrm_device *dev, struct wyrm_peer *peer)
{
    wyrm_session_wipe_handshake(dev, peer);
    peer->facts &= (uint8_t)~FACT_INITIATING;
    peer->events &= (uint8_t)~EVENT_INITIATE;
    if (peer->unanswered > 0)
        fall_back(peer);
    else if (wyrm_session_current(peer, dev->now) != NULL)
        return; /* nothing was asked, for want of randomness or time: it says nothing of the peer */
    disarm(peer, WYRM_TIMER_KEEPALIVE);
    peer->facts &= (uint8_t)~FACT_HOLDING;
    wyrm_timers_owe(dev, peer, EVENT_LOST);
}

static void expire(struct wyrm_device *dev, struct wyrm_peer *peer, enum wyrm_timer timer)
{
    if (timer == WYRM_TIMER_RETRY || timer == WYRM_TIMER_NEW_HANDSHAKE)
        memset(&peer->to.local, 0, sizeof(peer->to.local)); /* another way out may be open */
    switch (timer) {
    case WYRM_TIMER_RETRY:
        count_silence(dev, peer);
        if (wyrm_expired(dev->now, peer->attempt_since, WYRM_REKEY_ATTEMPT_TIME) ||
            peer->to.remote.family == 0) {
            give_up(dev, peer);
            break;
        }
        /* Traffic that never rests must not keep us from asking where the peer should be. */
        if (peer->unanswered >= WYRM_REKEY_ATTEMPT_TIME / WYRM_REKEY_TIMEOUT)
            fall_back(peer);
        initiate(dev, peer);
        break;
    case WYRM_TIMER_NEW_HANDSHAKE:
        wyrm_timers_want_handshake(dev, peer);
        break;
    case WYRM_TIMER_ZERO_KEYS:
        wyrm_session_wipe(dev, peer);
        break;
    default:
        wyrm_timers_owe(dev, peer, EVENT_KEEPALIVE);
    }
}

void wyrm_timers_expire(struct wyrm_device *dev, struct wyrm_peer *peer)
{
    if (!wyrm_used(peer))
        return;
    for (unsigned i = 0; i < WYRM_TIMERS; i++) {
        wyrm_tick at = peer->timers[i];

        if (at > dev->now) {
            arm_at(dev, peer, i, at);
        } else {
            disarm(peer, i);
            expire(dev, peer, i);
        }
    }
}

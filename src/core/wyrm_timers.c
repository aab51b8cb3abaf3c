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

/* Up to a third of a second against two peers in step. It need not be unpredictable, so it comes
 * from a session index, which is random and public. */
static wyrm_ms jitter(uint32_t index)
{
    return index % 334;
}

static void arm(struct wyrm_device *dev, wyrm_ms *timer, wyrm_ms at)
{
    *timer = at;
    if (at < dev->next_due)
        dev->next_due = at;
}

static bool due(wyrm_ms *timer, wyrm_ms now)
{
    if (*timer > now)
        return false;
    *timer = WYRM_NEVER;
    return true;
}

void wyrm_timers_clear(struct wyrm_peer *peer)
{
    peer->timers = (struct wyrm_timers){WYRM_NEVER, WYRM_NEVER, WYRM_NEVER, WYRM_NEVER, WYRM_NEVER};
}

void wyrm_timers_owe(struct wyrm_device *dev, struct wyrm_peer *peer, enum wyrm_event event)
{
    peer->events |= (uint8_t)event;
    if (event == EVENT_INITIATE)
        dev->work = true;
    else
        dev->pending = true;
}

void wyrm_timers_data_sent(struct wyrm_device *dev, struct wyrm_peer *peer, wyrm_ms now)
{
    if (peer->timers.new_handshake == WYRM_NEVER)
        arm(dev, &peer->timers.new_handshake,
            now + WYRM_KEEPALIVE_TIMEOUT + WYRM_REKEY_TIMEOUT +
                jitter(peer->kp[peer->current].local));
}

void wyrm_timers_data_received(struct wyrm_device *dev, struct wyrm_peer *peer, wyrm_ms now)
{
    if (peer->timers.keepalive == WYRM_NEVER)
        arm(dev, &peer->timers.keepalive, now + WYRM_KEEPALIVE_TIMEOUT);
}

static void traversed(struct wyrm_device *dev, struct wyrm_peer *peer, wyrm_ms now)
{
    if (peer->persistent_s > 0)
        arm(dev, &peer->timers.persistent, now + peer->persistent_s * UINT64_C(1000));
}

void wyrm_timers_sent(struct wyrm_device *dev, struct wyrm_peer *peer, wyrm_ms now)
{
    peer->timers.keepalive = WYRM_NEVER;
    traversed(dev, peer, now);
}

void wyrm_timers_received(struct wyrm_device *dev, struct wyrm_peer *peer, wyrm_ms now)
{
    peer->timers.new_handshake = WYRM_NEVER;
    traversed(dev, peer, now);
}

void wyrm_timers_initiated(struct wyrm_device *dev, struct wyrm_peer *peer, uint32_t index,
                           wyrm_ms now)
{
    arm(dev, &peer->timers.retry, now + WYRM_REKEY_TIMEOUT + jitter(index));
}

void wyrm_timers_session_derived(struct wyrm_device *dev, struct wyrm_peer *peer, wyrm_ms now)
{
    arm(dev, &peer->timers.zero_keys, now + 3 * WYRM_REJECT_AFTER_TIME);
}

void wyrm_timers_handshake_complete(struct wyrm_device *dev, struct wyrm_peer *peer, wyrm_ms now)
{
    peer->timers.retry = WYRM_NEVER;
    peer->facts &= (uint8_t) ~(FACT_LAST_MINUTE | FACT_HOLDING | FACT_INITIATING);
    peer->events &= (uint8_t) ~(EVENT_INITIATE | EVENT_LOST);
    peer->last_handshake = now;
    wyrm_timers_owe(dev, peer, EVENT_READY);
}

static void initiate(struct wyrm_device *dev, struct wyrm_peer *peer, wyrm_ms now)
{
    if (peer->facts & FACT_INITIATING || peer->endpoint.family == 0 || !dev->has_key)
        return;
    if (wyrm_expired(now, peer->last_handshake_tx, WYRM_REKEY_TIMEOUT))
        wyrm_timers_owe(dev, peer, EVENT_INITIATE);
    else if (peer->timers.retry == WYRM_NEVER)
        arm(dev, &peer->timers.retry, peer->last_handshake_tx + WYRM_REKEY_TIMEOUT);
}

/* More traffic does not prolong an attempt, or a peer that only seems to have roamed would never be
 * looked for at its configured endpoint; but it begins the next attempt at once. */
void wyrm_timers_want_handshake(struct wyrm_device *dev, struct wyrm_peer *peer, wyrm_ms now)
{
    bool trying = peer->timers.retry != WYRM_NEVER || peer->facts & FACT_INITIATING ||
                  peer->events & EVENT_INITIATE;

    if (!trying)
        peer->attempt_since = now;
    initiate(dev, peer, now);
}

void wyrm_timers_keepalive_unsent(struct wyrm_device *dev, struct wyrm_peer *peer, wyrm_ms now)
{
    traversed(dev, peer, now); /* goes on even if no handshake can begin now */
    wyrm_timers_want_handshake(dev, peer, now);
}

void wyrm_timers_sent_under(struct wyrm_device *dev, struct wyrm_peer *peer,
                            const struct wyrm_keypair *kp, wyrm_ms now)
{
    wyrm_timers_sent(dev, peer, now);
    if (kp->tx_next > WYRM_REKEY_AFTER_MESSAGES ||
        (kp->initiator && wyrm_expired(now, kp->born, WYRM_REKEY_AFTER_TIME)))
        wyrm_timers_want_handshake(dev, peer, now);
}

void wyrm_timers_received_under(struct wyrm_device *dev, struct wyrm_peer *peer, wyrm_ms now)
{
    const struct wyrm_keypair *kp = wyrm_session_current(peer, now);

    wyrm_timers_received(dev, peer, now);
    if (kp == NULL || !kp->initiator || peer->facts & FACT_LAST_MINUTE)
        return;
    if (wyrm_expired(now, kp->born,
                     WYRM_REJECT_AFTER_TIME - WYRM_KEEPALIVE_TIMEOUT - WYRM_REKEY_TIMEOUT)) {
        peer->facts |= FACT_LAST_MINUTE;
        wyrm_timers_want_handshake(dev, peer, now);
    }
}

/* Nobody answered for REKEY_ATTEMPT_TIME, or there is nobody to ask: release what waits, and go
 * back to the endpoint the user configured, in case the one the peer roamed to is gone for good.
 * The port is told even if nothing waits: somebody may want to know that the tunnel is down. */
static void give_up(struct wyrm_device *dev, struct wyrm_peer *peer)
{
    wyrm_session_wipe_handshake(dev, peer);
    peer->timers.keepalive = WYRM_NEVER;
    if (peer->configured.family != 0)
        peer->endpoint = peer->configured;
    peer->facts &= (uint8_t)~FACT_HOLDING;
    wyrm_timers_owe(dev, peer, EVENT_LOST);
}

void wyrm_timers_expire(struct wyrm_device *dev, struct wyrm_peer *peer, wyrm_ms now)
{
    struct wyrm_timers *t = &peer->timers;

    if (due(&t->retry, now)) {
        peer->path = (struct wyrm_path){{0}}; /* another way out may be open */
        if (wyrm_expired(now, peer->attempt_since, WYRM_REKEY_ATTEMPT_TIME) ||
            peer->endpoint.family == 0)
            give_up(dev, peer);
        else
            initiate(dev, peer, now);
    }
    if (due(&t->new_handshake, now)) {
        peer->path = (struct wyrm_path){{0}};
        wyrm_timers_want_handshake(dev, peer, now);
    }
    if (due(&t->keepalive, now))
        wyrm_timers_owe(dev, peer, EVENT_KEEPALIVE);
    if (due(&t->persistent, now))
        wyrm_timers_owe(dev, peer, EVENT_KEEPALIVE);
    if (due(&t->zero_keys, now))
        wyrm_session_wipe(dev, peer);
}

wyrm_ms wyrm_timers_earliest(const struct wyrm_peer *peer)
{
    const struct wyrm_timers *t = &peer->timers;
    wyrm_ms at = t->retry;

    if (t->new_handshake < at)
        at = t->new_handshake;
    if (t->keepalive < at)
        at = t->keepalive;
    if (t->persistent < at)
        at = t->persistent;
    if (t->zero_keys < at)
        at = t->zero_keys;
    return at;
}

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Handshakes in three steps, because their middle takes milliseconds to seconds on a small core:
 *
 *   take    locked    copies all that the work needs into the job
 *   run     unlocked  the Noise steps of wyrm_noise.c
 *   commit  locked    checks that the world has not changed, then changes it
 *
 * A responder commits twice: after its first Diffie-Hellman it knows who is calling and needs the
 * peer's keys for the rest.
 */
#include "wyrm_jobs.h"
#include "wyrm_cookie.h"
#include "wyrm_index.h"
#include "wyrm_noise.h"
#include "wyrm_session.h"
#include "wyrm_timers.h"

#include <string.h>

enum job_step { STEP_INITIATE, STEP_LEARN_CALLER, STEP_RESPOND, STEP_FINISH };

/* Cookies are demanded for this long after the last sign of load, in ms. */
#define LOAD_MEMORY 1000u

/* DSCP of handshake messages: AF41, no ECN. */
#define HANDSHAKE_TOS 0x88u

/* ---- Admission ---------------------------------------------------------- */

/* Messages of both types wait in the slots in the order in which they came, the oldest first. */

/* The slots in use: a client, to whom only answers come, has one. */
static unsigned slots_of(const struct wyrm_device *dev)
{
    return WYRM_RESPONDER ? dev->pools->n_slots : 1;
}

/* The peer whose initiation in flight a response answers. */
static struct wyrm_peer *initiator_of(const struct wyrm_device *dev, const uint8_t *response)
{
    unsigned place;
    struct wyrm_peer *peer =
        wyrm_index_find(dev, wyrm_load_le32(response + RESPONSE_RECEIVER), &place);

    return place == WYRM_PLACE_HS ? peer : NULL;
}

#if WYRM_RESPONDER

/* Load is work that waits: an eighth of the slots, at least one, hold a message that nobody took.
 */
static bool is_loaded(struct wyrm_device *dev)
{
    unsigned slots = slots_of(dev);

    if (dev->pools->slots[slots > 1 ? (slots - 2) / 8 : 0].type != WYRM_MSG_NONE)
        dev->loaded_until = dev->now + LOAD_MEMORY;
    return dev->now < dev->loaded_until;
}

/* Which of its chances a response takes. */
static enum wyrm_tried chance_of(const struct wyrm_peer *peer, bool first,
                                 const struct wyrm_endpoint *from)
{
    if (first)
        return TRIED_FIRST;
    return memcmp(from, &peer->to.remote, sizeof(*from)) == 0 ? TRIED_THERE : TRIED_ELSEWHERE;
}

#endif /* WYRM_RESPONDER */

/* Where a message goes: into the first free slot, or into one whose message has a worse claim. With
 * two slots or more one is left to responses. */
static struct wyrm_slot *find_room(const struct wyrm_device *dev, uint8_t type, wyrm_tick claim)
{
    struct wyrm_slot *slot = dev->pools->slots, *end = slot + slots_of(dev), *worst = NULL;
    size_t room = slots_of(dev);

    if (WYRM_RESPONDER && type == WYRM_MSG_INITIATION && room > 1)
        room--;
    for (; slot < end && slot->type != WYRM_MSG_NONE; slot++) {
        if (slot->type != type)
            continue;
        room--;
        if (slot->claim > claim) {
            claim = slot->claim;
            worst = slot;
        }
    }
    return slot < end && room > 0 ? slot : worst;
}

/* The claim of a message to a slot. A response is known by the handshake that it answers: it
 * deserves the more the fewer came before it. An initiation is known by the address it comes from,
 * once that is proven: it deserves the more the longer ago there came one from there. */
wyrm_status wyrm_jobs_admit(struct wyrm_device *dev, const struct wyrm_meta *from, uint8_t *msg,
                            size_t len)
{
    struct wyrm_peer *peer = NULL;
    struct wyrm_slot *slot;
    wyrm_tick claim = WYRM_TICK_NEVER;
    uint8_t type = msg[0], chance = TRIED_FIRST;

    if (!WYRM_RESPONDER && type == WYRM_MSG_INITIATION)
        return WYRM_D_PEER;
    if (!dev->has_key || !wyrm_cookie_check_mac1(dev, msg, len))
        return WYRM_D_MAC1;
    if (type == WYRM_MSG_RESPONSE && (peer = initiator_of(dev, msg)) == NULL)
        return WYRM_D_INDEX;
#if WYRM_RESPONDER
    bool first = !is_loaded(dev) && (peer == NULL || !(peer->tried & TRIED_FIRST));
    wyrm_status status;

    if (peer != NULL) {
        chance = (uint8_t)chance_of(peer, first, &from->remote);
        if (peer->tried & chance)
            return WYRM_D_RATE;
    }
    if (!first) {
        status = wyrm_cookie_admit(dev, msg, len, &from->remote, peer);
        if (status != WYRM_IDLE)
            return status;
        claim = wyrm_cookie_charge(dev, &from->remote);
        if (claim == WYRM_TICK_NEVER)
            return WYRM_D_RATE;
    }
#endif
    if (peer != NULL)
        claim = peer->tried & TRIED;
    slot = find_room(dev, type, claim);
    if (slot == NULL)
        return WYRM_D_BUSY;
    if (slot->type != WYRM_MSG_NONE)
        (void)wyrm_drop(dev, WYRM_D_BUSY);
    if (peer != NULL)
        peer->tried |= chance;
    wyrm_copy(slot->msg, msg, len - MACS_LEN);
    wyrm_copy(&slot->from, from, sizeof(slot->from));
    slot->claim = claim;
    slot->type = type;
    dev->work = true;
    return WYRM_WORK;
}

/* ---- Take --------------------------------------------------------------- */

/* Takes the oldest message out of its slot; the others move up. */
static void take_slot(struct wyrm_device *dev, struct wyrm_job *job)
{
    struct wyrm_slot *slot = dev->pools->slots, *last = slot + slots_of(dev) - 1;

    wyrm_copy(job->msg, slot->msg, sizeof(slot->msg));
    wyrm_copy(&job->meta, &slot->from, sizeof(job->meta));
    if (WYRM_RESPONDER)
        memmove(slot, slot + 1, (size_t)(last - slot) * sizeof(*slot));
    last->type = WYRM_MSG_NONE;
    dev->called = false;
}

/* What both roles need to know about the peer. */
static WYRM_NOINLINE void copy_peer(const struct wyrm_device *dev, struct wyrm_job *job,
                                    const struct wyrm_peer *peer)
{
    job->peer = peer->id;
    job->generation = peer->generation;
    wyrm_copy(&job->contact, &peer->contact, sizeof(job->contact));
    job->has_static_dh = (peer->facts & FACT_STATIC_DH) != 0;
    job->has_cookie = !wyrm_expired(dev->now, peer->cookie_born, WYRM_COOKIE_LIFETIME);
}

static bool draw_bytes(const struct wyrm_device *dev, void *out, size_t len)
{
    return dev->io->random(dev->io->ctx, out, len);
}

/* A session index and an ephemeral key: 4 and 32 random bytes. A generator that begins the key like
 * the index is stuck, and must not make keys; check_fresh sees the rest. */
static bool draw(const struct wyrm_device *dev, struct wyrm_job *job)
{
    uint8_t raw[4];

    if (!draw_bytes(dev, raw, sizeof(raw)))
        return false;
    job->local = wyrm_load_le32(raw);
    return draw_bytes(dev, job->noise.eph, sizeof(job->noise.eph)) &&
           wyrm_load_le32(job->noise.eph) != job->local;
}

static wyrm_status take_response(struct wyrm_device *dev, struct wyrm_job *job)
{
    struct wyrm_peer *peer;

    take_slot(dev, job);
    peer = initiator_of(dev, job->msg);
    if (peer == NULL) /* given up or answered while it waited */
        return WYRM_D_INDEX;
    copy_peer(dev, job, peer);
    job->local = peer->local[WYRM_PLACE_HS];
    wyrm_copy(&job->noise, &peer->hs, sizeof(job->noise));
    job->step = STEP_FINISH;
    return WYRM_WORK;
}

#if WYRM_RESPONDER
static wyrm_status take_initiation(struct wyrm_device *dev, struct wyrm_job *job)
{
    take_slot(dev, job);
    job->peer = WYRM_NO_PEER;
    job->step = STEP_LEARN_CALLER;
    return draw(dev, job) ? WYRM_WORK : WYRM_D_RANDOM;
}
#endif

static wyrm_status take_own(struct wyrm_device *dev, struct wyrm_job *job, struct wyrm_peer *peer)
{
    dev->called = true;
    peer->events &= (uint8_t)~EVENT_INITIATE;
    copy_peer(dev, job, peer);
    job->step = STEP_INITIATE;
    if (!draw(dev, job)) {
        wyrm_timers_initiated(dev, peer, job->local); /* try again when a retry would be due */
        return WYRM_D_RANDOM;
    }
    peer->facts |= FACT_INITIATING;
    peer->last_handshake_tx = dev->now;
    return WYRM_WORK;
}

/* The next peer that waits for an initiation of ours, going on behind the one that had the last:
 * the many that do not answer take no more than their turn from the one that does. */
static struct wyrm_peer *next_caller(struct wyrm_device *dev)
{
    for (unsigned i = 0; i < dev->pools->n_peers; i++) {
        struct wyrm_peer *peer = wyrm_peer_at(dev, dev->caller);

        if (++dev->caller >= dev->pools->n_peers)
            dev->caller = 0;
        if (peer->events & EVENT_INITIATE)
            return peer;
    }
    return NULL;
}

/* Ours before theirs, the oldest of theirs before a second of ours: however many there are of
 * either, the others have every other job. */
static wyrm_status take_next(struct wyrm_device *dev, struct wyrm_job *job)
{
    uint8_t oldest = dev->pools->slots[0].type;
    struct wyrm_peer *peer = NULL;

    if (!dev->work || !dev->has_key)
        return WYRM_IDLE;
    if (!dev->called || oldest == WYRM_MSG_NONE)
        peer = next_caller(dev);
    if (peer != NULL)
        return take_own(dev, job, peer);
    if (oldest == WYRM_MSG_RESPONSE)
        return take_response(dev, job);
#if WYRM_RESPONDER
    if (oldest == WYRM_MSG_INITIATION)
        return take_initiation(dev, job);
#endif
    return WYRM_IDLE;
}

wyrm_status wyrm_job_take(struct wyrm_device *dev, wyrm_ms now, struct wyrm_job *job)
{
    wyrm_status status;

    wyrm_time_set(dev, now);
    do {
        wyrm_wipe(job, sizeof(*job));
        status = wyrm_drop(dev, take_next(dev, job));
    } while (status == WYRM_D_INDEX);
    if (status == WYRM_WORK) {
        job->io = dev->io;
        job->epoch = dev->epoch;
        wyrm_copy(&job->own, &dev->own, sizeof(job->own));
        return WYRM_WORK;
    }
    dev->work_told = false;
    if (status == WYRM_IDLE) {
        dev->work = false;
        return WYRM_IDLE;
    }
    wyrm_wipe(job, sizeof(*job));
    return WYRM_E_RANDOM;
}

/* ---- Run ---------------------------------------------------------------- */

void wyrm_job_run(struct wyrm_job *job)
{
    switch (job->step) {
    case STEP_INITIATE:
        job->result = WYRM_E_CLOCK;
        if (job->io->tai64n(job->io->ctx, job->timestamp))
            wyrm_noise_create_initiation(job);
        break;
    case STEP_FINISH:
        wyrm_noise_read_response(job);
        break;
#if WYRM_RESPONDER
    case STEP_LEARN_CALLER:
        wyrm_noise_read_static(job);
        break;
    case STEP_RESPOND:
        wyrm_noise_read_timestamp(job);
        if (job->result == WYRM_WORK)
            wyrm_noise_create_response(job);
        break;
#endif
    }
}

/* ---- Commit ------------------------------------------------------------- */

/* The peer a job is about, if it is still the one that the job was made for, and no session would
 * be made of a preshared key that has changed; an initiation has none in it. */
static struct wyrm_peer *same_peer(struct wyrm_device *dev, const struct wyrm_job *job)
{
    struct wyrm_peer *peer = wyrm_used_peer(dev, job->peer);

    if (peer == NULL || peer->generation != job->generation ||
        (job->step != STEP_INITIATE &&
         !wyrm_ct_equal(peer->contact.psk, job->contact.psk, WYRM_KEY_LEN)))
        return NULL;
    return peer;
}

static void keep_static_dh(struct wyrm_peer *peer, const struct wyrm_job *job)
{
#if WYRM_CACHE_STATIC_DH
    if (job->has_static_dh) {
        wyrm_copy_key(peer->contact.static_dh, job->contact.static_dh);
        peer->facts |= FACT_STATIC_DH;
    }
#else
    (void)peer;
    (void)job;
#endif
}

/* The last checks of a message that wants to go out: WYRM_SEND if it may. */
static wyrm_status check_fresh(struct wyrm_device *dev, const struct wyrm_job *job)
{
    bool initiating = !WYRM_RESPONDER || job->step == STEP_INITIATE;
    uint32_t ephemeral =
        wyrm_load_le32(job->msg + (initiating ? INITIATION_EPHEMERAL : RESPONSE_EPHEMERAL));
    unsigned place;

    /* The generator has made a session index that is in use, or the ephemeral key of our last
     * message, as the first bytes of the public one show. By mere chance once in 2^32 handshakes;
     * the next draw then helps. */
    if (wyrm_index_find(dev, job->local, &place) != NULL || ephemeral == dev->last_ephemeral)
        return WYRM_D_RANDOM;
    dev->last_ephemeral = ephemeral;
    return WYRM_SEND;
}

/* Hands job->msg to the port: an initiation to where the peer is, a response to where the
 * initiation came from. */
static wyrm_status send_message(struct wyrm_device *dev, struct wyrm_peer *peer,
                                struct wyrm_job *job, struct wyrm_packet *out)
{
    bool initiating = !WYRM_RESPONDER || job->step == STEP_INITIATE;

    keep_static_dh(peer, job);
    out->data = job->msg;
    out->len = initiating ? INITIATION_LEN : RESPONSE_LEN;
    wyrm_copy(peer->last_mac1, job->msg + out->len - MACS_LEN, sizeof(peer->last_mac1));
    peer->facts |= FACT_MAC1;
    peer->last_handshake_tx = dev->now;
    wyrm_timers_sent(dev, peer, initiating ? &peer->to : &job->meta, out);
    out->to.tos = HANDSHAKE_TOS;
    return WYRM_SEND;
}

/* A handshake message of the peer proved authentic and fresh, and makes a session. */
static void begin_session(struct wyrm_device *dev, struct wyrm_peer *peer,
                          const struct wyrm_job *job)
{
    bool responding = WYRM_RESPONDER && job->step == STEP_RESPOND;
    const struct wyrm_meta *from = &job->meta;

    /* What is fresh to a device that has rebooted may be a recording. An initiation moves an
     * endpoint that is known if the peer has begun, and thereby dated, the current session too;
     * else the first data packet of the new session does. */
    if (responding && peer->to.remote.family != 0 &&
        (peer->current == WYRM_NO_KEYPAIR || !(peer->facts & FACT_THEIRS)))
        from = NULL;
    wyrm_timers_received(dev, peer, from, responding ? INITIATION_LEN : RESPONSE_LEN);
    wyrm_session_begin(dev, peer, job, !responding);
    wyrm_timers_session_derived(dev, peer);
}

static wyrm_status commit_initiation(struct wyrm_device *dev, struct wyrm_peer *peer,
                                     struct wyrm_job *job, struct wyrm_packet *out)
{
    wyrm_status status;

    if (peer == NULL || !(peer->facts & FACT_INITIATING))
        return WYRM_IDLE; /* a session came about meanwhile, or is no longer wanted */
    peer->facts &= (uint8_t)~FACT_INITIATING;
    wyrm_timers_initiated(dev, peer, job->local);
    if (job->result != WYRM_SEND)
        return job->result;
    if (peer->to.remote.family == 0)
        return WYRM_IDLE;
    status = check_fresh(dev, job);
    if (status != WYRM_SEND)
        return status; /* the retry timer brings another */

    wyrm_session_wipe_handshake(dev, peer);
    wyrm_copy(&peer->hs, &job->noise, sizeof(peer->hs));
    peer->waiting = true;
    peer->facts |= FACT_SENT;
    wyrm_index_insert(dev, peer, WYRM_PLACE_HS, job->local);
    return send_message(dev, peer, job, out);
}

#if WYRM_RESPONDER

static wyrm_status commit_caller(struct wyrm_device *dev, struct wyrm_job *job)
{
    struct wyrm_peer *peer;

    if (job->result != WYRM_WORK)
        return job->result;
    if (memcmp(job->own.pub, dev->own.pub, WYRM_KEY_LEN) != 0)
        return WYRM_IDLE; /* the private key changed or was removed meanwhile */
    peer = wyrm_peer_of(dev, job->contact.pub);
    if (peer == NULL)
        return WYRM_D_PEER;
    if (!wyrm_expired(dev->now, peer->last_initiation_rx, WYRM_INITIATION_INTERVAL))
        return WYRM_D_RATE;

    copy_peer(dev, job, peer);
    wyrm_copy(job->timestamp, peer->last_timestamp, sizeof(job->timestamp));
    job->step = STEP_RESPOND;
    return WYRM_WORK;
}

static wyrm_status commit_response(struct wyrm_device *dev, struct wyrm_peer *peer,
                                   struct wyrm_job *job, struct wyrm_packet *out)
{
    wyrm_status status;

    if (peer == NULL)
        return WYRM_IDLE;
    if (job->result != WYRM_SEND)
        return job->result;
    if (memcmp(job->timestamp, peer->last_timestamp, sizeof(job->timestamp)) <= 0)
        return WYRM_D_TIMESTAMP; /* another worker was faster with a newer one */
    if (!wyrm_expired(dev->now, peer->last_initiation_rx, WYRM_INITIATION_INTERVAL))
        return WYRM_D_RATE;
    status = check_fresh(dev, job);
    if (status != WYRM_SEND)
        return status;

    /* From here the initiation is real. */
    wyrm_copy(peer->last_timestamp, job->timestamp, sizeof(peer->last_timestamp));
    peer->last_initiation_rx = dev->now;
    begin_session(dev, peer, job);
    return send_message(dev, peer, job, out);
}

#endif /* WYRM_RESPONDER */

static wyrm_status commit_finish(struct wyrm_device *dev, struct wyrm_peer *peer,
                                 const struct wyrm_job *job)
{
    if (peer == NULL || !peer->waiting || peer->local[WYRM_PLACE_HS] != job->local)
        return WYRM_D_INDEX;
    if (job->result != WYRM_READY)
        return job->result;

    /* From here the response is real. */
    wyrm_session_wipe_handshake(dev, peer);
    begin_session(dev, peer, job);
    wyrm_timers_handshake_complete(dev, peer);
    wyrm_timers_owe(dev, peer, EVENT_KEEPALIVE); /* confirms the session */
    return WYRM_IDLE;
}

static wyrm_status commit_step(struct wyrm_device *dev, struct wyrm_job *job,
                               struct wyrm_packet *out)
{
    struct wyrm_peer *peer = same_peer(dev, job);

    switch (job->step) {
    case STEP_INITIATE:
        return commit_initiation(dev, peer, job, out);
    case STEP_FINISH:
        return commit_finish(dev, peer, job);
#if WYRM_RESPONDER
    case STEP_LEARN_CALLER:
        return commit_caller(dev, job);
    case STEP_RESPOND:
        return commit_response(dev, peer, job, out);
#endif
    }
    return WYRM_IDLE;
}

wyrm_status wyrm_job_commit(struct wyrm_device *dev, wyrm_ms now, struct wyrm_job *job,
                            struct wyrm_packet *out)
{
    wyrm_status status = WYRM_IDLE;

    if (job->epoch == dev->epoch) { /* else it belongs to a device that is no more */
        wyrm_time_set(dev, now);
        status = commit_step(dev, job, out);
    }
    if (status != WYRM_WORK) /* the secrets follow the message */
        wyrm_wipe(&job->own, sizeof(*job) - offsetof(struct wyrm_job, own));
    return wyrm_drop(dev, status);
}

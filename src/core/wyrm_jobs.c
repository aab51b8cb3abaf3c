/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Handshakes in three steps, because the cryptography takes milliseconds to seconds on a small
 * core:
 *
 *   take    locked    copies everything the cryptography needs into the job
 *   run     unlocked  the Noise steps of wyrm_noise.c
 *   commit  locked    checks that device and peer are unchanged, then updates them
 *
 * A responder commits twice: only after the first Diffie-Hellman does it know the initiator, whose
 * keys it needs for the rest.
 */
#include "wyrm_jobs.h"
#include "wyrm_cookie.h"
#include "wyrm_index.h"
#include "wyrm_noise.h"
#include "wyrm_peer.h"
#include "wyrm_session.h"
#include "wyrm_time.h"
#include "wyrm_timers.h"

#include <string.h>

enum job_step { STEP_INITIATE, STEP_IDENTIFY, STEP_RESPOND, STEP_FINISH };

/* Cookies are required for this long after load was last seen, in ms. */
#define LOAD_MEMORY 1000u

/* DSCP of handshake messages: AF41, no ECN. */
#define HANDSHAKE_TOS 0x88u

/* ---- Admission ---------------------------------------------------------- */

/* The slots are a queue for messages of both types, the oldest first. A client, which receives only
 * responses, uses one. */
static unsigned slots_of(const struct wyrm_device *dev)
{
    return WYRM_RESPONDER ? dev->pools->n_slots : 1;
}

/* The peer whose handshake in flight a response belongs to, or NULL. */
static struct wyrm_peer *find_handshake(const struct wyrm_device *dev, const uint8_t *response)
{
    unsigned place;
    struct wyrm_peer *peer =
        wyrm_index_find(dev, wyrm_load_le32(response + RESPONSE_RECEIVER), &place);

    return place == WYRM_PLACE_HS ? peer : NULL;
}

#if WYRM_RESPONDER

/* The device is under load while an eighth of the slots, at least one, hold a message. */
static bool is_loaded(struct wyrm_device *dev)
{
    unsigned slots = slots_of(dev);

    if (dev->pools->slots[slots > 1 ? (slots - 2) / 8 : 0].type != WYRM_MSG_NONE)
        dev->loaded_until = dev->now + LOAD_MEMORY;
    return dev->now < dev->loaded_until;
}

/* The kind of a response that comes from `source` and has a cookie. */
static enum wyrm_admitted kind_of_source(const struct wyrm_peer *peer,
                                         const struct wyrm_endpoint *source)
{
    return memcmp(source, &peer->to.remote, sizeof(*source)) == 0 ? ADMITTED_FROM_ENDPOINT
                                                                  : ADMITTED_FROM_ELSEWHERE;
}

#endif /* WYRM_RESPONDER */

/* Returns the first free slot, or the one whose message of this type has the lowest priority, if
 * that is lower than `priority`. One of several slots is reserved for responses. */
static struct wyrm_slot *find_slot(const struct wyrm_device *dev, uint8_t type, wyrm_tick priority)
{
    struct wyrm_slot *slot = dev->pools->slots, *end = slot + slots_of(dev), *lowest = NULL;
    size_t room = slots_of(dev);

    if (WYRM_RESPONDER && type == WYRM_MSG_INITIATION && room > 1)
        room--;
    for (; slot < end && slot->type != WYRM_MSG_NONE; slot++) {
        if (slot->type != type)
            continue;
        room--;
        if (slot->priority > priority) {
            priority = slot->priority;
            lowest = slot;
        }
    }
    return slot < end && room > 0 ? slot : lowest;
}

/* Priorities: a response is preferred if fewer responses to the same handshake were admitted before
 * it. An initiation that has proven its source address is preferred to one that has not, and among
 * these the source that has been quiet for longest. */
wyrm_status wyrm_jobs_admit(struct wyrm_device *dev, const struct wyrm_meta *from, uint8_t *msg,
                            size_t len)
{
    struct wyrm_peer *peer = NULL;
    struct wyrm_slot *slot;
    wyrm_tick priority = WYRM_TICK_NEVER;
    uint8_t type = msg[0];
    unsigned kind = ADMITTED_UNPROVEN;

    if (!WYRM_RESPONDER && type == WYRM_MSG_INITIATION)
        return WYRM_D_PEER;
    if (!dev->has_key || !wyrm_cookie_check_mac1(dev, msg, len))
        return WYRM_D_MAC1;
    if (!WYRM_RESPONDER || type == WYRM_MSG_RESPONSE) {
        peer = find_handshake(dev, msg);
        if (peer == NULL)
            return WYRM_D_INDEX;
        priority = peer->responses.admitted;
    }
#if WYRM_RESPONDER
    bool needs_cookie = is_loaded(dev) || (peer != NULL && priority & ADMITTED_UNPROVEN);
    wyrm_status status;
    wyrm_tick charged;

    if (peer != NULL && needs_cookie)
        kind = kind_of_source(peer, &from->remote);
    if (peer != NULL && priority & kind)
        return WYRM_D_RATE;
    if (needs_cookie) {
        status = wyrm_cookie_admit(dev, msg, len, &from->remote, peer);
        if (status != WYRM_IDLE)
            return status;
        charged = wyrm_cookie_charge(dev, &from->remote);
        if (charged == WYRM_TICK_NEVER)
            return WYRM_D_RATE;
        if (peer == NULL)
            priority = charged;
    }
#endif
    slot = find_slot(dev, type, priority);
    if (slot == NULL)
        return WYRM_D_BUSY;
    if (slot->type != WYRM_MSG_NONE)
        (void)wyrm_drop(dev, WYRM_D_BUSY);
    if (peer != NULL)
        peer->responses.admitted = (priority | kind) & ADMITTED_ALL;
    wyrm_copy(slot->msg, msg, len - MACS_LEN);
    wyrm_copy(&slot->from, from, sizeof(slot->from));
    slot->priority = priority;
    slot->type = type;
    dev->work = true;
    return WYRM_WORK;
}

/* ---- Take --------------------------------------------------------------- */

/* Moves the oldest message into the job; the others move up. */
static void take_slot(struct wyrm_device *dev, struct wyrm_job *job)
{
    struct wyrm_slot *slot = dev->pools->slots, *last = slot + slots_of(dev) - 1;

    wyrm_copy(job->msg, slot->msg, sizeof(slot->msg));
    wyrm_copy(&job->meta, &slot->from, sizeof(job->meta));
    if (WYRM_RESPONDER)
        memmove(slot, slot + 1, (size_t)(last - slot) * sizeof(*slot));
    last->type = WYRM_MSG_NONE;
    dev->initiated_last = false;
}

/* Copies what both roles need of the peer. */
static WYRM_NOINLINE void copy_peer(const struct wyrm_device *dev, struct wyrm_job *job,
                                    const struct wyrm_peer *peer)
{
    job->peer = peer->id;
    job->generation = peer->generation;
    wyrm_copy(&job->contact, &peer->contact, sizeof(job->contact));
    job->has_static_dh = (peer->flags & FLAG_STATIC_DH) != 0;
    job->has_cookie = !wyrm_expired(dev->now, peer->cookie_born, WYRM_COOKIE_LIFETIME);
}

static bool draw_bytes(const struct wyrm_device *dev, void *out, size_t len)
{
    return dev->io->random(dev->io->ctx, out, len);
}

/* Draws a session index and an ephemeral key: 4 and 32 random bytes. If both start with the same
 * bytes the generator is stuck and must not make keys; check_fresh detects other repetitions. */
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
    peer = find_handshake(dev, job->msg);
    if (peer == NULL) /* the handshake ended while the response was queued */
        return WYRM_D_INDEX;
    copy_peer(dev, job, peer);
    job->local = peer->local[WYRM_PLACE_HS];
    wyrm_copy(&job->noise, &peer->hs, sizeof(job->noise));
    job->step = STEP_FINISH;
    return WYRM_WORK;
}

#if WYRM_RESPONDER
static wyrm_status take_received_initiation(struct wyrm_device *dev, struct wyrm_job *job)
{
    take_slot(dev, job);
    job->peer = WYRM_NO_PEER;
    job->step = STEP_IDENTIFY;
    return draw(dev, job) ? WYRM_WORK : WYRM_D_RANDOM;
}
#endif

static wyrm_status take_own_initiation(struct wyrm_device *dev, struct wyrm_job *job,
                                       struct wyrm_peer *peer)
{
    dev->initiated_last = true;
    peer->events &= (uint8_t)~EVENT_INITIATE;
    copy_peer(dev, job, peer);
    job->step = STEP_INITIATE;
    if (!draw(dev, job)) {
        wyrm_timers_initiated(dev, peer, job->local); /* try again when the retry timer expires */
        return WYRM_D_RANDOM;
    }
    peer->flags |= FLAG_INITIATING;
    peer->last_handshake_tx = dev->now;
    return WYRM_WORK;
}

/* Round robin over the peers to which an initiation is due, so that many peers that do not answer
 * cannot starve one that does. */
static struct wyrm_peer *next_initiation(struct wyrm_device *dev)
{
    for (unsigned i = 0; i < dev->pools->n_peers; i++) {
        struct wyrm_peer *peer = wyrm_peer_at(dev, dev->next_initiator);

        if (++dev->next_initiator >= dev->pools->n_peers)
            dev->next_initiator = 0;
        if (peer->events & EVENT_INITIATE)
            return peer;
    }
    return NULL;
}

/* Our own initiations and received messages alternate, so that neither can starve the other. */
static wyrm_status take_next(struct wyrm_device *dev, struct wyrm_job *job)
{
    uint8_t oldest = dev->pools->slots[0].type;
    struct wyrm_peer *peer = NULL;

    if (!dev->work || !dev->has_key)
        return WYRM_IDLE;
    if (!dev->initiated_last || oldest == WYRM_MSG_NONE)
        peer = next_initiation(dev);
    if (peer != NULL)
        return take_own_initiation(dev, job, peer);
    if (oldest == WYRM_MSG_RESPONSE)
        return take_response(dev, job);
#if WYRM_RESPONDER
    if (oldest == WYRM_MSG_INITIATION)
        return take_received_initiation(dev, job);
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
    dev->work_announced = false;
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
    case STEP_IDENTIFY:
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

/* The peer of the job, or NULL if its keys changed since the job was taken. A preshared key that
 * changed outdates all steps but the initiation, which does not depend on it. */
static struct wyrm_peer *unchanged_peer(struct wyrm_device *dev, const struct wyrm_job *job)
{
    struct wyrm_peer *peer = wyrm_used_peer(dev, job->peer);

    if (peer == NULL || peer->generation != job->generation ||
        (job->step != STEP_INITIATE &&
         !wyrm_ct_equal(peer->contact.psk, job->contact.psk, WYRM_KEY_LEN)))
        return NULL;
    return peer;
}

static void cache_static_dh(struct wyrm_peer *peer, const struct wyrm_job *job)
{
#if WYRM_CACHE_STATIC_DH
    if (job->has_static_dh) {
        wyrm_copy_key(peer->contact.static_dh, job->contact.static_dh);
        peer->flags |= FLAG_STATIC_DH;
    }
#else
    (void)peer;
    (void)job;
#endif
}

/* WYRM_SEND unless the random bytes behind a finished message are not fresh. */
static wyrm_status check_fresh(struct wyrm_device *dev, const struct wyrm_job *job)
{
    bool initiating = !WYRM_RESPONDER || job->step == STEP_INITIATE;
    uint32_t ephemeral =
        wyrm_load_le32(job->msg + (initiating ? INITIATION_EPHEMERAL : RESPONSE_EPHEMERAL));
    unsigned place;

    /* The session index is in use, or the public ephemeral key starts like our last one. This
     * happens by chance once in 2^32 handshakes; a retry then succeeds. */
    if (wyrm_index_find(dev, job->local, &place) != NULL || ephemeral == dev->last_ephemeral)
        return WYRM_D_RANDOM;
    dev->last_ephemeral = ephemeral;
    return WYRM_SEND;
}

/* Hands job->msg to the port: an initiation is sent to the peer's endpoint, a response to the
 * source of the initiation. */
static wyrm_status send_message(struct wyrm_device *dev, struct wyrm_peer *peer,
                                struct wyrm_job *job, struct wyrm_packet *out)
{
    bool initiating = !WYRM_RESPONDER || job->step == STEP_INITIATE;

    cache_static_dh(peer, job);
    out->data = job->msg;
    out->len = initiating ? INITIATION_LEN : RESPONSE_LEN;
    wyrm_copy(peer->last_mac1, job->msg + out->len - MACS_LEN, sizeof(peer->last_mac1));
    peer->flags |= initiating ? FLAG_LAST_MAC1 | FLAG_INITIATION_SENT : FLAG_LAST_MAC1;
    peer->last_handshake_tx = dev->now;
    wyrm_peer_sent(dev, peer, initiating ? &peer->to : &job->meta, out);
    out->to.tos = HANDSHAKE_TOS;
    return WYRM_SEND;
}

/* Starts the session of an authenticated, fresh handshake message. */
static void begin_session(struct wyrm_device *dev, struct wyrm_peer *peer,
                          const struct wyrm_job *job)
{
    bool responding = WYRM_RESPONDER && job->step == STEP_RESPOND;
    const struct wyrm_meta *from = &job->meta;

    /* After a reboot an old, recorded initiation looks fresh. Hence an initiation moves a known
     * endpoint only if the peer also initiated the current session, which proves that it is newer;
     * otherwise the first data packet of the new session moves it. */
    if (responding && peer->to.remote.family != 0 &&
        (peer->current == WYRM_NO_KEYPAIR || !(peer->flags & FLAG_RESPONDER)))
        from = NULL;
    wyrm_peer_received(dev, peer, from, responding ? INITIATION_LEN : RESPONSE_LEN);
    wyrm_session_begin(dev, peer, job, !responding);
    wyrm_timers_session_derived(dev, peer);
}

static wyrm_status commit_initiation(struct wyrm_device *dev, struct wyrm_peer *peer,
                                     struct wyrm_job *job, struct wyrm_packet *out)
{
    wyrm_status status;

    if (peer == NULL || !(peer->flags & FLAG_INITIATING))
        return WYRM_IDLE; /* another session was established, or the attempt ended */
    peer->flags &= (uint8_t)~FLAG_INITIATING;
    wyrm_timers_initiated(dev, peer, job->local);
    if (job->result != WYRM_SEND)
        return job->result;
    if (peer->to.remote.family == 0)
        return WYRM_IDLE;
    status = check_fresh(dev, job);
    if (status != WYRM_SEND)
        return status; /* the retry timer makes another */

    wyrm_session_wipe_handshake(dev, peer);
    wyrm_copy(&peer->hs, &job->noise, sizeof(peer->hs));
    peer->waiting = true;
    wyrm_index_insert(dev, peer, WYRM_PLACE_HS, job->local);
    return send_message(dev, peer, job, out);
}

#if WYRM_RESPONDER

static wyrm_status commit_identify(struct wyrm_device *dev, struct wyrm_job *job)
{
    struct wyrm_peer *peer;

    if (job->result != WYRM_WORK)
        return job->result;
    if (memcmp(job->own.pub, dev->own.pub, WYRM_KEY_LEN) != 0)
        return WYRM_IDLE; /* the private key changed in the meantime */
    peer = wyrm_peer_by_key(dev, job->contact.pub);
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
        return WYRM_D_TIMESTAMP; /* another worker has committed a newer one */
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
    peer->events |= EVENT_KEEPALIVE; /* confirms the session to the responder */
    wyrm_peer_established(dev, peer);
    return WYRM_IDLE;
}

static wyrm_status commit_step(struct wyrm_device *dev, struct wyrm_job *job,
                               struct wyrm_packet *out)
{
    struct wyrm_peer *peer = unchanged_peer(dev, job);

    switch (job->step) {
    case STEP_INITIATE:
        return commit_initiation(dev, peer, job, out);
    case STEP_FINISH:
        return commit_finish(dev, peer, job);
#if WYRM_RESPONDER
    case STEP_IDENTIFY:
        return commit_identify(dev, job);
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

    if (job->epoch == dev->epoch) { /* else the device was closed in the meantime */
        wyrm_time_set(dev, now);
        status = commit_step(dev, job, out);
    }
    if (status != WYRM_WORK) /* the secrets stand behind the message */
        wyrm_wipe(&job->own, sizeof(*job) - offsetof(struct wyrm_job, own));
    return wyrm_drop(dev, status);
}

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Sessions of a peer in three roles: current sends and receives, previous receives packets that
 * were in transit when it was replaced, next waits for its first packet. A role is a position in a
 * fixed array, so that keys are never copied.
 */
#include "wyrm_session.h"
#include "wyrm_index.h"
#include "wyrm_replay.h"
#include "wyrm_wire.h"

#include <string.h>

struct wyrm_keypair *wyrm_session_current(struct wyrm_peer *peer, wyrm_tick now)
{
    struct wyrm_keypair *kp;

    if (peer->current == WYRM_NO_KEYPAIR)
        return NULL;
    kp = &peer->kp[peer->current];
    if (wyrm_expired(now, kp->born, WYRM_REJECT_AFTER_TIME) ||
        kp->tx_next >= WYRM_REJECT_AFTER_MESSAGES)
        return NULL;
    return kp;
}

wyrm_status wyrm_session_seal(struct wyrm_keypair *kp, const struct wyrm_span *spans, unsigned n,
                              size_t pad, uint8_t *buf)
{
    uint8_t *nonce = buf + DATA_RECEIVER;

    /* The nonce is four zero bytes and the counter: the end of the header, until the receiver index
     * replaces the zeros. */
    _Static_assert(DATA_RECEIVER + WYRM_AEAD_NONCE_LEN == (int)DATA_SEALED,
                   "the nonce ends the header");
    wyrm_store_le32(buf, WYRM_MSG_DATA);
    wyrm_store_le32(nonce, 0);
    wyrm_store_le64(buf + DATA_COUNTER, kp->tx_next++);
    if (!wyrm_aead_seal(buf + DATA_SEALED, spans, n, pad, NULL, 0, nonce, kp->keys.send))
        return WYRM_E_CRYPTO;
    wyrm_store_le32(buf + DATA_RECEIVER, kp->remote);
    return WYRM_SEND;
}

wyrm_status wyrm_session_open(struct wyrm_keypair *kp, wyrm_tick now, uint8_t *buf, size_t len)
{
    _Alignas(4) uint8_t nonce[WYRM_AEAD_NONCE_LEN];
    uint64_t counter;

    wyrm_store_le32(nonce, 0);
    memcpy(nonce + 4, buf + DATA_COUNTER, sizeof(counter));
    counter = wyrm_load_le64(nonce + 4);
    if (wyrm_expired(now, kp->born, WYRM_REJECT_AFTER_TIME) ||
        counter >= WYRM_REJECT_AFTER_MESSAGES)
        return WYRM_D_EXPIRED;

    if (!wyrm_aead_open(buf + DATA_SEALED, len - DATA_SEALED, NULL, 0, nonce, kp->keys.recv))
        return WYRM_D_TAG;

    if (!wyrm_replay_accept(&kp->replay.next, kp->replay.ring, WYRM_REPLAY_BITS / 32, counter))
        return WYRM_D_REPLAY;
    return WYRM_DELIVER;
}

/* Ends the session in a role: current, previous or next. */
static void drop_session(struct wyrm_device *dev, struct wyrm_peer *peer, uint8_t *role)
{
    struct wyrm_keypair *kp;

    if (*role == WYRM_NO_KEYPAIR)
        return;
    kp = &peer->kp[*role];
    wyrm_index_remove(dev, peer, *role);
    wyrm_wipe(kp, sizeof(*kp));
    *role = WYRM_NO_KEYPAIR;
}

/* A free place exists: at most two are used when a session begins. */
static uint8_t free_place(const struct wyrm_peer *peer)
{
    uint8_t place = 0;

    while (wyrm_session_in_use(peer, place))
        place++;
    return place;
}

void wyrm_session_begin(struct wyrm_device *dev, struct wyrm_peer *peer, const struct wyrm_job *job,
                        bool initiator)
{
    struct wyrm_keypair *kp;
    uint8_t place;

    initiator |= !WYRM_RESPONDER;
    drop_session(dev, peer, &peer->previous);
    if (!initiator) {
        drop_session(dev, peer, &peer->next);
    } else if (WYRM_RESPONDER && peer->next != WYRM_NO_KEYPAIR) {
        /* Both sides initiated at the same time: the peer's session must still receive. */
        drop_session(dev, peer, &peer->current);
        peer->previous = peer->next;
        peer->next = WYRM_NO_KEYPAIR;
    } else {
        peer->previous = peer->current;
    }

    place = free_place(peer);
    kp = &peer->kp[place];
    kp->born = dev->now;
    kp->remote = job->remote;
    wyrm_copy(&kp->keys, &job->keys, sizeof(kp->keys));
    wyrm_index_insert(dev, peer, place, job->local);
    if (initiator) {
        peer->current = place;
        peer->flags &= (uint8_t)~FLAG_RESPONDER;
    } else {
        peer->next = place;
    }
}

#if WYRM_RESPONDER
void wyrm_session_confirm(struct wyrm_device *dev, struct wyrm_peer *peer)
{
    wyrm_session_wipe_handshake(dev,
                                peer); /* both sides now use the session that the peer initiated */
    drop_session(dev, peer, &peer->previous);
    peer->previous = peer->current;
    peer->current = peer->next;
    peer->next = WYRM_NO_KEYPAIR;
    peer->flags |= FLAG_RESPONDER;
}
#endif

void wyrm_session_wipe_handshake(struct wyrm_device *dev, struct wyrm_peer *peer)
{
    if (peer->waiting)
        wyrm_index_remove(dev, peer, WYRM_PLACE_HS);
    peer->waiting = false;
    memset(&peer->responses, 0, sizeof(peer->responses));
    wyrm_wipe(&peer->hs, sizeof(peer->hs));
}

void wyrm_session_wipe(struct wyrm_device *dev, struct wyrm_peer *peer)
{
    wyrm_session_wipe_handshake(dev, peer);
    drop_session(dev, peer, &peer->current);
    drop_session(dev, peer, &peer->previous);
    if (WYRM_RESPONDER)
        drop_session(dev, peer, &peer->next);
}

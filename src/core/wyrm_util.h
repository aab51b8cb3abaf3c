/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Shared by all files of the core: the flags and pending events of a peer, and small helpers.
 */
#ifndef WYRM_UTIL_H
#define WYRM_UTIL_H

#include "../wyrm.h"

#include "../crypto/wyrm_bytes.h"

#include <string.h>

#define WYRM_NO_KEYPAIR 0xffu

/* Pending events of a peer. wyrm_poll dispatches the first three in this order. */
enum wyrm_event {
    /* Report WYRM_LOST. */
    EVENT_LOST = 1,
    /* Report WYRM_READY. */
    EVENT_READY = 2,
    /* Send a keepalive, unless data is sent first. */
    EVENT_KEEPALIVE = 4,
    /* wyrm_job_take starts a handshake. */
    EVENT_INITIATE = 8
};

enum wyrm_flag {
    /* The id is in use. */
    FLAG_USED = 1,
    /* contact.static_dh is valid. */
    FLAG_STATIC_DH = WYRM_CACHE_STATIC_DH ? 2 : 0,
    /* The initiation that the retry timer belongs to was sent. */
    FLAG_INITIATION_SENT = 4,
    /* last_mac1 is valid: a cookie reply may refer to it. */
    FLAG_LAST_MAC1 = 8,
    /* The port was told to hold packets. */
    FLAG_HOLDING = 16,
    /* A received packet has already requested the renewal of this session. */
    FLAG_LATE_REKEY = 32,
    /* An initiation job of this peer is running. */
    FLAG_INITIATING = 64,
    /* The peer initiated the current session and therefore renews it. */
    FLAG_RESPONDER = WYRM_RESPONDER ? 128 : 0
};

/* Responses to one handshake that were admitted to a slot, one of each kind. An attacker can forge
 * a response from the session index alone, so the genuine one may arrive second; with a cookie it
 * is then admitted separately. */
enum wyrm_admitted {
    /* Without a cookie. */
    ADMITTED_UNPROVEN = 1,
    /* With a cookie, from the endpoint our initiation was sent to. */
    ADMITTED_FROM_ENDPOINT = 2,
    /* With a cookie, from another address. */
    ADMITTED_FROM_ELSEWHERE = 4,
    ADMITTED_ALL = 7
};

static inline bool wyrm_peer_in_use(const struct wyrm_peer *peer)
{
    return (peer->flags & FLAG_USED) != 0;
}

/* True if this place of the peer holds a session. */
static inline bool wyrm_session_in_use(const struct wyrm_peer *peer, unsigned place)
{
    return place == peer->current || place == peer->previous ||
           (WYRM_RESPONDER && place == peer->next);
}

static inline size_t wyrm_addr_len(uint8_t family)
{
    return family == 4 ? 4 : WYRM_ADDR_LEN;
}

/* Not inline: sizeof(struct wyrm_peer) is no power of two, so each copy would contain a multiply.
 */
struct wyrm_peer *wyrm_peer_at(const struct wyrm_device *dev, wyrm_peer_id id);
/* NULL if the id is out of range or not in use. */
struct wyrm_peer *wyrm_used_peer(const struct wyrm_device *dev, wyrm_peer_id id);
/* The peer with this public key, or NULL. */
struct wyrm_peer *wyrm_peer_by_key(const struct wyrm_device *dev, const uint8_t pub[WYRM_KEY_LEN]);

/* Posts an event to be dispatched by wyrm_poll or wyrm_job_take. */
void wyrm_post(struct wyrm_device *dev, struct wyrm_peer *peer, enum wyrm_event event);

/* Counts the status if it is a drop reason, and returns it. */
wyrm_status wyrm_drop(struct wyrm_device *dev, wyrm_status status);

/* Copies 32 bytes: a key or a hash. */
void wyrm_copy_key(uint8_t out[WYRM_KEY_LEN], const uint8_t in[WYRM_KEY_LEN]);

/* out = HASH(a || b); either may be `out`. */
void wyrm_hash_pair(uint8_t out[WYRM_HASH_LEN], const uint8_t *a, size_t a_len, const uint8_t *b,
                    size_t b_len);

#endif /* WYRM_UTIL_H */

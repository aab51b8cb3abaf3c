/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * What the files of the core share about a peer: its flags and small helpers.
 */
#ifndef WYRM_PEER_H
#define WYRM_PEER_H

#include "wyrm_time.h"

#include "../crypto/wyrm_bytes.h"

#include <string.h>

#define WYRM_NO_KEYPAIR 0xffu

/* What wyrm_poll owes the port, in the order in which it is paid. */
enum wyrm_event {
    EVENT_LOST = 1,      /* say WYRM_LOST */
    EVENT_READY = 2,     /* say WYRM_READY */
    EVENT_KEEPALIVE = 4, /* send a keepalive, unless data goes out before */
    EVENT_INITIATE = 8   /* wyrm_job_take is to start a handshake */
};

enum wyrm_fact {
    FACT_USED = 1,                                 /* someone lives in this slot of the pool */
    FACT_STATIC_DH = WYRM_CACHE_STATIC_DH ? 2 : 0, /* static_dh is valid */
    FACT_SENT = 4,         /* the initiation that the retry timer waits for has gone out */
    FACT_MAC1 = 8,         /* last_mac1 awaits a possible cookie reply */
    FACT_HOLDING = 16,     /* the port was told to hold packets */
    FACT_LAST_MINUTE = 32, /* this session's rekey on receive has been tried */
    FACT_INITIATING = 64,  /* an initiation job of this peer is running */
    FACT_THEIRS = WYRM_RESPONDER ? 128 : 0 /* they began the current session, so they renew it */
};

/* Which responses to the handshake in flight have had our time. There is one chance for each: to
 * forge a response takes no more than the index of the handshake, so the honest one may be second,
 * but then it can prove where it comes from. The other bits tell when the last cookie was sent. */
enum wyrm_tried {
    TRIED_FIRST = 1,     /* one that had to prove nothing */
    TRIED_THERE = 2,     /* with a cookie, from where our initiation went */
    TRIED_ELSEWHERE = 4, /* with a cookie, from anywhere else */
    TRIED = 7
};

static inline bool wyrm_used(const struct wyrm_peer *peer)
{
    return (peer->facts & FACT_USED) != 0;
}

/* True if this place of the peer holds a session. */
static inline bool wyrm_session_at(const struct wyrm_peer *peer, unsigned place)
{
    return place == peer->current || place == peer->previous ||
           (WYRM_RESPONDER && place == peer->next);
}

static inline size_t wyrm_addr_len(uint8_t family)
{
    return family == 4 ? 4 : WYRM_ADDR_LEN;
}

/* Functions on purpose: a peer is of no round size, and its address would be computed everywhere.
 */
struct wyrm_peer *wyrm_peer_at(const struct wyrm_device *dev, wyrm_peer_id id);
/* NULL if nobody lives there, or there is no such place. */
struct wyrm_peer *wyrm_used_peer(const struct wyrm_device *dev, wyrm_peer_id id);
/* The peer with this public key; NULL if it is nobody's. */
struct wyrm_peer *wyrm_peer_of(const struct wyrm_device *dev, const uint8_t pub[WYRM_KEY_LEN]);

/* Returns the verdict, counted if it is the reason of a drop. */
wyrm_status wyrm_drop(struct wyrm_device *dev, wyrm_status status);

/* Copies 32 bytes: a key or a hash. */
void wyrm_copy_key(uint8_t out[WYRM_KEY_LEN], const uint8_t in[WYRM_KEY_LEN]);

/* out = HASH(a || b); either may be `out`. */
void wyrm_hash_pair(uint8_t out[WYRM_HASH_LEN], const uint8_t *a, size_t a_len, const uint8_t *b,
                    size_t b_len);

#endif /* WYRM_PEER_H */

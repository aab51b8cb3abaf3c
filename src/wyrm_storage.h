/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * What a device consists of. Programs need the sizes, to set memory aside; the content belongs to
 * the core and changes without notice. Included by wyrm.h and not by itself.
 */
#ifndef WYRM_STORAGE_H
#define WYRM_STORAGE_H

#ifndef WYRM_H
#error "include wyrm.h"
#endif

/* Inside, times are 32-bit: ms since an origin that follows the clock, see core/wyrm_time.c. */
typedef uint32_t wyrm_tick;

struct wyrm_replay { /* RFC 6479; see core/wyrm_replay.h */
    uint64_t next;   /* one above the greatest counter accepted */
    uint32_t ring[WYRM_REPLAY_BITS / 32];
};

/* What is copied together is kept together: one call copies it. */

struct wyrm_identity { /* our static keys, all zero while there are none */
    uint8_t priv[WYRM_KEY_LEN], pub[WYRM_KEY_LEN];
};

struct wyrm_keys { /* of a session */
    uint8_t send[WYRM_KEY_LEN], recv[WYRM_KEY_LEN];
};

struct wyrm_contact { /* what a handshake must know of the other side */
    uint8_t pub[WYRM_KEY_LEN], psk[WYRM_KEY_LEN];
    uint8_t cookie[16]; /* theirs, for mac2 */
#if WYRM_CACHE_STATIC_DH
    uint8_t static_dh[WYRM_KEY_LEN];
#endif
};

struct wyrm_noise { /* a handshake between two messages; eph is our ephemeral private key */
    uint8_t hash[32], ck[32], eph[WYRM_KEY_LEN];
};

struct wyrm_keypair { /* one session, paper section 5.4.5 */
    uint64_t tx_next; /* counter of the next packet */
    wyrm_tick born;
    uint32_t remote; /* session index of the other side */
    struct wyrm_keys keys;
    struct wyrm_replay replay;
};

/* A peer has places for its sessions, the third only of one that may begin them, and one for an
 * initiation of ours in flight. */
enum { WYRM_SESSIONS = WYRM_RESPONDER ? 3 : 2, WYRM_PLACE_HS = WYRM_SESSIONS, WYRM_PLACES };

/* See core/wyrm_timers.c. */
enum wyrm_timer {
    WYRM_TIMER_RETRY,
    WYRM_TIMER_NEW_HANDSHAKE,
    WYRM_TIMER_KEEPALIVE,
    WYRM_TIMER_PERSISTENT,
    WYRM_TIMER_ZERO_KEYS,
    WYRM_TIMERS
};

struct wyrm_peer {       /* what is used most comes first: small offsets make small instructions */
    uint32_t generation; /* bumped by key, remove, disconnect: outdates running jobs */
    wyrm_peer_id id;     /* in the pool; these two outlive the peer, the rest is wiped */
    uint8_t flags;
    uint8_t events;                  /* what wyrm_poll owes the port */
    uint8_t current, previous, next; /* places of sessions, 0xff: none */
    bool waiting;                    /* for a response: hs is valid */
    uint16_t persistent_s;
    uint8_t unanswered;          /* initiations in a row */
    struct {                     /* responses to the handshake in flight */
        uint8_t admitted : 3;    /* enum wyrm_admitted */
        uint8_t cookie_span : 5; /* when a cookie last answered one, see core/wyrm_cookie.c */
    } responses;
    struct wyrm_meta to;           /* where datagrams go now, but for their tos */
    wyrm_tick timers[WYRM_TIMERS]; /* deadlines; all ticks of a peer stand side by side */
    wyrm_tick last_handshake_tx, attempt_since, cookie_born;
#if WYRM_RESPONDER
    wyrm_tick last_initiation_rx;
#endif
    uint32_t local[WYRM_PLACES]; /* our session indices */
#if WYRM_RESPONDER
    uint16_t link[WYRM_PLACES]; /* chains of session indices, see core/wyrm_index.c */
    uint8_t last_timestamp[12];
#endif
    uint64_t rx_bytes, tx_bytes;
    wyrm_ms last_handshake;          /* WYRM_NEVER: none yet */
    struct wyrm_endpoint configured; /* where they go unless we learn better */
    struct wyrm_keypair kp[WYRM_SESSIONS];
    struct wyrm_noise hs;
    struct wyrm_contact contact;
    uint8_t last_mac1[16];
};

struct wyrm_route { /* sorted by its first three members, see core/wyrm_routes.c */
    uint8_t family;
    uint8_t addr[WYRM_ADDR_LEN];
    uint8_t bits;
    wyrm_peer_id peer;
};

struct wyrm_slot {      /* a handshake message that waits for the worker */
    uint8_t type;       /* 0: free, like all slots behind it */
    wyrm_tick priority; /* the lowest number is kept longest */
    struct wyrm_meta from;
    uint8_t msg[WYRM_RESPONDER ? 116 : 60]; /* its two MACs have done their duty */
};

struct wyrm_source { /* token bucket of one source address */
    uint32_t tag;
    wyrm_tick full; /* when it will be full again, and this place free */
};

struct wyrm_device { /* here, too, what is used most comes first */
    const struct wyrm_pools *pools;
    const struct wyrm_platform *io;
    bool has_key;
    bool pending;                /* some peer has events */
    bool work, work_announced;   /* a job may be waiting; the port was told */
    wyrm_peer_id next_polled;    /* wyrm_poll continues here, so that no peer starves */
    wyrm_peer_id next_initiator; /* wyrm_job_take continues here with our initiations */
    wyrm_ms origin;              /* of all ticks */
    wyrm_tick now;               /* of the call that runs */
    wyrm_tick next_due; /* no timer of any peer is earlier; from here to last_ephemeral: ticks */
#if WYRM_RESPONDER
    wyrm_tick loaded_until; /* cookies are demanded before this */
    wyrm_tick cookie_born;  /* of the secret, 0: none */
#endif
    uint32_t last_ephemeral; /* how the last ephemeral public key of ours began */
    uint16_t mtu;
    bool initiated_last; /* the last job taken was an initiation of ours */
    uint32_t routes_used;
#if WYRM_RESPONDER
    uint32_t cookies_span; /* in this span of time so many cookie replies may still be made */
    uint32_t cookies_left;
#endif
    uint32_t drops[WYRM_DROP_REASONS];
    struct wyrm_identity own;
#if WYRM_RESPONDER
    uint32_t mac1_state[8]; /* BLAKE2s keyed with our mac1 key, for every check to go on from */
    uint8_t cookie_secret[32];
#endif
    uint16_t epoch; /* bumped by wyrm_init and wyrm_close, which empty the rest: outdates jobs */
};

/* ---- Handshake jobs ----------------------------------------------------- */

struct wyrm_job { /* about 600 bytes, secret: keep it off crash dumps */
    const struct wyrm_platform *io;
    uint32_t generation, local, remote;
    wyrm_peer_id peer;
    uint16_t epoch;
    uint8_t step;
    bool has_static_dh, has_cookie;
    wyrm_status result;
    struct wyrm_meta meta; /* where msg came from */
    uint8_t msg[WYRM_CONTROL_MAX];
    struct wyrm_identity own; /* from here on all is wiped when the job is over */
    struct wyrm_contact contact;
    struct wyrm_noise noise;
    uint8_t key[WYRM_KEY_LEN]; /* of the next encrypted field */
    struct wyrm_keys keys;
    uint8_t timestamp[12];
};

#endif /* WYRM_STORAGE_H */

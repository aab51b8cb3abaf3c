/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The structures behind a device. Programs need their sizes to allocate them; the members are
 * private and may change in any version. Included by wyrm.h only.
 */
#ifndef WYRM_STORAGE_H
#define WYRM_STORAGE_H

#ifndef WYRM_H
#error "include wyrm.h"
#endif

/* Internal times: ms since an origin that moves with the clock, see core/wyrm_time.c. */
typedef uint32_t wyrm_tick;

struct wyrm_replay { /* RFC 6479; see core/wyrm_replay.h */
    uint64_t next;   /* the greatest counter accepted, plus one */
    uint32_t ring[WYRM_REPLAY_BITS / 32];
};

/* Members that are copied together form a structure, so that one call copies them. */

struct wyrm_identity { /* our static keys, all zero if there are none */
    uint8_t priv[WYRM_KEY_LEN], pub[WYRM_KEY_LEN];
};

struct wyrm_keys { /* of a session */
    uint8_t send[WYRM_KEY_LEN], recv[WYRM_KEY_LEN];
};

struct wyrm_contact { /* what a handshake needs of the other side */
    uint8_t pub[WYRM_KEY_LEN], psk[WYRM_KEY_LEN];
    uint8_t cookie[16]; /* theirs, for mac2 */
#if WYRM_CACHE_STATIC_DH
    uint8_t static_dh[WYRM_KEY_LEN];
#endif
};

struct wyrm_noise { /* state of a handshake; eph is our ephemeral private key */
    uint8_t hash[32], ck[32], eph[WYRM_KEY_LEN];
};

struct wyrm_keypair { /* one session, paper section 5.4.5 */
    uint64_t tx_next; /* counter of the next packet */
    wyrm_tick born;
    uint32_t remote; /* session index of the other side */
    struct wyrm_keys keys;
    struct wyrm_replay replay;
};

/* A peer has places for its sessions, the third only if it may initiate them, and one for a
 * handshake that we initiated. */
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

struct wyrm_peer { /* frequently used members first: small offsets make short instructions */
    uint32_t
        generation;  /* incremented by key changes, remove and disconnect: outdates running jobs */
    wyrm_peer_id id; /* in the pool; not wiped with the peer, like the generation */
    uint8_t flags;
    uint8_t events;                  /* pending, enum wyrm_event */
    uint8_t current, previous, next; /* places of sessions; 0xff: none */
    bool waiting;                    /* for a response; hs is valid */
    uint16_t persistent_s;
    uint8_t unanswered;          /* initiations since the last response */
    struct {                     /* responses to the handshake in flight */
        uint8_t admitted : 3;    /* enum wyrm_admitted */
        uint8_t cookie_span : 5; /* when a cookie last answered one, see core/wyrm_cookie.c */
    } responses;
    struct wyrm_meta to;           /* current endpoint and local path; tos is not used */
    wyrm_tick timers[WYRM_TIMERS]; /* deadlines; all ticks of a peer are adjacent */
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
    struct wyrm_endpoint configured; /* the endpoint set by the application */
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

struct wyrm_slot {      /* a handshake message queued for the worker */
    uint8_t type;       /* 0: free, as are all slots after it */
    wyrm_tick priority; /* the lowest number is kept longest */
    struct wyrm_meta from;
    uint8_t msg[WYRM_RESPONDER ? 116 : 60]; /* without mac1 and mac2, which have been checked */
};

struct wyrm_source { /* token bucket of one source address */
    uint32_t tag;
    wyrm_tick full; /* when the bucket is full again; the entry is then free */
};

struct wyrm_device { /* frequently used members first */
    const struct wyrm_pools *pools;
    const struct wyrm_platform *io;
    bool has_key;
    bool pending;                /* a peer may have events */
    bool work, work_announced;   /* a job may be waiting; the port was told */
    wyrm_peer_id next_polled;    /* wyrm_poll continues here, so that no peer starves */
    wyrm_peer_id next_initiator; /* wyrm_job_take continues here with our initiations */
    wyrm_ms origin;              /* the time of tick 0 */
    wyrm_tick now;               /* of the current call */
    wyrm_tick next_due; /* no timer of any peer is earlier; ticks from here to last_ephemeral */
#if WYRM_RESPONDER
    wyrm_tick loaded_until; /* cookies are required before this time */
    wyrm_tick cookie_born;  /* of the secret; 0: none */
#endif
    uint32_t last_ephemeral; /* first bytes of our last public ephemeral key */
    uint16_t mtu;
    bool initiated_last; /* the last job taken was an initiation of ours */
    uint32_t routes_used;
#if WYRM_RESPONDER
    uint32_t cookies_span; /* cookies_left replies may still be sent in this span of time */
    uint32_t cookies_left;
#endif
    uint32_t drops[WYRM_DROP_REASONS];
    struct wyrm_identity own;
#if WYRM_RESPONDER
    uint32_t mac1_state[8]; /* BLAKE2s state after the block of our mac1 key */
    uint8_t cookie_secret[32];
#endif
    uint16_t
        epoch; /* incremented by wyrm_init and wyrm_close, which clear the rest: outdates jobs */
};

/* ---- Handshake jobs ----------------------------------------------------- */

struct wyrm_job { /* about 600 bytes, secret: exclude it from crash dumps */
    const struct wyrm_platform *io;
    uint32_t generation, local, remote;
    wyrm_peer_id peer;
    uint16_t epoch;
    uint8_t step;
    bool has_static_dh, has_cookie;
    wyrm_status result;
    struct wyrm_meta meta; /* source of msg */
    uint8_t msg[WYRM_CONTROL_MAX];
    struct wyrm_identity own; /* wiped from here when the job is finished */
    struct wyrm_contact contact;
    struct wyrm_noise noise;
    uint8_t key[WYRM_KEY_LEN]; /* of the next encrypted field */
    struct wyrm_keys keys;
    uint8_t timestamp[12];
};

#endif /* WYRM_STORAGE_H */

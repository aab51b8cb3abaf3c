/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Wyrmling: the WireGuard protocol for small machines. The one header to learn.
 *
 * The core does no I/O, keeps no clock, starts no thread and allocates nothing. You hand it
 * datagrams, IP packets and the time; it hands back verdicts. A device is used by one thread at a
 * time (your lock); only wyrm_job_run, the slow part of a handshake, runs outside that lock.
 * Nothing here may be called from an interrupt.
 *
 * The rule of the loop: after every call of any kind, call wyrm_poll until it says WYRM_IDLE, then
 * arm one timer for wyrm_deadline.
 *
 * "Paper" means "WireGuard: Next Generation Kernel Network Tunnel", J. Donenfeld, revision of 2020.
 */
#ifndef WYRM_H
#define WYRM_H

#include "wyrm_config.h"
#include "wyrm_crypto.h"
#include "wyrm_span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Sizes ------------------------------------------------------------ */

#define WYRM_VERSION      0x000100u /* major << 16 | minor << 8 | patch */
#define WYRM_KEY_LEN      32
#define WYRM_HEADER_LEN   16  /* in front of the ciphertext of a data packet */
#define WYRM_TAG_LEN      16  /* behind it */
#define WYRM_CONTROL_MAX  148 /* the longest datagram wyrm_poll or a job makes */
#define WYRM_DEFAULT_MTU  1420
#define WYRM_DEFAULT_PORT 51820
/* Room a data packet with `n` plaintext bytes needs. */
#define WYRM_SEALED_LEN(n) (WYRM_HEADER_LEN + (((size_t)(n) + 15u) & ~(size_t)15u) + WYRM_TAG_LEN)

/* ---- Time ------------------------------------------------------------- */

typedef uint64_t wyrm_ms; /* monotonic milliseconds of any origin */
#define WYRM_NEVER UINT64_MAX

/* ---- Verdicts: >= 0 is progress, < 0 is a reason ---------------------- */

typedef enum wyrm_status {
    WYRM_OK = 0,      /* done, says a call that sets or reads something */
    WYRM_IDLE = 0,    /* nothing more to do now, says one that moves packets or jobs */
    WYRM_SEND = 1,    /* out->data[0..len) goes to out->to as one datagram */
    WYRM_DELIVER = 2, /* out->data[0..len) is an authentic inner IP packet from out->peer */
    WYRM_HOLD = 3,    /* out->peer has no session yet: keep your packet, wait for WYRM_READY */
    WYRM_WORK = 4,    /* a handshake job is waiting: wyrm_job_take */
    WYRM_READY = 5,   /* out->peer can carry data: retry what you held */
    WYRM_LOST = 6,    /* out->peer gave up or was removed: free what you held */

    /* Mistakes of the caller or of the platform. */
    WYRM_E_ARG = -1,     /* an argument is out of range */
    WYRM_E_SPACE = -2,   /* the output buffer is too small */
    WYRM_E_STATE = -3,   /* no such peer, or not possible now */
    WYRM_E_FULL = -4,    /* a pool is used up */
    WYRM_E_EXISTS = -5,  /* this public key is a peer already */
    WYRM_E_KEY = -6,     /* a key is missing, our own, or of low order */
    WYRM_E_RANDOM = -7,  /* no randomness, or it repeats itself: no handshake now */
    WYRM_E_CLOCK = -8,   /* the platform has no fresh timestamp: no handshake now */
    WYRM_E_ABI = -9,     /* library and caller were compiled with different options */
    WYRM_E_TEXT = -10,   /* text does not parse */
    WYRM_E_CRYPTO = -11, /* an external cryptographic backend failed */
    WYRM_E_IMAGE = -12,  /* wyrm_resume: no valid image */

    /* Reasons why a packet was dropped. Each is counted, none is answered. */
    WYRM_D_MALFORMED = -32, /* length, type or reserved bytes */
    WYRM_D_MAC1 = -33,      /* the sender does not know our public key */
    WYRM_D_MAC2 = -34,      /* under load and no valid cookie (it is sent one now and then) */
    WYRM_D_PEER = -35,      /* an authentic handshake of a key that is no peer */
    WYRM_D_INDEX = -36,     /* no session or handshake with this receiver index */
    WYRM_D_EXPIRED = -37,   /* the session is too old or its counter used up */
    WYRM_D_TAG = -38,       /* not authentic */
    WYRM_D_REPLAY = -39,    /* counter seen before or below the window */
    WYRM_D_TIMESTAMP = -40, /* initiation not newer than the last one */
    WYRM_D_RATE = -41,      /* too many handshakes from this peer or source */
    WYRM_D_ROUTE = -42,     /* outgoing packet whose destination no peer may have */
    WYRM_D_SOURCE = -43,    /* incoming packet whose source this peer may not have */
    WYRM_D_INNER = -44,     /* not a well-formed IP packet */
    WYRM_D_ENDPOINT = -45,  /* the peer's address is not known */
    WYRM_D_BUSY = -46,      /* all handshake slots are taken by others, or another took its slot */
    WYRM_D_DH = -47,        /* a Diffie-Hellman result of zero (low-order point) */
    WYRM_D_RANDOM = -48     /* a handshake not begun: randomness failed or repeats itself */
} wyrm_status;

#define WYRM_DROP_REASONS 17

/* One short English sentence, without a full stop; never NULL. */
const char *wyrm_status_text(wyrm_status status);

/* ---- Plain data ------------------------------------------------------- */

struct wyrm_endpoint {
    uint8_t family; /* 4, 6 or 0: unknown */
    uint16_t port;  /* host order */
#if WYRM_IPV6
    uint32_t scope; /* IPv6 zone, else 0 */
#endif
    uint8_t addr[WYRM_ADDR_LEN]; /* network order, IPv4 in the first 4 bytes */
};

/* Where a datagram arrived on this machine: the port's business, carried by the core so that
 * answers can leave from the same address and interface. All zero: the system may choose. */
struct wyrm_path {
    uint8_t bytes[WYRM_PATH_LEN];
};

/* Everything about a datagram but its bytes. */
struct wyrm_meta {
    struct wyrm_endpoint remote;
    struct wyrm_path local;
    uint8_t tos; /* DSCP and ECN of the outer IP header */
};

struct wyrm_prefix {
    uint8_t family; /* 4 or 6 */
    uint8_t bits;   /* 0..32 or 0..128 */
    uint8_t addr[WYRM_ADDR_LEN];
};

typedef uint16_t wyrm_peer_id;
#define WYRM_NO_PEER UINT16_MAX

struct wyrm_packet { /* filled by the core, read by the port */
    uint8_t *data;
    size_t len;
    struct wyrm_meta to; /* with WYRM_SEND */
    wyrm_peer_id peer;
};

/* ---- What the platform lends ------------------------------------------ */

struct wyrm_platform {
    void *ctx;
    /* Fills `out` with cryptographically secure bytes; false: no handshake now, never weaker
     * bytes. Called under your lock. */
    bool (*random)(void *ctx, void *out, size_t len);
    /* The next TAI64N label: strictly greater than every one before, across reboots too (see
     * wyrm_store.h). May be slow: called from wyrm_job_run only, outside your lock. */
    bool (*tai64n)(void *ctx, uint8_t out[12]);
};

/* ---- Storage: yours, of known size, opaque in content ------------------ */

#include "wyrm_storage.h"

struct wyrm_pools {
    struct wyrm_peer *peers;
    struct wyrm_route *routes;
    struct wyrm_slot *slots;
    struct wyrm_source *sources;
    uint16_t *index; /* heads of the chains of session indices, unused by a client */
    uint32_t n_routes;
    uint16_t n_peers, n_slots, n_sources;
    uint16_t n_index; /* a power of two */
};

/* Chain heads for n peers of four indices each: a power of two, at least 8, at most 4096; a client
 * makes no use of them. */
#define WYRM_INDEX_HEADS(n)                                                                        \
    (!WYRM_RESPONDER ? 1u                                                                          \
     : (n) <= 2      ? 8u                                                                          \
     : (n) <= 8      ? 32u                                                                         \
     : (n) <= 32     ? 128u                                                                        \
     : (n) <= 128    ? 512u                                                                        \
                     : 4096u)

/* One line gives you a device, its peers and its routes, all in .bss. */
#define WYRM_DEVICE_DEFINE(name, peer_count, route_count)                                          \
    static struct wyrm_peer name##_peers[peer_count];                                              \
    static struct wyrm_route name##_routes[route_count];                                           \
    static struct wyrm_slot name##_slots[WYRM_HANDSHAKE_SLOTS];                                    \
    static struct wyrm_source name##_sources[WYRM_SOURCES];                                        \
    static uint16_t name##_index[WYRM_INDEX_HEADS(peer_count)];                                    \
    static const struct wyrm_pools name##_pools = {name##_peers, name##_routes,                    \
                                                   name##_slots, name##_sources,                   \
                                                   name##_index, (route_count),                    \
                                                   (peer_count), WYRM_HANDSHAKE_SLOTS,             \
                                                   WYRM_SOURCES, WYRM_INDEX_HEADS(peer_count)};    \
    static struct wyrm_device name

/* ---- Life ------------------------------------------------------------- */

/* wyrm_init empties device and pools; both and `io` must live as long as the device is used.
 * WYRM_E_ABI: the caller was compiled with other options. WYRM_E_ARG: a pool is empty or too large.
 */
wyrm_status wyrm_init_checked(struct wyrm_device *dev, const struct wyrm_pools *pools,
                              const struct wyrm_platform *io, uint32_t version, size_t device_size,
                              size_t peer_size);
static inline wyrm_status wyrm_init(struct wyrm_device *dev, const struct wyrm_pools *pools,
                                    const struct wyrm_platform *io)
{
    return wyrm_init_checked(dev, pools, io, WYRM_VERSION, sizeof(struct wyrm_device),
                             sizeof(struct wyrm_peer));
}
/* Sets our identity; slow (one X25519). All sessions end; a peer that has our own public key is
 * removed. NULL removes the key. Setting the same key again changes nothing. WYRM_E_KEY, with
 * nothing changed: the key is all zero, which is how other programs write that there is none.
 * WYRM_E_CRYPTO, likewise: an external backend failed. */
wyrm_status wyrm_set_private_key(struct wyrm_device *dev, const uint8_t key[WYRM_KEY_LEN]);
/* WYRM_E_KEY while there is no private key. */
wyrm_status wyrm_public_key(const struct wyrm_device *dev, uint8_t out[WYRM_KEY_LEN]);
/* Copies a secret out, for programs whose users may ask for it (wg showconf): wipe the copy. */
wyrm_status wyrm_get_private_key(const struct wyrm_device *dev, uint8_t out[WYRM_KEY_LEN]);
/* The MTU of the tunnel (default WYRM_DEFAULT_MTU): padding never makes a packet longer.
 * WYRM_E_ARG: below 576. */
wyrm_status wyrm_set_mtu(struct wyrm_device *dev, uint16_t mtu);
/* Wipes every secret. The device may be initialised again; jobs taken before end without effect. */
void wyrm_close(struct wyrm_device *dev);
/* Packets dropped for `reason` (WYRM_D_...) since wyrm_init. */
uint32_t wyrm_drops(const struct wyrm_device *dev, wyrm_status reason);

/* ---- Peers and routes ------------------------------------------------- */

/* Peers live at ids 0..n_peers-1. A call about an id at which nobody lives says WYRM_E_STATE,
 * unless it has nothing to do: removing routes. */

/* `out` receives the id, which may be that of a removed peer whose WYRM_LOST is still to come.
 * WYRM_E_EXISTS: the key is a peer already, at the id in `out`. WYRM_E_FULL: no place is free.
 * WYRM_E_KEY: the key is zero or our own. */
wyrm_status wyrm_peer_add(struct wyrm_device *dev, const uint8_t pub[WYRM_KEY_LEN],
                          wyrm_peer_id *out);
/* WYRM_E_STATE: the key is nobody's. */
wyrm_status wyrm_peer_find(const struct wyrm_device *dev, const uint8_t pub[WYRM_KEY_LEN],
                           wyrm_peer_id *out);
/* Wipes the peer and forgets its routes. Free the packets you hold for it. */
wyrm_status wyrm_peer_remove(struct wyrm_device *dev, wyrm_peer_id peer);
/* All zero: no preshared key. Sessions stay; the next handshake needs the new key at both ends. */
wyrm_status wyrm_peer_set_psk(struct wyrm_device *dev, wyrm_peer_id peer,
                              const uint8_t psk[WYRM_KEY_LEN]);
/* Copies the preshared key out (all zero: none): wipe the copy. */
wyrm_status wyrm_peer_get_psk(const struct wyrm_device *dev, wyrm_peer_id peer,
                              uint8_t out[WYRM_KEY_LEN]);
/* The system refuses to send from the local address that the peer's path names: forget it. */
wyrm_status wyrm_peer_forget_path(struct wyrm_device *dev, wyrm_peer_id peer);
/* Where datagrams to the peer go now, and from where; `tos` has no meaning. All zero at an id below
 * n_peers that is not in use. */
static inline const struct wyrm_meta *wyrm_peer_path(const struct wyrm_device *dev,
                                                     wyrm_peer_id peer)
{
    return &dev->pools->peers[peer].to;
}
/* Sets the configured endpoint and takes it as the current one. NULL: none. WYRM_E_ARG: it is of no
 * family of this build. */
wyrm_status wyrm_peer_set_endpoint(struct wyrm_device *dev, wyrm_peer_id peer,
                                   const struct wyrm_endpoint *endpoint);
/* Seconds between persistent keepalives, 0: none. The first is sent at once. */
wyrm_status wyrm_peer_set_keepalive(struct wyrm_device *dev, wyrm_peer_id peer, uint16_t seconds);
/* Starts a handshake, whether or not there is traffic: now, or when 5 s, and up to 1/3 s more, have
 * passed since the last one to this peer. WYRM_E_KEY: there is no private key. WYRM_D_ENDPOINT: the
 * peer's address is not known. */
wyrm_status wyrm_peer_connect(struct wyrm_device *dev, wyrm_ms now, wyrm_peer_id peer);
/* Forgets sessions and a handshake in flight; routes and endpoint stay. Persistent keepalives rest
 * until there is traffic again. */
wyrm_status wyrm_peer_disconnect(struct wyrm_device *dev, wyrm_peer_id peer);

struct wyrm_peer_info {
    uint8_t pub[WYRM_KEY_LEN];
    struct wyrm_endpoint endpoint;   /* where datagrams go now */
    struct wyrm_endpoint configured; /* what was set */
    uint64_t rx_bytes, tx_bytes;     /* datagram bytes, as wg(8) counts */
    wyrm_ms last_handshake;          /* WYRM_NEVER: none yet */
    uint16_t keepalive_s;
    uint8_t unanswered; /* initiations sent in a row; from 2 on the endpoint may have changed */
    bool has_psk;
    bool up; /* a session can carry data now */
};
/* WYRM_E_STATE: nobody lives at this id. */
wyrm_status wyrm_peer_get(const struct wyrm_device *dev, wyrm_ms now, wyrm_peer_id peer,
                          struct wyrm_peer_info *out);

/* Lets `peer` have the addresses of `prefix` (host bits are cleared); takes the prefix from the
 * peer that had it. WYRM_E_ARG: it is no prefix of this build. WYRM_E_FULL: no route is free. */
wyrm_status wyrm_route_add(struct wyrm_device *dev, wyrm_peer_id peer,
                           const struct wyrm_prefix *prefix);
/* Removing what is not there, or belongs to another peer, changes nothing. */
wyrm_status wyrm_route_remove(struct wyrm_device *dev, wyrm_peer_id peer,
                              const struct wyrm_prefix *prefix);
void wyrm_route_clear(struct wyrm_device *dev, wyrm_peer_id peer);
/* The peer that may have `addr` (4 or 16 bytes by family): the longest prefix wins. WYRM_D_ROUTE,
 * not counted: nobody. */
wyrm_status wyrm_route_find(const struct wyrm_device *dev, uint8_t family, const uint8_t *addr,
                            wyrm_peer_id *peer);
/* The same with the length of its prefix: the route itself, good until routes change; or NULL. */
const struct wyrm_route *wyrm_route_match(const struct wyrm_device *dev, uint8_t family,
                                          const uint8_t *addr);
/* Lists the routes in order of address, `position` from 0 up; WYRM_E_STATE at the end. */
wyrm_status wyrm_route_get(const struct wyrm_device *dev, uint32_t position,
                           struct wyrm_prefix *prefix, wyrm_peer_id *peer);

/* Replaces *prefix by the next one of `peer` in order of address, or, if its family is 0, by the
 * first. Routes may change between two calls: the order holds. WYRM_E_STATE: there is none.
 * `first` and `next`: NULL, or what wyrm_route_chain has filled since the last change of routes. */
wyrm_status wyrm_route_next(const struct wyrm_device *dev, wyrm_peer_id peer,
                            struct wyrm_prefix *prefix, const uint32_t *first,
                            const uint32_t *next);
/* Chains the routes of each peer, so that listing those of all peers takes one pass over them
 * instead of one per peer; `first` has n_peers places, `next` n_routes. */
void wyrm_route_chain(const struct wyrm_device *dev, uint32_t *first, uint32_t *next);

/* ---- The calls that move packets --------------------------------------- */

/* A datagram arrived. `buf` is decrypted in place: on WYRM_DELIVER out->data lies inside buf, on
 * WYRM_SEND (a cookie reply) the answer does. WYRM_IDLE and WYRM_WORK: it was taken in. Else the
 * reason why it was dropped. */
wyrm_status wyrm_input(struct wyrm_device *dev, wyrm_ms now, const struct wyrm_meta *from,
                       uint8_t *buf, size_t len, struct wyrm_packet *out);
/* An IP packet leaves. Gathers `n` spans into buf while encrypting: the copy is the cipher.
 * buf needs WYRM_SEALED_LEN(sum of lengths) and overlaps no span; only a span that is the whole
 * packet may lie where its ciphertext goes, at buf + WYRM_HEADER_LEN. WYRM_SEND, WYRM_HOLD,
 * WYRM_E_SPACE, or the reason why it goes nowhere. */
wyrm_status wyrm_output(struct wyrm_device *dev, wyrm_ms now, const struct wyrm_span *ip,
                        unsigned n, uint8_t *buf, size_t cap, struct wyrm_packet *out);
/* Time passed, or another call was made. buf needs WYRM_CONTROL_MAX bytes. */
wyrm_status wyrm_poll(struct wyrm_device *dev, wyrm_ms now, uint8_t *buf, size_t cap,
                      struct wyrm_packet *out);
/* When to poll next, never later than needed; WYRM_NEVER: sleep until something happens. */
wyrm_ms wyrm_deadline(const struct wyrm_device *dev);

/* ---- Handshake jobs: take (locked), run (unlocked, slow), commit (locked) -- */

/* WYRM_WORK: job is filled, run it. WYRM_IDLE: nothing to do. WYRM_E_RANDOM: this one could not
 * start and is tried again later. Keep taking until one of the latter two: WYRM_WORK is not
 * announced again before that. What waits and handshakes of our own take turns. */
wyrm_status wyrm_job_take(struct wyrm_device *dev, wyrm_ms now, struct wyrm_job *job);
/* The slow part: up to four X25519. Touches nothing but the job and platform.tai64n. */
void wyrm_job_run(struct wyrm_job *job);
/* Checks that the world has not changed meanwhile, then takes over the result.
 * WYRM_WORK: the job has another step, run it again. WYRM_SEND: out->data (inside job->msg) goes
 * to out->to. Else the job is over. Its secrets are wiped unless it goes on. */
wyrm_status wyrm_job_commit(struct wyrm_device *dev, wyrm_ms now, struct wyrm_job *job,
                            struct wyrm_packet *out);

#ifdef __cplusplus
}
#endif

#endif /* WYRM_H */

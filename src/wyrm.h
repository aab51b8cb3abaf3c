/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Wyrmling: the WireGuard protocol for small machines. The one header to learn.
 *
 * The core does no I/O, reads no clock, starts no thread and allocates no memory. You pass it
 * datagrams, IP packets and the time; it returns a verdict. Only one thread may use a device at a
 * time (your lock); only wyrm_job_run, the slow part of a handshake, runs without that lock.
 * Nothing here may be called from an interrupt.
 *
 * After every call of any kind, call wyrm_poll until it returns WYRM_IDLE, then set one timer for
 * wyrm_deadline.
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
#define WYRM_CONTROL_MAX  148 /* the longest datagram from wyrm_poll or a job */
#define WYRM_DEFAULT_MTU  1420
#define WYRM_DEFAULT_PORT 51820
/* Buffer size for a data packet with `n` plaintext bytes. */
#define WYRM_SEALED_LEN(n) (WYRM_HEADER_LEN + (((size_t)(n) + 15u) & ~(size_t)15u) + WYRM_TAG_LEN)

/* ---- Time ------------------------------------------------------------- */

typedef uint64_t wyrm_ms; /* monotonic milliseconds of any origin */
#define WYRM_NEVER UINT64_MAX

/* ---- Verdicts: >= 0 is progress, < 0 an error or a reason to drop ------ */

typedef enum wyrm_status {
    WYRM_OK = 0,      /* a call that sets or reads something succeeded */
    WYRM_IDLE = 0,    /* a call that moves packets or jobs has nothing more to do */
    WYRM_SEND = 1,    /* send out->data[0..len) to out->to as one datagram */
    WYRM_DELIVER = 2, /* out->data[0..len) is an authenticated IP packet from out->peer */
    WYRM_HOLD = 3,    /* out->peer has no session yet: hold the packet until WYRM_READY */
    WYRM_WORK = 4,    /* a handshake job is pending: call wyrm_job_take */
    WYRM_READY = 5,   /* out->peer has a session: send the held packets again */
    WYRM_LOST = 6,    /* out->peer does not answer or was removed: free the held packets */

    /* Errors of the caller or the platform. */
    WYRM_E_ARG = -1,     /* an argument is out of range */
    WYRM_E_SPACE = -2,   /* the output buffer is too small */
    WYRM_E_STATE = -3,   /* no such peer, or not possible now */
    WYRM_E_FULL = -4,    /* a pool is exhausted */
    WYRM_E_EXISTS = -5,  /* a peer with this public key exists */
    WYRM_E_KEY = -6,     /* a key is missing, our own, or of low order */
    WYRM_E_RANDOM = -7,  /* the random generator failed or repeats itself: no handshake now */
    WYRM_E_CLOCK = -8,   /* the platform has no fresh timestamp: no handshake now */
    WYRM_E_ABI = -9,     /* library and caller were compiled with different options */
    WYRM_E_TEXT = -10,   /* text does not parse */
    WYRM_E_CRYPTO = -11, /* an external cryptographic backend failed */
    WYRM_E_IMAGE = -12,  /* wyrm_resume: no valid image */

    /* Reasons to drop a packet. Each is counted; the sender gets no answer. */
    WYRM_D_MALFORMED = -32, /* length, type or reserved bytes */
    WYRM_D_MAC1 = -33,      /* the sender does not know our public key */
    WYRM_D_MAC2 = -34,      /* under load and no valid cookie (a cookie reply may have been sent) */
    WYRM_D_PEER = -35,      /* an authenticated handshake of a key that belongs to no peer */
    WYRM_D_INDEX = -36,     /* no session or handshake with this receiver index */
    WYRM_D_EXPIRED = -37,   /* the session is too old or its counter exhausted */
    WYRM_D_TAG = -38,       /* authentication failed */
    WYRM_D_REPLAY = -39,    /* counter already received or below the replay window */
    WYRM_D_TIMESTAMP = -40, /* initiation not newer than the last one */
    WYRM_D_RATE = -41,      /* too many handshakes from this peer or source */
    WYRM_D_ROUTE = -42,     /* no peer is allowed the destination of an outgoing packet */
    WYRM_D_SOURCE = -43,    /* the peer is not allowed the source of an incoming packet */
    WYRM_D_INNER = -44,     /* malformed IP packet inside the tunnel */
    WYRM_D_ENDPOINT = -45,  /* the peer's endpoint is unknown */
    WYRM_D_BUSY = -46,  /* no handshake slot was free, or a message of higher priority took it */
    WYRM_D_DH = -47,    /* a Diffie-Hellman result of zero (low-order point) */
    WYRM_D_RANDOM = -48 /* handshake not started: the random generator failed or repeats itself */
} wyrm_status;

#define WYRM_DROP_REASONS 17

/* A short English sentence without a full stop; never NULL. */
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

/* Local address and interface of a datagram, in a format of the port's. The core stores it so that
 * answers leave from the same address and interface. All zero: the system chooses. */
struct wyrm_path {
    uint8_t bytes[WYRM_PATH_LEN];
};

/* Properties of a datagram except its bytes. */
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

/* ---- Platform functions ----------------------------------------------- */

struct wyrm_platform {
    void *ctx;
    /* Fills `out` with cryptographically secure bytes. False if there are none: then no handshake
     * takes place; never return weaker bytes. Called with your lock held. */
    bool (*random)(void *ctx, void *out, size_t len);
    /* The next TAI64N timestamp, strictly greater than all before it, also across reboots (see
     * wyrm_store.h). May be slow: called from wyrm_job_run only, without your lock. */
    bool (*tai64n)(void *ctx, uint8_t out[12]);
};

/* ---- Storage: allocated by you, opaque --------------------------------- */

#include "wyrm_storage.h"

struct wyrm_pools {
    struct wyrm_peer *peers;
    struct wyrm_route *routes;
    struct wyrm_slot *slots;
    struct wyrm_source *sources;
    uint16_t *index; /* hash table of session indices; not used by a client */
    uint32_t n_routes;
    uint16_t n_peers, n_slots, n_sources;
    uint16_t n_index; /* a power of two */
};

/* Size of the hash table for n peers: a power of two, at least 8, at most 4096. Not used by a
 * client. */
#define WYRM_INDEX_HEADS(n)                                                                        \
    (!WYRM_RESPONDER ? 1u                                                                          \
     : (n) <= 2      ? 8u                                                                          \
     : (n) <= 8      ? 32u                                                                         \
     : (n) <= 32     ? 128u                                                                        \
     : (n) <= 128    ? 512u                                                                        \
                     : 4096u)

/* Defines a device with its peers and routes, all in .bss. */
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

/* Clears device and pools. Device, pools and `io` must exist as long as the device is used.
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
/* Sets the private key; slow (one X25519). All sessions end, and a peer with our own public key is
 * removed. NULL removes the key. Setting the same key again changes nothing. WYRM_E_KEY: the key is
 * all zero, which other programs use for "no key"; nothing changes. WYRM_E_CRYPTO: an external
 * backend failed; nothing changes. */
wyrm_status wyrm_set_private_key(struct wyrm_device *dev, const uint8_t key[WYRM_KEY_LEN]);
/* WYRM_E_KEY while there is no private key. */
wyrm_status wyrm_public_key(const struct wyrm_device *dev, uint8_t out[WYRM_KEY_LEN]);
/* Copies the secret, for programs that must show it (wg showconf). Wipe the copy. */
wyrm_status wyrm_get_private_key(const struct wyrm_device *dev, uint8_t out[WYRM_KEY_LEN]);
/* The MTU of the tunnel (default WYRM_DEFAULT_MTU); padding never exceeds it.
 * WYRM_E_ARG: below 576. */
wyrm_status wyrm_set_mtu(struct wyrm_device *dev, uint16_t mtu);
/* Wipes all secrets. The device may be initialised again; running jobs have no effect. */
void wyrm_close(struct wyrm_device *dev);
/* Packets dropped for `reason` (WYRM_D_...) since wyrm_init. */
uint32_t wyrm_drops(const struct wyrm_device *dev, wyrm_status reason);

/* ---- Peers and routes ------------------------------------------------- */

/* Peers have the ids 0..n_peers-1. A call with an id that is not in use returns WYRM_E_STATE,
 * except those that remove routes. */

/* `out` receives the id, which may be that of a removed peer whose WYRM_LOST is still pending.
 * WYRM_E_EXISTS: a peer with this key exists, with the id in `out`. WYRM_E_FULL: all ids are in
 * use. WYRM_E_KEY: the key is zero or our own. */
wyrm_status wyrm_peer_add(struct wyrm_device *dev, const uint8_t pub[WYRM_KEY_LEN],
                          wyrm_peer_id *out);
/* WYRM_E_STATE: no peer has this key. */
wyrm_status wyrm_peer_find(const struct wyrm_device *dev, const uint8_t pub[WYRM_KEY_LEN],
                           wyrm_peer_id *out);
/* Wipes the peer and removes its routes. Free the packets held for it. */
wyrm_status wyrm_peer_remove(struct wyrm_device *dev, wyrm_peer_id peer);
/* All zero: no preshared key. Sessions stay; the next handshake needs the new key at both ends. */
wyrm_status wyrm_peer_set_psk(struct wyrm_device *dev, wyrm_peer_id peer,
                              const uint8_t psk[WYRM_KEY_LEN]);
/* Copies the preshared key, all zero if there is none. Wipe the copy. */
wyrm_status wyrm_peer_get_psk(const struct wyrm_device *dev, wyrm_peer_id peer,
                              uint8_t out[WYRM_KEY_LEN]);
/* Forgets the local path of the peer, because the system refuses to send from its address. */
wyrm_status wyrm_peer_forget_path(struct wyrm_device *dev, wyrm_peer_id peer);
/* The current endpoint of the peer and its local path; `tos` is not used. All zero if an id below
 * n_peers is not in use. */
static inline const struct wyrm_meta *wyrm_peer_path(const struct wyrm_device *dev,
                                                     wyrm_peer_id peer)
{
    return &dev->pools->peers[peer].to;
}
/* Sets the configured endpoint, which also becomes the current one. NULL: none. WYRM_E_ARG: the
 * address family is not supported by this build. */
wyrm_status wyrm_peer_set_endpoint(struct wyrm_device *dev, wyrm_peer_id peer,
                                   const struct wyrm_endpoint *endpoint);
/* Seconds between persistent keepalives, 0: none. The first is sent immediately. */
wyrm_status wyrm_peer_set_keepalive(struct wyrm_device *dev, wyrm_peer_id peer, uint16_t seconds);
/* Initiates a handshake even without traffic: now, or 5 to 5.33 s after the last one with this
 * peer. WYRM_E_KEY: there is no private key. WYRM_D_ENDPOINT: the peer's endpoint is unknown. */
wyrm_status wyrm_peer_connect(struct wyrm_device *dev, wyrm_ms now, wyrm_peer_id peer);
/* Ends all sessions and a handshake in flight; routes and endpoint remain. Persistent keepalives
 * pause until there is traffic again. */
wyrm_status wyrm_peer_disconnect(struct wyrm_device *dev, wyrm_peer_id peer);

struct wyrm_peer_info {
    uint8_t pub[WYRM_KEY_LEN];
    struct wyrm_endpoint endpoint;   /* the current one */
    struct wyrm_endpoint configured; /* the one set by wyrm_peer_set_endpoint */
    uint64_t rx_bytes, tx_bytes;     /* of datagrams, as in wg(8) */
    wyrm_ms last_handshake;          /* WYRM_NEVER: none yet */
    uint16_t keepalive_s;
    uint8_t unanswered; /* initiations since the last response; if 2 or more, the endpoint may have
                           changed */
    bool has_psk;
    bool up; /* has a session that can carry data */
};
/* WYRM_E_STATE: the id is not in use. */
wyrm_status wyrm_peer_get(const struct wyrm_device *dev, wyrm_ms now, wyrm_peer_id peer,
                          struct wyrm_peer_info *out);

/* Allows `peer` the addresses of `prefix`, whose host bits are cleared; the prefix moves from the
 * peer that had it. WYRM_E_ARG: invalid prefix or unsupported family. WYRM_E_FULL: all routes are
 * used. */
wyrm_status wyrm_route_add(struct wyrm_device *dev, wyrm_peer_id peer,
                           const struct wyrm_prefix *prefix);
/* Does nothing if the prefix is not allowed to this peer. */
wyrm_status wyrm_route_remove(struct wyrm_device *dev, wyrm_peer_id peer,
                              const struct wyrm_prefix *prefix);
void wyrm_route_clear(struct wyrm_device *dev, wyrm_peer_id peer);
/* The peer that is allowed `addr` (4 or 16 bytes by family) by the longest prefix. WYRM_D_ROUTE,
 * not counted: none. */
wyrm_status wyrm_route_find(const struct wyrm_device *dev, uint8_t family, const uint8_t *addr,
                            wyrm_peer_id *peer);
/* The same, but returns the route with its prefix length, valid until routes change, or NULL. */
const struct wyrm_route *wyrm_route_match(const struct wyrm_device *dev, uint8_t family,
                                          const uint8_t *addr);
/* Lists the routes in order of address; `position` counts from 0. WYRM_E_STATE at the end. */
wyrm_status wyrm_route_get(const struct wyrm_device *dev, uint32_t position,
                           struct wyrm_prefix *prefix, wyrm_peer_id *peer);

/* Replaces *prefix by the next prefix of `peer` in order of address, or by the first if its family
 * is 0. Routes may change between two calls. WYRM_E_STATE: there are no more. `first` and `next`
 * are NULL or were filled by wyrm_route_chain since the last change of routes. */
wyrm_status wyrm_route_next(const struct wyrm_device *dev, wyrm_peer_id peer,
                            struct wyrm_prefix *prefix, const uint32_t *first,
                            const uint32_t *next);
/* Links the routes of each peer, so that listing those of all peers takes one pass instead of one
 * per peer. `first` has n_peers elements, `next` n_routes. */
void wyrm_route_chain(const struct wyrm_device *dev, uint32_t *first, uint32_t *next);

/* ---- The calls that move packets --------------------------------------- */

/* A datagram arrived. `buf` is decrypted in place. WYRM_DELIVER: the packet is inside buf.
 * WYRM_SEND: a cookie reply is inside buf. WYRM_IDLE and WYRM_WORK: the datagram was processed.
 * Otherwise the reason why it was dropped. */
wyrm_status wyrm_input(struct wyrm_device *dev, wyrm_ms now, const struct wyrm_meta *from,
                       uint8_t *buf, size_t len, struct wyrm_packet *out);
/* Sends an IP packet: gathers `n` spans and encrypts them into buf in one pass. buf needs
 * WYRM_SEALED_LEN(sum of lengths) bytes and must not overlap a span, except that a single span may
 * be at buf + WYRM_HEADER_LEN, to be encrypted in place. WYRM_SEND, WYRM_HOLD, WYRM_E_SPACE, or the
 * reason why the packet was dropped. */
wyrm_status wyrm_output(struct wyrm_device *dev, wyrm_ms now, const struct wyrm_span *ip,
                        unsigned n, uint8_t *buf, size_t cap, struct wyrm_packet *out);
/* Returns the next event that is due. buf needs WYRM_CONTROL_MAX bytes. */
wyrm_status wyrm_poll(struct wyrm_device *dev, wyrm_ms now, uint8_t *buf, size_t cap,
                      struct wyrm_packet *out);
/* The time of the next poll at the latest; WYRM_NEVER: not before another call. */
wyrm_ms wyrm_deadline(const struct wyrm_device *dev);

/* ---- Handshake jobs: take (locked), run (unlocked, slow), commit (locked) -- */

/* WYRM_WORK: `job` is filled; run it. WYRM_IDLE: no job is pending. WYRM_E_RANDOM: the handshake
 * could not start and is retried later. Take jobs until one of the latter two is returned:
 * wyrm_poll does not return WYRM_WORK again before that. */
wyrm_status wyrm_job_take(struct wyrm_device *dev, wyrm_ms now, struct wyrm_job *job);
/* The slow part: up to four X25519. Uses only the job and platform.tai64n. */
void wyrm_job_run(struct wyrm_job *job);
/* Applies the result, unless the peer or its keys have changed since the job was taken. WYRM_WORK:
 * the job has another step; run it again. WYRM_SEND: send out->data, which is inside job->msg, to
 * out->to. Otherwise the job is finished. The secrets of a finished job are wiped. */
wyrm_status wyrm_job_commit(struct wyrm_device *dev, wyrm_ms now, struct wyrm_job *job,
                            struct wyrm_packet *out);

#ifdef __cplusplus
}
#endif

#endif /* WYRM_H */

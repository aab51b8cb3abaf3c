/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The configuration protocol that wg(8) speaks: requests `get=1` and `set=1`, a line per fact, a
 * blank line at the end. The same on a daemon's socket and on a device's console.
 * Source: wireguard.com/xplatform, and what wireguard-tools relies on.
 */
#ifndef WYRM_UAPI_H
#define WYRM_UAPI_H

#include "wyrm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Longest line that means anything: endpoint=[address%zone]:port. */
#define WYRM_UAPI_LINE_MAX 128

/* No piece of an answer is longer: what one call of wyrm_uapi_line writes. */
#define WYRM_UAPI_PIECE_MAX 512

/* Numbers of the protocol, those of Linux. */
enum wyrm_uapi_error {
    WYRM_UAPI_OK = 0,
    WYRM_UAPI_IO = 5,
    WYRM_UAPI_NO_MEMORY = 12,
    WYRM_UAPI_INVALID = 22,
    WYRM_UAPI_PROTOCOL = 71,
    WYRM_UAPI_IN_USE = 98,
    WYRM_UAPI_DOWN = 100
};

/* What the program around the core lends. */
struct wyrm_uapi_host {
    struct wyrm_device
        *dev; /* used under the program's lock; NULL: there is none, reported as DOWN */
    void *ctx;
    void (*write)(void *ctx, const char *text, size_t len);
    /* Change the socket; 0 or a WYRM_UAPI_... number, and then nothing has changed. Either may be
     * NULL: not possible here. A mark that has been set can be set back. */
    int (*set_listen_port)(void *ctx, uint16_t port);
    int (*set_fwmark)(void *ctx, uint32_t mark);
    /* The number of the interface `name`, the zone of an IPv6 endpoint; 0: there is none. May be
     * NULL: zones are numbers only. */
    uint32_t (*find_zone)(void *ctx, const char *name, size_t len);
    wyrm_ms (*now)(void *ctx);
    /* The Unix time in ms of the peer's last handshake, which was at `at` on the clock of now().
     * NULL: the time of day is unknown, and ages are reported as `handshake_age_sec` instead. */
    uint64_t (*handshake_time)(void *ctx, wyrm_peer_id peer, wyrm_ms at);
    uint16_t listen_port; /* as they are now; 0: none */
    uint32_t fwmark;
    bool show_secrets; /* private and preshared keys in the answer to `get` */
    /* The key to go back to when the private key is removed; NULL: then there is none. */
    const uint8_t *own_key;
    /* Memory in which wyrm_uapi_request finds out whether all of a request will fit, of
     * wyrm_uapi_scratch_size bytes; it need not be aligned, and keeps nothing. Used only if peers
     * or prefixes could run out: without it, such a request is refused. */
    void *scratch;
    size_t scratch_size;
    /* Speeds up listing, see wyrm_route_chain; both NULL: every prefix is looked at for each peer.
     * Only for programs with very many. */
    const uint32_t *first_route, *next_route;
};

/* How far the answer to a `get` has come. */
struct wyrm_uapi {
    uint8_t part;              /* of enum part in wyrm_uapi.c */
    wyrm_peer_id peer;         /* the next one, or the one whose prefixes are being listed */
    uint8_t pub[WYRM_KEY_LEN]; /* of the latter */
    struct wyrm_prefix last;   /* of those listed; family 0: none yet */
};

enum wyrm_uapi_verdict {
    WYRM_UAPI_AGAIN, /* a piece of the answer is written: call wyrm_uapi_more for the next */
    WYRM_UAPI_DONE,  /* answered; another request may follow */
    WYRM_UAPI_CLOSE, /* not a request: close the connection without an answer */
};

/* False if no request begins like this: there is no need to read on. */
bool wyrm_uapi_may_begin(const char *text, size_t len);

/* Takes one whole request: its lines, each with its line feed; an empty one ends it, and so does
 * the end of the text.
 *
 * A `set` takes effect as a whole or not at all. The text is read two or three times: first every
 * line is checked, then, if peers or prefixes could run out, the request is tried on a list of
 * public keys and a copy of the routes in the scratch memory, and only then applied, mark and port
 * first: they are the last that can fail. Nothing is sent or received in between, as the device is
 * locked; so a prefix that is taken away and added again never belongs to nobody. Two limits:
 * - If the host runs out of memory for its sockets while they change, it may not get the old mark
 *   back.
 * - An IPv6 zone's interface that disappears between check and use leaves that endpoint unset.
 *
 * The answer to a `get` comes in pieces of at most WYRM_UAPI_PIECE_MAX bytes, so that a small
 * machine need neither keep a whole one nor hold its lock while it is sent. Peers may come and go
 * in between: each prefix listed belongs to the key it stands under. */
enum wyrm_uapi_verdict wyrm_uapi_request(struct wyrm_uapi *uapi, struct wyrm_uapi_host *host,
                                         const char *text, size_t len);
/* The next piece. */
enum wyrm_uapi_verdict wyrm_uapi_more(struct wyrm_uapi *uapi, struct wyrm_uapi_host *host);

/* Answers in place of wyrm_uapi_request with an error of the host's own, for a request that was too
 * long to keep. `text` is how it begins. */
enum wyrm_uapi_verdict wyrm_uapi_refuse(struct wyrm_uapi_host *host, const char *text, size_t len,
                                        enum wyrm_uapi_error error);

size_t wyrm_uapi_scratch_size(const struct wyrm_device *dev);

#ifdef __cplusplus
}
#endif

#endif /* WYRM_UAPI_H */

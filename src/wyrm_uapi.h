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
    struct wyrm_device *dev; /* used under the program's lock; NULL: there is none, told as DOWN */
    void *ctx;
    void (*write)(void *ctx, const char *text, size_t len);
    /* Change the socket; 0 or a WYRM_UAPI_... number. Either may be NULL: not possible here. */
    int (*set_listen_port)(void *ctx, uint16_t port);
    int (*set_fwmark)(void *ctx, uint32_t mark);
    /* The number of the interface `name`, the zone of an IPv6 endpoint; 0: there is none. May be
     * NULL: zones are numbers only. */
    uint32_t (*find_zone)(void *ctx, const char *name, size_t len);
    wyrm_ms (*now)(void *ctx);
    uint16_t listen_port; /* as they are now; 0: none */
    uint32_t fwmark;
    /* Unix time in ms at now() == 0, to tell handshakes in absolute time; 0: not known, ages are
     * told as `handshake_age_sec` instead. */
    uint64_t epoch_ms;
    bool show_secrets; /* private and preshared keys in the answer to `get` */
    /* The key to go back to when the private key is removed; NULL: then there is none. */
    const uint8_t *own_key;
};

/* One connection's place in a request. Zero it to begin. */
struct wyrm_uapi {
    uint8_t operation; /* of enum operation in wyrm_uapi.c */
    uint8_t scope;
    uint8_t pub[WYRM_KEY_LEN]; /* of the peer the lines are about */
    wyrm_peer_id peer;         /* WYRM_NO_PEER: it does not exist (yet) */
    uint32_t told; /* of the peer in an answer: 1 and the routes looked at; 0: nothing */
    int error;     /* the first of this request */
};

enum wyrm_uapi_verdict {
    WYRM_UAPI_MORE,  /* the request goes on */
    WYRM_UAPI_AGAIN, /* a piece of the answer is written: call with an empty line for the next */
    WYRM_UAPI_DONE,  /* answered; another request may follow */
    WYRM_UAPI_CLOSE, /* not a request: close the connection without an answer */
};

/* Takes one line without its line feed. Changes take effect line by line, as in every
 * implementation; what follows an error is read and ignored. Answers to `get` come in pieces, so
 * that a small machine need neither keep a whole one nor hold its lock while it is sent. */
enum wyrm_uapi_verdict wyrm_uapi_line(struct wyrm_uapi *uapi, struct wyrm_uapi_host *host,
                                      const char *line, size_t len);

#ifdef __cplusplus
}
#endif

#endif /* WYRM_UAPI_H */

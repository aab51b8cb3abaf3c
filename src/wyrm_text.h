/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Text for people: keys, prefixes, endpoints, an ordinary wg-quick file as the configuration of a
 * device, and figures as wg(8) prints them. For device consoles and host programs alike, so that
 * both say the same sentences. Needs no C library but mem*, allocates nothing, keeps no state.
 *
 * Texts come with their length and need no NUL. Parsers answer WYRM_IDLE, or WYRM_E_TEXT with `out`
 * in an unspecified state (keys: wiped). Printers end with a NUL and return the length before it.
 */
#ifndef WYRM_TEXT_H
#define WYRM_TEXT_H

#include "wyrm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Room the printers need, NUL included. */
#define WYRM_KEY_TEXT_LEN      44 /* characters of a base64 key, without the NUL */
#define WYRM_KEY_TEXT_MAX      (WYRM_KEY_TEXT_LEN + 1)
#define WYRM_PREFIX_TEXT_MAX   44
#define WYRM_ENDPOINT_TEXT_MAX 60
#define WYRM_AGO_TEXT_MAX      72
#define WYRM_BYTES_TEXT_MAX    16

/* ---- A pen: writing text without printf -------------------------------- */

/* What does not fit is cut; the text always ends with a NUL (cap at least 1). */
struct wyrm_pen {
    char *out;
    size_t cap, len;
};

void wyrm_pen_init(struct wyrm_pen *pen, char *out, size_t cap);
void wyrm_pen_char(struct wyrm_pen *pen, char c);
void wyrm_pen_text(struct wyrm_pen *pen, const char *text);
void wyrm_pen_number(struct wyrm_pen *pen, uint32_t number);

/* ---- Numbers ------------------------------------------------------------ */

/* `base` 10 (no leading zeros) or 16 (without 0x); digits only, at most `max`. */
wyrm_status wyrm_number_parse(const char *text, size_t len, unsigned base, uint32_t max,
                              uint32_t *out);

/* ---- Keys --------------------------------------------------------------- */

/* Exactly 44 base64 characters of which the last two are canonical, as wg(8) demands. Neither
 * branch nor address depends on the key (its validity is public). */
wyrm_status wyrm_key_parse(const char *text, size_t len, uint8_t out[WYRM_KEY_LEN]);
size_t wyrm_key_print(const uint8_t key[WYRM_KEY_LEN], char out[WYRM_KEY_TEXT_MAX]);

/* ---- Prefixes and endpoints --------------------------------------------- */

/* "10.0.0.2/24", "fd00::2/64" or without the slash: a single address. Host bits are kept. */
wyrm_status wyrm_prefix_parse(const char *text, size_t len, struct wyrm_prefix *out);
/* IPv6 as RFC 5952 writes it. */
size_t wyrm_prefix_print(const struct wyrm_prefix *prefix, char out[WYRM_PREFIX_TEXT_MAX]);

/* A place as people write it: "192.0.2.1:51820", "[fe80::1%eth0]:51820", "vpn.example.com:51820".
 * `name` points into the parsed text. */
struct wyrm_host {
    struct wyrm_endpoint address; /* family 0: `name` is to be resolved; the port is known */
    const char *name;             /* family 6: the interface of the zone, unless it is a number */
    uint8_t name_len;             /* 0: no name */
};

wyrm_status wyrm_host_parse(const char *text, size_t len, struct wyrm_host *out);
/* Could this be a host name? Letters, digits, '-', '_' and '.', with a letter somewhere, since
 * "1.2.3" is a mistyped address. */
bool wyrm_is_host_name(const char *text, size_t len);
/* Numeric: "192.0.2.1:51820", "[fe80::1%2]:51820", or "(none)" for family 0. */
size_t wyrm_endpoint_print(const struct wyrm_endpoint *endpoint, char out[WYRM_ENDPOINT_TEXT_MAX]);

/* ---- Figures as wg(8) prints them --------------------------------------- */

/* "1 minute, 3 seconds ago"; "Now" for 0. */
size_t wyrm_text_ago(uint32_t seconds, char out[WYRM_AGO_TEXT_MAX]);
/* "25 seconds", for "every 25 seconds". */
size_t wyrm_text_duration(uint32_t seconds, char out[WYRM_AGO_TEXT_MAX]);
/* "148 B", "1.21 KiB", up to EiB. */
size_t wyrm_text_bytes(uint64_t bytes, char out[WYRM_BYTES_TEXT_MAX]);

/* ---- Configuration: a wg-quick file -------------------------------------- */

/* What this port can do with a configuration; what it cannot is noted or refused. */
enum wyrm_conf_feature {
    WYRM_CONF_OWN_KEY = 1, /* the device has a private key already: the text may lack one */
    WYRM_CONF_NAMES = 2,   /* host names in Endpoint can be resolved */
    WYRM_CONF_DNS = 4,     /* there is a resolver that DNS can be given to */
    WYRM_CONF_FWMARK = 8   /* outer packets can be marked */
};

#define WYRM_CONF_DNS_MAX   2   /* further servers are noted and ignored */
#define WYRM_CONF_ERROR_MAX 192 /* room that every sentence fits in */

/* A run of wyrm_conf.prefixes. */
struct wyrm_conf_range {
    uint16_t first, count;
};

struct wyrm_conf_peer {
    uint8_t pub[WYRM_KEY_LEN], psk[WYRM_KEY_LEN]; /* psk all zero: none */
    struct wyrm_host endpoint;                    /* family 0 and no name: none */
    struct wyrm_conf_range allowed;
    uint16_t keepalive_s; /* 0: none */
    uint16_t line;        /* of its [Peer] */
};

struct wyrm_conf {
    /* Yours, set before wyrm_conf_parse (WYRM_CONF_DEFINE sets the pools). */
    struct wyrm_conf_peer *peers;
    struct wyrm_prefix *prefixes; /* of Address and of all AllowedIPs */
    uint16_t max_peers, max_prefixes;
    /* What the tunnel takes, where that is less than the pool holds: AllowedIPs of all peers, and
     * addresses of each family. 0: no limit of its own. */
    uint16_t max_allowed;
    uint8_t max_ipv4, max_ipv6; /* both or neither */
    unsigned features;          /* of enum wyrm_conf_feature */
    const uint8_t *own_key;     /* the private key of WYRM_CONF_OWN_KEY, NULL if it is not known */
    /* Called with a sentence for everything that was read but will do nothing; may be NULL. */
    void (*note)(void *ctx, const char *sentence);
    void *note_ctx;

    /* Filled by wyrm_conf_parse. */
    uint8_t priv[WYRM_KEY_LEN];
    struct wyrm_prefix dns[WYRM_CONF_DNS_MAX]; /* single addresses */
    struct wyrm_conf_range addresses;          /* with their host bits */
    uint32_t fwmark;                           /* 0: none */
    uint16_t listen_port;                      /* 0: any */
    uint16_t mtu;                              /* 0: not given */
    uint16_t n_peers, n_prefixes;
    uint8_t n_dns;
    bool has_private_key;
};

/* One line gives you a configuration with its pools, all in .bss. */
#define WYRM_CONF_DEFINE(name, peer_count, prefix_count)                                           \
    static struct wyrm_conf_peer name##_peers[peer_count];                                         \
    static struct wyrm_prefix name##_prefixes[prefix_count];                                       \
    static struct wyrm_conf name = {.peers = name##_peers,                                         \
                                    .prefixes = name##_prefixes,                                   \
                                    .max_peers = (peer_count),                                     \
                                    .max_prefixes = (prefix_count)}

/* Reads a whole wg-quick file, applies nothing. The text may lie in flash; host names in `conf`
 * point into it. On failure `conf` is wiped (the fields that are yours stay) and `error` holds one
 * sentence with line number and remedy; it never repeats any of the text, which may be secret.
 * `error` also serves for the notes, and is empty after success.
 * What is good can be applied: no peer has the device's own key, and all limits hold. An allowed
 * prefix that two peers have belongs to the later one, and a note says so.
 * WYRM_E_TEXT: wrong; WYRM_E_FULL: right, but more than your pools or the tunnel hold. */
wyrm_status wyrm_conf_parse(struct wyrm_conf *conf, const char *text, size_t len, char *error,
                            size_t error_cap);
/* Wipes everything that wyrm_conf_parse fills, the pools included. */
void wyrm_conf_wipe(struct wyrm_conf *conf);
/* Writes `conf` as a wg-quick file through `write`, in pieces; secrets as "(hidden)". */
void wyrm_conf_print(const struct wyrm_conf *conf,
                     void (*write)(void *ctx, const char *text, size_t len), void *ctx);

#ifdef __cplusplus
}
#endif

#endif /* WYRM_TEXT_H */

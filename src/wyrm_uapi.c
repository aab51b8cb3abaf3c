/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Configuration protocol of wg(8). Keys are known by a table; each has the scope it belongs to and
 * one function that takes its value.
 */
#include "wyrm_uapi.h"
#include "wyrm_text.h"

#include "wyrm_crypto.h"

#include <string.h>

enum operation { OPERATION_NONE, OPERATION_GET, OPERATION_SET };

/* Where the lines of a `set` belong. */
enum scope {
    SCOPE_DEVICE,  /* before the first public_key */
    SCOPE_PEER,    /* to the peer */
    SCOPE_IGNORED, /* to a peer that was removed, is ourselves, or was not to be created */
};

struct line {
    const char *key, *value;
    size_t key_len, value_len;
};

/* ---- Hexadecimal and decimal -------------------------------------------- */

/* The value of a hex digit, above 15 if it is none; no branch or address depends on it. */
static uint32_t hex_digit(uint8_t c)
{
    uint32_t digit = (uint32_t)c - '0', letter = (uint32_t)(c | 0x20u) - 'a';
    uint32_t is_digit = (digit - 10u) >> 31, is_letter = (letter - 6u) >> 31;

    is_digit &= ~digit >> 31;
    is_letter &= ~letter >> 31;
    return (digit & (0u - is_digit)) | ((letter + 10u) & (0u - is_letter)) |
           (16u & (0u - (1u - (is_digit | is_letter))));
}

static bool parse_hex_key(uint8_t key[WYRM_KEY_LEN], const struct line *line)
{
    uint32_t wrong = 0;

    if (line->value_len != 2 * WYRM_KEY_LEN)
        return false;
    for (size_t i = 0; i < WYRM_KEY_LEN; i++) {
        uint32_t high = hex_digit((uint8_t)line->value[2 * i]);
        uint32_t low = hex_digit((uint8_t)line->value[2 * i + 1]);

        wrong |= (high | low) & 16u;
        key[i] = (uint8_t)(high << 4 | low);
    }
    return wrong == 0;
}

static bool parse_number(uint32_t *out, uint32_t max, const struct line *line)
{
    return wyrm_number_parse(line->value, line->value_len, 10, max, out) == WYRM_IDLE;
}

static bool is(const struct line *line, const char *word)
{
    return line->value_len == strlen(word) && memcmp(line->value, word, line->value_len) == 0;
}

/* ---- set ---------------------------------------------------------------- */

static int error_of(wyrm_status status)
{
    switch (status) {
    case WYRM_IDLE:
    case WYRM_E_EXISTS:
        return WYRM_UAPI_OK;
    case WYRM_E_FULL:
        return WYRM_UAPI_NO_MEMORY;
    default:
        return WYRM_UAPI_INVALID;
    }
}

static int set_private_key(struct wyrm_uapi *uapi, struct wyrm_uapi_host *host,
                           const struct line *line)
{
    uint8_t key[WYRM_KEY_LEN];
    wyrm_status status = WYRM_E_TEXT;

    (void)uapi;
    if (parse_hex_key(key, line)) {
        bool none = wyrm_ct_is_zero(key, sizeof(key));

        /* As it is used, so that `get` shows the same for all ways to write it. */
        key[0] &= 248;
        key[31] = (uint8_t)((key[31] & 127) | 64);
        status = wyrm_set_private_key(host->dev, none ? host->own_key : key);
    }
    wyrm_wipe(key, sizeof(key));
    return error_of(status);
}

static int set_listen_port(struct wyrm_uapi *uapi, struct wyrm_uapi_host *host,
                           const struct line *line)
{
    uint32_t port;

    (void)uapi;
    if (!parse_number(&port, UINT16_MAX, line) || host->set_listen_port == NULL)
        return WYRM_UAPI_INVALID;
    return host->set_listen_port(host->ctx, (uint16_t)port);
}

static int set_fwmark(struct wyrm_uapi *uapi, struct wyrm_uapi_host *host, const struct line *line)
{
    uint32_t mark;

    (void)uapi;
    if (!parse_number(&mark, UINT32_MAX, line))
        return WYRM_UAPI_INVALID;
    if (host->set_fwmark == NULL) /* nothing to mark: no mark is fine */
        return mark == 0 ? WYRM_UAPI_OK : WYRM_UAPI_INVALID;
    return host->set_fwmark(host->ctx, mark);
}

static int replace_peers(struct wyrm_uapi *uapi, struct wyrm_uapi_host *host,
                         const struct line *line)
{
    (void)uapi;
    (void)line;
    for (wyrm_peer_id id = 0; id < host->dev->pools->n_peers; id++)
        (void)wyrm_peer_remove(host->dev, id); /* an empty place is fine */
    return WYRM_UAPI_OK;
}

/* A peer that is named need not exist until something is set for it: with `update_only` or
 * `remove` it is not to be created. One that did exist may have been removed by another connection,
 * and its place given away. */
static int ensure_peer(struct wyrm_uapi *uapi, struct wyrm_uapi_host *host, bool create)
{
    wyrm_status status = WYRM_IDLE;

    if (uapi->scope != SCOPE_PEER)
        return WYRM_UAPI_OK;
    if (uapi->peer != WYRM_NO_PEER)
        status = wyrm_peer_find(host->dev, uapi->pub, &uapi->peer);
    else if (create)
        status = wyrm_peer_add(host->dev, uapi->pub, &uapi->peer);
    if (status == WYRM_E_STATE || status == WYRM_E_KEY) {
        uapi->scope = SCOPE_IGNORED; /* gone, or our own: quietly passed over, as everywhere */
        return WYRM_UAPI_OK;
    }
    return error_of(status);
}

static int open_peer(struct wyrm_uapi *uapi, struct wyrm_uapi_host *host, const struct line *line)
{
    int error = ensure_peer(uapi, host, true); /* the one before may have had no settings */

    if (error != WYRM_UAPI_OK || !parse_hex_key(uapi->pub, line))
        return error != WYRM_UAPI_OK ? error : WYRM_UAPI_INVALID;
    if (wyrm_peer_find(host->dev, uapi->pub, &uapi->peer) != WYRM_IDLE)
        uapi->peer = WYRM_NO_PEER;
    uapi->scope = SCOPE_PEER;
    return WYRM_UAPI_OK;
}

static int update_only(struct wyrm_uapi *uapi, struct wyrm_uapi_host *host, const struct line *line)
{
    (void)host;
    (void)line;
    if (uapi->peer == WYRM_NO_PEER)
        uapi->scope = SCOPE_IGNORED;
    return WYRM_UAPI_OK;
}

static int remove_peer(struct wyrm_uapi *uapi, struct wyrm_uapi_host *host, const struct line *line)
{
    (void)line;
    if (uapi->peer != WYRM_NO_PEER)
        (void)wyrm_peer_remove(host->dev, uapi->peer);
    uapi->scope = SCOPE_IGNORED;
    return WYRM_UAPI_OK;
}

static int set_psk(struct wyrm_uapi *uapi, struct wyrm_uapi_host *host, const struct line *line)
{
    uint8_t psk[WYRM_KEY_LEN];
    wyrm_status status = WYRM_E_TEXT;

    if (parse_hex_key(psk, line))
        status = wyrm_peer_set_psk(host->dev, uapi->peer, psk);
    wyrm_wipe(psk, sizeof(psk));
    return error_of(status);
}

static int set_endpoint(struct wyrm_uapi *uapi, struct wyrm_uapi_host *host,
                        const struct line *line)
{
    struct wyrm_host place;

    if (wyrm_host_parse(line->value, line->value_len, &place) != WYRM_IDLE ||
        place.address.family == 0)
        return WYRM_UAPI_INVALID; /* numeric only: resolving is the client's business */
#if WYRM_IPV6
    if (place.name_len > 0 && host->find_zone != NULL)
        place.address.scope = host->find_zone(host->ctx, place.name, place.name_len);
    if (place.name_len > 0 && place.address.scope == 0)
        return WYRM_UAPI_INVALID;
#endif
    return error_of(wyrm_peer_set_endpoint(host->dev, uapi->peer, &place.address));
}

static int set_keepalive(struct wyrm_uapi *uapi, struct wyrm_uapi_host *host,
                         const struct line *line)
{
    uint32_t seconds;

    if (!parse_number(&seconds, UINT16_MAX, line))
        return WYRM_UAPI_INVALID;
    return error_of(wyrm_peer_set_keepalive(host->dev, uapi->peer, (uint16_t)seconds));
}

static int replace_allowed_ips(struct wyrm_uapi *uapi, struct wyrm_uapi_host *host,
                               const struct line *line)
{
    (void)line;
    wyrm_route_clear(host->dev, uapi->peer);
    return WYRM_UAPI_OK;
}

static int allowed_ip(struct wyrm_uapi *uapi, struct wyrm_uapi_host *host, const struct line *line)
{
    bool minus = line->value_len > 0 && line->value[0] == '-';
    struct wyrm_prefix prefix;

    if (memchr(line->value, '/', line->value_len) == NULL ||
        wyrm_prefix_parse(line->value + minus, line->value_len - minus, &prefix) != WYRM_IDLE)
        return WYRM_UAPI_INVALID;
    if (minus)
        return error_of(wyrm_route_remove(host->dev, uapi->peer, &prefix));
    return error_of(wyrm_route_add(host->dev, uapi->peer, &prefix));
}

static int protocol_version(struct wyrm_uapi *uapi, struct wyrm_uapi_host *host,
                            const struct line *line)
{
    (void)uapi;
    (void)host;
    return is(line, "1") ? WYRM_UAPI_OK : WYRM_UAPI_INVALID;
}

static const struct setting {
    const char *key;
    enum scope scope;
    bool creates; /* the peer, if it does not exist */
    bool flag;    /* "true" is its only value */
    int (*take)(struct wyrm_uapi *uapi, struct wyrm_uapi_host *host, const struct line *line);
} settings[] = {
    {"private_key", SCOPE_DEVICE, false, false, set_private_key},
    {"listen_port", SCOPE_DEVICE, false, false, set_listen_port},
    {"fwmark", SCOPE_DEVICE, false, false, set_fwmark},
    {"replace_peers", SCOPE_DEVICE, false, true, replace_peers},
    {"update_only", SCOPE_PEER, false, true, update_only},
    {"remove", SCOPE_PEER, false, true, remove_peer},
    {"preshared_key", SCOPE_PEER, true, false, set_psk},
    {"endpoint", SCOPE_PEER, true, false, set_endpoint},
    {"persistent_keepalive_interval", SCOPE_PEER, true, false, set_keepalive},
    {"replace_allowed_ips", SCOPE_PEER, true, true, replace_allowed_ips},
    {"allowed_ip", SCOPE_PEER, true, false, allowed_ip},
    {"protocol_version", SCOPE_PEER, true, false, protocol_version},
};

static bool key_is(const struct line *line, const char *key)
{
    return line->key_len == strlen(key) && memcmp(line->key, key, line->key_len) == 0;
}

static int apply(struct wyrm_uapi *uapi, struct wyrm_uapi_host *host, const struct line *line)
{
    int error;

    if (key_is(line, "public_key"))
        return open_peer(uapi, host, line);
    for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
        if (!key_is(line, settings[i].key))
            continue;
        if ((settings[i].scope == SCOPE_DEVICE) != (uapi->scope == SCOPE_DEVICE))
            return WYRM_UAPI_INVALID;
        error = ensure_peer(uapi, host, settings[i].creates);
        if (error != WYRM_UAPI_OK || uapi->scope == SCOPE_IGNORED)
            return error;
        if (settings[i].flag && !is(line, "true"))
            return WYRM_UAPI_INVALID;
        return settings[i].take(uapi, host, line);
    }
    return WYRM_UAPI_INVALID;
}

/* ---- get ---------------------------------------------------------------- */

static void put(const struct wyrm_uapi_host *host, const char *text)
{
    host->write(host->ctx, text, strlen(text));
}

static void put_text(const struct wyrm_uapi_host *host, const char *key, const char *value)
{
    put(host, key);
    put(host, "=");
    put(host, value);
    put(host, "\n");
}

/* `key` with its sign of equality. */
static void put_number(const struct wyrm_uapi_host *host, const char *key, uint64_t value)
{
    char text[21];
    char *digit = text + sizeof(text) - 1;

    *digit = '\0';
    do {
        *--digit = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    put(host, key);
    put(host, digit);
    put(host, "\n");
}

static void put_key(const struct wyrm_uapi_host *host, const char *key,
                    const uint8_t bytes[WYRM_KEY_LEN])
{
    char text[2 * WYRM_KEY_LEN + 1];

    for (size_t i = 0; i < WYRM_KEY_LEN; i++) {
        for (size_t half = 0; half < 2; half++) {
            uint32_t digit = half == 0 ? bytes[i] >> 4 : bytes[i] & 15u;

            /* '0' + digit, and 39 more up to 'a' from ten on, without a look-up by secrets. */
            text[2 * i + half] = (char)('0' + digit + (((9u - digit) >> 31) * 39u));
        }
    }
    text[2 * WYRM_KEY_LEN] = '\0';
    put_text(host, key, text);
    wyrm_wipe(text, sizeof(text));
}

static void put_handshake(const struct wyrm_uapi_host *host, const struct wyrm_peer_info *info)
{
    wyrm_ms age;
    uint64_t at = 0;

    if (info->last_handshake != WYRM_NEVER) {
        age = host->now(host->ctx) - info->last_handshake;
        if (host->epoch_ms == 0)
            put_number(host, "handshake_age_sec=", age / 1000);
        else
            at = host->epoch_ms + info->last_handshake;
    }
    put_number(host, "last_handshake_time_sec=", at / 1000);
    put_number(host, "last_handshake_time_nsec=", at % 1000 * 1000000);
}

static void put_peer(const struct wyrm_uapi_host *host, wyrm_peer_id id,
                     const struct wyrm_peer_info *info)
{
    char text[WYRM_ENDPOINT_TEXT_MAX];
    uint8_t psk[WYRM_KEY_LEN];

    put_key(host, "public_key", info->pub);
    if (host->show_secrets && wyrm_peer_get_psk(host->dev, id, psk) == WYRM_IDLE)
        put_key(host, "preshared_key", psk);
    wyrm_wipe(psk, sizeof(psk));
    put_text(host, "protocol_version", "1");
    if (info->endpoint.family != 0) {
        (void)wyrm_endpoint_print(&info->endpoint, text);
        put_text(host, "endpoint", text);
    }
    put_handshake(host, info);
    put_number(host, "tx_bytes=", info->tx_bytes);
    put_number(host, "rx_bytes=", info->rx_bytes);
    put_number(host, "persistent_keepalive_interval=", info->keepalive_s);
}

static void put_device(const struct wyrm_uapi_host *host)
{
    uint8_t priv[WYRM_KEY_LEN];

    if (host->show_secrets && wyrm_get_private_key(host->dev, priv) == WYRM_IDLE)
        put_key(host, "private_key", priv);
    wyrm_wipe(priv, sizeof(priv));
    if (host->listen_port != 0)
        put_number(host, "listen_port=", host->listen_port);
    if (host->fwmark != 0)
        put_number(host, "fwmark=", host->fwmark);
}

/* The next allowed address of the peer the answer is at; false: it has no more. */
static bool put_route(struct wyrm_uapi *uapi, const struct wyrm_uapi_host *host)
{
    char text[WYRM_PREFIX_TEXT_MAX];
    struct wyrm_prefix prefix;
    wyrm_peer_id owner;

    while (wyrm_route_get(host->dev, uapi->told - 1, &prefix, &owner) == WYRM_IDLE) {
        uapi->told++;
        if (owner != uapi->peer)
            continue;
        (void)wyrm_prefix_print(&prefix, text);
        put_text(host, "allowed_ip", text);
        return true;
    }
    return false;
}

/* The device, then each peer, each with its allowed addresses one by one; false: all is told. */
static bool put_piece(struct wyrm_uapi *uapi, const struct wyrm_uapi_host *host)
{
    struct wyrm_peer_info info;

    if (uapi->scope == SCOPE_DEVICE) {
        put_device(host);
        uapi->scope = SCOPE_PEER;
        return true;
    }
    for (; uapi->peer < host->dev->pools->n_peers; uapi->peer++, uapi->told = 0) {
        if (uapi->told > 0 && put_route(uapi, host))
            return true;
        if (uapi->told == 0 &&
            wyrm_peer_get(host->dev, host->now(host->ctx), uapi->peer, &info) == WYRM_IDLE) {
            put_peer(host, uapi->peer, &info);
            uapi->told = 1;
            return true;
        }
    }
    return false;
}

/* ---- Requests ----------------------------------------------------------- */

/* wg(8) wants the number negative after `set` and positive after `get`. */
static enum wyrm_uapi_verdict finish(struct wyrm_uapi *uapi, struct wyrm_uapi_host *host)
{
    bool negative = uapi->operation == OPERATION_SET && uapi->error != WYRM_UAPI_OK;

    put_number(host, negative ? "errno=-" : "errno=", (uint64_t)uapi->error);
    put(host, "\n");
    memset(uapi, 0, sizeof(*uapi));
    return WYRM_UAPI_DONE;
}

/* An empty line ends a request, and asks for what is left of the answer. */
static enum wyrm_uapi_verdict answer(struct wyrm_uapi *uapi, struct wyrm_uapi_host *host)
{
    int error;

    if (uapi->operation == OPERATION_SET) { /* also if a later line is wrong */
        error = ensure_peer(uapi, host, true);
        uapi->error = uapi->error == WYRM_UAPI_OK ? error : uapi->error;
    } else if (uapi->error == WYRM_UAPI_OK && put_piece(uapi, host)) {
        return WYRM_UAPI_AGAIN;
    }
    return finish(uapi, host);
}

static enum wyrm_uapi_verdict begin(struct wyrm_uapi *uapi, const struct wyrm_uapi_host *host,
                                    const struct line *line)
{
    memset(uapi, 0, sizeof(*uapi));
    uapi->error = host->dev == NULL ? WYRM_UAPI_DOWN : WYRM_UAPI_OK;
    if (!is(line, "1"))
        return WYRM_UAPI_CLOSE;
    if (key_is(line, "get"))
        uapi->operation = OPERATION_GET;
    else if (key_is(line, "set"))
        uapi->operation = OPERATION_SET;
    else
        return WYRM_UAPI_CLOSE;
    return WYRM_UAPI_MORE;
}

static int take(struct wyrm_uapi *uapi, struct wyrm_uapi_host *host, const struct line *line)
{
    if (line->value == NULL)
        return WYRM_UAPI_PROTOCOL;
    return uapi->operation == OPERATION_SET ? apply(uapi, host, line) : WYRM_UAPI_INVALID;
}

enum wyrm_uapi_verdict wyrm_uapi_line(struct wyrm_uapi *uapi, struct wyrm_uapi_host *host,
                                      const char *line, size_t len)
{
    const char *equals = len > 0 ? memchr(line, '=', len) : NULL;
    struct line parts = {.key = line, .key_len = len};

    if (equals != NULL) {
        parts.key_len = (size_t)(equals - line);
        parts.value = equals + 1;
        parts.value_len = len - parts.key_len - 1;
    }
    if (uapi->operation == OPERATION_NONE)
        return equals == NULL ? WYRM_UAPI_CLOSE : begin(uapi, host, &parts);
    if (len == 0)
        return answer(uapi, host);
    if (uapi->error == WYRM_UAPI_OK)
        uapi->error = take(uapi, host, &parts);
    return WYRM_UAPI_MORE;
}

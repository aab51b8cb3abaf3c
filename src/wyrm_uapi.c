/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Configuration protocol of wg(8). Keys are known by a table; each has the scope it belongs to and
 * one function that takes its value: to check it, to try it, or to apply it.
 */
#include "wyrm_uapi.h"
#include "wyrm_text.h"

#include "core/wyrm_util.h"
#include "wyrm_crypto.h"

#include <string.h>

/* Where the lines of a `set` belong. */
enum scope {
    SCOPE_DEVICE,  /* before the first public_key */
    SCOPE_PEER,    /* to the peer */
    SCOPE_IGNORED, /* to a peer that was removed, is ourselves, or was not to be created */
};

/* How often a `set` is read, and what for. */
enum pass {
    PASS_CHECK, /* is every line right, and how much room may it take? */
    PASS_TRY,   /* does it fit? Only if that is not certain */
    PASS_APPLY, /* nothing fails any more */
};

/* What peers and routes would be: the pools hold only routes, and `keys` lists the peers. */
struct trial {
    struct wyrm_device dev;
    struct wyrm_pools pools;
    uint8_t (*keys)[WYRM_KEY_LEN]; /* all zero: the place is free */
};

/* A `set` on its way through. */
struct set {
    struct wyrm_uapi_host *host;
    struct trial *trial;
    enum pass pass;
    enum scope scope;
    uint8_t pub[WYRM_KEY_LEN]; /* of the peer the lines are about */
    wyrm_peer_id peer;         /* WYRM_NO_PEER: it does not exist (yet) */
    uint32_t peers, prefixes;  /* named: no more can be added */
    bool has_port, has_mark;
    uint16_t port;
    uint32_t mark;
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

/* ---- Peers, tried and real --------------------------------------------- */

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

static const uint8_t no_key[WYRM_KEY_LEN];

/* The place of a key among those tried; with no_key a free one. */
static wyrm_status trial_find(const struct trial *trial, const uint8_t pub[WYRM_KEY_LEN],
                              wyrm_peer_id *out)
{
    for (wyrm_peer_id id = 0; id < trial->pools.n_peers; id++) {
        if (memcmp(trial->keys[id], pub, WYRM_KEY_LEN) == 0) {
            *out = id;
            return WYRM_IDLE;
        }
    }
    return WYRM_E_FULL;
}

/* As wyrm_peer_add. */
static wyrm_status trial_add(struct trial *trial, const uint8_t pub[WYRM_KEY_LEN],
                             wyrm_peer_id *out)
{
    if (memcmp(pub, no_key, sizeof(no_key)) == 0 ||
        (trial->dev.has_key && memcmp(pub, trial->dev.own.pub, WYRM_KEY_LEN) == 0))
        return WYRM_E_KEY;
    if (trial_find(trial, no_key, out) != WYRM_IDLE)
        return WYRM_E_FULL;
    memcpy(trial->keys[*out], pub, WYRM_KEY_LEN);
    return WYRM_IDLE;
}

static void trial_remove(struct trial *trial, wyrm_peer_id id)
{
    wyrm_route_clear(&trial->dev, id);
    memset(trial->keys[id], 0, WYRM_KEY_LEN);
}

/* As wyrm_set_private_key: a peer that has our own public key is removed. */
static void trial_set_private_key(struct trial *trial, const uint8_t *key)
{
    wyrm_peer_id self;

    trial->dev.has_key = key != NULL;
    if (key == NULL)
        return;
    wyrm_x25519_base(trial->dev.own.pub, key);
    if (trial_find(trial, trial->dev.own.pub, &self) == WYRM_IDLE)
        trial_remove(trial, self);
}

static struct wyrm_device *routes_of(const struct set *set)
{
    return set->pass == PASS_TRY ? &set->trial->dev : set->host->dev;
}

static void find_peer(struct set *set)
{
    wyrm_status status = set->pass == PASS_TRY
                             ? trial_find(set->trial, set->pub, &set->peer)
                             : wyrm_peer_find(set->host->dev, set->pub, &set->peer);

    if (status != WYRM_IDLE || memcmp(set->pub, no_key, sizeof(no_key)) == 0)
        set->peer = WYRM_NO_PEER;
}

/* A peer that is named need not exist until something is set for it: with `update_only` or
 * `remove` it is not to be created. */
static int ensure_peer(struct set *set, bool create)
{
    wyrm_status status;

    if (set->pass == PASS_CHECK || set->scope != SCOPE_PEER || set->peer != WYRM_NO_PEER || !create)
        return WYRM_UAPI_OK;
    if (set->pass == PASS_TRY)
        status = trial_add(set->trial, set->pub, &set->peer);
    else
        status = wyrm_peer_add(set->host->dev, set->pub, &set->peer);
    if (status == WYRM_E_KEY) {
        set->scope = SCOPE_IGNORED; /* our own key, or none: ignored, as everywhere */
        return WYRM_UAPI_OK;
    }
    return error_of(status);
}

/* ---- set ---------------------------------------------------------------- */

static int set_private_key(struct set *set, const struct line *line)
{
    uint8_t key[WYRM_KEY_LEN];
    wyrm_status status = WYRM_E_TEXT;

    if (parse_hex_key(key, line)) {
        const uint8_t *use = wyrm_ct_is_zero(key, sizeof(key)) ? set->host->own_key : key;

        /* As it is used, so that `get` shows the same for all ways to write it. */
        key[0] &= 248;
        key[31] = (uint8_t)((key[31] & 127) | 64);
        status = WYRM_IDLE;
        if (set->pass == PASS_TRY)
            trial_set_private_key(set->trial, use);
        if (set->pass == PASS_APPLY)
            status = wyrm_set_private_key(set->host->dev, use);
    }
    wyrm_wipe(key, sizeof(key));
    return error_of(status);
}

/* Port and mark are kept for set_socket, which comes before all else is applied. */
static int set_listen_port(struct set *set, const struct line *line)
{
    uint32_t port;

    if (!parse_number(&port, UINT16_MAX, line) || set->host->set_listen_port == NULL)
        return WYRM_UAPI_INVALID;
    set->has_port = true;
    set->port = (uint16_t)port;
    return WYRM_UAPI_OK;
}

static int set_fwmark(struct set *set, const struct line *line)
{
    if (!parse_number(&set->mark, UINT32_MAX, line))
        return WYRM_UAPI_INVALID;
    set->has_mark = set->host->set_fwmark != NULL; /* nothing to mark: no mark is fine */
    return set->has_mark || set->mark == 0 ? WYRM_UAPI_OK : WYRM_UAPI_INVALID;
}

static int replace_peers(struct set *set, const struct line *line)
{
    (void)line;
    if (set->pass == PASS_CHECK)
        return WYRM_UAPI_OK;
    routes_of(set)->routes_used = 0; /* all at once: each peer would look for its own */
    for (wyrm_peer_id id = 0; id < set->host->dev->pools->n_peers; id++)
        if (set->pass == PASS_TRY)
            trial_remove(set->trial, id);
        else
            (void)wyrm_peer_remove(set->host->dev, id); /* an empty place is fine */
    return WYRM_UAPI_OK;
}

static int open_peer(struct set *set, const struct line *line)
{
    int error = ensure_peer(set, true); /* the one before may have had no settings */

    if (error != WYRM_UAPI_OK || !parse_hex_key(set->pub, line))
        return error != WYRM_UAPI_OK ? error : WYRM_UAPI_INVALID;
    set->scope = SCOPE_PEER;
    set->peers++;
    if (set->pass != PASS_CHECK)
        find_peer(set);
    return WYRM_UAPI_OK;
}

static int update_only(struct set *set, const struct line *line)
{
    (void)line;
    if (set->pass != PASS_CHECK && set->peer == WYRM_NO_PEER)
        set->scope = SCOPE_IGNORED;
    return WYRM_UAPI_OK;
}

static int remove_peer(struct set *set, const struct line *line)
{
    (void)line;
    if (set->pass == PASS_CHECK)
        return WYRM_UAPI_OK;
    if (set->peer != WYRM_NO_PEER && set->pass == PASS_TRY)
        trial_remove(set->trial, set->peer);
    else if (set->peer != WYRM_NO_PEER)
        (void)wyrm_peer_remove(set->host->dev, set->peer);
    set->scope = SCOPE_IGNORED;
    return WYRM_UAPI_OK;
}

static int set_psk(struct set *set, const struct line *line)
{
    uint8_t psk[WYRM_KEY_LEN];
    wyrm_status status = WYRM_E_TEXT;

    if (parse_hex_key(psk, line))
        status =
            set->pass == PASS_APPLY ? wyrm_peer_set_psk(set->host->dev, set->peer, psk) : WYRM_IDLE;
    wyrm_wipe(psk, sizeof(psk));
    return error_of(status);
}

static int set_endpoint(struct set *set, const struct line *line)
{
    struct wyrm_host place;

    if (wyrm_host_parse(line->value, line->value_len, &place) != WYRM_IDLE ||
        place.address.family == 0)
        return WYRM_UAPI_INVALID; /* numeric only: resolving is the client's business */
#if WYRM_IPV6
    if (place.name_len > 0 && set->host->find_zone != NULL)
        place.address.scope = set->host->find_zone(set->host->ctx, place.name, place.name_len);
    if (place.name_len > 0 && place.address.scope == 0)
        return set->pass == PASS_APPLY ? WYRM_UAPI_OK : WYRM_UAPI_INVALID; /* gone since checked */
#endif
    if (set->pass != PASS_APPLY)
        return WYRM_UAPI_OK;
    return error_of(wyrm_peer_set_endpoint(set->host->dev, set->peer, &place.address));
}

static int set_keepalive(struct set *set, const struct line *line)
{
    uint32_t seconds;

    if (!parse_number(&seconds, UINT16_MAX, line))
        return WYRM_UAPI_INVALID;
    if (set->pass != PASS_APPLY)
        return WYRM_UAPI_OK;
    return error_of(wyrm_peer_set_keepalive(set->host->dev, set->peer, (uint16_t)seconds));
}

static int replace_allowed_ips(struct set *set, const struct line *line)
{
    (void)line;
    if (set->pass != PASS_CHECK)
        wyrm_route_clear(routes_of(set), set->peer);
    return WYRM_UAPI_OK;
}

static int allowed_ip(struct set *set, const struct line *line)
{
    bool minus = line->value_len > 0 && line->value[0] == '-';
    struct wyrm_prefix prefix;

    if (memchr(line->value, '/', line->value_len) == NULL ||
        wyrm_prefix_parse(line->value + minus, line->value_len - minus, &prefix) != WYRM_IDLE)
        return WYRM_UAPI_INVALID;
    set->prefixes += !minus;
    if (set->pass == PASS_CHECK)
        return WYRM_UAPI_OK;
    if (minus)
        return error_of(wyrm_route_remove(routes_of(set), set->peer, &prefix));
    return error_of(wyrm_route_add(routes_of(set), set->peer, &prefix));
}

static int protocol_version(struct set *set, const struct line *line)
{
    (void)set;
    return is(line, "1") ? WYRM_UAPI_OK : WYRM_UAPI_INVALID;
}

static const struct setting {
    const char *key;
    enum scope scope;
    bool creates; /* the peer, if it does not exist */
    bool flag;    /* "true" is its only value */
    int (*take)(struct set *set, const struct line *line);
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

static int take(struct set *set, const struct line *line)
{
    int error;

    if (line->value == NULL)
        return WYRM_UAPI_PROTOCOL;
    if (key_is(line, "public_key"))
        return open_peer(set, line);
    for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
        if (!key_is(line, settings[i].key))
            continue;
        if ((settings[i].scope == SCOPE_DEVICE) != (set->scope == SCOPE_DEVICE))
            return WYRM_UAPI_INVALID;
        if (settings[i].flag && !is(line, "true"))
            return WYRM_UAPI_INVALID;
        error = ensure_peer(set, settings[i].creates);
        if (error != WYRM_UAPI_OK || set->scope == SCOPE_IGNORED)
            return error;
        return settings[i].take(set, line);
    }
    return WYRM_UAPI_INVALID;
}

/* ---- As a whole or not at all ------------------------------------------- */

/* Cuts a line off the text; false at the end of the request. */
static bool next_line(const char **text, size_t *len, struct line *line)
{
    const char *end = *len > 0 ? memchr(*text, '\n', *len) : NULL;
    size_t used = end != NULL ? (size_t)(end - *text) : *len;
    const char *equals = used > 0 ? memchr(*text, '=', used) : NULL;

    *line = (struct line){.key = *text, .key_len = used};
    if (equals != NULL) {
        line->key_len = (size_t)(equals - *text);
        line->value = equals + 1;
        line->value_len = used - line->key_len - 1;
    }
    *text += used + (end != NULL);
    *len -= used + (end != NULL);
    return used > 0;
}

static int read_through(struct set *set, enum pass pass, const char *text, size_t len)
{
    struct line line;

    set->pass = pass;
    set->scope = SCOPE_DEVICE;
    while (next_line(&text, &len, &line)) {
        int error = line.key_len + line.value_len < WYRM_UAPI_LINE_MAX ? take(set, &line)
                                                                       : WYRM_UAPI_INVALID;

        if (error != WYRM_UAPI_OK)
            return error;
    }
    return ensure_peer(set, true);
}

static size_t keys_size(const struct wyrm_device *dev)
{
    return dev->pools->n_peers * sizeof(uint8_t[WYRM_KEY_LEN]);
}

size_t wyrm_uapi_scratch_size(const struct wyrm_device *dev)
{
    return _Alignof(struct trial) + sizeof(struct trial) +
           dev->pools->n_routes * sizeof(struct wyrm_route) + keys_size(dev);
}

/* Copies what the device has to the scratch memory; NULL: there is not enough of it. */
static struct trial *begin_trial(const struct wyrm_uapi_host *host)
{
    const struct wyrm_device *dev = host->dev;
    uintptr_t at = (uintptr_t)host->scratch + _Alignof(struct trial) - 1;
    struct trial *trial = (struct trial *)(at - at % _Alignof(struct trial));
    struct wyrm_route *routes;
    uint8_t *keys;

    if (host->scratch == NULL || host->scratch_size < wyrm_uapi_scratch_size(dev))
        return NULL;
    routes = (struct wyrm_route *)(trial + 1);
    keys = (uint8_t *)(routes + dev->pools->n_routes);
    memset(trial, 0, sizeof(*trial));
    trial->pools.routes = routes;
    trial->pools.n_routes = dev->pools->n_routes;
    trial->pools.n_peers = dev->pools->n_peers;
    trial->dev.pools = &trial->pools;
    trial->dev.routes_used = dev->routes_used;
    trial->dev.has_key = dev->has_key;
    memcpy(trial->dev.own.pub, dev->own.pub, sizeof(dev->own.pub));
    memcpy(routes, dev->pools->routes, dev->routes_used * sizeof(*routes));
    memset(keys, 0, keys_size(dev));
    trial->keys = (uint8_t(*)[WYRM_KEY_LEN])keys;
    for (wyrm_peer_id id = 0; id < dev->pools->n_peers; id++) {
        const struct wyrm_peer *peer = wyrm_used_peer(dev, id);

        if (peer != NULL)
            memcpy(trial->keys[id], peer->contact.pub, WYRM_KEY_LEN);
    }
    return trial;
}

static uint32_t free_peers(const struct wyrm_device *dev)
{
    uint32_t n = 0;

    for (wyrm_peer_id id = 0; id < dev->pools->n_peers; id++)
        n += wyrm_used_peer(dev, id) == NULL;
    return n;
}

/* It does for certain if all peers and prefixes that it names would; else it is tried. */
static int check_room(struct set *set, const char *text, size_t len)
{
    const struct wyrm_device *dev = set->host->dev;

    if (set->prefixes <= dev->pools->n_routes - dev->routes_used && set->peers <= free_peers(dev))
        return WYRM_UAPI_OK;
    set->trial = begin_trial(set->host);
    return set->trial != NULL ? read_through(set, PASS_TRY, text, len) : WYRM_UAPI_NO_MEMORY;
}

/* The last that may fail. */
static int set_socket(const struct set *set)
{
    struct wyrm_uapi_host *host = set->host;
    uint32_t old_mark = host->fwmark;
    int error = set->has_mark ? host->set_fwmark(host->ctx, set->mark) : WYRM_UAPI_OK;

    if (error != WYRM_UAPI_OK || !set->has_port)
        return error;
    error = host->set_listen_port(host->ctx, set->port);
    if (error != WYRM_UAPI_OK && set->has_mark)
        (void)host->set_fwmark(host->ctx, old_mark);
    return error;
}

static int apply(struct wyrm_uapi_host *host, const char *text, size_t len)
{
    struct set set = {.host = host};
    int error = read_through(&set, PASS_CHECK, text, len);

    if (error == WYRM_UAPI_OK)
        error = check_room(&set, text, len);
    if (error == WYRM_UAPI_OK)
        error = set_socket(&set);

    /* From here on the request holds. */
    return error == WYRM_UAPI_OK ? read_through(&set, PASS_APPLY, text, len) : error;
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

            /* '0' + digit, and 39 more up to 'a' from ten on, without a table indexed by secrets.
             */
            text[2 * i + half] = (char)('0' + digit + (((9u - digit) >> 31) * 39u));
        }
    }
    text[2 * WYRM_KEY_LEN] = '\0';
    put_text(host, key, text);
    wyrm_wipe(text, sizeof(text));
}

static void put_handshake(const struct wyrm_uapi_host *host, wyrm_peer_id id,
                          const struct wyrm_peer_info *info)
{
    wyrm_ms last = info->last_handshake;
    uint64_t at = 0;

    if (last != WYRM_NEVER && host->handshake_time != NULL)
        at = host->handshake_time(host->ctx, id, last);
    else if (last != WYRM_NEVER)
        put_number(host, "handshake_age_sec=", (host->now(host->ctx) - last) / 1000);
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
    put_handshake(host, id, info);
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

/* Some of the prefixes of the peer the answer is at; false: there are no more. */
static bool put_routes(struct wyrm_uapi *uapi, const struct wyrm_uapi_host *host)
{
    enum { AT_ONCE = WYRM_UAPI_PIECE_MAX / (sizeof("allowed_ip=\n") + WYRM_PREFIX_TEXT_MAX) };
    char text[WYRM_PREFIX_TEXT_MAX];
    unsigned n;

    for (n = 0; n < AT_ONCE && wyrm_route_next(host->dev, uapi->peer, &uapi->last,
                                               host->first_route, host->next_route) == WYRM_IDLE;
         n++) {
        (void)wyrm_prefix_print(&uapi->last, text);
        put_text(host, "allowed_ip", text);
    }
    return n > 0;
}

/* The device, then each peer, each followed by its prefixes. */
enum part { PART_DEVICE, PART_PEER, PART_ROUTES };

/* False: there is nothing more to list. */
static bool put_piece(struct wyrm_uapi *uapi, const struct wyrm_uapi_host *host)
{
    wyrm_ms now = host->now(host->ctx);
    struct wyrm_peer_info info;

    if (uapi->part == PART_DEVICE) {
        put_device(host);
        uapi->part = PART_PEER;
        return true;
    }
    if (uapi->part == PART_ROUTES) {
        /* The place may be someone else's by now. */
        if (wyrm_peer_get(host->dev, now, uapi->peer, &info) == WYRM_IDLE &&
            memcmp(info.pub, uapi->pub, WYRM_KEY_LEN) == 0 && put_routes(uapi, host))
            return true;
        uapi->part = PART_PEER;
        uapi->peer++;
    }
    for (; uapi->peer < host->dev->pools->n_peers; uapi->peer++) {
        if (wyrm_peer_get(host->dev, now, uapi->peer, &info) != WYRM_IDLE)
            continue;
        put_peer(host, uapi->peer, &info);
        uapi->part = PART_ROUTES;
        memcpy(uapi->pub, info.pub, WYRM_KEY_LEN);
        uapi->last.family = 0;
        return true;
    }
    return false;
}

/* ---- Requests ----------------------------------------------------------- */

static const char get[] = "get=1\n", set[] = "set=1\n";

enum { OPERATION_LEN = sizeof(get) - 1 };

bool wyrm_uapi_may_begin(const char *text, size_t len)
{
    size_t seen = len < OPERATION_LEN ? len : OPERATION_LEN;

    return memcmp(text, get, seen) == 0 || memcmp(text, set, seen) == 0;
}

/* wg(8) wants the number negative after `set` and positive after `get`. */
static enum wyrm_uapi_verdict finish(const struct wyrm_uapi_host *host, bool is_set, int error)
{
    put_number(host, is_set && error != WYRM_UAPI_OK ? "errno=-" : "errno=", (uint64_t)error);
    put(host, "\n");
    return WYRM_UAPI_DONE;
}

enum wyrm_uapi_verdict wyrm_uapi_refuse(struct wyrm_uapi_host *host, const char *text, size_t len,
                                        enum wyrm_uapi_error error)
{
    if (len < OPERATION_LEN || !wyrm_uapi_may_begin(text, len))
        return WYRM_UAPI_CLOSE;
    return finish(host, text[0] == 's', (int)error);
}

enum wyrm_uapi_verdict wyrm_uapi_more(struct wyrm_uapi *uapi, struct wyrm_uapi_host *host)
{
    if (host->dev == NULL)
        return finish(host, false, WYRM_UAPI_DOWN);
    return put_piece(uapi, host) ? WYRM_UAPI_AGAIN : finish(host, false, WYRM_UAPI_OK);
}

enum wyrm_uapi_verdict wyrm_uapi_request(struct wyrm_uapi *uapi, struct wyrm_uapi_host *host,
                                         const char *text, size_t len)
{
    memset(uapi, 0, sizeof(*uapi));
    if (host->dev == NULL || len < OPERATION_LEN || !wyrm_uapi_may_begin(text, len))
        return wyrm_uapi_refuse(host, text, len, WYRM_UAPI_DOWN);
    if (text[0] == 's')
        return finish(host, true, apply(host, text + OPERATION_LEN, len - OPERATION_LEN));
    if (len > OPERATION_LEN && text[OPERATION_LEN] != '\n')
        return finish(host, false, WYRM_UAPI_INVALID); /* there is nothing more to say to it */
    return wyrm_uapi_more(uapi, host);
}

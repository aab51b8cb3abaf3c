/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Reads a wg-quick file (wg-quick(8), wg(8) "CONFIGURATION FILE FORMAT") in one pass. Called by
 * device consoles, the daemon and the lab. It is stricter than wg(8): what it does not know, or
 * what a truncated text would look like, it refuses.
 *
 * Sentences are templates: '@' stands for the name of the key, '%' for the wg(8) command that makes
 * such a key, '$' for the section, '*' for the keys it knows, '#' for the next number. None repeats
 * any of the text: a line may hold a secret. Functions that return a sentence return NULL if all is
 * well.
 */
#include "wyrm_text.h"

#include "wyrm_crypto.h"

#include <string.h>

/* Every IPv4 host takes 576 bytes (RFC 791); IP packets of 64 KB hold MTU_MAX, padded, beside the
 * headers. The ports have the same limits. */
#define MTU_MIN 576
#define MTU_MAX (65535 - 80 - WYRM_HEADER_LEN - 15 - WYRM_TAG_LEN)

/* The keys, in the order of their names; those of [Interface] come before PublicKey. */
enum key {
    PRIVATE_KEY,
    LISTEN_PORT,
    ADDRESS,
    MTU,
    FWMARK,
    DNS,
    TABLE,
    PRE_UP,
    POST_UP,
    PRE_DOWN,
    POST_DOWN,
    SAVE_CONFIG,
    PUBLIC_KEY,
    PRESHARED_KEY,
    ALLOWED_IPS,
    ENDPOINT,
    KEEPALIVE,
    KEYS
};
static const char key_names[] = "PrivateKey\0ListenPort\0Address\0MTU\0FwMark\0DNS\0Table\0PreUp\0"
                                "PostUp\0PreDown\0PostDown\0SaveConfig\0PublicKey\0PresharedKey\0"
                                "AllowedIPs\0Endpoint\0PersistentKeepalive";
static const char hidden[] = "(hidden)";

#define BIT(key)    (1u << (key))
#define MANY_VALUES (BIT(ADDRESS) | BIT(ALLOWED_IPS) | BIT(DNS))
#define OFF_ALLOWED (BIT(FWMARK) | BIT(KEEPALIVE))

enum section { NONE, INTERFACE, PEER };
static const char section_names[][12] = {"", "[Interface]", "[Peer]"};

struct piece {
    const char *text;
    size_t len;
};

struct reader {
    struct wyrm_conf *conf;
    struct wyrm_conf_peer *peer; /* in [Peer] */
    struct piece rest;           /* not yet read */
    struct wyrm_pen pen;         /* writes the sentence */
    unsigned line, section_line;
    unsigned seen; /* BIT(key) of the keys of this section */
    enum section section;
    enum key key;
    bool has_interface;
    uint32_t numbers[2]; /* for the sentence */
    bool full;           /* it is a pool that is full */
};

static const char *key_name(enum key key)
{
    const char *name = key_names;

    for (unsigned i = 0; i < (unsigned)key; i++)
        while (*name++ != '\0')
            ;
    return name;
}

/* ---- Sentences --------------------------------------------------------------- */

static void name_known_keys(struct wyrm_pen *pen, enum section section)
{
    unsigned key = section == PEER ? PUBLIC_KEY : PRIVATE_KEY;
    unsigned end = section == PEER ? KEYS : TABLE;

    for (;;) {
        wyrm_pen_text(pen, key_name((enum key)key));
        if (++key == end)
            return;
        wyrm_pen_text(pen, ", ");
    }
}

static void compose(struct reader *r, const char *sentence)
{
    struct wyrm_pen *pen = &r->pen;
    const uint32_t *number = r->numbers;

    wyrm_pen_init(pen, pen->out, pen->cap);
    wyrm_pen_text(pen, "line ");
    wyrm_pen_number(pen, r->line);
    wyrm_pen_text(pen, ": ");
    for (; *sentence != '\0'; sentence++) {
        switch (*sentence) {
        case '@':
            wyrm_pen_text(pen, key_name(r->key));
            break;
        case '$':
            wyrm_pen_text(pen, section_names[r->section]);
            break;
        case '%':
            wyrm_pen_text(pen, r->key == PRIVATE_KEY  ? "wg genkey"
                               : r->key == PUBLIC_KEY ? "wg pubkey"
                                                      : "wg genpsk");
            break;
        case '*':
            name_known_keys(pen, r->section);
            break;
        case '#':
            wyrm_pen_number(pen, *number++);
            break;
        default:
            wyrm_pen_char(pen, *sentence);
        }
    }
}

/* Says what is no failure. */
static const char *note(struct reader *r, const char *sentence)
{
    if (r->conf->note != NULL) {
        compose(r, sentence);
        r->conf->note(r->conf->note_ctx, r->pen.out);
    }
    return NULL;
}

/* ---- Pieces of text ------------------------------------------------------------ */

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static void trim(struct piece *p)
{
    while (p->len > 0 && is_space(p->text[0])) {
        p->text++;
        p->len--;
    }
    while (p->len > 0 && is_space(p->text[p->len - 1]))
        p->len--;
}

/* Moves the text before `stop` from `p` to `head`, and drops `stop`; false if there is none. Then
 * `head` is all of `p`. */
static bool cut(struct piece *p, char stop, struct piece *head)
{
    *head = *p;
    for (; p->len > 0; p->len--) {
        if (*p->text++ == stop) {
            head->len -= p->len--;
            return true;
        }
    }
    return false;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c;
}

/* Without regard to case. */
static bool is_word(struct piece p, const char *word)
{
    size_t i = 0;

    while (i < p.len && word[i] != '\0' && lower(p.text[i]) == lower(word[i]))
        i++;
    return i == p.len && word[i] == '\0';
}

static enum key find_key(struct piece name)
{
    unsigned key = 0;

    while (key < KEYS && !is_word(name, key_name((enum key)key)))
        key++;
    return (enum key)key;
}

/* ---- Values ---------------------------------------------------------------------- */

static const char *read_key(struct reader *r, struct piece value, uint8_t out[WYRM_KEY_LEN])
{
    r->numbers[0] = (uint32_t)value.len;
    if (value.len != WYRM_KEY_TEXT_LEN)
        return "@ must be 44 base64 characters ending in '='; this one has #. "
               "Copy it whole from `%`.";
    if (wyrm_key_parse(value.text, value.len, out) < 0)
        return "@ has 44 characters but is not a key: some are wrong. Copy it from `%`.";
    if (r->key != PRESHARED_KEY && wyrm_ct_is_zero(out, WYRM_KEY_LEN))
        return "@ is all zeros, which is not a valid key. Copy it from `%`.";
    return NULL;
}

static const char *read_public_key(struct reader *r, struct piece value)
{
    const char *sentence = read_key(r, value, r->peer->pub);

    for (struct wyrm_conf_peer *other = r->conf->peers; other < r->peer; other++) {
        if (sentence == NULL && memcmp(other->pub, r->peer->pub, WYRM_KEY_LEN) == 0) {
            r->numbers[0] = other->line;
            sentence = "this @ is that of the [Peer] at line # too. Keep one of them.";
        }
    }
    return sentence;
}

static const char *read_number(struct reader *r, struct piece value, uint32_t min, uint32_t max,
                               uint32_t *out)
{
    bool may_be_off = (BIT(r->key) & OFF_ALLOWED) != 0;
    unsigned base = 10;

    *out = 0;
    if (may_be_off && is_word(value, "off"))
        return NULL;
    if (r->key == FWMARK && value.len > 2 && value.text[0] == '0' && value.text[1] == 'x') {
        value.text += 2;
        value.len -= 2;
        base = 16;
    }
    if (wyrm_number_parse(value.text, value.len, base, max, out) == WYRM_IDLE && *out >= min)
        return NULL;
    r->numbers[0] = min;
    r->numbers[1] = max;
    return may_be_off ? "@ must be off or a number from # to #."
                      : "@ must be a number from # to #.";
}

static const char *read_short(struct reader *r, struct piece value, uint32_t min, uint32_t max,
                              uint16_t *out)
{
    uint32_t number;
    const char *sentence = read_number(r, value, min, max, &number);

    *out = (uint16_t)number;
    return sentence;
}

/* An IPv6 address on a device that has none. */
static bool is_foreign(struct piece value)
{
    struct piece before;

    return !WYRM_IPV6 && cut(&value, ':', &before);
}

/* An address with a prefix length that it cannot have gets a sentence of its own. */
static const char *explain_prefix(struct reader *r, struct piece value)
{
    struct wyrm_prefix address;
    struct piece before;
    uint32_t bits;

    if (!cut(&value, '/', &before) || wyrm_prefix_parse(before.text, before.len, &address) < 0 ||
        wyrm_number_parse(value.text, value.len, 10, UINT32_MAX, &bits) < 0)
        return "item # of @ is not an address. Write it like 10.0.0.2/24 or fd00::2/64.";
    r->numbers[1] = address.family == 4 ? 32 : 128;
    return "item # of @: the prefix length must be 0 to #.";
}

static bool is_same_network(const struct wyrm_prefix *a, const struct wyrm_prefix *b)
{
    unsigned whole = a->bits / 8u, rest = a->bits % 8u;

    return a->family == b->family && a->bits == b->bits && memcmp(a->addr, b->addr, whole) == 0 &&
           (rest == 0 || (a->addr[whole] ^ b->addr[whole]) >> (8 - rest) == 0);
}

/* The peer that has this prefix already, NULL: none. */
static const struct wyrm_conf_peer *find_owner(const struct wyrm_conf *conf,
                                               const struct wyrm_prefix *prefix)
{
    for (unsigned p = conf->n_peers; p-- > 0;) {
        const struct wyrm_conf_peer *peer = &conf->peers[p];

        for (unsigned i = 0; i < peer->allowed.count; i++)
            if (is_same_network(&conf->prefixes[peer->allowed.first + i], prefix))
                return peer;
    }
    return NULL;
}

/* Whether the tunnel takes the prefix that was read last, which counts already. */
static const char *check_limits(struct reader *r)
{
    const struct wyrm_conf *conf = r->conf;
    const struct wyrm_prefix *own = conf->prefixes + conf->addresses.first;
    unsigned ipv4 = 0, ipv6 = 0;

    if (r->key == ALLOWED_IPS) {
        r->numbers[0] = conf->max_allowed;
        r->full =
            conf->max_allowed > 0 && conf->n_prefixes - conf->addresses.count > conf->max_allowed;
        return r->full ? "too many AllowedIPs: this device takes # in all." : NULL;
    }
    for (unsigned i = 0; i < conf->addresses.count; i++) {
        ipv4 += own[i].family == 4;
        ipv6 += own[i].family == 6;
    }
    r->numbers[0] = conf->max_ipv4;
    r->numbers[1] = conf->max_ipv6;
    r->full =
        conf->max_ipv4 + conf->max_ipv6 > 0 && (ipv4 > conf->max_ipv4 || ipv6 > conf->max_ipv6);
    return r->full ? "too many addresses: this device takes # of IPv4 and # of IPv6." : NULL;
}

static const char *read_prefix(struct reader *r, struct piece value, struct wyrm_conf_range *range)
{
    struct wyrm_conf *conf = r->conf;
    struct wyrm_prefix prefix;

    if (r->key == ALLOWED_IPS && value.len > 0 && (value.text[0] == '-' || value.text[0] == '+'))
        return "item # of @ starts with + or -, which only changes a running interface. "
               "List all addresses instead.";
    if (wyrm_prefix_parse(value.text, value.len, &prefix) < 0)
        return explain_prefix(r, value);
    const struct wyrm_conf_peer *owner = r->key == ALLOWED_IPS ? find_owner(conf, &prefix) : NULL;
    if (owner == r->peer && owner != NULL)
        return NULL; /* given twice */
    if (conf->n_prefixes == conf->max_prefixes) {
        r->numbers[0] = conf->max_prefixes;
        r->full = true;
        return "too many addresses: Address and AllowedIPs may have # in all here.";
    }
    if (owner != NULL) {
        r->numbers[1] = owner->line;
        note(r, "item # of @ is given to the [Peer] at line #, too, which loses it to this one.");
    }
    if (range->count++ == 0)
        range->first = conf->n_prefixes;
    conf->prefixes[conf->n_prefixes++] = prefix;
    return check_limits(r);
}

static const char *read_dns(struct reader *r, struct piece value)
{
    struct wyrm_conf *conf = r->conf;
    struct wyrm_prefix server;
    struct piece before;

    if (wyrm_is_host_name(value.text, value.len))
        return note(r, "item # of @ does nothing here: search domains are not used.");
    if (wyrm_prefix_parse(value.text, value.len, &server) < 0 || cut(&value, '/', &before))
        return "item # of @ is not an address such as 9.9.9.9 or 2620:fe::fe.";
    if (conf->n_dns == WYRM_CONF_DNS_MAX)
        return note(r, "item # of @ does nothing here: there are enough servers already.");
    conf->dns[conf->n_dns++] = server;
    return NULL;
}

static const char *read_list(struct reader *r, struct piece rest)
{
    struct wyrm_conf_range *range = r->section == PEER ? &r->peer->allowed : &r->conf->addresses;
    const char *sentence = NULL;
    bool more = true;

    for (uint32_t item = 1; more && sentence == NULL; item++) {
        struct piece one;
        more = cut(&rest, ',', &one);
        trim(&one);
        r->numbers[0] = item;
        if (is_foreign(one))
            note(r, "item # of @ does nothing here: this device has no IPv6.");
        else
            sentence = r->key == DNS ? read_dns(r, one) : read_prefix(r, one, range);
    }
    return sentence;
}

static const char *read_endpoint(struct reader *r, struct piece value)
{
    struct wyrm_host *host = &r->peer->endpoint;

    if (!WYRM_IPV6 && value.text[0] == '[')
        return "@ is IPv6, which this device has not. Give an IPv4 address.";
    if (wyrm_host_parse(value.text, value.len, host) < 0)
        return "@ must look like 192.0.2.1:51820, [2001:db8::1]:51820 or vpn.example.com:51820.";
    if (host->address.family == 0 && (r->conf->features & WYRM_CONF_NAMES) == 0)
        return "@ is a host name, and this device cannot resolve names. "
               "Give its numeric address.";
    return NULL;
}

static const char *read_value(struct reader *r, struct piece value)
{
    struct wyrm_conf *conf = r->conf;

    switch (r->key) {
    case PRIVATE_KEY:
        conf->has_private_key = true;
        return read_key(r, value, conf->priv);
    case PUBLIC_KEY:
        return read_public_key(r, value);
    case PRESHARED_KEY:
        return read_key(r, value, r->peer->psk);
    case LISTEN_PORT:
        return read_short(r, value, 0, UINT16_MAX, &conf->listen_port);
    case MTU:
        return read_short(r, value, MTU_MIN, MTU_MAX, &conf->mtu);
    case FWMARK:
        return read_number(r, value, 0, UINT32_MAX, &conf->fwmark);
    case KEEPALIVE:
        return read_short(r, value, 0, UINT16_MAX, &r->peer->keepalive_s);
    case ENDPOINT:
        return read_endpoint(r, value);
    default:
        return read_list(r, value);
    }
}

/* ---- Lines ------------------------------------------------------------------------ */

static unsigned ignored_keys(const struct wyrm_conf *conf)
{
    unsigned ignored = BIT(SAVE_CONFIG + 1) - BIT(TABLE);

    if ((conf->features & WYRM_CONF_DNS) == 0)
        ignored |= BIT(DNS);
    if ((conf->features & WYRM_CONF_FWMARK) == 0)
        ignored |= BIT(FWMARK);
    return ignored;
}

static const char *read_setting(struct reader *r, struct piece line)
{
    struct piece name;

    if (r->section == NONE)
        return "this stands before any section. Begin with [Interface].";
    if (!cut(&line, '=', &name))
        return "there is no '='. Write Key = value; is the text complete?";
    trim(&name);
    trim(&line);
    r->key = find_key(name);
    if (r->key == KEYS)
        return "this is not a setting of $. It may have *.";
    if ((r->key >= PUBLIC_KEY) != (r->section == PEER))
        return "@ is not a setting of $ but of the other kind of section.";
    if ((BIT(r->key) & ignored_keys(r->conf)) != 0)
        return note(r, "@ does nothing here.");
    if ((r->seen & BIT(r->key) & ~MANY_VALUES) != 0)
        return "@ is given twice in this section. Keep one.";
    r->seen |= BIT(r->key);
    if (line.len == 0)
        return "@ has no value. Give one or remove the line.";
    return read_value(r, line);
}

/* What a section must have, said with the line of its header. */
static const char *finish_section(struct reader *r)
{
    unsigned line = r->line;

    r->line = r->section_line;
    if (r->section == INTERFACE && !r->conf->has_private_key &&
        (r->conf->features & WYRM_CONF_OWN_KEY) == 0)
        return "$ has no PrivateKey. Make one with `wg genkey`.";
    if (r->section == PEER && (r->seen & BIT(PUBLIC_KEY)) == 0)
        return "this $ has no PublicKey. Is the text complete?";
    if (r->section == PEER && (r->seen & BIT(ALLOWED_IPS)) == 0)
        note(r, "this $ has no AllowedIPs: nothing will be sent to it.");
    r->line = line;
    return NULL;
}

/* A peer with our own key is ourselves: it never gets a session. */
static const char *check_peers(struct reader *r)
{
    const struct wyrm_conf *conf = r->conf;
    const uint8_t *key = conf->has_private_key ? conf->priv : conf->own_key;
    uint8_t pub[WYRM_KEY_LEN];

    if (key == NULL || conf->n_peers == 0)
        return NULL;
    wyrm_x25519_base(pub, key);
    for (unsigned i = 0; i < conf->n_peers; i++) {
        if (memcmp(conf->peers[i].pub, pub, WYRM_KEY_LEN) == 0) {
            r->line = conf->peers[i].line;
            return "this [Peer] has the public key of this device itself. Give the peer's.";
        }
    }
    return NULL;
}

static const char *begin_section(struct reader *r, struct piece line)
{
    struct wyrm_conf *conf = r->conf;
    const char *sentence = finish_section(r);

    if (sentence != NULL)
        return sentence;
    r->seen = 0;
    r->section_line = r->line;
    if (is_word(line, section_names[INTERFACE])) {
        if (r->has_interface)
            return "there is an [Interface] already. Make it one section.";
        r->has_interface = true;
        r->section = INTERFACE;
        return NULL;
    }
    if (!is_word(line, section_names[PEER]))
        return "no such section. There are [Interface] and [Peer].";
    if (conf->n_peers == conf->max_peers) {
        r->numbers[0] = conf->max_peers;
        r->full = true;
        return "too many peers: this device takes #.";
    }
    r->section = PEER;
    r->peer = &conf->peers[conf->n_peers++];
    r->peer->line = (uint16_t)r->line;
    return NULL;
}

static const char *read_text(struct reader *r)
{
    bool complete = r->rest.len > 0 && r->rest.text[r->rest.len - 1] == '\n';
    const char *sentence = NULL;

    while (r->rest.len > 0 && sentence == NULL) {
        struct piece whole, line;
        cut(&r->rest, '\n', &whole);
        cut(&whole, '#', &line);
        trim(&line);
        r->line++;
        if (line.len > 0)
            sentence = line.text[0] == '[' ? begin_section(r, line) : read_setting(r, line);
    }
    if (sentence == NULL)
        sentence = finish_section(r);
    if (sentence != NULL)
        return sentence;
    if (r->line == 0)
        r->line = 1; /* of an empty text */
    if (!r->has_interface)
        return "there is no [Interface] section. Is the text complete?";
    sentence = check_peers(r);
    if (sentence != NULL)
        return sentence;
    if (!complete)
        note(r, "the text does not end with a line break. If it was cut short, this last line may "
                "be wrong.");
    if (r->conf->n_peers == 0)
        note(r, "there is no [Peer], so there is nobody to talk to.");
    return NULL;
}

wyrm_status wyrm_conf_parse(struct wyrm_conf *conf, const char *text, size_t len, char *error,
                            size_t error_cap)
{
    struct reader r = {.conf = conf, .rest = {text, len}};

    wyrm_pen_init(&r.pen, error, error_cap);
    wyrm_conf_wipe(conf);
    if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) { /* the byte order mark of Notepad */
        r.rest.text += 3;
        r.rest.len -= 3;
    }
    const char *sentence = read_text(&r);
    if (sentence == NULL) {
        error[0] = '\0';
        return WYRM_IDLE;
    }
    compose(&r, sentence);
    wyrm_conf_wipe(conf);
    return r.full ? WYRM_E_FULL : WYRM_E_TEXT;
}

void wyrm_conf_wipe(struct wyrm_conf *conf)
{
    wyrm_wipe(conf->peers, conf->max_peers * sizeof(*conf->peers));
    wyrm_wipe(conf->prefixes, conf->max_prefixes * sizeof(*conf->prefixes));
    wyrm_wipe(conf->priv, sizeof(*conf) - offsetof(struct wyrm_conf, priv));
}

/* ---- Printing ------------------------------------------------------------------------ */

struct sink {
    void (*write)(void *ctx, const char *text, size_t len);
    void *ctx;
};

static void put(const struct sink *out, const char *text)
{
    size_t len = 0;

    while (text[len] != '\0')
        len++;
    out->write(out->ctx, text, len);
}

static void put_setting(const struct sink *out, enum key key, const char *value)
{
    put(out, key_name(key));
    put(out, " = ");
    put(out, value);
    put(out, "\n");
}

/* Nothing for 0, which is what a missing line means. */
static void put_number(const struct sink *out, enum key key, uint32_t number)
{
    char text[12];
    struct wyrm_pen pen;

    if (number == 0)
        return;
    wyrm_pen_init(&pen, text, sizeof(text));
    wyrm_pen_number(&pen, number);
    put_setting(out, key, text);
}

static void put_prefixes(const struct sink *out, enum key key, const struct wyrm_prefix *prefixes,
                         unsigned count)
{
    char text[WYRM_PREFIX_TEXT_MAX];

    for (unsigned i = 0; i < count; i++) {
        size_t len = wyrm_prefix_print(&prefixes[i], text);
        if (key == DNS)
            text[len - (prefixes[i].family == 4 ? 3 : 4)] = '\0'; /* without the "/32" */
        put_setting(out, key, text);
    }
}

static void put_host(const struct sink *out, const struct wyrm_host *host)
{
    char text[WYRM_ENDPOINT_TEXT_MAX];
    size_t before = 0; /* what stands before the name */

    if (host->address.family == 0 && host->name_len == 0)
        return;
    wyrm_endpoint_print(&host->address, text);
    if (host->address.family == 0) {
        struct wyrm_pen pen;
        wyrm_pen_init(&pen, text, sizeof(text));
        wyrm_pen_char(&pen, ':');
        wyrm_pen_number(&pen, host->address.port);
    }
    put(out, key_name(ENDPOINT));
    put(out, " = ");
    if (host->address.family == 6 && host->name_len > 0) {
        while (text[before] != ']')
            before++;
        out->write(out->ctx, text, before);
        put(out, "%");
    }
    if (host->name_len > 0)
        out->write(out->ctx, host->name, host->name_len);
    put(out, text + before);
    put(out, "\n");
}

void wyrm_conf_print(const struct wyrm_conf *conf,
                     void (*write)(void *ctx, const char *text, size_t len), void *ctx)
{
    const struct sink out = {write, ctx};
    char key[WYRM_KEY_TEXT_MAX];

    put(&out, "[Interface]\n");
    if (conf->has_private_key)
        put_setting(&out, PRIVATE_KEY, hidden);
    put_number(&out, LISTEN_PORT, conf->listen_port);
    put_prefixes(&out, ADDRESS, conf->prefixes + conf->addresses.first, conf->addresses.count);
    put_number(&out, MTU, conf->mtu);
    put_number(&out, FWMARK, conf->fwmark);
    put_prefixes(&out, DNS, conf->dns, conf->n_dns);

    for (unsigned i = 0; i < conf->n_peers; i++) {
        const struct wyrm_conf_peer *peer = &conf->peers[i];
        put(&out, "\n[Peer]\n");
        wyrm_key_print(peer->pub, key);
        put_setting(&out, PUBLIC_KEY, key);
        if (!wyrm_ct_is_zero(peer->psk, WYRM_KEY_LEN))
            put_setting(&out, PRESHARED_KEY, hidden);
        put_prefixes(&out, ALLOWED_IPS, conf->prefixes + peer->allowed.first, peer->allowed.count);
        put_host(&out, &peer->endpoint);
        put_number(&out, KEEPALIVE, peer->keepalive_s);
    }
}

/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The commands wg, genkey, pubkey and genpsk: the tunnel as wg(8) shows it, and keys generated on
 * the device.
 */
#include <string.h>

#include "wyrm_crypto.h"

#include "board_api.h"
#include "commands.h"
#include "conf.h"
#include "console.h"
#include "shell.h"
#include "tunnel.h"
#include "wg.h"

/* ---- keys ---- */

static void print_key(const char *title, const uint8_t key[WYRM_KEY_LEN])
{
    char text[WYRM_KEY_TEXT_MAX];

    (void)wyrm_key_print(key, text);
    console_printf("%s%s\n", title, text);
    wyrm_wipe(text, sizeof text);
}

bool command_genkey(int argc, char **argv)
{
    uint8_t key[WYRM_KEY_LEN], pub[WYRM_KEY_LEN];

    (void)argv;
    if (argc != 1)
        return shell_usage();
    if (!tunnel_random_key(key))
        return false;
    key[0] &= 248; /* RFC 7748 section 5, as wg(8) writes keys */
    key[31] = (uint8_t)((key[31] & 127) | 64);
    wyrm_x25519_base(pub, key);
    conf_set_own_key(key);
    wyrm_wipe(key, sizeof key);
    print_key("public key: ", pub);
    console_printf("note: the private key never leaves the device; 'conf save' saves it, and a "
                   "configuration without PrivateKey uses it\n");
    return true;
}

static wyrm_status read_public_key(struct wyrm_device *device, wyrm_ms now, void *out)
{
    (void)now;
    return wyrm_public_key(device, out);
}

static bool tunnel_public_key(uint8_t out[WYRM_KEY_LEN])
{
    return wyrm_lwip_call_core(tunnel_lwip(), read_public_key, out) == WYRM_IDLE;
}

/* The running tunnel may use another key than the next 'wg up' would: from 'uapi', or from before
 * 'genkey' or 'conf clear'. */
bool command_pubkey(int argc, char **argv)
{
    const uint8_t *key = conf_private_key();
    uint8_t used[WYRM_KEY_LEN], kept[WYRM_KEY_LEN];

    (void)argv;
    if (argc != 1)
        return shell_usage();
    bool in_use = tunnel_is_up() && tunnel_public_key(used);

    if (key)
        wyrm_x25519_base(kept, key);
    if (!key && !in_use)
        return shell_error("there is no private key; 'genkey' generates one");
    print_key("public key: ", in_use ? used : kept);
    if (in_use && key && memcmp(used, kept, sizeof used) != 0)
        print_key("note: the next 'wg up' will use another key, with the public key ", kept);
    else if (in_use && !key)
        console_printf("note: only the running tunnel has this key; after 'wg down' there is no "
                       "private key\n");
    return true;
}

bool command_genpsk(int argc, char **argv)
{
    uint8_t key[WYRM_KEY_LEN];

    (void)argv;
    if (argc != 1)
        return shell_usage();
    if (!tunnel_random_key(key))
        return false;
    print_key("preshared key: ", key);
    wyrm_wipe(key, sizeof key);
    return true;
}

/* ---- wg show ---- */

struct route_query {
    wyrm_peer_id peer;
    struct wyrm_prefix prefix; /* family 0: before the first one */
};

static wyrm_status next_route(struct wyrm_device *device, wyrm_ms now, void *query)
{
    struct route_query *q = query;

    (void)now;
    return wyrm_route_next(device, q->peer, &q->prefix, NULL, NULL);
}

static void show_routes(wyrm_peer_id peer)
{
    struct route_query query = {.peer = peer};
    const char *separator = "";

    console_printf("  allowed ips: ");
    while (wyrm_lwip_call_core(tunnel_lwip(), next_route, &query) == WYRM_IDLE) {
        char text[WYRM_PREFIX_TEXT_MAX];

        (void)wyrm_prefix_print(&query.prefix, text);
        console_printf("%s%s", separator, text);
        separator = ", ";
    }
    console_printf("%s\n", query.prefix.family == 0 ? "(none)" : "");
}

static void show_transfer(const struct wyrm_peer_info *info)
{
    char in[WYRM_BYTES_TEXT_MAX], out[WYRM_BYTES_TEXT_MAX];

    if (info->rx_bytes == 0 && info->tx_bytes == 0)
        return;
    (void)wyrm_text_bytes(info->rx_bytes, in);
    (void)wyrm_text_bytes(info->tx_bytes, out);
    console_printf("  transfer: %s received, %s sent\n", in, out);
}

struct peer_query {
    wyrm_peer_id peer;
    struct wyrm_peer_info info;
    wyrm_ms now;
};

static wyrm_status read_peer(struct wyrm_device *device, wyrm_ms now, void *query)
{
    struct peer_query *q = query;

    q->now = now;
    return wyrm_peer_get(device, now, q->peer, &q->info);
}

static void show_peer(const struct peer_query *q)
{
    const struct wyrm_peer_info *info = &q->info;
    char text[WYRM_AGO_TEXT_MAX];

    _Static_assert(sizeof text >= WYRM_ENDPOINT_TEXT_MAX, "one buffer for both");
    print_key("\npeer: ", info->pub);
    if (info->has_psk)
        console_printf("  preshared key: (hidden)\n");
    if (info->endpoint.family != 0) {
        (void)wyrm_endpoint_print(&info->endpoint, text);
        console_printf("  endpoint: %s\n", text);
    }
    show_routes(q->peer);
    if (info->last_handshake != WYRM_NEVER) {
        (void)wyrm_text_ago((uint32_t)((q->now - info->last_handshake) / 1000), text);
        console_printf("  latest handshake: %s\n", text);
    } else {
        console_printf("  latest handshake: none yet\n");
    }
    show_transfer(info);
    if (info->keepalive_s) {
        (void)wyrm_text_duration(info->keepalive_s, text);
        console_printf("  persistent keepalive: every %s\n", text);
    }
}

static bool show(void)
{
    uint8_t pub[WYRM_KEY_LEN];

    if (!tunnel_is_up())
        return shell_error("the tunnel is down; 'wg up' starts it");
    console_printf("interface: wy0\n");
    if (tunnel_public_key(pub)) {
        print_key("  public key: ", pub);
        console_printf("  private key: (hidden)\n");
    }
    console_printf("  listening port: %u\n", wyrm_lwip_port(tunnel_lwip()));
    if (tunnel_is_strict())
        console_printf("  strict: on\n");
    for (wyrm_peer_id id = 0; id < TUNNEL_PEERS; id++) {
        struct peer_query query = {.peer = id};

        if (wyrm_lwip_call_core(tunnel_lwip(), read_peer, &query) == WYRM_IDLE)
            show_peer(&query);
    }
    return true;
}

/* ---- wg up, wg down ---- */

static bool up(const struct wyrm_conf *conf, const uint8_t *key)
{
    if (!tunnel_up(conf, key, conf_is_strict()))
        return false;
    console_printf("tunnel: started on port %u with %u peer%s\n", wyrm_lwip_port(tunnel_lwip()),
                   conf->n_peers, conf->n_peers == 1 ? "" : "s");
    return true;
}

bool wg_up(void)
{
    const struct wyrm_conf *conf = conf_current();
    const uint8_t *key = conf_private_key();

    if (!conf)
        return shell_error("there is no configuration; enter a wg-quick file with 'conf paste'");
    if (!key)
        return shell_error("there is no private key; put one into the configuration, or generate "
                           "one with 'genkey'");
    return up(conf, key);
}

/* Without peers, and without a key unless the device has one: 'uapi' sets them. */
static bool up_with_addresses(int count, char **words)
{
    struct wyrm_prefix addresses[1 + LWIP_IPV6_NUM_ADDRESSES];
    struct wyrm_conf conf = {.prefixes = addresses};

    if ((size_t)count > sizeof addresses / sizeof addresses[0])
        return shell_error("the tunnel takes %u IPv4 address and at most %u IPv6 addresses",
                           TUNNEL_IPV4, TUNNEL_IPV6);
    for (int i = 0; i < count; i++) {
        if (!strchr(words[i], '/') ||
            wyrm_prefix_parse(words[i], strlen(words[i]), &addresses[i]) != WYRM_IDLE)
            return shell_error("'%s' is not an ADDRESS/BITS like 10.77.0.2/24", words[i]);
        conf.addresses.count++;
    }
    return up(&conf, conf_private_key());
}

static bool set_strict(const char *word)
{
    bool on = strcmp(word, "on") == 0;

    if (!on && strcmp(word, "off") != 0)
        return shell_usage();
    if (on && !conf_current() && !tunnel_is_up())
        return shell_error("there is no tunnel to route strictly; 'conf paste' a configuration, or "
                           "'wg up ADDRESS/BITS', first");
    conf_set_strict(on);
    tunnel_set_strict(on);
    console_printf("tunnel: strict policy %s; %s; 'conf save' keeps this\n", on ? "on" : "off",
                   on ? "AllowedIPs win over every attached network"
                      : "the longer prefix wins, AllowedIPs or attached network");
    return true;
}

bool command_wg(int argc, char **argv)
{
    if (argc == 1 || (argc == 2 && strcmp(argv[1], "show") == 0))
        return show();
    if (argc == 2 && strcmp(argv[1], "up") == 0)
        return wg_up();
    if (argc > 2 && strcmp(argv[1], "up") == 0)
        return up_with_addresses(argc - 2, argv + 2);
    if (argc == 2 && strcmp(argv[1], "down") == 0) {
        tunnel_down();
        console_printf("tunnel: down; its traffic is dropped until 'wg off'\n");
        return true;
    }
    if (argc == 2 && strcmp(argv[1], "off") == 0) {
        tunnel_forget();
        console_printf("tunnel: off; its traffic is routed as usual\n");
        return true;
    }
    if (argc == 3 && strcmp(argv[1], "strict") == 0)
        return set_strict(argv[2]);
    return shell_usage();
}

/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 */
#include "tunnel.h"

#include <string.h>

#include "lwip/tcpip.h"

#include "wyrm_crypto.h"
#include "wyrm_freertos.h"
#include "wyrm_store.h"

#include "board_api.h"
#include "build_info.h"
#include "console.h"
#include "deep_sleep.h"
#include "guard.h"
#include "names.h"
#include "neighbors.h"
#include "net.h"
#include "shell.h"

#define WORKER_PRIORITY 1
#define SESSION_LIFE_MS 180000u /* REJECT_AFTER_TIME */

static struct wyrm_worker worker;
static struct wyrm_store store;

/* When the current handshake began, on the device clock; 0: none. Guarded by the core lock. */
static uint64_t handshake_began;
static bool was_ready[TUNNEL_PEERS];
static bool strict_policy; /* set by the last start or tunnel_set_strict() */

/* ---- flash and entropy of the board ---- */

/* The store keeps a log that spans two sectors. All of it is read at boot, so larger sectors are
 * used only in part. */
enum {
    LOG_SIZE = BOARD_FLASH_SECTOR < 4096u ? BOARD_FLASH_SECTOR : 4096u,
    LOG_RECORDS = LOG_SIZE / WYRM_STORE_RECORD_LEN, /* per sector */
};

static size_t mark_at(unsigned place, size_t len)
{
    return place / LOG_RECORDS * BOARD_FLASH_SECTOR + place % LOG_RECORDS * len;
}

static bool load_mark(void *unused, unsigned place, void *buf, size_t len)
{
    (void)unused;
    return board_flash_read(BOARD_FLASH_STORE, mark_at(place, len), buf, len);
}

static bool save_mark(void *unused, unsigned place, const void *buf, size_t len)
{
    size_t at = mark_at(place, len);

    (void)unused;
    if (at % BOARD_FLASH_SECTOR == 0 &&
        !board_flash_erase(BOARD_FLASH_STORE, at, BOARD_FLASH_SECTOR))
        return false;
    return board_flash_program(BOARD_FLASH_STORE, at, buf, len);
}

#if WYRM_KEYLOG
/* Lets the lab decrypt its captures. Only builds with WYRM_KEYLOG contain this. */
static void log_key(const uint8_t *key, size_t len)
{
    char text[WYRM_KEY_TEXT_MAX];

    if (len != WYRM_KEY_LEN)
        return;
    (void)wyrm_key_print(key, text);
    console_notice("keylog: LOCAL_EPHEMERAL_PRIVATE_KEY = %s", text);
}
#else
static void log_key(const uint8_t *key, size_t len)
{
    (void)key;
    (void)len;
}
#endif

static bool draw_random(void *unused, void *out, size_t len)
{
    (void)unused;
    if (!board_random(out, len))
        return false;
    log_key(out, len);
    return true;
}

static const struct wyrm_platform platform = {
    .ctx = &store, .random = draw_random, .tai64n = wyrm_store_tai64n};

bool tunnel_random_key(uint8_t out[WYRM_KEY_LEN])
{
    return board_random(out, WYRM_KEY_LEN) ||
           shell_error(
               "the board has no entropy, so it cannot generate keys; generate them elsewhere");
}

/* ---- events ---- */

static void on_wake(void *unused)
{
    (void)unused;
    if (handshake_began == 0)
        handshake_began = board_clock_us();
    names_look();
    wyrm_worker_wake(&worker);
}

static bool look(wyrm_peer_id peer, struct wyrm_peer_info *info)
{
    return wyrm_peer_get(wyrm_lwip_device(tunnel_lwip()), wyrm_lwip_now_locked(tunnel_lwip()), peer,
                         info) == WYRM_IDLE;
}

/* Reports a peer's first session, the loss of a session and failed attempts, but no renewals.
 * Reports nothing about a removed peer, even if another peer has taken over its id. */
static void on_event(void *unused, wyrm_status event, wyrm_peer_id peer)
{
    bool ready = event == WYRM_READY;
    struct wyrm_peer_info info;

    (void)unused;
    if (ready && !was_ready[peer]) {
        uint64_t us = board_clock_us() - handshake_began;

        console_notice("tunnel: up, handshake took %u.%03u ms (device clock)",
                       (unsigned)(us / 1000), (unsigned)(us % 1000));
    } else if (!ready && look(peer, &info) && info.tx_bytes > 0) {
        console_notice("tunnel: a peer does not answer%s", was_ready[peer] ? " any more" : "");
    }
    was_ready[peer] = ready;
    handshake_began = 0;
}

/* A new peer may have the id of one that was ready. */
void tunnel_peers_changed(void)
{
    struct wyrm_peer_info info;

    guard_reconsider();
    for (wyrm_peer_id id = 0; id < TUNNEL_PEERS; id++)
        was_ready[id] = was_ready[id] && look(id, &info) && info.last_handshake != WYRM_NEVER;
}

/* ---- start and stop ---- */

void tunnel_init(void)
{
    static const struct wyrm_store_io io = {
        .load = load_mark, .save = save_mark, .per_sector = LOG_RECORDS};

    if (wyrm_store_init(&store, &io, WYRM_BUILD_UNIX_S) == WYRM_STORE_LOST)
        (void)shell_error("the timestamps in flash are lost, so peers may reject this device "
                          "for a while; a new key ('genkey') avoids that");
    deep_sleep_start();
}

struct application {
    const struct wyrm_conf *conf;
    const uint8_t *key;
    bool strict;
    err_t error;
};

static wyrm_status apply_peer(const struct application *a, uint16_t i)
{
    const struct wyrm_conf_peer *peer = &a->conf->peers[i];
    struct wyrm_device *device = wyrm_lwip_device(tunnel_lwip());
    wyrm_peer_id id;
    wyrm_status status = wyrm_peer_add(device, peer->pub, &id);

    if (status < 0)
        return status;
    (void)wyrm_peer_set_psk(device, id, peer->psk);
    if (peer->endpoint.address.family != 0)
        (void)wyrm_peer_set_endpoint(device, id, &peer->endpoint.address);
    else if (peer->endpoint.name_len > 0)
        names_keep(peer->pub, &peer->endpoint);
    (void)wyrm_peer_set_keepalive(device, id, peer->keepalive_s);
    for (uint16_t r = 0; r < peer->allowed.count && status >= 0; r++)
        status = wyrm_route_add(device, id, &a->conf->prefixes[peer->allowed.first + r]);
    if (peer->endpoint.address.family != 0)
        (void)wyrm_peer_connect(device, wyrm_lwip_now_locked(tunnel_lwip()), id);
    return status;
}

_Static_assert(GUARD_PREFIXES >= 2 * TUNNEL_ROUTES, "the guard holds a whole configuration");

/* Packets queued for an unresolved neighbor have already passed the guard, so drop them. */
static void set_strict_locked(bool on)
{
    strict_policy = on;
    guard_set_strict(on);
    net_forget_neighbors();
    wyrm_lwip_set_strict_locked(tunnel_lwip(), on);
}

void tunnel_set_strict(bool on)
{
    LOCK_TCPIP_CORE();
    set_strict_locked(on);
    UNLOCK_TCPIP_CORE();
}

bool tunnel_is_strict(void)
{
    return strict_policy;
}

void tunnel_await(const struct wyrm_conf *conf, bool strict)
{
    LOCK_TCPIP_CORE();
    set_strict_locked(strict);
    guard_hold(conf ? conf->prefixes : NULL, conf ? conf->n_prefixes : 0);
    UNLOCK_TCPIP_CORE();
}

static void use_dns(const struct wyrm_conf *conf)
{
    ip_addr_t servers[WYRM_CONF_DNS_MAX];
    unsigned count = 0;

    for (uint8_t i = 0; i < conf->n_dns; i++)
        count += net_address_of(conf->dns[i].family, conf->dns[i].addr, &servers[count]);
    net_use_dns(servers, count);
}

static wyrm_status configure(const struct application *a)
{
    wyrm_status status = wyrm_set_private_key(wyrm_lwip_device(tunnel_lwip()), a->key);

    for (uint16_t i = 0; i < a->conf->n_peers && status >= 0; i++)
        status = apply_peer(a, i);
    return status;
}

/* What the device itself does not remember over a sleep. Peers whose session has expired are
 * connected anew, as at any boot. */
static void recall_peers(const struct wyrm_conf *conf)
{
    const wyrm_ms now = wyrm_lwip_now_locked(tunnel_lwip());
    struct wyrm_peer_info info;

    for (uint16_t i = 0; i < conf->n_peers; i++)
        if (conf->peers[i].endpoint.name_len > 0 && conf->peers[i].endpoint.address.family == 0)
            names_keep(conf->peers[i].pub, &conf->peers[i].endpoint);
    for (wyrm_peer_id id = 0; id < TUNNEL_PEERS; id++) {
        if (!look(id, &info))
            continue;
        was_ready[id] = info.last_handshake != WYRM_NEVER &&
                        now - info.last_handshake < (wyrm_ms)SESSION_LIFE_MS;
        if (!was_ready[id] && info.endpoint.family != 0)
            (void)wyrm_peer_connect(wyrm_lwip_device(tunnel_lwip()), now, id);
    }
}

/* Holds the core lock from the old configuration to the new one, so that no packet leaks between
 * them. If the new one fails, traffic for its prefixes stays refused. */
static wyrm_status apply(struct wyrm_lwip *lwip, void *argument)
{
    struct application *a = argument;
    const struct wyrm_conf *conf = a->conf;
    const struct wyrm_lwip_config config = {.platform = &platform,
                                            .addresses = &conf->prefixes[conf->addresses.first],
                                            .n_addresses = conf->addresses.count,
                                            .listen_port = conf->listen_port,
                                            .mtu = conf->mtu,
                                            .strict = a->strict,
                                            .event = on_event,
                                            .wake = on_wake};

    guard_hold(conf->prefixes, conf->n_prefixes);
    set_strict_locked(a->strict);
    wyrm_lwip_stop_locked(lwip);
    names_forget();
    memset(was_ready, 0, sizeof was_ready);
    handshake_began = 0;
    a->error = wyrm_lwip_start_locked(lwip, &config);
    if (a->error != ERR_OK)
        return WYRM_E_STATE;

    wyrm_status status = deep_sleep_resume(conf, a->key);

    if (status >= 0)
        recall_peers(conf);
    else
        status = configure(a);
    if (status < 0) {
        wyrm_lwip_stop_locked(lwip);
        return status;
    }
    use_dns(conf);
    names_look();
    guard_release();
    return status;
}

bool tunnel_up(const struct wyrm_conf *conf, const uint8_t key[WYRM_KEY_LEN], bool strict)
{
    struct application a = {.conf = conf, .key = key, .strict = strict};

    wyrm_worker_start(&worker, tunnel_lwip(), WORKER_PRIORITY);
    wyrm_status status = wyrm_lwip_call(tunnel_lwip(), apply, &a);

    if (a.error == ERR_ARG)
        return shell_error("the tunnel takes %u IPv4 address and at most %u IPv6 addresses",
                           TUNNEL_IPV4, TUNNEL_IPV6);
    if (a.error != ERR_OK)
        return shell_error("the tunnel did not start: %s", net_error(a.error));
    if (status < 0)
        return shell_error("the tunnel did not start: %s", wyrm_status_text(status));
    return true;
}

void tunnel_down(void)
{
    wyrm_lwip_stop(tunnel_lwip());
}

void tunnel_forget(void)
{
    LOCK_TCPIP_CORE();
    wyrm_lwip_remove_locked(tunnel_lwip());
    names_forget();
    net_use_dns(NULL, 0);
    guard_release();
    UNLOCK_TCPIP_CORE();
    wyrm_worker_stop(&worker);
}

/* ---- counters ---- */

void tunnel_show_stats(void)
{
    static const char *const reasons[WYRM_DROP_REASONS] = {
        "malformed", "mac1",     "mac2",      "peer", "index", "expired",
        "tag",       "replay",   "timestamp", "rate", "route", "source",
        "inner",     "endpoint", "busy",      "dh",   "random"};
    struct wyrm_lwip_counters c;
    uint32_t drops[WYRM_DROP_REASONS];

    console_printf("guard     refused %u  unasked-neighbors %u\n", (unsigned)guard_refused(),
                   (unsigned)neighbors_refused());
    if (!tunnel_is_up())
        return;
    console_printf("sleep     resumed %u\n", (unsigned)deep_sleep_resumed());
    wyrm_lwip_count(tunnel_lwip(), &c, drops);
    console_printf("tunnel    rx %u  tx %u  rx-copies %u  tx-copies %u  held %u  held-dropped %u\n",
                   (unsigned)c.rx_packets, (unsigned)c.tx_packets, (unsigned)c.rx_copies,
                   (unsigned)c.tx_copies, (unsigned)c.held, (unsigned)c.held_dropped);
    console_printf("tunnel    loops %u  no-memory %u  unreachable %u  too-big %u  down %u  "
                   "send-errors %u  spoofed %u  timer %u\n",
                   (unsigned)c.loops, (unsigned)c.no_memory, (unsigned)c.unreachable,
                   (unsigned)c.too_big, (unsigned)c.down, (unsigned)c.send_errors,
                   (unsigned)c.spoofed, (unsigned)c.timer_fired);
    console_printf("tunnel    dropped ");
    for (size_t i = 0; i < WYRM_DROP_REASONS; i++)
        console_printf(" %s %u", reasons[i], (unsigned)drops[i]);
    console_printf("\n");
}

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 */
#include "tunnel.h"

#include <wyrm_freertos.h>

#include <string.h>

#define BUILD_UNIX_S 1760000000u /* any date before the device's first handshake */

WYRM_LWIP_DEFINE(tunnel, TUNNEL_PEERS, TUNNEL_ROUTES, TUNNEL_HELD);
WYRM_CONF_DEFINE(conf, TUNNEL_PEERS, TUNNEL_ROUTES + 2); /* two addresses of our own */
static struct wyrm_worker worker; /* runs handshakes, which take long, beside the TCP/IP task */
static struct wyrm_store store;
static const struct wyrm_platform platform = {&store, my_random, wyrm_store_tai64n};
static err_t started;

/* WYRM_READY comes with every new session, WYRM_LOST once a peer has not answered for 90 s. */
static void on_event(void *unused, wyrm_status event, wyrm_peer_id peer)
{
    (void)unused;
    (void)peer;
    my_log(event == WYRM_READY ? "tunnel: a peer has a session" : "tunnel: a peer does not answer");
}

static void on_wake(void *unused)
{
    (void)unused;
    wyrm_worker_wake(&worker);
}

static wyrm_status add_peer(struct wyrm_device *device, const struct wyrm_conf_peer *peer)
{
    wyrm_peer_id id;
    wyrm_status status = wyrm_peer_add(device, peer->pub, &id);

    if (status >= 0)
        status = wyrm_peer_set_psk(device, id, peer->psk);
    if (status >= 0 && peer->endpoint.address.family != 0)
        status = wyrm_peer_set_endpoint(device, id, &peer->endpoint.address);
    if (status >= 0)
        status = wyrm_peer_set_keepalive(device, id, peer->keepalive_s);
    for (uint16_t i = 0; i < peer->allowed.count && status >= 0; i++)
        status = wyrm_route_add(device, id, &conf.prefixes[peer->allowed.first + i]);
    return status;
}

/* In one go under lwIP's lock, so that no packet leaves in the clear between two of these steps. */
static wyrm_status bring_up(struct wyrm_lwip *lwip, void *unused)
{
    const struct wyrm_lwip_config config = {.platform = &platform,
                                            .addresses = &conf.prefixes[conf.addresses.first],
                                            .n_addresses = conf.addresses.count,
                                            .listen_port = conf.listen_port,
                                            .mtu = conf.mtu,
                                            .event = on_event,
                                            .wake = on_wake};
    wyrm_status status;

    (void)unused;
    started = wyrm_lwip_start_locked(lwip, &config);
    if (started != ERR_OK)
        return WYRM_E_STATE;
    status = wyrm_set_private_key(wyrm_lwip_device(lwip), conf.priv);
    for (uint16_t i = 0; i < conf.n_peers && status >= 0; i++)
        status = add_peer(wyrm_lwip_device(lwip), &conf.peers[i]);
    if (status < 0)
        wyrm_lwip_stop_locked(lwip);
    else
        names_start(lwip, &conf);
    return status;
}

static const char *reason(wyrm_status status)
{
    switch (started) {
    case ERR_OK:
        return wyrm_status_text(status);
    case ERR_USE:
        return "its port is in use";
    default:
        return "lwIP has no memory left, or no place for another interface";
    }
}

static bool fail(char error[WYRM_CONF_ERROR_MAX], const char *why)
{
    struct wyrm_pen pen;

    wyrm_pen_init(&pen, error, WYRM_CONF_ERROR_MAX);
    wyrm_pen_text(&pen, "the tunnel did not start: ");
    wyrm_pen_text(&pen, why);
    return false;
}

bool tunnel_start(const char *wg_quick_file, char error[WYRM_CONF_ERROR_MAX])
{
    wyrm_status status;

    if (wyrm_lwip_port(&tunnel) != 0)
        return fail(error, "it runs already"); /* with this configuration */
    conf.features = WYRM_CONF_NAMES;
    conf.max_allowed = TUNNEL_ROUTES;
    conf.max_ipv4 = 1;
    conf.max_ipv6 = LWIP_IPV6;
    if (wyrm_conf_parse(&conf, wg_quick_file, strlen(wg_quick_file), error, WYRM_CONF_ERROR_MAX) !=
        WYRM_IDLE)
        return false;
    if (wyrm_store_init(&store, &my_flash, BUILD_UNIX_S) == WYRM_STORE_LOST)
        my_log("tunnel: the flash has lost its timestamps; peers may refuse this key");
    wyrm_worker_start(&worker, &tunnel, tskIDLE_PRIORITY + 1);
    status = wyrm_lwip_call(&tunnel, bring_up, NULL);
    if (status >= 0)
        return true;
    wyrm_conf_wipe(&conf);
    return fail(error, reason(status));
}

static wyrm_status forget_names(struct wyrm_lwip *lwip, void *unused)
{
    (void)lwip;
    (void)unused;
    names_stop();
    return WYRM_IDLE;
}

void tunnel_stop(void)
{
    (void)wyrm_lwip_call(&tunnel, forget_names, NULL);
    wyrm_lwip_remove(&tunnel);
    wyrm_worker_stop(&worker);
    wyrm_conf_wipe(&conf);
}

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The program that is counted: it starts a tunnel with one peer and does nothing else.
 */
#include <wyrm_freertos.h>
#include <wyrm_lwip.h>
#include <wyrm_store.h>
#include <wyrm_text.h>

#include <string.h>

/* Declared, not linked. */
extern bool my_random(void *ctx, void *out, size_t len);
extern const struct wyrm_store_io my_flash;
extern const char my_wg_quick_file[];

WYRM_LWIP_DEFINE(tunnel, 1, 2, 4); /* peers, allowed prefixes, packets held during a handshake */
WYRM_CONF_DEFINE(conf, 1, 4);
static struct wyrm_worker worker;
static struct wyrm_store store;
static const struct wyrm_platform platform = {&store, my_random, wyrm_store_tai64n};

/* Peer and routes in one go under lwIP's lock, so that no packet slips out in between. */
static wyrm_status add_peer(struct wyrm_lwip *lwip, void *unused)
{
    const struct wyrm_conf_peer *peer = &conf.peers[0];
    struct wyrm_device *device = wyrm_lwip_device(lwip);
    wyrm_status status = wyrm_set_private_key(device, conf.priv);
    wyrm_peer_id id;

    (void)unused;
    if (status < 0 || (status = wyrm_peer_add(device, peer->pub, &id)) < 0)
        return status;
    (void)wyrm_peer_set_psk(device, id, peer->psk);
    (void)wyrm_peer_set_endpoint(device, id, &peer->endpoint.address);
    (void)wyrm_peer_set_keepalive(device, id, peer->keepalive_s);
    for (uint16_t i = 0; i < peer->allowed.count && status >= 0; i++)
        status = wyrm_route_add(device, id, &conf.prefixes[peer->allowed.first + i]);
    return status;
}

bool tunnel_start(char error[WYRM_CONF_ERROR_MAX]);

bool tunnel_start(char error[WYRM_CONF_ERROR_MAX])
{
    static struct wyrm_lwip_config config = {
        .platform = &platform, .wake = wyrm_worker_wake, .arg = &worker};

    if (wyrm_conf_parse(&conf, my_wg_quick_file, strlen(my_wg_quick_file), error,
                        WYRM_CONF_ERROR_MAX) != WYRM_IDLE)
        return false;
    config.addresses = &conf.prefixes[conf.addresses.first];
    config.n_addresses = conf.addresses.count;
    config.listen_port = conf.listen_port;
    config.mtu = conf.mtu;
    (void)wyrm_store_init(&store, &my_flash, 1760000000); /* a date before any handshake */
    wyrm_worker_start(&worker, &tunnel, tskIDLE_PRIORITY + 1);
    return wyrm_lwip_start(&tunnel, &config) == ERR_OK &&
           wyrm_lwip_call(&tunnel, add_peer, NULL) >= 0;
}

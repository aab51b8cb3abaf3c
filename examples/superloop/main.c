/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * A tunnel on a device without an operating system: lwIP with NO_SYS=1, and one loop that also
 * computes the handshakes. Nothing else happens meanwhile; docs/start/lwip.md says for how long.
 * Replace what is called my_...
 */
#include <wyrm_store.h>
#include <wyrm_tunnel.h>

#include "lwip/init.h"
#include "lwip/timeouts.h"

#include <string.h>

#define BUILD_UNIX_S 1760000000u /* any date before the device's first handshake */

enum { PEERS = 1, ADDRESSES = 2, ROUTES = 4, HELD = 4 };

/* Yours. The store and the random bytes may be those of examples/freertos-lwip. */
extern const char my_wg_quick_file[];
extern const struct wyrm_store_io my_flash;
bool my_random(void *ctx, void *out, size_t len);
/* Adds the network interface, makes it the default, and opens the application's ports. */
void my_start(void);
/* Hands received frames to the interface. It may sleep until there are some, but no longer than
 * sys_timeouts_sleeptime() says. */
void my_poll_ethernet(void);
void my_log(const char *sentence);

WYRM_TUNNEL_DEFINE(tunnel, PEERS, ROUTES, HELD);
WYRM_CONF_DEFINE(conf, PEERS, ADDRESSES + ROUTES);
static struct wyrm_store store;
static const struct wyrm_platform platform = {&store, my_random, wyrm_store_tai64n};

/* WYRM_READY comes with every new session, WYRM_LOST once a peer has not answered for 90 s. */
static void on_event(void *unused, wyrm_status event, wyrm_peer_id peer)
{
    (void)unused;
    (void)peer;
    my_log(event == WYRM_READY ? "tunnel: a peer has a session" : "tunnel: a peer does not answer");
}

static bool read_configuration(void)
{
    static char error[WYRM_CONF_ERROR_MAX];

    conf.features = LWIP_DNS ? WYRM_CONF_NAMES : 0;
    conf.max_allowed = ROUTES;
    conf.max_ipv4 = 1;
    conf.max_ipv6 = LWIP_IPV6;
    if (wyrm_conf_parse(&conf, my_wg_quick_file, strlen(my_wg_quick_file), error, sizeof(error)) >=
        0)
        return true;
    my_log(error);
    return false;
}

static void start_tunnel(void)
{
    const struct wyrm_tunnel_config config = {
        .platform = &platform, .conf = &conf, .keep_connected = true, .event = on_event};
    wyrm_status status;

    if (!read_configuration())
        return;
    if (wyrm_store_init(&store, &my_flash, BUILD_UNIX_S) == WYRM_STORE_LOST)
        my_log("tunnel: the flash has lost its timestamps; peers may refuse this key");
    status = wyrm_tunnel_start(&tunnel, &config);
    wyrm_conf_wipe(&conf); /* the tunnel has copies */
    if (status < 0)
        my_log(wyrm_status_text(status));
}

int main(void)
{
    lwip_init();
    my_start();
    start_tunnel();
    for (;;) {
        my_poll_ethernet();
        sys_check_timeouts(); /* handshakes, too */
    }
}

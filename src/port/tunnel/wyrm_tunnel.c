/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * A complete tunnel on lwIP: worker, configuration, endpoints by name, kept connected.
 */
#if !defined(WYRM_PORT_LWIP) || !WYRM_PORT_LWIP

typedef int wyrm_tunnel_not_built; /* ISO C requires a declaration in every file */

#else

#include "wyrm_tunnel.h"

#include "lwip/dns.h"
#include "lwip/timeouts.h"

#include <string.h>

enum {
    LOOK_MS = 10000,     /* how often peers are looked after */
    RENEW_MS = 150000,   /* age of a session that nobody renews: it ends at 180 s */
    UNANSWERED_LIMIT = 2 /* initiations in a row: a single one may be lost */
};

/* ---- Worker ------------------------------------------------------------------ */

#if NO_SYS

static void work(void *arg)
{
    struct wyrm_tunnel *tunnel = arg;

    wyrm_lwip_work(tunnel->lwip, &tunnel->job);
}

static void wake(struct wyrm_tunnel *tunnel)
{
    sys_untimeout(work, tunnel);
    sys_timeout(0, work, tunnel);
}

static bool start_worker(struct wyrm_tunnel *tunnel)
{
    LWIP_UNUSED_ARG(tunnel);
    return true;
}

/* lwIP must not keep a pointer to a tunnel that is stopped. */
static void stop_worker(struct wyrm_tunnel *tunnel)
{
    sys_untimeout(work, tunnel);
}

#else

/* Never ends: a later start reuses it. wyrm_lwip_work() returns at once if the tunnel is stopped.
 */
static void work(void *arg)
{
    struct wyrm_tunnel *tunnel = arg;

    for (;;) {
        (void)sys_arch_sem_wait(&tunnel->wake, 0);
        wyrm_lwip_work(tunnel->lwip, &tunnel->job);
    }
}

static void wake(struct wyrm_tunnel *tunnel)
{
    sys_sem_signal(&tunnel->wake);
}

static bool start_worker(struct wyrm_tunnel *tunnel)
{
    if (!tunnel->has_worker) {
        if (sys_sem_new(&tunnel->wake, 0) != ERR_OK)
            return false;
        (void)sys_thread_new("wyrm", work, tunnel, WYRM_TUNNEL_STACK, WYRM_TUNNEL_PRIORITY);
        tunnel->has_worker = true;
    }
    return true;
}

static void stop_worker(struct wyrm_tunnel *tunnel)
{
    LWIP_UNUSED_ARG(tunnel);
}

#endif

static void on_wake(void *arg)
{
    wake(arg);
}

static void on_event(void *arg, wyrm_status event, wyrm_peer_id peer)
{
    const struct wyrm_tunnel *tunnel = arg;

    if (tunnel->event != NULL)
        tunnel->event(tunnel->arg, event, peer);
}

/* ---- Endpoints by name, under the lock --------------------------------------- */

static void set_resolved(struct wyrm_tunnel *tunnel, const struct wyrm_tunnel_name *name,
                         const ip_addr_t *address)
{
    struct wyrm_device *device = wyrm_lwip_device(tunnel->lwip);
    wyrm_ms now = wyrm_lwip_now_locked(tunnel->lwip);
    struct wyrm_endpoint found;
    struct wyrm_peer_info info;
    wyrm_peer_id id;

    if (wyrm_peer_find(device, name->pub, &id) < 0 || wyrm_peer_get(device, now, id, &info) < 0)
        return;
    memset(&found, 0, sizeof(found)); /* compared with its padding */
    found.port = name->port;
    found.family = IP_IS_V6(address) ? 6 : 4;
    memcpy(found.addr, address, found.family == 6 ? 16 : 4); /* lwIP stores it first */
    if (memcmp(&found, &info.configured, sizeof(found)) == 0 ||
        wyrm_peer_set_endpoint(device, id, &found) < 0)
        return;
    (void)wyrm_peer_connect(device, now, id);
    wyrm_lwip_service_locked(tunnel->lwip);
}

#if LWIP_DNS
/* The answer may come after the tunnel was stopped, or when the entry holds another name. */
static void on_resolved(const char *host, const ip_addr_t *address, void *arg)
{
    const struct wyrm_tunnel_name *name = arg;

    if (address != NULL && name->tunnel->active && strcmp(host, name->host) == 0)
        set_resolved(name->tunnel, name, address);
}

static void resolve(struct wyrm_tunnel *tunnel, struct wyrm_tunnel_name *name)
{
    ip_addr_t address;

    if (dns_gethostbyname(name->host, &address, on_resolved, name) == ERR_OK)
        set_resolved(tunnel, name, &address);
}
#else
static void resolve(struct wyrm_tunnel *tunnel, struct wyrm_tunnel_name *name)
{
    set_resolved(tunnel, name, IP_ADDR_ANY); /* not reached: take_names() refuses names */
}
#endif

/* Resolves a name until there is an address, and again if nobody answers there. */
static void look_after_name(struct wyrm_tunnel *tunnel, struct wyrm_tunnel_name *name)
{
    const struct wyrm_device *device = wyrm_lwip_device(tunnel->lwip);
    struct wyrm_peer_info info;
    wyrm_peer_id id;

    if (wyrm_peer_find(device, name->pub, &id) >= 0 &&
        wyrm_peer_get(device, wyrm_lwip_now_locked(tunnel->lwip), id, &info) >= 0 &&
        (info.configured.family == 0 || info.unanswered >= UNANSWERED_LIMIT))
        resolve(tunnel, name);
}

/* ---- Keeping connected, under the lock --------------------------------------- */

static void reconnect(struct wyrm_tunnel *tunnel)
{
    struct wyrm_device *device = wyrm_lwip_device(tunnel->lwip);
    wyrm_ms now = wyrm_lwip_now_locked(tunnel->lwip);
    struct wyrm_peer_info info;

    for (wyrm_peer_id id = 0; id < tunnel->lwip->pools->n_peers; id++)
        if (wyrm_peer_get(device, now, id, &info) >= 0 && info.endpoint.family != 0 &&
            (!info.up || now - info.last_handshake >= RENEW_MS))
            (void)wyrm_peer_connect(device, now, id);
    wyrm_lwip_service_locked(tunnel->lwip);
}

static void look(void *arg)
{
    struct wyrm_tunnel *tunnel = arg;

    for (unsigned i = 0; i < tunnel->n_names; i++)
        look_after_name(tunnel, &tunnel->names[i]);
    if (tunnel->keep_connected)
        reconnect(tunnel);
    if (tunnel->active) /* an event may have stopped it */
        sys_timeout(LOOK_MS, look, tunnel);
}

/* ---- Start and stop ----------------------------------------------------------- */

/* Checks the names before anything starts. */
static bool take_names(struct wyrm_tunnel *tunnel, const struct wyrm_conf *conf)
{
    tunnel->n_names = 0;
    for (unsigned i = 0; i < conf->n_peers; i++) {
        const struct wyrm_conf_peer *peer = &conf->peers[i];
        const struct wyrm_host *host = &peer->endpoint;

        if (host->name_len == 0 || host->address.family == 6) /* the name of a zone */
            continue;
        if (!LWIP_DNS || host->name_len >= WYRM_TUNNEL_NAME_MAX ||
            tunnel->n_names == tunnel->max_names)
            return false;
        struct wyrm_tunnel_name *name = &tunnel->names[tunnel->n_names++];

        name->tunnel = tunnel;
        name->port = host->address.port;
        memcpy(name->pub, peer->pub, WYRM_KEY_LEN);
        memcpy(name->host, host->name, host->name_len);
        name->host[host->name_len] = '\0';
    }
    return true;
}

static wyrm_status add_peer(struct wyrm_device *device, const struct wyrm_conf *conf,
                            const struct wyrm_conf_peer *peer)
{
    wyrm_peer_id id;
    wyrm_status status = wyrm_peer_add(device, peer->pub, &id);

    if (status >= 0)
        status = wyrm_peer_set_psk(device, id, peer->psk);
    if (status >= 0 && peer->endpoint.address.family != 0)
        status = wyrm_peer_set_endpoint(device, id, &peer->endpoint.address);
    if (status >= 0)
        status = wyrm_peer_set_keepalive(device, id, peer->keepalive_s);
    for (unsigned i = 0; i < peer->allowed.count && status >= 0; i++)
        status = wyrm_route_add(device, id, &conf->prefixes[peer->allowed.first + i]);
    return status;
}

static wyrm_status configure(struct wyrm_tunnel *tunnel, const struct wyrm_conf *conf)
{
    struct wyrm_device *device = wyrm_lwip_device(tunnel->lwip);
    wyrm_status status = wyrm_set_private_key(device, conf->priv);

    for (unsigned i = 0; i < conf->n_peers && status >= 0; i++)
        status = add_peer(device, conf, &conf->peers[i]);
    return status;
}

static wyrm_status status_of(err_t err)
{
    switch (err) {
    case ERR_OK:
        return WYRM_OK;
    case ERR_ALREADY:
        return WYRM_E_STATE;
    case ERR_USE:
        return WYRM_E_EXISTS;
    case ERR_ARG:
        return WYRM_E_ARG;
    default:
        return WYRM_E_FULL;
    }
}

struct start {
    struct wyrm_tunnel *tunnel;
    const struct wyrm_tunnel_config *config;
};

/* In one call under the lock, so that no packet leaves in the clear between two of these steps. */
static wyrm_status do_start(struct wyrm_lwip *lwip, void *arg)
{
    const struct start *start = arg;
    const struct wyrm_tunnel_config *config = start->config;
    struct wyrm_tunnel *tunnel = start->tunnel;
    const struct wyrm_conf *conf = config->conf;
    const struct wyrm_lwip_config settings = {.platform = config->platform,
                                              .addresses = &conf->prefixes[conf->addresses.first],
                                              .n_addresses = conf->addresses.count,
                                              .listen_port = conf->listen_port,
                                              .mtu = conf->mtu,
                                              .bind_netif = config->bind_netif,
                                              .strict = config->strict,
                                              .event = on_event,
                                              .wake = on_wake,
                                              .arg = tunnel};
    bool had_interface = lwip->netif_added;

    if (tunnel->active)
        return WYRM_E_STATE;
    if (!take_names(tunnel, conf))
        return WYRM_E_ARG;
    tunnel->event = config->event;
    tunnel->arg = config->arg;
    tunnel->keep_connected = config->keep_connected;
    wyrm_status status = status_of(wyrm_lwip_start_locked(lwip, &settings));

    if (status < 0)
        return status;
    status = configure(tunnel, conf);
    if (status < 0) {
        wyrm_lwip_stop_locked(lwip);
        if (!had_interface)
            wyrm_lwip_remove_locked(lwip);
        return status;
    }
    tunnel->active = true;
    look(tunnel);
    return WYRM_OK;
}

wyrm_status wyrm_tunnel_start(struct wyrm_tunnel *tunnel, const struct wyrm_tunnel_config *config)
{
    struct start start = {tunnel, config};

    return start_worker(tunnel) ? wyrm_lwip_call(tunnel->lwip, do_start, &start) : WYRM_E_FULL;
}

/* sys_untimeout() needs the lock; what follows it does not. */
static wyrm_status do_stop(struct wyrm_lwip *lwip, void *arg)
{
    struct wyrm_tunnel *tunnel = arg;

    tunnel->active = false;
    sys_untimeout(look, tunnel);
    wyrm_lwip_stop_locked(lwip);
    stop_worker(tunnel);
    return WYRM_OK;
}

static wyrm_status do_remove(struct wyrm_lwip *lwip, void *arg)
{
    (void)do_stop(lwip, arg);
    wyrm_lwip_remove_locked(lwip);
    return WYRM_OK;
}

/* WYRM_E_FULL: lwIP has no memory for the call at the moment, see wyrm_lwip_call(). */
static void call_until_done(struct wyrm_tunnel *tunnel,
                            wyrm_status (*fn)(struct wyrm_lwip *, void *))
{
    while (wyrm_lwip_call(tunnel->lwip, fn, tunnel) == WYRM_E_FULL) {
#if !NO_SYS
        sys_msleep(10);
#endif
    }
}

void wyrm_tunnel_stop(struct wyrm_tunnel *tunnel)
{
    call_until_done(tunnel, do_stop);
}

void wyrm_tunnel_remove(struct wyrm_tunnel *tunnel)
{
    call_until_done(tunnel, do_remove);
}

/* ---- Peers -------------------------------------------------------------------- */

struct query {
    wyrm_peer_id peer;
    struct wyrm_peer_info *info;
    wyrm_ms *age_ms;
    const struct wyrm_prefix *prefix;
};

static wyrm_status do_get(struct wyrm_device *device, wyrm_ms now, void *arg)
{
    const struct query *query = arg;
    wyrm_status status = wyrm_peer_get(device, now, query->peer, query->info);

    if (status >= 0 && query->age_ms != NULL) {
        wyrm_ms at = query->info->last_handshake;

        *query->age_ms = at == WYRM_NEVER ? WYRM_NEVER : now - at;
    }
    return status;
}

wyrm_status wyrm_tunnel_peer(struct wyrm_tunnel *tunnel, wyrm_peer_id peer,
                             struct wyrm_peer_info *info, wyrm_ms *age_ms)
{
    struct query query = {.peer = peer, .info = info, .age_ms = age_ms};

    return wyrm_lwip_call_core(tunnel->lwip, do_get, &query);
}

static wyrm_status do_allow(struct wyrm_device *device, wyrm_ms now, void *arg)
{
    const struct query *query = arg;

    LWIP_UNUSED_ARG(now);
    return wyrm_route_add(device, query->peer, query->prefix);
}

wyrm_status wyrm_tunnel_allow(struct wyrm_tunnel *tunnel, wyrm_peer_id peer,
                              const struct wyrm_prefix *prefix)
{
    struct query query = {.peer = peer, .prefix = prefix};

    return wyrm_lwip_call_core(tunnel->lwip, do_allow, &query);
}

#endif /* WYRM_PORT_LWIP */

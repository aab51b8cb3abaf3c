/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * A complete tunnel on lwIP from a configuration: struct wyrm_lwip with its worker, keys, peers and
 * routes, endpoints given by name, and a connection that is kept up. For applications that need no
 * more than that; wyrm_lwip.h has the parts.
 *
 * With an operating system, handshakes run in a thread made by lwIP's sys_thread_new(). With
 * NO_SYS=1 they run inside sys_check_timeouts(), which then takes as long as a handshake does; see
 * examples/superloop, and docs/start/lwip.md for the milliseconds.
 *
 * Compile src/port/tunnel with WYRM_PORT_LWIP=1. lwIP needs one more MEMP_NUM_SYS_TIMEOUT per
 * tunnel than wyrm_lwip.h says, two with NO_SYS=1; and LWIP_DNS=1 for names.
 */
#ifndef WYRM_TUNNEL_H
#define WYRM_TUNNEL_H

#include "wyrm_lwip.h"
#include "wyrm_text.h"

#include "lwip/sys.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Stack of the worker in bytes, as sys_thread_new() takes it on most systems. */
#ifndef WYRM_TUNNEL_STACK
#ifdef ESP_PLATFORM
#define WYRM_TUNNEL_STACK 4096
#else
#define WYRM_TUNNEL_STACK 2048
#endif
#endif

/* Priority of the worker: below that of the TCP/IP thread. */
#ifndef WYRM_TUNNEL_PRIORITY
#define WYRM_TUNNEL_PRIORITY 2
#endif

/* The longest host name of an endpoint, with its NUL. */
#ifndef WYRM_TUNNEL_NAME_MAX
#define WYRM_TUNNEL_NAME_MAX 128
#endif

struct wyrm_tunnel_config {
    const struct wyrm_platform *platform; /* must outlive the tunnel */
    /* Parsed from a wg-quick file or filled otherwise; need not outlive the call. An endpoint may
     * have both an IPv4 address, which is used first, and a name. */
    const struct wyrm_conf *conf;
    struct netif *bind_netif; /* as in wyrm_lwip_config, like the next member */
    bool strict;
    /* Handshake with every peer whose endpoint is known, without waiting for traffic, until it
     * succeeds; and again before the session ends. */
    bool keep_connected;
    /* As in wyrm_lwip_config; may be NULL. */
    void (*event)(void *arg, wyrm_status event, wyrm_peer_id peer);
    void *arg;
};

struct wyrm_tunnel;

/* An endpoint given by name. Members are private. */
struct wyrm_tunnel_name {
    struct wyrm_tunnel *tunnel;
    uint8_t pub[WYRM_KEY_LEN];
    uint16_t port;
    char host[WYRM_TUNNEL_NAME_MAX];
};

/* Members are private. */
struct wyrm_tunnel {
    struct wyrm_lwip *lwip;
    struct wyrm_tunnel_name *names;
    uint16_t max_names, n_names;
    bool active, keep_connected;
    void (*event)(void *arg, wyrm_status event, wyrm_peer_id peer);
    void *arg;
#if !NO_SYS
    bool has_worker;
    sys_sem_t wake;
#endif
    struct wyrm_job job;
};

/* Defines a tunnel with all its storage, in .bss. `route_count`: allowed prefixes of all peers. */
#define WYRM_TUNNEL_DEFINE(name, peer_count, route_count, held_packets)                            \
    WYRM_LWIP_DEFINE(name##_lwip, peer_count, route_count, held_packets);                          \
    static struct wyrm_tunnel_name name##_names[peer_count];                                       \
    static struct wyrm_tunnel name = {                                                             \
        .lwip = &name##_lwip, .names = name##_names, .max_names = (peer_count)}

/* All of the following may be called from any task, with lwIP's core lock held or not.
 *
 * On error the tunnel is as before. WYRM_E_STATE: it is running. WYRM_E_ARG: the addresses do not
 * fit the interface, or a name is too long or cannot be resolved here. WYRM_E_EXISTS: the port is
 * in use. WYRM_E_FULL: out of memory, peers or routes. Else what the core said of a key. */
wyrm_status wyrm_tunnel_start(struct wyrm_tunnel *tunnel, const struct wyrm_tunnel_config *config);
/* Wipes all secrets. The interface stays and refuses packets for allowed prefixes. */
void wyrm_tunnel_stop(struct wyrm_tunnel *tunnel);
/* The same, and removes the interface: its traffic takes other ways from now on. */
void wyrm_tunnel_remove(struct wyrm_tunnel *tunnel);
/* WYRM_E_STATE: the tunnel is not running, or there is no such peer. Peers have the ids 0, 1, ...
 * in the order of the configuration. `age_ms` receives the time since the last handshake,
 * WYRM_NEVER if there was none; it may be NULL. */
wyrm_status wyrm_tunnel_peer(struct wyrm_tunnel *tunnel, wyrm_peer_id peer,
                             struct wyrm_peer_info *info, wyrm_ms *age_ms);
/* Lets a peer of the running tunnel have more addresses. */
wyrm_status wyrm_tunnel_allow(struct wyrm_tunnel *tunnel, wyrm_peer_id peer,
                              const struct wyrm_prefix *prefix);

#ifdef __cplusplus
}
#endif

#endif /* WYRM_TUNNEL_H */

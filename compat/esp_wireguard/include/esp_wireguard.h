/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The interface of trombik's and droscy's esp_wireguard, on Wyrmling. Replaces either library
 * without a change of the application. Differences on purpose, and how to move on to wyrm_tunnel.h:
 * docs/migrating.md.
 *
 * All functions may be called from any task, with lwIP's core lock held or not. There is one
 * tunnel, as in the originals.
 */
#ifndef ESP_WIREGUARD_H
#define ESP_WIREGUARD_H

#include "esp_wireguard_err.h"

#include <stdint.h>
#include <time.h>

#include <lwip/ip_addr.h>
#include <lwip/netif.h>

#ifdef __cplusplus
extern "C" {
#endif

/* `address` and `netmask` are droscy's names: the peer may have the addresses that
 * esp_wireguard_add_allowed_ip() adds, and no others. `allowed_ip` and `allowed_ip_mask` are
 * trombik's names for the same address of the interface: the peer may then have all addresses. Set
 * one pair. */
typedef struct {
    const char *private_key;       /* base64 */
    uint16_t listen_port;          /* 0: any free port */
    uint32_t fw_mark;              /* ignored, as in the originals */
    const char *public_key;        /* of the peer, base64 */
    const char *preshared_key;     /* base64, or NULL */
    const char *address;           /* of the interface, IPv4 */
    const char *netmask;           /* NULL: 255.255.255.255 */
    const char *allowed_ip;        /* of the interface, IPv4 */
    const char *allowed_ip_mask;   /* NULL: 255.255.255.255 */
    const char *endpoint;          /* address or host name of the peer */
    ip_addr_t endpoint_ip;         /* of the endpoint, filled by esp_wireguard_connect() */
    uint16_t port;                 /* of the peer */
    uint16_t persistent_keepalive; /* seconds; 0: none */
} wireguard_config_t;

typedef struct {
    wireguard_config_t *config;  /* as given to esp_wireguard_init() */
    struct netif *netif;         /* the tunnel; NULL while not connected */
    struct netif *netif_default; /* lwIP's default interface before connect */
} wireguard_ctx_t;

#define ESP_WIREGUARD_CONFIG_DEFAULT()                                                             \
    {                                                                                              \
        .private_key = NULL, .listen_port = 0, .fw_mark = 0, .public_key = NULL,                   \
        .preshared_key = NULL, .address = NULL, .netmask = NULL, .allowed_ip = NULL,               \
        .allowed_ip_mask = NULL, .endpoint = NULL, .endpoint_ip = IPADDR4_INIT(0), .port = 51820,  \
        .persistent_keepalive = 0                                                                  \
    }

#define ESP_WIREGUARD_CONTEXT_DEFAULT()                                                            \
    {                                                                                              \
        .config = NULL, .netif = NULL, .netif_default = NULL                                       \
    }

/* Checks and copies the configuration; the strings may be freed afterwards. Disconnects a context
 * that is connected. ESP_ERR_INVALID_ARG: something is missing or malformed. */
esp_err_t esp_wireguard_init(wireguard_config_t *config, wireguard_ctx_t *ctx);

/* Starts the tunnel and keeps connecting to the peer. ESP_OK: started, or it was running; the peer
 * is up later. ESP_ERR_RETRY: the endpoint's name is being resolved, call again.
 * ESP_ERR_INVALID_IP: it could not be resolved; the next call tries again. ESP_ERR_INVALID_STATE:
 * not initialized, or DNS is not. ESP_FAIL: out of memory, or the port is in use. */
esp_err_t esp_wireguard_connect(wireguard_ctx_t *ctx);

/* Ends the tunnel, removes its interface and restores the default interface. ESP_ERR_INVALID_STATE:
 * it was not connected. */
esp_err_t esp_wireguard_disconnect(wireguard_ctx_t *ctx);

/* Makes the tunnel lwIP's default interface; its own datagrams leave through the one that was the
 * default when it connected. ESP_ERR_INVALID_STATE: not connected. */
esp_err_t esp_wireguard_set_default(const wireguard_ctx_t *ctx);
/* ESP_ERR_INVALID_STATE: there was no default interface. */
esp_err_t esp_wireguard_restore_default(const wireguard_ctx_t *ctx);

/* ESP_OK: there is a session. ESP_FAIL: there is none. */
esp_err_t esp_wireguard_peer_is_up(const wireguard_ctx_t *ctx);
#define esp_wireguardif_peer_is_up(ctx) esp_wireguard_peer_is_up(ctx)

/* When the last handshake completed, in seconds of time(). ESP_FAIL: never. */
esp_err_t esp_wireguard_latest_handshake(const wireguard_ctx_t *ctx, time_t *result);

/* Lets the peer of a connected tunnel have more addresses. IPv4 with a mask in dots; IPv6 with the
 * mask as an address (ffff:ffff::) or as a prefix length ("64"). */
esp_err_t esp_wireguard_add_allowed_ip(const wireguard_ctx_t *ctx, const char *allowed_ip,
                                       const char *allowed_ip_mask);

#ifdef __cplusplus
}
#endif

#endif /* ESP_WIREGUARD_H */

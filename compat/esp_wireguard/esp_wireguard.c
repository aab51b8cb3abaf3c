/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 */
#include "esp_wireguard.h"

#include <wyrm_tunnel.h>
#include <wyrm_tunnel_platform.h>

#include "lwip/dns.h"

#include <string.h>

/* ESPHome says how many allowed addresses it will add, the device's own included. */
#ifdef CONFIG_WIREGUARD_MAX_SRC_IPS
#define ROUTES (CONFIG_WIREGUARD_MAX_SRC_IPS + 1)
#else
#define ROUTES 8
#endif

enum { HELD = 4, PEER = 0 };

WYRM_TUNNEL_DEFINE(tunnel, 1, ROUTES, HELD);
WYRM_CONF_DEFINE(conf, 1, 3); /* the address of the interface, and both default routes */

static const wireguard_ctx_t *owner; /* the context that was initialized last */
static char host[WYRM_TUNNEL_NAME_MAX];

/* Resolution of the endpoint's name, under the lock. The address is kept until the next connect:
 * its time to live may be shorter than the pause between two calls. */
static enum { IDLE, ASKED, RESOLVED, FAILED } resolution;
static ip_addr_t resolved;

static const wyrm_ms MS_PER_S = 1000;

/* ---- Configuration ------------------------------------------------------------- */

static bool parse_key(const char *text, uint8_t key[WYRM_KEY_LEN])
{
    return text != NULL && wyrm_key_parse(text, strlen(text), key) >= 0;
}

/* Length of a prefix from its mask; -1: it has holes. */
static int mask_length(const uint8_t *mask, unsigned bytes)
{
    unsigned bits = 0;

    while (bits < bytes * 8 && (mask[bits / 8] & 0x80 >> bits % 8) != 0)
        bits++;
    for (unsigned i = bits; i < bytes * 8; i++)
        if ((mask[i / 8] & 0x80 >> i % 8) != 0)
            return -1;
    return (int)bits;
}

static bool parse_length(const char *mask, uint8_t family, uint8_t *bits)
{
    unsigned max = family == 6 ? 128 : 32;
    struct wyrm_prefix address;
    uint32_t number;

    if (wyrm_number_parse(mask, strlen(mask), 10, max, &number) >= 0) {
        *bits = (uint8_t)number;
        return true;
    }
    if (wyrm_prefix_parse(mask, strlen(mask), &address) < 0 || address.family != family)
        return false;
    int length = mask_length(address.addr, max / 8);

    *bits = (uint8_t)length;
    return length >= 0;
}

/* A mask of NULL is that of a single address. */
static bool parse_prefix(const char *address, const char *mask, struct wyrm_prefix *out)
{
    return address != NULL && strchr(address, '/') == NULL &&
           wyrm_prefix_parse(address, strlen(address), out) >= 0 &&
           (mask == NULL || parse_length(mask, out->family, &out->bits));
}

static bool parse_endpoint(const wireguard_config_t *config, struct wyrm_host *out)
{
    struct wyrm_prefix address;
    size_t len = config->endpoint == NULL ? 0 : strlen(config->endpoint);

    memset(out, 0, sizeof(*out));
    out->address.port = config->port;
    if (len == 0 || len >= sizeof(host) || config->port == 0)
        return false;
    if (strchr(config->endpoint, '/') == NULL &&
        wyrm_prefix_parse(config->endpoint, len, &address) >= 0) {
        out->address.family = address.family;
        memcpy(out->address.addr, address.addr, sizeof(out->address.addr));
        return true;
    }
    memcpy(host, config->endpoint, len + 1);
    out->name = host;
    out->name_len = (uint8_t)len;
    return wyrm_is_host_name(host, len);
}

static void allow_everything(struct wyrm_conf_peer *peer)
{
    conf.prefixes[1] = (struct wyrm_prefix){.family = 4};
    peer->allowed = (struct wyrm_conf_range){.first = 1, .count = 1};
#if LWIP_IPV6 && WYRM_IPV6
    conf.prefixes[2] = (struct wyrm_prefix){.family = 6};
    peer->allowed.count = 2;
#endif
}

static bool parse(const wireguard_config_t *config)
{
    struct wyrm_conf_peer *peer = &conf.peers[PEER];
    bool droscy = config->address != NULL;

    wyrm_conf_wipe(&conf);
    if (!parse_prefix(droscy ? config->address : config->allowed_ip,
                      droscy ? config->netmask : config->allowed_ip_mask, &conf.prefixes[0]) ||
        conf.prefixes[0].family != 4 || !parse_key(config->private_key, conf.priv) ||
        !parse_key(config->public_key, peer->pub) || !parse_endpoint(config, &peer->endpoint) ||
        (config->preshared_key != NULL && !parse_key(config->preshared_key, peer->psk)))
        return false;
    conf.addresses = (struct wyrm_conf_range){.first = 0, .count = 1};
    conf.listen_port = config->listen_port;
    conf.n_peers = 1;
    peer->keepalive_s = config->persistent_keepalive;
    if (!droscy)
        allow_everything(peer);
    return true;
}

static bool is_owner(const wireguard_ctx_t *ctx)
{
    return ctx->config != NULL && ctx == owner;
}

esp_err_t esp_wireguard_init(wireguard_config_t *config, wireguard_ctx_t *ctx)
{
    if (config == NULL || ctx == NULL)
        return ESP_ERR_INVALID_ARG;
    if (is_owner(ctx) && ctx->netif != NULL)
        (void)esp_wireguard_disconnect(ctx);
    if (wyrm_lwip_port(tunnel.lwip) != 0) /* another context's, which alone can disconnect it */
        return ESP_ERR_INVALID_STATE;
    owner = NULL;
    if (!parse(config)) {
        wyrm_conf_wipe(&conf);
        return ESP_ERR_INVALID_ARG;
    }
    ctx->config = config;
    ctx->netif = NULL;
    ctx->netif_default = netif_default;
    owner = ctx;
    return ESP_OK;
}

/* ---- The endpoint's name --------------------------------------------------------- */

#if LWIP_DNS

static void on_resolved(const char *name, const ip_addr_t *address, void *unused)
{
    LWIP_UNUSED_ARG(unused);
    if (resolution != ASKED || strcmp(name, host) != 0)
        return;
    resolution = FAILED;
    if (address != NULL) {
        resolution = RESOLVED;
        resolved = *address;
    }
}

/* Runs under the lock. */
static esp_err_t resolve(ip_addr_t *out)
{
    if (resolution == ASKED)
        return ESP_ERR_RETRY;
    if (resolution != IDLE) {
        bool found = resolution == RESOLVED;

        resolution = IDLE;
        *out = resolved;
        return found ? ESP_OK : ESP_ERR_INVALID_IP;
    }
    switch (dns_gethostbyname(host, out, on_resolved, NULL)) {
    case ERR_OK:
        return ESP_OK;
    case ERR_INPROGRESS:
        resolution = ASKED;
        return ESP_ERR_RETRY;
    case ERR_ARG:
        return ESP_ERR_INVALID_STATE;
    default:
        return ESP_FAIL;
    }
}

#else

static esp_err_t resolve(ip_addr_t *out)
{
    LWIP_UNUSED_ARG(out);
    return ESP_ERR_INVALID_STATE;
}

#endif

/* ---- Connect and disconnect, under the lock --------------------------------------- */

static esp_err_t error_of(wyrm_status status)
{
    switch (status) {
    case WYRM_OK:
        return ESP_OK;
    case WYRM_E_ARG:
    case WYRM_E_KEY:
        return ESP_ERR_INVALID_ARG;
    case WYRM_E_STATE:
        return ESP_ERR_INVALID_STATE;
    default:
        return ESP_FAIL;
    }
}

struct call {
    wireguard_ctx_t *ctx;
    const wireguard_ctx_t *reader;
    esp_err_t result;
};

static void fill_endpoint_ip(wireguard_ctx_t *ctx, const struct wyrm_endpoint *endpoint)
{
    ip_addr_t *out = &ctx->config->endpoint_ip;

    if (endpoint->family == 4) {
        memcpy(ip_2_ip4(out), endpoint->addr, 4);
        IP_SET_TYPE(out, IPADDR_TYPE_V4);
    }
#if LWIP_IPV6 && WYRM_IPV6
    if (endpoint->family == 6) {
        memcpy(ip_2_ip6(out)->addr, endpoint->addr, 16);
        IP_SET_TYPE(out, IPADDR_TYPE_V6);
    }
#endif
}

/* The tunnel starts with the address, and resolves the name again if nobody answers there. */
static void use_resolved(struct wyrm_endpoint *out, const ip_addr_t *address)
{
    out->family = IP_IS_V4(address) ? 4 : 0; /* 6 with a name would mean a zone */
    memcpy(out->addr, ip_2_ip4(address), 4);
}

static wyrm_status do_connect(struct wyrm_lwip *lwip, void *arg)
{
    struct call *call = arg;
    wireguard_ctx_t *ctx = call->ctx;
    struct wyrm_host *endpoint = &conf.peers[PEER].endpoint;
    const struct wyrm_tunnel_config config = {
        .platform = wyrm_tunnel_platform(), .conf = &conf, .keep_connected = true};

    call->result = ESP_OK;
    if (endpoint->name_len > 0) {
        call->result = resolve(&ctx->config->endpoint_ip);
        use_resolved(&endpoint->address, &ctx->config->endpoint_ip);
    } else {
        fill_endpoint_ip(ctx, &endpoint->address);
    }
    if (call->result == ESP_OK) {
        ctx->netif_default = netif_default;
        call->result = error_of(wyrm_tunnel_start(&tunnel, &config));
    }
    if (call->result == ESP_OK)
        ctx->netif = wyrm_lwip_netif(lwip);
    return WYRM_OK;
}

static esp_err_t run(wyrm_status (*fn)(struct wyrm_lwip *, void *), struct call *call)
{
    call->result = ESP_FAIL; /* lwIP had no memory for the call */
    (void)wyrm_lwip_call(tunnel.lwip, fn, call);
    return call->result;
}

esp_err_t esp_wireguard_connect(wireguard_ctx_t *ctx)
{
    if (ctx == NULL)
        return ESP_ERR_INVALID_ARG;
    if (!is_owner(ctx) || wyrm_tunnel_platform() == NULL)
        return ESP_ERR_INVALID_STATE;
    return ctx->netif != NULL ? ESP_OK : run(do_connect, &(struct call){.ctx = ctx});
}

static wyrm_status do_disconnect(struct wyrm_lwip *lwip, void *arg)
{
    struct call *call = arg;
    wireguard_ctx_t *ctx = call->ctx;
    bool was_default = netif_default == wyrm_lwip_netif(lwip);

    wyrm_tunnel_remove(&tunnel);
    if (was_default)
        netif_set_default(ctx->netif_default);
    ctx->netif = NULL;
    call->result = ESP_OK;
    return WYRM_OK;
}

esp_err_t esp_wireguard_disconnect(wireguard_ctx_t *ctx)
{
    if (ctx == NULL)
        return ESP_ERR_INVALID_ARG;
    if (!is_owner(ctx) || ctx->netif == NULL)
        return ESP_ERR_INVALID_STATE;
    return run(do_disconnect, &(struct call){.ctx = ctx});
}

/* ---- Default interface -------------------------------------------------------------- */

static wyrm_status do_set_default(struct wyrm_lwip *lwip, void *arg)
{
    struct call *call = arg;

    wyrm_lwip_bind_netif_locked(lwip, call->reader->netif_default);
    netif_set_default(wyrm_lwip_netif(lwip));
    call->result = ESP_OK;
    return WYRM_OK;
}

esp_err_t esp_wireguard_set_default(const wireguard_ctx_t *ctx)
{
    if (ctx == NULL)
        return ESP_ERR_INVALID_ARG;
    if (!is_owner(ctx) || ctx->netif == NULL)
        return ESP_ERR_INVALID_STATE;
    return run(do_set_default, &(struct call){.reader = ctx});
}

static wyrm_status do_restore_default(struct wyrm_lwip *lwip, void *arg)
{
    struct call *call = arg;

    netif_set_default(call->reader->netif_default);
    if (call->reader->netif != NULL)
        wyrm_lwip_bind_netif_locked(lwip, NULL);
    call->result = ESP_OK;
    return WYRM_OK;
}

esp_err_t esp_wireguard_restore_default(const wireguard_ctx_t *ctx)
{
    if (ctx == NULL)
        return ESP_ERR_INVALID_ARG;
    if (!is_owner(ctx) || ctx->netif_default == NULL)
        return ESP_ERR_INVALID_STATE;
    return run(do_restore_default, &(struct call){.reader = ctx});
}

/* ---- The peer ------------------------------------------------------------------------ */

esp_err_t esp_wireguard_peer_is_up(const wireguard_ctx_t *ctx)
{
    struct wyrm_peer_info info;

    if (ctx == NULL)
        return ESP_ERR_INVALID_ARG;
    return is_owner(ctx) && ctx->netif != NULL &&
                   wyrm_tunnel_peer(&tunnel, PEER, &info, NULL) >= 0 && info.up
               ? ESP_OK
               : ESP_FAIL;
}

esp_err_t esp_wireguard_latest_handshake(const wireguard_ctx_t *ctx, time_t *result)
{
    struct wyrm_peer_info info;
    wyrm_ms age;

    if (ctx == NULL || result == NULL)
        return ESP_ERR_INVALID_ARG;
    if (!is_owner(ctx) || ctx->netif == NULL)
        return ESP_ERR_INVALID_STATE;
    if (wyrm_tunnel_peer(&tunnel, PEER, &info, &age) < 0 || age == WYRM_NEVER)
        return ESP_FAIL;
    *result = time(NULL) - (time_t)(age / MS_PER_S);
    return ESP_OK;
}

esp_err_t esp_wireguard_add_allowed_ip(const wireguard_ctx_t *ctx, const char *allowed_ip,
                                       const char *allowed_ip_mask)
{
    struct wyrm_prefix prefix;

    if (ctx == NULL || allowed_ip == NULL || allowed_ip_mask == NULL)
        return ESP_ERR_INVALID_ARG;
    if (!is_owner(ctx) || ctx->netif == NULL)
        return ESP_ERR_INVALID_STATE;
    if (!parse_prefix(allowed_ip, allowed_ip_mask, &prefix))
        return ESP_ERR_INVALID_ARG;
    return error_of(wyrm_tunnel_allow(&tunnel, PEER, &prefix));
}

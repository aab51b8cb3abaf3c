/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * A tunnel on ESP-IDF: wg-quick files, NVS, events, the console command.
 */
/* Arduino compiles every file of a library, and has a class of its own. */
#if !defined(ESP_PLATFORM) || defined(ARDUINO)

typedef int wyrm_esp_not_built; /* ISO C requires a declaration in every file */

#else

#include "wyrm_esp.h"

#include "wyrm_crypto.h"
#include "wyrm_tunnel_platform.h"

#include "esp_console.h"
#include "freertos/task.h"
#include "nvs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAMESPACE "wyrmling"
#define CONF_KEY  "conf"

enum { HELD = 4, ADDRESSES = 3, POLL_MS = 50 };

ESP_EVENT_DEFINE_BASE(WYRM_EVENT);

WYRM_TUNNEL_DEFINE(tunnel, WYRM_ESP_PEERS, WYRM_ESP_ROUTES, HELD);
WYRM_CONF_DEFINE(conf, WYRM_ESP_PEERS, WYRM_ESP_ROUTES + ADDRESSES);
static char error[WYRM_CONF_ERROR_MAX];

/* ---- Configuration ------------------------------------------------------------- */

static bool parse(const char *text)
{
    conf.features = LWIP_DNS ? WYRM_CONF_NAMES : 0;
    conf.max_allowed = WYRM_ESP_ROUTES;
    conf.max_ipv4 = 1;
    conf.max_ipv6 = LWIP_IPV6 && WYRM_IPV6 ? LWIP_IPV6_NUM_ADDRESSES - 1 : 0;
    return wyrm_conf_parse(&conf, text, strlen(text), error, sizeof(error)) >= 0;
}

static esp_err_t fail(esp_err_t err, const char *sentence)
{
    (void)snprintf(error, sizeof(error), "%s", sentence);
    return err;
}

esp_err_t wyrm_esp_save(const char *conf_text)
{
    nvs_handle_t handle;

    if (conf_text == NULL)
        return fail(ESP_ERR_INVALID_ARG, "there is no configuration to save");
    bool good = parse(conf_text);

    wyrm_conf_wipe(&conf);
    if (!good)
        return ESP_ERR_INVALID_ARG;
    esp_err_t err = nvs_open(NAMESPACE, NVS_READWRITE, &handle);

    if (err != ESP_OK)
        return fail(err, "NVS is not initialized: call nvs_flash_init() first");
    err = nvs_set_blob(handle, CONF_KEY, conf_text, strlen(conf_text) + 1);
    if (err == ESP_OK)
        err = nvs_commit(handle);
    nvs_close(handle);
    return err == ESP_OK ? ESP_OK : fail(err, "NVS has no room for the configuration");
}

/* The stored text, or NULL; to be wiped and freed. */
static char *read_stored(size_t *len)
{
    nvs_handle_t handle;
    char *text = NULL;

    *len = 0;
    if (nvs_open(NAMESPACE, NVS_READWRITE, &handle) != ESP_OK)
        return NULL;
    if (nvs_get_blob(handle, CONF_KEY, NULL, len) == ESP_OK && *len > 0)
        text = malloc(*len);
    if (text != NULL &&
        (nvs_get_blob(handle, CONF_KEY, text, len) != ESP_OK || text[*len - 1] != '\0')) {
        free(text);
        text = NULL;
    }
    nvs_close(handle);
    return text;
}

const char *wyrm_esp_error(void)
{
    return error;
}

/* ---- Start and stop ---------------------------------------------------------------- */

/* Under lwIP's lock, so it must not wait for room in the event loop's queue. */
static void on_event(void *unused, wyrm_status event, wyrm_peer_id peer)
{
    (void)unused;
    (void)esp_event_post(WYRM_EVENT, event == WYRM_READY ? WYRM_EVENT_UP : WYRM_EVENT_DOWN, &peer,
                         sizeof(peer), 0);
}

static esp_err_t start_parsed(bool strict)
{
    const struct wyrm_tunnel_config config = {.platform = wyrm_tunnel_platform(),
                                              .conf = &conf,
                                              .strict = strict,
                                              .keep_connected = true,
                                              .event = on_event};

    if (config.platform == NULL)
        return fail(ESP_ERR_INVALID_STATE, "NVS is not initialized: call nvs_flash_init() first");
    wyrm_status status = wyrm_tunnel_start(&tunnel, &config);

    switch (status) {
    case WYRM_OK:
        error[0] = '\0';
        return ESP_OK;
    case WYRM_E_STATE:
        return fail(ESP_ERR_INVALID_STATE, "the tunnel is running; stop it first");
    case WYRM_E_EXISTS:
        return fail(ESP_ERR_NO_MEM, "ListenPort is in use");
    case WYRM_E_FULL:
        return fail(ESP_ERR_NO_MEM, "lwIP is out of memory");
    default:
        return fail(ESP_ERR_INVALID_ARG, wyrm_status_text(status));
    }
}

static esp_err_t start_text(const char *text, bool strict)
{
    esp_err_t err = parse(text) ? start_parsed(strict) : ESP_ERR_INVALID_ARG;

    wyrm_conf_wipe(&conf); /* the tunnel has copied what it needs */
    return err;
}

static esp_err_t start_stored(bool strict)
{
    size_t len;
    char *text = read_stored(&len);

    if (text == NULL)
        return fail(ESP_ERR_NOT_FOUND, "no configuration is stored: call wyrm_esp_save() once");
    esp_err_t err = start_text(text, strict);

    wyrm_wipe(text, len);
    free(text);
    return err;
}

esp_err_t wyrm_esp_start(const wyrm_esp_config_t *config)
{
    return config->conf_text == NULL ? start_stored(config->strict)
                                     : start_text(config->conf_text, config->strict);
}

void wyrm_esp_stop(void)
{
    wyrm_tunnel_remove(&tunnel);
}

esp_err_t wyrm_esp_peer(wyrm_peer_id peer, struct wyrm_peer_info *info)
{
    return wyrm_tunnel_peer(&tunnel, peer, info, NULL) >= 0 ? ESP_OK : ESP_ERR_NOT_FOUND;
}

esp_err_t wyrm_esp_wait_up(TickType_t ticks)
{
    TickType_t begin = xTaskGetTickCount();
    struct wyrm_peer_info info;

    while (wyrm_esp_peer(0, &info) != ESP_OK || !info.up) {
        if (xTaskGetTickCount() - begin >= ticks)
            return ESP_ERR_TIMEOUT;
        vTaskDelay(pdMS_TO_TICKS(POLL_MS));
    }
    return ESP_OK;
}

/* ---- Console ------------------------------------------------------------------------ */

static void print_peer(wyrm_peer_id id, const struct wyrm_peer_info *info, wyrm_ms age_ms)
{
    char key[WYRM_KEY_TEXT_MAX], endpoint[WYRM_ENDPOINT_TEXT_MAX], ago[WYRM_AGO_TEXT_MAX];

    wyrm_key_print(info->pub, key);
    wyrm_endpoint_print(&info->endpoint, endpoint);
    printf("peer %u: %s\n  endpoint: %s\n  session: %s\n", (unsigned)id, key, endpoint,
           info->up ? "yes" : "no");
    if (age_ms != WYRM_NEVER) {
        wyrm_text_ago((uint32_t)(age_ms / 1000), ago);
        printf("  latest handshake: %s\n", ago);
    }
    printf("  received %llu bytes, sent %llu\n", (unsigned long long)info->rx_bytes,
           (unsigned long long)info->tx_bytes);
}

static int show(void)
{
    struct wyrm_peer_info info;
    wyrm_ms age_ms;
    unsigned shown = 0;

    for (wyrm_peer_id id = 0; id < WYRM_ESP_PEERS; id++) {
        if (wyrm_tunnel_peer(&tunnel, id, &info, &age_ms) >= 0) {
            print_peer(id, &info, age_ms);
            shown++;
        }
    }
    if (shown == 0)
        printf("the tunnel is not running\n");
    return 0;
}

static int command(int argc, char **argv)
{
    const wyrm_esp_config_t stored = WYRM_ESP_CONFIG_DEFAULT();

    if (argc == 1)
        return show();
    if (argc == 2 && strcmp(argv[1], "down") == 0) {
        wyrm_esp_stop();
        return 0;
    }
    if (argc == 2 && strcmp(argv[1], "up") == 0) {
        if (wyrm_esp_start(&stored) == ESP_OK)
            return 0;
        printf("wg: %s\n", wyrm_esp_error());
        return 1;
    }
    printf("usage: wg [up|down]\n");
    return 1;
}

esp_err_t wyrm_esp_register_console(void)
{
    const esp_console_cmd_t wg = {.command = "wg",
                                  .help = "Show the tunnel; `wg up` starts it with the stored "
                                          "configuration, `wg down` stops it",
                                  .func = command};

    return esp_console_cmd_register(&wg);
}

#endif /* ESP_PLATFORM */

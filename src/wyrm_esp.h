/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * A tunnel on ESP-IDF 5.1 or later from a wg-quick file: its task, timestamps in NVS, events,
 * console commands. One tunnel; wyrm_tunnel.h has more. Call nvs_flash_init(), esp_netif_init() and
 * esp_event_loop_create_default() first. All functions may be called from any task.
 *
 * Packets for allowed prefixes enter the tunnel whatever the default interface is: the component
 * puts wyrm_esp_hooks.h in front of ESP-IDF's own lwIP hooks.
 */
#ifndef WYRM_ESP_H
#define WYRM_ESP_H

#include "wyrm_tunnel.h"

#include "esp_err.h"
#include "esp_event.h"
#include "freertos/FreeRTOS.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Peers, and allowed prefixes of all peers together. */
#ifndef WYRM_ESP_PEERS
#define WYRM_ESP_PEERS 2
#endif
#ifndef WYRM_ESP_ROUTES
#define WYRM_ESP_ROUTES 8
#endif

/* Posted to the default event loop; the event data is the wyrm_peer_id. An event is lost if the
 * loop's queue is full: wyrm_esp_peer() has the truth. */
ESP_EVENT_DECLARE_BASE(WYRM_EVENT);
enum {
    WYRM_EVENT_UP,  /* the peer has a new session */
    WYRM_EVENT_DOWN /* the peer has not answered for 90 s */
};

typedef struct {
    /* A wg-quick file, embedded with EMBED_TXTFILES or read from anywhere. Endpoints may be names.
     * NULL: the one that wyrm_esp_save() has stored. */
    const char *conf_text;
    /* Allowed prefixes win over attached networks too; see wyrm_lwip_config.strict. */
    bool strict;
} wyrm_esp_config_t;

#define WYRM_ESP_CONFIG_DEFAULT()                                                                  \
    {                                                                                              \
        .conf_text = NULL, .strict = false                                                         \
    }

/* Starts the tunnel and keeps connecting to its peers. ESP_ERR_INVALID_ARG: the text is wrong, and
 * wyrm_esp_error() has a sentence that says where. ESP_ERR_NOT_FOUND: nothing is stored.
 * ESP_ERR_INVALID_STATE: it is running, or NVS is not initialized. ESP_ERR_NO_MEM: out of memory,
 * or the port is in use. */
esp_err_t wyrm_esp_start(const wyrm_esp_config_t *config);
/* Wipes the keys and removes the interface: its traffic takes other ways from now on. */
void wyrm_esp_stop(void);
/* Waits until peer 0, the first of the file, has a session. ESP_ERR_TIMEOUT: it has none yet. */
esp_err_t wyrm_esp_wait_up(TickType_t ticks);
/* ESP_ERR_NOT_FOUND: there is no such peer, or the tunnel is not running. */
esp_err_t wyrm_esp_peer(wyrm_peer_id peer, struct wyrm_peer_info *info);
/* Checks a wg-quick file and stores it in NVS, for later starts without a text. Flash holds its
 * keys in the clear unless NVS is encrypted. */
esp_err_t wyrm_esp_save(const char *conf_text);
/* Why the last start or save failed: one sentence without secrets, or an empty string. */
const char *wyrm_esp_error(void);
/* Registers the console command `wg`: `wg`, `wg up`, `wg down`. */
esp_err_t wyrm_esp_register_console(void);

#ifdef __cplusplus
}
#endif

#endif /* WYRM_ESP_H */

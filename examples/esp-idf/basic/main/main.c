/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * A tunnel from a wg-quick file that is part of the firmware. The network is that of ESP-IDF's
 * examples: choose Wi-Fi or Ethernet with `idf.py menuconfig`.
 */
#include <wyrm_esp.h>

#include "esp_netif.h"
#include "nvs_flash.h"
#include "protocol_examples_common.h"

#include <stdio.h>

enum { PATIENCE_MS = 10000 };

extern const char wg_conf[] asm("_binary_wg_conf_start");

static void on_tunnel(void *arg, esp_event_base_t base, int32_t id, void *peer)
{
    (void)arg;
    (void)base;
    printf("peer %u is %s\n", *(const wyrm_peer_id *)peer, id == WYRM_EVENT_UP ? "up" : "down");
}

void app_main(void);

void app_main(void)
{
    wyrm_esp_config_t config = WYRM_ESP_CONFIG_DEFAULT();

    ESP_ERROR_CHECK(nvs_flash_init());
    ESP_ERROR_CHECK(esp_netif_init());
    ESP_ERROR_CHECK(esp_event_loop_create_default());
    ESP_ERROR_CHECK(esp_event_handler_register(WYRM_EVENT, ESP_EVENT_ANY_ID, on_tunnel, NULL));
    ESP_ERROR_CHECK(example_connect());

    config.conf_text = wg_conf;
    if (wyrm_esp_start(&config) != ESP_OK) {
        printf("wg.conf: %s\n", wyrm_esp_error());
        return;
    }
    if (wyrm_esp_wait_up(pdMS_TO_TICKS(PATIENCE_MS)) != ESP_OK)
        printf("the peer does not answer yet\n");
}

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The calls of ESPHome's wireguard component.
 */
#include <esp_wireguard.h>

#include <stdbool.h>

extern wireguard_config_t my_config; /* declared, not linked */
static wireguard_ctx_t context;

bool tunnel_start(time_t *latest);

bool tunnel_start(time_t *latest)
{
    if (esp_wireguard_init(&my_config, &context) != ESP_OK ||
        esp_wireguard_connect(&context) != ESP_OK)
        return false;
    (void)esp_wireguard_add_allowed_ip(&context, "0.0.0.0", "0.0.0.0");
    (void)esp_wireguard_latest_handshake(&context, latest);
    if (esp_wireguard_peer_is_up(&context) != ESP_OK)
        (void)esp_wireguard_disconnect(&context);
    return true;
}

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The defaults of Kconfig, as ESP-IDF writes them.
 */
#pragma once
#define CONFIG_WYRM_ASM                 1
#define CONFIG_WYRM_HANDSHAKE_SLOTS     2
#define CONFIG_WYRM_IPV6                1
#define CONFIG_WYRM_LWIP_HOLD_PER_PEER  2
#define CONFIG_WYRM_LWIP_SPANS          8
#define CONFIG_WYRM_REPLAY_BITS         512
#define CONFIG_WYRM_RESPONDER           1
#define CONFIG_WYRM_SOURCES             8
#define CONFIG_WYRM_STORE_BLOCK_S       64
#define CONFIG_WYRM_STORE_CLOCK_BLOCK_S 86400
#define CONFIG_WYRM_STORE_CLOCK_YEARS   20
#define CONFIG_WYRM_WORKER_STACK        4096
#define CONFIG_WYRM_TUNNEL_STACK        4096
#define CONFIG_WYRM_TUNNEL_PRIORITY     2
#define CONFIG_WYRM_TUNNEL_NAME_MAX     128
#define CONFIG_WYRM_ESP_PEERS           2
#define CONFIG_WYRM_ESP_ROUTES          8

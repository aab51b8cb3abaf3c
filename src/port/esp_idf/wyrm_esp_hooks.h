/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * ESP_IDF_LWIP_HOOK_FILENAME: the tunnel's hooks in front of ESP-IDF's own. lwip_default_hooks.h
 * includes this file at its beginning and defines some hooks of IPv6 after it, by Kconfig; these
 * are interposed by the linker instead, see wyrm_esp_hooks.c.
 */
#ifndef WYRM_ESP_HOOKS_H
#define WYRM_ESP_HOOKS_H

#include "lwip/ip_addr.h"

struct netif;

/* lwipopts.h names it as LWIP_HOOK_IP4_ROUTE_SRC before it is declared. */
struct netif *ip4_route_src_hook(const ip4_addr_t *src, const ip4_addr_t *dest);

#include "wyrm_lwip_hooks.h"

#if defined(CONFIG_LWIP_HOOK_IP6_ROUTE_DEFAULT) || defined(CONFIG_LWIP_HOOK_IP6_ROUTE_CUSTOM)
#undef LWIP_HOOK_IP6_ROUTE
#endif
#if defined(CONFIG_LWIP_HOOK_IP6_INPUT_DEFAULT) || defined(CONFIG_LWIP_HOOK_IP6_INPUT_CUSTOM)
#undef LWIP_HOOK_IP6_INPUT
#endif

#endif /* WYRM_ESP_HOOKS_H */

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * As in ESP-IDF.
 */
#pragma once
#include "lwip/arch.h"
#include "lwip/ip_addr.h"
#include "lwip/pbuf.h"

#ifdef ESP_IDF_LWIP_HOOK_FILENAME
#include ESP_IDF_LWIP_HOOK_FILENAME
#endif

struct netif *lwip_hook_ip6_route(const ip6_addr_t *src, const ip6_addr_t *dest);
int lwip_hook_ip6_input(struct pbuf *p, struct netif *inp);
struct netif *ip4_route_src_hook(const ip4_addr_t *src, const ip4_addr_t *dest);

#ifdef CONFIG_LWIP_HOOK_IP6_ROUTE_DEFAULT
#define LWIP_HOOK_IP6_ROUTE lwip_hook_ip6_route
#endif
#ifdef CONFIG_LWIP_HOOK_IP6_INPUT_DEFAULT
#define LWIP_HOOK_IP6_INPUT lwip_hook_ip6_input
#endif

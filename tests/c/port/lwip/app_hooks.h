/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * An application's own hooks, implemented by test_lwip_hooks.c.
 */
#ifndef APP_HOOKS_H
#define APP_HOOKS_H

#include "lwip/ip_addr.h"

struct netif;
struct pbuf;

struct netif *app_route4(const ip4_addr_t *src, const ip4_addr_t *dest);
struct netif *app_route6(const ip6_addr_t *src, const ip6_addr_t *dest);
int app_input(struct pbuf *p, struct netif *inp);

#define LWIP_HOOK_IP4_INPUT app_input
#define LWIP_HOOK_IP6_INPUT app_input

#include "wyrm_lwip_hooks.h"

#endif

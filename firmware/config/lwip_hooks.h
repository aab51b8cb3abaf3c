/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 */
#ifndef LWIP_HOOKS_H
#define LWIP_HOOKS_H

#include "lwip/ip_addr.h"

struct netif;
struct pbuf;

struct netif *wyrm_lwip_route4(const ip4_addr_t *src, const ip4_addr_t *dest);
struct netif *wyrm_lwip_route6(const ip6_addr_t *src, const ip6_addr_t *dest);
int wyrm_lwip_input4(struct pbuf *p, struct netif *inp);
int wyrm_lwip_input6(struct pbuf *p, struct netif *inp);

/* app/net.c, app/isn.c */
int net_input6(struct pbuf *p, struct netif *netif);
uint32_t net_initial_sequence(const ip_addr_t *local, uint16_t local_port, const ip_addr_t *remote,
                              uint16_t remote_port);

#endif

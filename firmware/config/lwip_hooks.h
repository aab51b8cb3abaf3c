/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 */
#ifndef LWIP_HOOKS_H
#define LWIP_HOOKS_H

#include <stdbool.h>

#include "lwip/ip_addr.h"

struct netif;
struct pbuf;

struct netif *wyrm_lwip_route4(const ip4_addr_t *src, const ip4_addr_t *dest);
struct netif *wyrm_lwip_route6(const ip6_addr_t *src, const ip6_addr_t *dest);
int wyrm_lwip_input4(struct pbuf *p, struct netif *inp);
int wyrm_lwip_input6(struct pbuf *p, struct netif *inp);

/* app/gateway.c. Forwards an IPv4 packet that is for somebody else, if allowed; 0: lwIP frees it.
 */
int gateway_forward4(struct pbuf *p);
/* Where the IPv4 packet that lwIP is examining came from: lwIP tells nobody before it accepts it.
 */
extern struct netif *gateway_in4;
/* True: the IPv6 packet was for somebody else; forwarded or dropped, and freed. */
bool gateway_take6(struct pbuf *p, struct netif *in);

/* app/net.c, app/isn.c */
int net_input6(struct pbuf *p, struct netif *netif);
uint32_t net_initial_sequence(const ip_addr_t *local, uint16_t local_port, const ip_addr_t *remote,
                              uint16_t remote_port);

#endif

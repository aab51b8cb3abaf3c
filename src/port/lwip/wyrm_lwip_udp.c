/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The outside of a tunnel: datagrams to and from peers, from which address and through which
 * interface. Called by wyrm_lwip.c.
 */
#ifdef WYRM_PORT_LWIP

#include "wyrm_lwip_parts.h"

#include <string.h>

/* In struct wyrm_path: family, interface index, address. */
enum { PATH_FAMILY = 0, PATH_INDEX = 1, PATH_ADDR = 2 };
_Static_assert(WYRM_PATH_LEN >= PATH_ADDR + WYRM_ADDR_LEN, "WYRM_PATH_LEN is too small for lwIP");

/* ---- Addresses ----------------------------------------------------------- */

static void endpoint_from(struct wyrm_endpoint *out, const ip_addr_t *addr, uint16_t port)
{
    memset(out, 0, sizeof(*out));
    out->port = port;
#if WYRM_LWIP_IP6
    if (IP_IS_V6(addr)) {
        out->family = 6;
        memcpy(out->addr, ip_2_ip6(addr)->addr, 16);
#if LWIP_IPV6_SCOPES
        out->scope = ip6_addr_zone(ip_2_ip6(addr));
#endif
        return;
    }
#endif
#if LWIP_IPV4
    out->family = 4;
    memcpy(out->addr, &ip_2_ip4(addr)->addr, 4);
#endif
}

bool wyrm_lwip_address(ip_addr_t *out, uint8_t family, const uint8_t *addr)
{
    ip_addr_set_zero(out);
#if WYRM_LWIP_IP6
    if (family == 6) {
        ip_addr_set_zero_ip6(out);
        memcpy(ip_2_ip6(out)->addr, addr, 16);
        return true;
    }
#endif
#if LWIP_IPV4
    if (family == 4) {
        ip_addr_set_zero_ip4(out);
        memcpy(&ip_2_ip4(out)->addr, addr, 4);
        return true;
    }
#endif
    return false;
}

static bool endpoint_to(ip_addr_t *out, const struct wyrm_endpoint *endpoint)
{
    if (!wyrm_lwip_address(out, endpoint->family, endpoint->addr)) {
        return false;
    }
#if WYRM_LWIP_IP6 && LWIP_IPV6_SCOPES
    if (endpoint->family == 6 && endpoint->scope != 0) {
        ip6_addr_set_zone(ip_2_ip6(out), (uint8_t)endpoint->scope);
    }
#endif
    return true;
}

/* ---- Sending datagrams ---------------------------------------------------- */

/* The interface of `path` if it is usable and still has the address, which goes to *src. */
static struct netif *path_netif(const struct wyrm_path *path, uint8_t family, ip_addr_t *src)
{
    struct netif *netif = netif_get_by_index(path->bytes[PATH_INDEX]);

    if (path->bytes[PATH_FAMILY] != family || netif == NULL || !netif_is_up(netif) ||
        !netif_is_link_up(netif) || !wyrm_lwip_address(src, family, path->bytes + PATH_ADDR)) {
        return NULL;
    }
#if WYRM_LWIP_IP6
    if (family == 6) {
        ip6_addr_assign_zone(ip_2_ip6(src), IP6_UNICAST, netif);
        return netif_get_ip6_addr_match(netif, ip_2_ip6(src)) >= 0 ? netif : NULL;
    }
#endif
#if LWIP_IPV4
    return ip4_addr_eq(netif_ip4_addr(netif), ip_2_ip4(src)) ? netif : NULL;
#else
    return NULL;
#endif
}

/* Chooses interface and source: the bound one, else where the peer reached us last, else routing.
 */
static err_t send_datagram(struct wyrm_lwip *lwip, struct pbuf *q, const struct wyrm_meta *to)
{
    ip_addr_t dst, src;

    if (!endpoint_to(&dst, &to->remote)) {
        return ERR_RTE;
    }
    if (lwip->pcb->netif_idx != NETIF_NO_INDEX) {
        return udp_sendto(lwip->pcb, q, &dst, to->remote.port);
    }
    struct netif *netif = path_netif(&to->local, to->remote.family, &src);
    bool sticky = netif != NULL;

    if (!sticky) {
        netif = ip_route(&lwip->pcb->local_ip, &dst);
    }
    if (netif == NULL) {
        return ERR_RTE;
    }
    if (netif == &lwip->netif) {
        lwip->counters.loops++;
        return ERR_RTE;
    }
#if WYRM_LWIP_IP6
    if (to->remote.family == 6 && ip6_addr_lacks_zone(ip_2_ip6(&dst), IP6_UNICAST)) {
        ip6_addr_assign_zone(ip_2_ip6(&dst), IP6_UNICAST, netif);
    }
#endif
    if (sticky) {
        return udp_sendto_if_src(lwip->pcb, q, &dst, to->remote.port, netif, &src);
    }
    return udp_sendto_if(lwip->pcb, q, &dst, to->remote.port, netif);
}

err_t wyrm_lwip_transmit(struct wyrm_lwip *lwip, struct pbuf *q, const struct wyrm_meta *to)
{
    lwip->sending = true;
    lwip->pcb->tos = to->tos;
    err_t err = send_datagram(lwip, q, to);
    lwip->sending = false;

    if (err != ERR_OK) {
        lwip->counters.send_errors++;
    }
    return err;
}

void wyrm_lwip_send_control(struct wyrm_lwip *lwip, const struct wyrm_packet *packet)
{
    struct pbuf *q = pbuf_alloc(PBUF_TRANSPORT, (uint16_t)packet->len, PBUF_RAM);

    if (q == NULL) {
        lwip->counters.no_memory++;
        return;
    }
    memcpy(q->payload, packet->data, packet->len);
    (void)wyrm_lwip_transmit(lwip, q, &packet->to); /* a lost message is repeated by its timer */
    pbuf_free(q);
}

/* ---- Receiving datagrams -------------------------------------------------- */

/* What is known about the datagram that lwIP is delivering just now. */
void wyrm_lwip_describe(struct wyrm_meta *meta, const ip_addr_t *addr, uint16_t port)
{
    struct wyrm_endpoint local;

    endpoint_from(&meta->remote, addr, port);
    memset(&meta->local, 0, sizeof(meta->local));
    meta->tos = 0;
#if LWIP_IPV6
    if (ip_current_is_v6()) {
        meta->tos = (uint8_t)IP6H_TC(ip6_current_header());
    }
#endif
#if LWIP_IPV4
    if (!ip_current_is_v6()) {
        meta->tos = IPH_TOS(ip4_current_header());
    }
#endif
    if (ip_addr_ismulticast(ip_current_dest_addr()) ||
        ip_addr_isbroadcast(ip_current_dest_addr(), ip_current_netif())) {
        return;
    }
    endpoint_from(&local, ip_current_dest_addr(), 0);
    meta->local.bytes[PATH_FAMILY] = local.family;
    meta->local.bytes[PATH_INDEX] = netif_get_index(ip_current_netif());
    memcpy(meta->local.bytes + PATH_ADDR, local.addr, WYRM_ADDR_LEN);
}

#else
typedef int wyrm_lwip_udp_is_not_built; /* ISO C wants something in every file */
#endif

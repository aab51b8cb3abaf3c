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

/* Returns the family. */
static uint8_t put_address(uint8_t out[WYRM_ADDR_LEN], const ip_addr_t *addr)
{
#if WYRM_LWIP_IP6
    if (IP_IS_V6(addr)) {
        memcpy(out, ip_2_ip6(addr)->addr, 16);
        return 6;
    }
#endif
#if LWIP_IPV4
    memcpy(out, &ip_2_ip4(addr)->addr, 4);
#endif
    return 4;
}

bool wyrm_lwip_address(ip_addr_t *out, uint8_t family, const uint8_t *addr,
                       const struct netif *netif)
{
    LWIP_UNUSED_ARG(netif);
    memset(out, 0, sizeof(*out));
#if WYRM_LWIP_IP6
    if (family == 6) {
        IP_SET_TYPE(out, IPADDR_TYPE_V6);
        memcpy(ip_2_ip6(out)->addr, addr, 16);
        if (netif != NULL) {
            ip6_addr_assign_zone(ip_2_ip6(out), IP6_UNICAST, netif);
        }
        return true;
    }
#endif
#if LWIP_IPV4
    if (family == 4) {
        IP_SET_TYPE(out, IPADDR_TYPE_V4);
        memcpy(&ip_2_ip4(out)->addr, addr, 4);
        return true;
    }
#endif
    return false;
}

/* ---- Sending datagrams ---------------------------------------------------- */

/* The interface of `path` if it is usable and still has the address, which goes to *src. */
static struct netif *path_netif(const struct wyrm_path *path, uint8_t family, ip_addr_t *src)
{
    struct netif *netif = netif_get_by_index(path->bytes[PATH_INDEX]);

    if (path->bytes[PATH_FAMILY] != family || netif == NULL || !netif_is_up(netif) ||
        !netif_is_link_up(netif) ||
        !wyrm_lwip_address(src, family, path->bytes + PATH_ADDR, netif)) {
        return NULL;
    }
#if WYRM_LWIP_IP6
    if (family == 6) {
        return netif_get_ip6_addr_match(netif, ip_2_ip6(src)) >= 0 ? netif : NULL;
    }
#endif
#if LWIP_IPV4
    return ip4_addr_eq(netif_ip4_addr(netif), ip_2_ip4(src)) ? netif : NULL;
#else
    return NULL;
#endif
}

/* Chooses interface and source: where the peer reached us last, else the bound interface, else
 * routing. */
static err_t send_datagram(struct wyrm_lwip *lwip, struct pbuf *q, const struct wyrm_meta *to)
{
    const struct wyrm_endpoint *remote = &to->remote;
    struct netif *netif = NULL;
    ip_addr_t dst, last;
    const ip_addr_t *src = &last;

    if (!wyrm_lwip_address(&dst, remote->family, remote->addr, NULL)) {
        return ERR_RTE;
    }
#if WYRM_LWIP_IP6 && LWIP_IPV6_SCOPES
    if (remote->family == 6) {
        ip6_addr_set_zone(ip_2_ip6(&dst), (uint8_t)remote->scope);
    }
#endif
    netif = path_netif(&to->local, remote->family, &last);
    if (netif == NULL) {
        netif = lwip->pcb->netif_idx != NETIF_NO_INDEX ? netif_get_by_index(lwip->pcb->netif_idx)
                                                       : ip_route(&lwip->pcb->local_ip, &dst);
        src = netif == NULL ? NULL : ip_netif_get_local_ip(netif, &dst);
    }
    if (netif == &lwip->netif) {
        lwip->counters.loops++;
        return ERR_RTE;
    }
    if (src == NULL) {
        return ERR_RTE;
    }
#if WYRM_LWIP_IP6
    (void)wyrm_lwip_address(&dst, remote->family, remote->addr, netif); /* its zone is known now */
#endif
    return udp_sendto_if_src(lwip->pcb, q, &dst, remote->port, netif, src);
}

err_t wyrm_lwip_transmit(struct wyrm_lwip *lwip, struct pbuf *q, const struct wyrm_meta *to)
{
    lwip->sending = true;
    lwip->pcb->tos = to->tos;
    err_t err = send_datagram(lwip, q, to);
    lwip->sending = false;
    pbuf_free(q);

    if (err != ERR_OK) {
        lwip->counters.send_errors++;
    }
    return err;
}

void wyrm_lwip_send_control(struct wyrm_lwip *lwip, const struct wyrm_packet *packet)
{
    struct pbuf *q = wyrm_lwip_datagram(lwip, packet->len);

    if (q != NULL) {
        (void)pbuf_take(q, packet->data, (uint16_t)packet->len);
        (void)wyrm_lwip_transmit(lwip, q, &packet->to); /* a lost one is repeated by its timer */
    }
}

/* ---- Receiving datagrams -------------------------------------------------- */

/* What is known about the datagram that lwIP is delivering just now. A group's address or that of
 * all in a network may become the local one: no interface has it when it comes to answering. */
void wyrm_lwip_describe(struct wyrm_meta *meta, const ip_addr_t *addr, uint16_t port)
{
    memset(meta, 0, sizeof(*meta));
    meta->remote.family = put_address(meta->remote.addr, addr);
    meta->remote.port = port;
#if WYRM_LWIP_IP6 && LWIP_IPV6_SCOPES
    if (IP_IS_V6(addr)) {
        meta->remote.scope = ip6_addr_zone(ip_2_ip6(addr));
    }
#endif
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
    meta->local.bytes[PATH_FAMILY] =
        put_address(meta->local.bytes + PATH_ADDR, ip_current_dest_addr());
    meta->local.bytes[PATH_INDEX] = netif_get_index(ip_current_netif());
}

#else
typedef int wyrm_lwip_udp_is_not_built; /* ISO C wants something in every file */
#endif

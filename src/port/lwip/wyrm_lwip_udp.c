/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Outer datagrams: their buffers, the source address and interface they are sent with, and the
 * description of received ones.
 */
#include "wyrm_lwip_private.h"

#if WYRM_PORT_LWIP

#include <string.h>

/* Layout of struct wyrm_path: interface index, zone, and our address, of the same family as the
 * peer's. */
enum { PATH_INDEX = 0, PATH_ZONE = 1, PATH_ADDR = 4 };
_Static_assert(WYRM_PATH_LEN >= PATH_ADDR + WYRM_ADDR_LEN, "WYRM_PATH_LEN is too small for lwIP");

/* Copies an address between lwIP and the core. Both store it first and in network order; bytes
 * behind an IPv4 address are ignored. */
#if WYRM_LWIP_IP6
static WYRM_NOINLINE void copy_address(void *out, const void *addr)
{
    memcpy(out, addr, 16);
}
#else
#define copy_address(out, addr) memcpy(out, addr, 4)
#endif

/* ---- Buffers --------------------------------------------------------------- */

struct pbuf *wyrm_lwip_clone(struct wyrm_lwip *lwip, struct pbuf *packet, uint32_t *count)
{
    struct pbuf *copy = pbuf_clone(PBUF_RAW, PBUF_RAM, packet);

    *(copy == NULL ? &lwip->counters.no_memory : count) += 1;
    return copy;
}

struct pbuf *wyrm_lwip_alloc(struct wyrm_lwip *lwip, size_t len)
{
    struct pbuf *p = pbuf_alloc(PBUF_TRANSPORT, (uint16_t)len, PBUF_RAM);

    lwip->counters.no_memory += p == NULL;
    return p;
}

#if WYRM_IPV6
#define SCOPE(endpoint) (endpoint)->scope
#else
#define SCOPE(endpoint) 0
#endif

/* ---- Sending datagrams ---------------------------------------------------- */

static void get_address(ip_addr_t *out, uint8_t family, uint32_t zone, const uint8_t *addr)
{
    LWIP_UNUSED_ARG(family);
    LWIP_UNUSED_ARG(zone);
    copy_address(out, addr);
#if WYRM_LWIP_IP6
    ip6_addr_set_zone(ip_2_ip6(out), (uint8_t)zone);
#endif
    IP_SET_TYPE(out, family == 6 ? IPADDR_TYPE_V6 : IPADDR_TYPE_V4);
}

/* True if `netif` is up and has the address. */
static bool has_address(struct netif *netif, const ip_addr_t *addr)
{
    if (netif == NULL || !netif_is_up(netif) || !netif_is_link_up(netif))
        return false;
#if WYRM_LWIP_IP6
    if (IP_IS_V6(addr))
        return netif_get_ip6_addr_match(netif, ip_2_ip6(addr)) >= 0;
#endif
#if LWIP_IPV4
    return ip4_addr_eq(netif_ip4_addr(netif), ip_2_ip4(addr));
#else
    return false;
#endif
}

/* lwIP numbers interfaces, and thus IPv6 zones, from 1 to 255. */
static bool supported(const struct wyrm_endpoint *remote)
{
    return SCOPE(remote) <= UINT8_MAX &&
           ((LWIP_IPV4 && remote->family == 4) || (WYRM_LWIP_IP6 && remote->family == 6) ||
            (LWIP_IPV4 && WYRM_LWIP_IP6 == WYRM_IPV6));
}

/* Uses the address and interface where the peer's last packet arrived, else the bound interface,
 * else routing. lwIP adds a missing zone to a link-local destination. */
static err_t send_datagram(struct wyrm_lwip *lwip, struct pbuf *q, const struct wyrm_meta *to)
{
    const struct wyrm_endpoint *remote = &to->remote;
    const uint8_t *path = to->local.bytes;
    struct netif *netif = netif_get_by_index(path[PATH_INDEX]);
    ip_addr_t dst, src;

    if (!supported(remote))
        return ERR_RTE;
    get_address(&dst, remote->family, SCOPE(remote), remote->addr);
    get_address(&src, remote->family, path[PATH_ZONE], path + PATH_ADDR);
    bool src_known = has_address(netif, &src);

    if (!src_known) {
        netif = lwip->pcb->netif_idx != NETIF_NO_INDEX ? netif_get_by_index(lwip->pcb->netif_idx)
                                                       : ip_route(&lwip->pcb->local_ip, &dst);
    }
    if (netif == &lwip->netif) {
        lwip->counters.loops++;
        return ERR_RTE;
    }
    if (netif == NULL)
        return ERR_RTE;
#if WYRM_LWIP_IP6
    if (src_known)
        return udp_sendto_if_src(lwip->pcb, q, &dst, remote->port, netif, &src);
#endif
    return udp_sendto_if(lwip->pcb, q, &dst, remote->port, netif);
}

err_t wyrm_lwip_transmit(struct wyrm_lwip *lwip, struct pbuf *q, const struct wyrm_meta *to)
{
    lwip->sending = true;
    lwip->pcb->tos = to->tos;
    err_t err = send_datagram(lwip, q, to);
    lwip->sending = false;
    pbuf_free(q);

    if (err != ERR_OK)
        lwip->counters.send_errors++;
    return err;
}

/* Sends a handshake message, cookie reply or keepalive. */
static void send_control(struct wyrm_lwip *lwip, const struct wyrm_packet *packet)
{
    struct pbuf *q = wyrm_lwip_alloc(lwip, packet->len);

    if (q != NULL) {
        (void)pbuf_take(q, packet->data, (uint16_t)packet->len);
        (void)wyrm_lwip_transmit(lwip, q, &packet->to); /* the core retransmits */
    }
}

wyrm_status wyrm_lwip_handle_status(struct wyrm_lwip *lwip, wyrm_status status,
                                    const struct wyrm_packet *packet)
{
    if (status == WYRM_SEND)
        send_control(lwip, packet);
    else if (status == WYRM_WORK && lwip->wake != NULL)
        lwip->wake(lwip->arg);
    return status;
}

/* ---- Receiving datagrams -------------------------------------------------- */

static uint8_t current_tos(void)
{
#if WYRM_LWIP_IP6
    if (ip_current_is_v6())
        return (uint8_t)IP6H_TC(ip6_current_header());
#endif
#if LWIP_IPV4
    return IPH_TOS(ip4_current_header());
#else
    return 0;
#endif
}

/* The local address may be multicast or broadcast. No interface owns such an address, so replies
 * fall back to routing. */
void wyrm_lwip_current_meta(struct wyrm_meta *meta, uint16_t port)
{
    memset(meta, 0, sizeof(*meta));
    meta->remote.family = WYRM_LWIP_IP6 && ip_current_is_v6() ? 6 : 4;
    meta->remote.port = port;
    copy_address(meta->remote.addr, ip_current_src_addr());
    meta->local.bytes[PATH_INDEX] = netif_get_index(ip_current_netif());
    copy_address(meta->local.bytes + PATH_ADDR, ip_current_dest_addr());
#if WYRM_LWIP_IP6
    meta->remote.scope = ip6_addr_zone(ip_2_ip6(ip_current_src_addr()));
    meta->local.bytes[PATH_ZONE] = ip6_addr_zone(ip_2_ip6(ip_current_dest_addr()));
#endif
    meta->tos = current_tos();
}

#endif /* WYRM_PORT_LWIP */

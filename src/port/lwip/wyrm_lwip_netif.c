/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Starts and stops the tunnel and configures its netif. Everything here requires lwIP's core lock.
 */
#include "wyrm_lwip_private.h"

#if WYRM_PORT_LWIP

#include "lwip/sys.h"

#include <string.h>

#if LWIP_SINGLE_NETIF || !LWIP_UDP || !LWIP_TIMERS
#error "a tunnel needs LWIP_UDP=1, LWIP_TIMERS=1 and LWIP_SINGLE_NETIF=0 in lwipopts.h"
#endif

#if WYRM_LWIP_IP6
#define MAX6 LWIP_IPV6_NUM_ADDRESSES
#else
#define MAX6 1
#endif

enum { MTU_MIN = 576, MTU_MAX = 65535 - 80 - WYRM_HEADER_LEN - 15 - WYRM_TAG_LEN };

/* A netif has one IPv4 address and reserves its first IPv6 address for the link-local one. */
static bool addresses_fit(const struct wyrm_lwip_config *config)
{
    unsigned n4 = 0, n6 = 0;

    for (unsigned i = 0; i < config->n_addresses; i++) {
        const struct wyrm_prefix *a = &config->addresses[i];

        if (LWIP_IPV4 && a->family == 4 && a->bits <= 32)
            n4++;
        else if (WYRM_LWIP_IP6 && a->family == 6 && a->bits <= 128)
            n6++;
        else
            return false;
    }
    return n4 <= 1 && n6 < MAX6;
}

/* Leaves unchanged addresses alone, so that connections using them survive a restart. */
static void set_addresses(struct netif *netif, const struct wyrm_lwip_config *config)
{
#if LWIP_IPV4
    ip4_addr_t addr4 = {0}, mask4 = {0};
#endif
#if LWIP_IPV6
    s8_t place = 1;
#endif

    for (unsigned i = 0; i < config->n_addresses; i++) {
        const struct wyrm_prefix *a = &config->addresses[i];

#if WYRM_LWIP_IP6
        if (a->family == 6) {
            ip6_addr_t addr;

            memcpy(addr.addr, a->addr, 16);
            ip6_addr_clear_zone(&addr); /* lwIP assigns the zone */
            netif_ip6_addr_set(netif, place, &addr);
            /* Not tentative: a tunnel has no link to probe for duplicates. */
            netif_ip6_addr_set_state(netif, place, IP6_ADDR_PREFERRED);
            place++;
            continue;
        }
#endif
#if LWIP_IPV4
        memcpy(&addr4.addr, a->addr, 4);
        mask4.addr = a->bits == 0 ? 0 : lwip_htonl(0xffffffffu << (32 - a->bits));
#endif
    }
#if LWIP_IPV4
    netif_set_addr(netif, &addr4, &mask4, NULL);
#endif
#if LWIP_IPV6
    for (; place < LWIP_IPV6_NUM_ADDRESSES; place++)
        netif_ip6_addr_set_state(netif, place, IP6_ADDR_INVALID);
#endif
}

static err_t init_netif(struct netif *netif)
{
    netif->name[0] = 'w';
    netif->name[1] = 'y';
#if LWIP_IPV4
    netif->output = wyrm_lwip_output4;
#endif
#if LWIP_IPV6
    netif->output_ip6 = wyrm_lwip_output6;
#endif
    return ERR_OK;
}

static void configure_netif(struct netif *netif, const struct wyrm_lwip_config *config,
                            uint16_t mtu)
{
    netif->mtu = mtu;
#if LWIP_IPV6 && LWIP_ND6_ALLOW_RA_UPDATES
    netif->mtu6 = mtu;
#endif
#if LWIP_IPV6_AUTOCONFIG
    netif->ip6_autoconfig_enabled = 0;
#endif
#if LWIP_CHECKSUM_CTRL_PER_NETIF
    /* As on Linux, skip checksums on input: the packet is authenticated, and the peer has verified
     * the checksums of packets that it forwarded. */
    NETIF_SET_CHECKSUM_CTRL(netif, config->verify_checksums
                                       ? NETIF_CHECKSUM_ENABLE_ALL
                                       : NETIF_CHECKSUM_GEN_IP | NETIF_CHECKSUM_GEN_UDP |
                                             NETIF_CHECKSUM_GEN_TCP | NETIF_CHECKSUM_GEN_ICMP |
                                             NETIF_CHECKSUM_GEN_ICMP6);
#endif
    netif_set_link_up(netif);
    netif_set_up(netif);
    set_addresses(netif, config);
}

err_t wyrm_lwip_start_locked(struct wyrm_lwip *lwip, const struct wyrm_lwip_config *config)
{
    if (lwip->running)
        return ERR_ALREADY;
    if (config->platform == NULL || !addresses_fit(config))
        return ERR_ARG;
    uint16_t mtu = config->mtu == 0 ? WYRM_DEFAULT_MTU : config->mtu;

    if (mtu < MTU_MIN || mtu > MTU_MAX)
        return ERR_ARG;
    struct udp_pcb *pcb = udp_new_ip_type(WYRM_LWIP_IP6 ? IPADDR_TYPE_ANY : IPADDR_TYPE_V4);

    if (pcb == NULL)
        return ERR_MEM;
    err_t err = udp_bind(pcb, &pcb->local_ip, config->listen_port);
    if (err == ERR_OK && !wyrm_lwip_timeout_available())
        err = ERR_MEM;
    if (err == ERR_OK && wyrm_init(lwip->device, lwip->pools, config->platform) != WYRM_IDLE)
        err = ERR_ARG;
    if (err != ERR_OK) {
        udp_remove(pcb);
        return err;
    }
    udp_bind_netif(pcb, config->bind_netif);
    udp_recv(pcb, wyrm_lwip_receive, lwip);
    (void)wyrm_set_mtu(lwip->device, mtu); /* its range is checked above */
    if (!lwip->netif_added) {
#if LWIP_IPV4
        netif_add(&lwip->netif, NULL, NULL, NULL, lwip->netif.state, init_netif, ip_input);
#else
        netif_add(&lwip->netif, lwip->netif.state, init_netif, ip_input);
#endif
    }
    configure_netif(&lwip->netif, config, mtu);

    lwip->netif_added = true;
    lwip->pcb = pcb;
    lwip->port = pcb->local_port;
    lwip->listen_port = config->listen_port;
    lwip->filter = config->filter;
    lwip->event = config->event;
    lwip->wake = config->wake;
    lwip->arg = config->arg;
    lwip->strict = config->strict;
    lwip->clock.last = sys_now();
    memset(&lwip->counters, 0, sizeof(lwip->counters));
    lwip->running = true;
    wyrm_lwip_service_locked(lwip);
    return ERR_OK;
}

err_t wyrm_lwip_set_port_locked(struct wyrm_lwip *lwip, uint16_t port)
{
    if (!lwip->running)
        return ERR_CLSD;
    bool unchanged = port == 0 ? lwip->listen_port == 0 : port == lwip->port;
    err_t err = unchanged ? ERR_OK : udp_bind(lwip->pcb, &lwip->pcb->local_ip, port);

    if (err == ERR_OK) {
        lwip->listen_port = port;
        lwip->port = lwip->pcb->local_port;
    }
    return err;
}

/* Keeps the routes: the routing hooks go on refusing packets for them. */
static void wipe_secrets(struct wyrm_lwip *lwip)
{
    const uint8_t no_psk[WYRM_KEY_LEN] = {0};

    for (wyrm_peer_id id = 0; id < lwip->pools->n_peers; id++)
        (void)wyrm_peer_set_psk(lwip->device, id, no_psk); /* WYRM_E_STATE: id not in use */
    (void)wyrm_set_private_key(lwip->device, NULL);
}

void wyrm_lwip_stop_locked(struct wyrm_lwip *lwip)
{
    if (!lwip->running)
        return;
    lwip->running = false;
    lwip->generation++;
    wyrm_lwip_cancel_timer(lwip);
    udp_remove(lwip->pcb);
    lwip->pcb = NULL;
    lwip->port = 0;
    wyrm_lwip_release(lwip, WYRM_NO_PEER, false);
    wipe_secrets(lwip);
}

void wyrm_lwip_remove_locked(struct wyrm_lwip *lwip)
{
    wyrm_lwip_stop_locked(lwip);
    if (lwip->netif_added) {
        lwip->netif_added = false;
#if ENABLE_LOOPBACK
        netif_poll(&lwip->netif); /* netif_remove() would leak queued loopback packets */
#endif
        netif_remove(&lwip->netif);
        wyrm_close(lwip->device);
    }
}

#endif /* WYRM_PORT_LWIP */

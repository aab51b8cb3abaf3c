/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 */
#include "ethernet.h"

#include "lwip/etharp.h"
#include "lwip/ethip6.h"
#include "lwip/mld6.h"
#include "lwip/pbuf.h"
#include "lwip/stats.h"
#include "lwip/tcpip.h"

static struct netif *interface;
static struct board_eth_stats *counters;

/* All multicast is received already, so nothing to do when joining a group. */
static err_t multicast_filter(struct netif *netif, const ip6_addr_t *group,
                              enum netif_mac_filter_action action)
{
    (void)netif;
    (void)group;
    (void)action;
    return ERR_OK;
}

void ethernet_start(struct netif *netif, netif_linkoutput_fn transmit,
                    struct board_eth_stats *stats)
{
    interface = netif;
    counters = stats;
    netif->hwaddr_len = ETH_HWADDR_LEN;
    netif->name[0] = 'e';
    netif->name[1] = 'n';
    netif->mtu = 1500;
    netif->flags = NETIF_FLAG_BROADCAST | NETIF_FLAG_ETHARP | NETIF_FLAG_ETHERNET |
                   NETIF_FLAG_LINK_UP | NETIF_FLAG_MLD6;
    netif->output = etharp_output;
    netif->output_ip6 = ethip6_output;
    netif->linkoutput = transmit;
    netif_set_mld_mac_filter(netif, multicast_filter);
}

void ethernet_deliver(struct pbuf *p)
{
    counters->rx_frames++;
    LINK_STATS_INC(link.recv);
    if (interface->input(p, interface) == ERR_OK)
        return;
    counters->rx_refused++;
    LINK_STATS_INC(link.drop);
    pbuf_free(p);
}

void ethernet_set_link(bool up)
{
    if (up == !!netif_is_link_up(interface))
        return;
    LOCK_TCPIP_CORE();
    if (up)
        netif_set_link_up(interface);
    else
        netif_set_link_down(interface);
    UNLOCK_TCPIP_CORE();
}

/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The part of an Ethernet driver that is the same on every controller. Controllers receive all
 * multicast frames.
 */
#ifndef ETHERNET_H
#define ETHERNET_H

#include <stdbool.h>

#include "lwip/netif.h"

#include "board_api.h"

#define ETHERNET_TASK_PRIORITY 5

/** Initialises the interface, whose hwaddr the driver has set, with the link up. The functions
 * below update `stats`. */
void ethernet_start(struct netif *netif, netif_linkoutput_fn transmit,
                    struct board_eth_stats *stats);

/** Passes a received frame, behind ETH_PAD_SIZE bytes, to the stack, or frees it. */
void ethernet_deliver(struct pbuf *p);

/** Reports the state of the link to the stack, if it has changed. Task context. */
void ethernet_set_link(bool up);

#endif

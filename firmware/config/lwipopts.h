/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * lwIP options of every board: what the firmware uses. Sizes are in the board's board_lwip.h.
 */
#ifndef LWIPOPTS_H
#define LWIPOPTS_H

#include <stdbool.h>

#include "board_lwip.h"

/* ---- threads and the core lock ----
 * The core lock is the recursive mutex of contrib/ports/freertos/sys_arch.c; net_lock_held() asks
 * whether the calling task holds it, and lwIP asserts it on every raw call. */
#define NO_SYS                    0
#define SYS_LIGHTWEIGHT_PROT      1
#define LWIP_TCPIP_CORE_LOCKING   1
#define LWIP_COMPAT_MUTEX         0
#define TCPIP_THREAD_NAME         "tcpip"
#define TCPIP_THREAD_PRIO         4
#define TCPIP_MBOX_SIZE           PBUF_POOL_SIZE
#define LWIP_NETCONN              0
#define LWIP_SOCKET               0
#define LWIP_ASSERT_CORE_LOCKED() net_assert_locked()
#define LOCK_TCPIP_CORE()         timers_lock()
#define UNLOCK_TCPIP_CORE()       timers_unlock()
bool net_lock_held(void);
void net_assert_locked(void);
void timers_lock(void);
void timers_unlock(void);

/* ---- memory ---- */
#define MEM_ALIGNMENT            4
#define MEMP_NUM_TCPIP_MSG_INPKT PBUF_POOL_SIZE /* with 8, the default, TCP fell to 21 Mbit/s */
#define MEMP_NUM_TCPIP_MSG_API   8
#define MEMP_NUM_RAW_PCB         4
#define MEMP_NUM_UDP_PCB         12
#define MEMP_NUM_TCP_PCB         8
#define MEMP_NUM_TCP_PCB_LISTEN  4
#define MEMP_NUM_REASSDATA       4
#define MEMP_NUM_FRAG_PBUF       16
#define MEMP_NUM_SYS_TIMEOUT     (LWIP_NUM_SYS_TIMEOUT_INTERNAL + 8)

/* A received frame always fits one pbuf, so that datagrams are contiguous and the tunnel can
 * decrypt them in place: padding + Ethernet frame with VLAN tag + CRC, in whole words. */
#define ETH_PAD_SIZE      2
#define PBUF_LINK_HLEN    (14 + ETH_PAD_SIZE)
#define PBUF_POOL_BUFSIZE 1536

/* ---- IP ---- */
#define LWIP_IPV4                1
#define LWIP_IPV6                1
#define LWIP_ICMP                1
#define LWIP_ICMP6               1
#define LWIP_RAW                 1
#define LWIP_UDP                 1
#define LWIP_TCP                 1
#define LWIP_DHCP                1
#define LWIP_DHCP_DOES_ACD_CHECK 0
#define LWIP_ACD                 0
#define LWIP_AUTOIP              0
#define LWIP_DNS                 1
#define LWIP_IPV6_MLD            1
#define LWIP_IPV6_NUM_ADDRESSES  4
#define LWIP_ND6_NUM_NEIGHBORS   10
#define ARP_TABLE_SIZE           16
#define ARP_QUEUEING             0 /* one packet per unresolved neighbor in both families: with a */
#define LWIP_ND6_QUEUEING        0 /* queue for each, a flood could exhaust the buffers */
#define IP_REASSEMBLY            1
#define IP_FRAG                  1
#define IP_REASS_MAX_PBUFS       8
#define LWIP_IPV6_REASS          1
#define LWIP_IPV6_FRAG           1
#define LWIP_IPV6_FORWARD        0                    /* app/gateway.c forwards both families; */
#define IP_FORWARD               WYRM_FIRMWARE_TUNNEL /* for IPv4 lwIP calls it here */
#define LWIP_MULTICAST_PING      0
#define LWIP_BROADCAST_PING      0

#if WYRM_FIRMWARE_TUNNEL
/* Allowed prefixes are routed into the tunnel; spoofed ones are dropped (src/wyrm_lwip.h). */
#define LWIP_HOOK_IP4_ROUTE_SRC(src, dest) wyrm_lwip_route4(src, dest)
#define LWIP_HOOK_IP6_ROUTE(src, dest)     wyrm_lwip_route6(src, dest)
#define LWIP_HOOK_IP4_INPUT(p, inp)        (gateway_in4 = (inp), wyrm_lwip_input4(p, inp))
#define LWIP_HOOK_IP4_CANFORWARD(p, dest)  gateway_forward4(p) /* never by lwIP itself */
#define WYRM_LWIP_FILL_CHECKSUMS           0                   /* which leaves none empty */
#define LWIP_HOOK_TCP_ISN                  net_initial_sequence
#endif
#define LWIP_HOOK_FILENAME          "lwip_hooks.h"
#define LWIP_HOOK_IP6_INPUT(p, inp) net_input6(p, inp) /* wyrm_lwip_input6 and more */

/* ---- netif ---- */
#define LWIP_NETIF_HOSTNAME            1
#define LWIP_NETIF_STATUS_CALLBACK     1
#define LWIP_NETIF_LINK_CALLBACK       1
#define LWIP_NETIF_EXT_STATUS_CALLBACK 1
#define LWIP_NETIF_API                 0
#define LWIP_NETIF_TX_SINGLE_PBUF      0
#define LWIP_CHECKSUM_CTRL_PER_NETIF   1
#define LWIP_LOOPBACK_MAX_PBUFS        8

/* ---- TCP ---- */
#define TCP_MSS             1460
#define TCP_QUEUE_OOSEQ     1
#define TCP_LISTEN_BACKLOG  1
#define LWIP_TCP_TIMESTAMPS 0
#define LWIP_TCP_SACK_OUT   1
#define LWIP_TCP_KEEPALIVE  1

/* ---- counters: one increment each on the fast path ---- */
#define LWIP_STATS         1
#define LWIP_STATS_LARGE   1
#define LWIP_STATS_DISPLAY 1 /* names the pools */
#define MIB2_STATS         0

#endif

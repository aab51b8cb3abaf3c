/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Sizes of lwIP on this family.
 */
#ifndef BOARD_LWIP_H
#define BOARD_LWIP_H

#define TCPIP_THREAD_STACKSIZE (6 * 1024) /* bytes */

#define BOARD_RX_RING 8

#define MEM_SIZE (32 * 1024)
/* The ring, a window of segments, and what a flood can occupy: 8 fragments per family, and one
 * reply per unresolved stranger, 8 for IPv4 and 5 for IPv6. */
#define PBUF_POOL_SIZE   (BOARD_RX_RING + 8 + 36)
#define MEMP_NUM_PBUF    48
#define MEMP_NUM_TCP_SEG 48

#define TCP_WND          (8 * TCP_MSS)
#define TCP_SND_BUF      (8 * TCP_MSS)
#define TCP_SND_QUEUELEN 32

#endif

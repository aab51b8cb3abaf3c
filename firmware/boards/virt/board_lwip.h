/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Sizes of lwIP on this family. The controller fills pbufs by DMA and blocks the sender when there
 * are none, so only memory limits the window: -DWYRM_FIRMWARE_TCP_WINDOW=409600 works.
 */
#ifndef BOARD_LWIP_H
#define BOARD_LWIP_H

#ifndef BOARD_TCP_WINDOW
#define BOARD_TCP_WINDOW (16 * 1460)
#endif

#define TCPIP_THREAD_STACKSIZE (6 * 1024) /* bytes */

#define BOARD_RX_RING 32

#define MEM_SIZE (24 * 1024 + BOARD_TCP_WINDOW + BOARD_TCP_WINDOW / 8)
/* The ring, a window of segments, and what a flood can occupy: 8 fragments per family, and one
 * reply per unresolved stranger, 8 for IPv4 and 5 for IPv6. */
#define PBUF_POOL_SIZE   (BOARD_RX_RING + BOARD_TCP_WINDOW / 1460 + 36)
#define MEMP_NUM_PBUF    (32 + BOARD_TCP_WINDOW / 1460)
#define MEMP_NUM_TCP_SEG (32 + 2 * BOARD_TCP_WINDOW / 1460)

#define TCP_WND          BOARD_TCP_WINDOW
#define TCP_SND_BUF      BOARD_TCP_WINDOW
#define TCP_SND_QUEUELEN (2 * BOARD_TCP_WINDOW / 1460)

#endif

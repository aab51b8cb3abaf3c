/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Sizes of lwIP on this family. RAM: PBUF_POOL 48 * 1.55 KB, lwIP heap 32 KB, other pools about
 * 7 KB (`heap` on the console shows use and maximum of each).
 */
#ifndef BOARD_LWIP_H
#define BOARD_LWIP_H

#define TCPIP_THREAD_STACKSIZE (6 * 1024) /* bytes; 1.1 KB are used */

#define MEM_SIZE (32 * 1024)
/* A flood can occupy 29: 8 fragments per family, and one reply per unresolved stranger, 8 for IPv4
 * and 5 for IPv6 (app/neighbors.c). Replies count because an echo reply reuses the receive buffer
 * of its request. */
#define PBUF_POOL_SIZE   48
#define MEMP_NUM_PBUF    48 /* payloads sent by reference */
#define MEMP_NUM_TCP_SEG 48

/* The controller's receive FIFO holds 6.9 full frames and overflows silently: a window of four
 * segments measured 126 Mbit/s where eight gave 42. */
#define TCP_WND          (4 * TCP_MSS)
#define TCP_SND_BUF      (8 * TCP_MSS)
#define TCP_SND_QUEUELEN 32

#endif

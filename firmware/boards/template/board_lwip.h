/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Sizes of lwIP. `heap` on the console shows peak use, `stats` dropped packets.
 */
#ifndef BOARD_LWIP_H
#define BOARD_LWIP_H

#define TCPIP_THREAD_STACKSIZE (6 * 1024) /* bytes; lwIP's use plus 900 for the tunnel */

#define MEM_SIZE (32 * 1024) /* packets being sent or waiting for a handshake */
/* The controller's ring, a window of segments, and 36 that a flood can occupy. */
#define PBUF_POOL_SIZE   48
#define MEMP_NUM_PBUF    48
#define MEMP_NUM_TCP_SEG 48

/* As much as the controller can receive in a burst without loss. */
#define TCP_WND          (4 * TCP_MSS)
#define TCP_SND_BUF      (8 * TCP_MSS)
#define TCP_SND_QUEUELEN 32

#endif

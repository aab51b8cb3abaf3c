/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Sizes of lwIP. `heap` on the console shows what was used at most, `stats` what was dropped.
 */
#ifndef BOARD_LWIP_H
#define BOARD_LWIP_H

#define TCPIP_THREAD_STACKSIZE (6 * 1024) /* bytes; on top of lwIP's use 900 for the tunnel */

#define MEM_SIZE (32 * 1024) /* packets on their way out, and those that wait for a handshake */
/* What the controller's ring holds, a window of segments, and 36 that a flood can occupy. */
#define PBUF_POOL_SIZE   48
#define MEMP_NUM_PBUF    48
#define MEMP_NUM_TCP_SEG 48

/* As much as the controller takes in one go without losing any. */
#define TCP_WND          (4 * TCP_MSS)
#define TCP_SND_BUF      (8 * TCP_MSS)
#define TCP_SND_QUEUELEN 32

#endif

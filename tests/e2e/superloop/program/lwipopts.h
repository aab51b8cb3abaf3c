/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * lwIP without an operating system, with fixed pools as on a small device.
 */
#ifndef LWIPOPTS_H
#define LWIPOPTS_H

#define NO_SYS               1
#define SYS_LIGHTWEIGHT_PROT 0
#define LWIP_NETCONN         0
#define LWIP_SOCKET          0

#define LWIP_IPV4                    1
#define LWIP_IPV6                    0
#define LWIP_TCP                     0
#define LWIP_CHECKSUM_CTRL_PER_NETIF 1
#define LWIP_STATS                   0
#define MEM_ALIGNMENT                8
#define MEM_SIZE                     16384
#define PBUF_POOL_SIZE               16
#define PBUF_POOL_BUFSIZE            1600
#define MEMP_NUM_UDP_PCB             3
/* lwIP's own, the port's one, and two of wyrm_tunnel.h; one of the application. */
#define MEMP_NUM_SYS_TIMEOUT (LWIP_NUM_SYS_TIMEOUT_INTERNAL + 1 + 2 + 1)

#endif

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * lwIP as in the ESP8266 core: no operating system, IPv4.
 */
#ifndef LWIPOPTS_H
#define LWIPOPTS_H

#define NO_SYS                       1
#define SYS_LIGHTWEIGHT_PROT         0
#define LWIP_TCPIP_CORE_LOCKING      0
#define LWIP_NETCONN                 0
#define LWIP_SOCKET                  0
#define LWIP_DNS                     1
#define LWIP_IPV6                    0
#define LWIP_ARP                     0
#define LWIP_ETHERNET                0
#define MEM_ALIGNMENT                8
#define MEMP_NUM_SYS_TIMEOUT         12
#define LWIP_CHECKSUM_CTRL_PER_NETIF 0

#endif

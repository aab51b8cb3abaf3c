/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * lwIP as in arduino-pico: no operating system, IPv6 chosen in the menu.
 */
#ifndef LWIPOPTS_H
#define LWIPOPTS_H

#define NO_SYS                  1
#define SYS_LIGHTWEIGHT_PROT    0
#define LWIP_TCPIP_CORE_LOCKING 0
#define LWIP_NETCONN            0
#define LWIP_SOCKET             0
#define LWIP_DNS                1
#define LWIP_IPV6               1
#define MEM_ALIGNMENT           8
#define IPV6_FRAG_COPYHEADER    1

#endif

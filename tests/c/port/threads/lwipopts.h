/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * lwIP with its own task on POSIX threads, whose mutexes are not recursive. Compiled once with
 * LWIP_TCPIP_CORE_LOCKING=1 and once with 0.
 */
#ifndef LWIPOPTS_H
#define LWIPOPTS_H

#include <stdbool.h>

bool threads_lock_held(void);
void sys_check_core_locking(void); /* of lwIP's port for POSIX */

#define NO_SYS                    0
#define LWIP_NETCONN              0
#define LWIP_SOCKET               0
#define LWIP_ASSERT_CORE_LOCKED() sys_check_core_locking()
#define WYRM_LWIP_LOCK_HELD()     threads_lock_held()

#define MEM_LIBC_MALLOC      1
#define MEMP_MEM_MALLOC      1
#define MEM_ALIGNMENT        8
#define TCPIP_MBOX_SIZE      64
#define LWIP_IPV6            1
#define LWIP_IPV6_FRAG       0
#define IPV6_FRAG_COPYHEADER 1
#define LWIP_HAVE_LOOPIF     1
#define LWIP_NETIF_LOOPBACK  1
#define LWIP_ARP             0
#define LWIP_ETHERNET        0
#define LWIP_STATS           0

#endif

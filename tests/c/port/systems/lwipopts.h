/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * lwIP with an operating system, for the tests of the answers to "who holds the core lock?"
 */
#ifndef LWIPOPTS_H
#define LWIPOPTS_H

#define NO_SYS            0
#define LWIP_NETCONN      0
#define LWIP_SOCKET       0
#define TCPIP_THREAD_NAME "tcpip"

#include "kernel.h"

#define LWIP_ASSERT_CORE_LOCKED() kernel_assert_core_held()

#ifdef SYSTEM_RECORDED
#include "wyrm_lwip_lock.h"
#endif

#ifdef SYSTEM_IDF
enum idf_query { LWIP_CORE_LOCK_QUERY_HOLDER, LWIP_CORE_LOCK_MARK_HOLDER, IDF_UNMARK_HOLDER };
bool sys_thread_tcpip(enum idf_query query);
#if LWIP_TCPIP_CORE_LOCKING
#define LOCK_TCPIP_CORE()                                                                          \
    do {                                                                                           \
        sys_mutex_lock(&lock_tcpip_core);                                                          \
        sys_thread_tcpip(LWIP_CORE_LOCK_MARK_HOLDER);                                              \
    } while (0)
#define UNLOCK_TCPIP_CORE()                                                                        \
    do {                                                                                           \
        sys_thread_tcpip(IDF_UNMARK_HOLDER);                                                       \
        sys_mutex_unlock(&lock_tcpip_core);                                                        \
    } while (0)
#endif
#endif

#define MEM_LIBC_MALLOC      1
#define MEMP_MEM_MALLOC      1
#define MEM_ALIGNMENT        8
#define SYS_LIGHTWEIGHT_PROT 0
#define LWIP_IPV6            1
#define LWIP_IPV6_FRAG       0
#define IPV6_FRAG_COPYHEADER 1
#define LWIP_NETIF_LOOPBACK  0
#define LWIP_ARP             0
#define LWIP_ETHERNET        0
#define LWIP_STATS           0

#endif

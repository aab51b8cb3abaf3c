/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * lwIP as arduino-esp32 3.1 and later configures it: core locking, with checks.
 */
#ifndef LWIPOPTS_H
#define LWIPOPTS_H

#include <stdbool.h>

#define NO_SYS                       0
#define LWIP_TCPIP_CORE_LOCKING      1
#define LWIP_NETCONN                 0
#define LWIP_SOCKET                  0
#define LWIP_DNS                     1
#define LWIP_IPV6_NUM_ADDRESSES      8
#define LWIP_CHECKSUM_CTRL_PER_NETIF 0
#ifndef LWIP_IPV6
#define LWIP_IPV6 1
#endif
#define MEM_ALIGNMENT        8
#define IPV6_FRAG_COPYHEADER 1
#define TCPIP_THREAD_NAME    "tiT"

#ifdef __cplusplus
extern "C" {
#endif
typedef enum { LWIP_CORE_LOCK_QUERY_HOLDER } sys_thread_core_lock_t;
bool sys_thread_tcpip(sys_thread_core_lock_t query);
#ifdef __cplusplus
}
#endif

#endif

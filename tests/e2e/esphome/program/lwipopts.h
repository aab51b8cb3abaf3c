/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * lwIP as ESPHome configures it on an ESP32: core locking, a mutex that is not recursive, IPv4
 * only.
 */
#ifndef LWIPOPTS_H
#define LWIPOPTS_H

#include <stdbool.h>

void sys_check_core_locking(void); /* of lwIP's port for POSIX: aborts without the lock */
bool program_holds_lwip(void);

#define NO_SYS                    0
#define LWIP_TCPIP_CORE_LOCKING   1
#define LWIP_NETCONN              0
#define LWIP_SOCKET               0
#define LWIP_ASSERT_CORE_LOCKED() sys_check_core_locking()
#define WYRM_LWIP_LOCK_HELD()     program_holds_lwip()

#define LWIP_IPV4                    1
#define LWIP_IPV6                    0
#define LWIP_DNS                     1
#define LWIP_DNS_SECURE              0
#define DNS_MAX_RETRIES              2
#define LWIP_CHECKSUM_CTRL_PER_NETIF 1
#define LWIP_STATS                   0
#define MEM_LIBC_MALLOC              1
#define MEMP_MEM_MALLOC              1
#define MEM_ALIGNMENT                8
#define TCPIP_MBOX_SIZE              64
#define PBUF_POOL_BUFSIZE            1600

#define LWIP_HOOK_FILENAME                 "wyrm_lwip_hooks.h"
#define LWIP_HOOK_IP4_ROUTE_SRC(src, dest) wyrm_lwip_route4(src, dest)

#endif

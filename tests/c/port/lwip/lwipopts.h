/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * lwIP for the tests of the port. Every pbuf, pool entry and pcb is a malloc of its own, so that
 * the sanitizers see each, and so that a test can make any of them fail (bench.c).
 */
#ifndef LWIPOPTS_H
#define LWIPOPTS_H

#include <stddef.h>

void *bench_malloc(size_t size);
void *bench_calloc(size_t count, size_t size);
void bench_free(void *memory);

#define NO_SYS               1
#define SYS_LIGHTWEIGHT_PROT 0
#define LWIP_NETCONN         0
#define LWIP_SOCKET          0
#define LWIP_ASSERT_CORE_LOCKED()

#define MEM_CUSTOM_ALLOCATOR 1
#define MEMP_MEM_MALLOC      1
#define MEM_CUSTOM_MALLOC    bench_malloc
#define MEM_CUSTOM_CALLOC    bench_calloc
#define MEM_CUSTOM_FREE      bench_free
#define MEM_ALIGNMENT        8
#define PBUF_POOL_BUFSIZE    1600

#ifndef LWIP_IPV4
#define LWIP_IPV4 1
#endif
#ifndef LWIP_IPV6
#define LWIP_IPV6 1
#endif
#define LWIP_IPV6_NUM_ADDRESSES         4
#define LWIP_IPV6_MLD                   LWIP_IPV6
#define LWIP_ICMP                       LWIP_IPV4
#define LWIP_RAW                        1
#define IP_FORWARD                      1
#define IP_FORWARD_ALLOW_TX_ON_RX_NETIF 1
#define IP_FRAG                         0 /* so that packets beyond the MTU reach the interface */
#define LWIP_IPV6_FORWARD               1
#define LWIP_IPV6_FRAG                  0
#define IPV6_FRAG_COPYHEADER            1 /* 64-bit pointers */
#define LWIP_ARP                        0
#define LWIP_ETHERNET                   0
#define LWIP_NETIF_LOOPBACK             1
#define LWIP_CHECKSUM_CTRL_PER_NETIF    1
#define LWIP_SUPPORT_CUSTOM_PBUF        1
#define LWIP_STATS                      0

#ifdef BENCH_HOOKS_OF_ITS_OWN
/* The application routes too: some of its hooks are macros here, the others in its file. */
#define LWIP_HOOK_FILENAME                 "app_hooks.h"
#define LWIP_HOOK_IP4_ROUTE_SRC(src, dest) app_route4(src, dest)
#define LWIP_HOOK_IP6_ROUTE                app_route6
#endif

#ifdef BENCH_HOOKS_WITHOUT_OTHERS
#define LWIP_HOOK_FILENAME                 "wyrm_lwip_hooks.h"
#define LWIP_HOOK_IP4_ROUTE_SRC(src, dest) wyrm_lwip_route4(src, dest)
#endif

#endif

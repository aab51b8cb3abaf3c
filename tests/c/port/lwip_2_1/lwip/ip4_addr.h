/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * lwIP's own, with the names that lwIP 2.1 has for comparisons and without those that came later.
 */
#ifndef TEST_LWIP_2_1_IP4_ADDR_H
#define TEST_LWIP_2_1_IP4_ADDR_H

#include_next "lwip/ip4_addr.h"

#undef ip4_addr_eq
#undef ip4_addr_net_eq
#undef ip4_addr_cmp
#undef ip4_addr_netcmp
#define ip4_addr_cmp(a, b)          ((a)->addr == (b)->addr)
#define ip4_addr_netcmp(a, b, mask) (((a)->addr & (mask)->addr) == ((b)->addr & (mask)->addr))

#endif

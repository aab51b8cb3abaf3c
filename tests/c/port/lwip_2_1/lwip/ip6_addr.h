/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * lwIP's own, with the name that lwIP 2.1 has for a comparison and without that which came later.
 */
#ifndef TEST_LWIP_2_1_IP6_ADDR_H
#define TEST_LWIP_2_1_IP6_ADDR_H

#include_next "lwip/ip6_addr.h"

#undef ip6_addr_net_eq
#undef ip6_addr_netcmp
#define ip6_addr_netcmp(a, b) ((a)->addr[0] == (b)->addr[0] && (a)->addr[1] == (b)->addr[1])

#endif

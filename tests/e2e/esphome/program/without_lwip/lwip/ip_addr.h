/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * For ESPHome's files only: on this platform ESPHome defines lwIP's address types itself, in terms
 * of the C library. They have the size of lwIP's without IPv6.
 */
#pragma once
#include "esphome/components/network/ip_address.h"

static_assert(sizeof(ip_addr_t) == 4, "lwIP's ip_addr_t without IPv6");

#define IPADDR4_INIT(address)                                                                      \
    {                                                                                              \
        address                                                                                    \
    }

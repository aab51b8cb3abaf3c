/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Generated from tools/options.toml by tools/options.py.
 * Hands the choices of Kconfig to the library: a build with Kconfig sets
 * WYRM_USER_CONFIG_FILE to "wyrm_kconfig.h".
 */
#ifndef WYRM_KCONFIG_H
#define WYRM_KCONFIG_H

#ifdef ESP_PLATFORM
#include "sdkconfig.h"
#endif

#define WYRM_REPLAY_BITS CONFIG_WYRM_REPLAY_BITS

#ifdef CONFIG_WYRM_RESPONDER
#define WYRM_RESPONDER 1
#else
#define WYRM_RESPONDER 0
#endif

#define WYRM_HANDSHAKE_SLOTS CONFIG_WYRM_HANDSHAKE_SLOTS

#define WYRM_SOURCES CONFIG_WYRM_SOURCES

#ifdef CONFIG_WYRM_IPV6
#define WYRM_IPV6 1
#else
#define WYRM_IPV6 0
#endif

#ifdef CONFIG_WYRM_CACHE_STATIC_DH
#define WYRM_CACHE_STATIC_DH 1
#else
#define WYRM_CACHE_STATIC_DH 0
#endif

#ifdef CONFIG_WYRM_ASM
#define WYRM_ASM 1
#else
#define WYRM_ASM 0
#endif

#define WYRM_LWIP_HOLD_PER_PEER CONFIG_WYRM_LWIP_HOLD_PER_PEER

#define WYRM_LWIP_SPANS CONFIG_WYRM_LWIP_SPANS

#define WYRM_STORE_BLOCK_S CONFIG_WYRM_STORE_BLOCK_S

#define WYRM_STORE_CLOCK_BLOCK_S CONFIG_WYRM_STORE_CLOCK_BLOCK_S

#define WYRM_STORE_CLOCK_YEARS CONFIG_WYRM_STORE_CLOCK_YEARS

#define WYRM_WORKER_STACK CONFIG_WYRM_WORKER_STACK

#endif /* WYRM_KCONFIG_H */

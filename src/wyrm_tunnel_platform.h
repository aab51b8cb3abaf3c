/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Random bytes and timestamps for interfaces that take no struct wyrm_platform: those in compat/.
 */
#ifndef WYRM_TUNNEL_PLATFORM_H
#define WYRM_TUNNEL_PLATFORM_H

#include "wyrm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Implemented by port/esp_idf on ESP-IDF, and by the application elsewhere. NULL: neither random
 * bytes nor a place for timestamps could be had, and no tunnel starts. */
const struct wyrm_platform *wyrm_tunnel_platform(void);

#ifdef __cplusplus
}
#endif

#endif /* WYRM_TUNNEL_PLATFORM_H */

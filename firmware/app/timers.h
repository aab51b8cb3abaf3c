/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 */
#ifndef TIMERS_H
#define TIMERS_H

#include <stdint.h>

/** Takes lwIP's own timers over. Once, in the TCP/IP task. */
void timers_start(void);

/** To be called when lwIP is asked for a name, under the core lock. */
void timers_expect_lookup(void);

/** How often lwIP's own timers, other than TCP's, have run since boot. */
uint32_t timers_passes(void);

/** LOCK_TCPIP_CORE() and UNLOCK_TCPIP_CORE() (config/lwipopts.h). */
void timers_lock(void);
void timers_unlock(void);

#endif

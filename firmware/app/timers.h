/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 */
#ifndef TIMERS_H
#define TIMERS_H

#include <stdint.h>

/** Takes over lwIP's own timers. Call once, in the TCP/IP task. */
void timers_start(void);

/** Call when lwIP starts a DNS query, under the core lock. */
void timers_expect_lookup(void);

/** Runs of lwIP's own timers, other than TCP's, since boot. */
uint32_t timers_passes(void);

/** LOCK_TCPIP_CORE() and UNLOCK_TCPIP_CORE() (config/lwipopts.h). */
void timers_lock(void);
void timers_unlock(void);

#endif

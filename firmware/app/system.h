/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 */
#ifndef SYSTEM_H
#define SYSTEM_H

#include <stdint.h>

/** Called by the kernel after the processor has slept (config/FreeRTOSConfig.h). */
void system_woke_up(void);

/** Number of times the processor has slept. */
uint32_t system_wakeups(void);

#endif

/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 */
#ifndef SYSTEM_H
#define SYSTEM_H

#include <stdint.h>

/** Called by the kernel when the processor has slept (config/FreeRTOSConfig.h). */
void system_woke_up(void);

/** How often it has. */
uint32_t system_wakeups(void);

#endif

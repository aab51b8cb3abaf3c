/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 */
#ifndef CMSIS_OS_H
#define CMSIS_OS_H

#include "kernel.h"

#ifdef SYSTEM_CMSIS1
#define osCMSIS 0x10002
#else
#define osCMSIS 0x20001u
#endif

typedef void *osMutexId_t, *osThreadId_t;

/* Version 2 only. */
osThreadId_t osMutexGetOwner(osMutexId_t mutex);
osThreadId_t osThreadGetId(void);

#endif

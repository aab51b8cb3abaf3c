/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The part of an operating system that lwIP's core lock consists of: tasks that exist by number
 * only, and mutexes that fail the test instead of blocking. Each system below spells it in its own
 * way:
 *
 *   SYSTEM_FREERTOS   FreeRTOS with lwIP's contrib/ports/freertos: a mutex inside a structure
 *   SYSTEM_RECORDED   the same without a query for the holder: wyrm_lwip_lock.h
 *   SYSTEM_CMSIS1     ST's lwIP on CMSIS-RTOS version 1: the mutex is FreeRTOS's
 *   SYSTEM_CMSIS2     ST's lwIP on CMSIS-RTOS version 2: osMutexGetOwner()
 *   SYSTEM_IDF        ESP-IDF: lwIP's port answers itself
 */
#ifndef KERNEL_H
#define KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum kernel_task { KERNEL_NOBODY, KERNEL_MAIN, KERNEL_OTHER, KERNEL_TCPIP };

struct kernel_mutex {
    enum kernel_task holder;
    unsigned depth;
    bool recursive;
};

extern enum kernel_task kernel_current;
extern struct kernel_mutex kernel_core; /* lwIP's core lock */

void kernel_lock(struct kernel_mutex *mutex);
void kernel_unlock(struct kernel_mutex *mutex);
/* The truth that the answers are compared with. */
bool kernel_core_held(void);
void kernel_assert_core_held(void); /* LWIP_ASSERT_CORE_LOCKED */

#endif

/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * FreeRTOS callbacks: errors, which panic, and the idle hook.
 */
#include "FreeRTOS.h"
#include "task.h"

#include "board_api.h"
#include "system.h"

void vApplicationStackOverflowHook(TaskHandle_t task, char *name);
void vApplicationMallocFailedHook(void);
void vApplicationIdleHook(void);

void vApplicationStackOverflowHook(TaskHandle_t task, char *name)
{
    (void)task;
    board_panic("stack overflow", name, 0);
}

void vApplicationMallocFailedHook(void)
{
    board_panic("FreeRTOS heap is full", "least ever free", xPortGetMinimumEverFreeHeapSize());
}

static volatile uint32_t wakeups;

void system_woke_up(void)
{
    wakeups++;
}

uint32_t system_wakeups(void)
{
    return wakeups;
}

/* A tickless board sleeps elsewhere, when the kernel passes the duration. */
void vApplicationIdleHook(void)
{
    if (configUSE_TICKLESS_IDLE)
        return;
    board_idle();
    system_woke_up();
}

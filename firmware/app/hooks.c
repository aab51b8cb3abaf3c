/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * FreeRTOS callbacks: errors, which panic, and the idle hook.
 */
#include "FreeRTOS.h"
#include "task.h"

#include "board_api.h"

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

void vApplicationIdleHook(void)
{
    board_idle();
}

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * FreeRTOS support for the lwIP port: the worker task that runs handshakes, and a test for holding
 * lwIP's core lock. Compile src/port/freertos with WYRM_PORT_FREERTOS=1 together with lwIP's own
 * contrib/ports/freertos, ST's lwIP on CMSIS-RTOS, or ESP-IDF. Nothing here may be called from an
 * interrupt.
 */
#ifndef WYRM_FREERTOS_H
#define WYRM_FREERTOS_H

#include "wyrm.h"
#include "wyrm_lwip.h"

#ifdef ESP_PLATFORM
#include "freertos/FreeRTOS.h"
#include "freertos/task.h"
#else
#include "FreeRTOS.h"
#include "task.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Stack of the worker in bytes. A handshake uses up to 1,160 on a Cortex-M4 or M7 and 1,700 on a
 * Cortex-M3 (high-water mark, GCC 12 -O2). platform.tai64n, which may write flash, runs on this
 * stack too, but not below the cryptography; ESP-IDF's flash storage alone takes 2 KB. */
#ifndef WYRM_WORKER_STACK
#ifdef ESP_PLATFORM
#define WYRM_WORKER_STACK 4096
#else
#define WYRM_WORKER_STACK 2048
#endif
#endif

/* All memory of a worker; without configSUPPORT_STATIC_ALLOCATION, its stack comes from FreeRTOS's
 * heap. The job is not on the stack, so a dump of the stack shows no keys. Members are private. */
struct wyrm_worker {
    struct wyrm_lwip *lwip;
    TaskHandle_t task;                      /* NULL: never started */
    volatile uint32_t requested, confirmed; /* odd: stopped */
    struct wyrm_job job;
#if configSUPPORT_STATIC_ALLOCATION
    StaticTask_t control;
    StackType_t stack[WYRM_WORKER_STACK / sizeof(StackType_t)];
#endif
};

/* Starts the task, whose priority should be below that of the TCP/IP task. Has no effect on a
 * worker that is running. */
void wyrm_worker_start(struct wyrm_worker *worker, struct wyrm_lwip *lwip, UBaseType_t priority);
/* False after wyrm_worker_start: FreeRTOS's heap is exhausted, and nothing runs handshakes. Always
 * true with configSUPPORT_STATIC_ALLOCATION. */
static inline bool wyrm_worker_started(const struct wyrm_worker *worker)
{
    return worker->task != NULL;
}
/* Blocks until the current handshake has ended, so the caller must not hold lwIP's lock. Stop or
 * remove the tunnel first. The task then waits and keeps using `worker`; a later start, with this
 * tunnel or another, reuses it at its old priority. Never delete the task: it may hold the lock. */
void wyrm_worker_stop(struct wyrm_worker *worker);
/* Wakes the worker without blocking. For wyrm_lwip_config.wake, with the worker as its argument. */
void wyrm_worker_wake(void *worker);
/* Minimum free stack so far, in bytes. Requires INCLUDE_uxTaskGetStackHighWaterMark. */
size_t wyrm_worker_stack_left(const struct wyrm_worker *worker);

/* True if the calling task may call lwIP directly: it holds the core lock or, without core locking,
 * is the TCP/IP task, recognized by its name. The default of WYRM_LWIP_LOCK_HELD() outside ESP-IDF,
 * whose lwIP answers itself. */
bool wyrm_freertos_lwip_held(void);

#ifdef __cplusplus
}
#endif

#endif /* WYRM_FREERTOS_H */

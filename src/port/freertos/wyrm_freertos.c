/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The worker task, and the test for holding lwIP's core lock. wyrm_lwip_work() takes the lock only
 * to take and commit a job, so a handshake never delays a packet.
 */
#include "wyrm_config.h"

#if !defined(WYRM_PORT_FREERTOS) || !WYRM_PORT_FREERTOS

typedef int wyrm_freertos_not_built; /* ISO C requires a declaration in every file */

#else

#include "wyrm_freertos.h"

#include "lwip/tcpip.h"

#include <string.h>

#ifndef ESP_PLATFORM
#include "semphr.h"
#endif

#if !INCLUDE_vTaskDelay
#error "set INCLUDE_vTaskDelay to 1"
#endif

/* ---- Worker --------------------------------------------------------------- */

/* The task is never deleted: with several cores, a task that has just blocked may still be using
 * its stack. A stopped task waits, and a later start reuses it.
 *
 * `requested` counts starts and stops and is odd while stopped; the task copies the value it has
 * seen to `confirmed`. The confirmation of an earlier stop is thus never taken for a later one. */
static bool is_stopped(uint32_t requested)
{
    return requested % 2 != 0;
}

/* Without INCLUDE_vTaskSuspend the wait ends after 49 days: a wake-up for nothing does no harm. */
static void work(void *argument)
{
    struct wyrm_worker *worker = argument;

    for (;;) {
        (void)ulTaskNotifyTake(pdTRUE, portMAX_DELAY);
        uint32_t requested = worker->requested;

        if (!is_stopped(requested))
            wyrm_lwip_work(worker->lwip, &worker->job);
        worker->confirmed = requested;
    }
}

static TaskHandle_t create_task(struct wyrm_worker *worker, UBaseType_t priority)
{
    enum { DEPTH = WYRM_WORKER_STACK / sizeof(StackType_t) };
#if configSUPPORT_STATIC_ALLOCATION
    return xTaskCreateStatic(work, "wyrm", DEPTH, worker, priority, worker->stack,
                             &worker->control);
#else
    TaskHandle_t task;

    return xTaskCreate(work, "wyrm", DEPTH, worker, priority, &task) == pdPASS ? task : NULL;
#endif
}

void wyrm_worker_start(struct wyrm_worker *worker, struct wyrm_lwip *lwip, UBaseType_t priority)
{
    if (worker->task == NULL) {
        worker->lwip = lwip;
        worker->task = create_task(worker, priority);
    } else if (is_stopped(worker->requested)) {
        worker->lwip = lwip;
        worker->requested++;
    }
    wyrm_worker_wake(worker); /* a handshake may be pending already */
}

void wyrm_worker_stop(struct wyrm_worker *worker)
{
    if (worker->task == NULL || is_stopped(worker->requested))
        return;
    worker->requested++;
    while (worker->confirmed != worker->requested) {
        wyrm_worker_wake(worker);
        vTaskDelay(1);
    }
}

void wyrm_worker_wake(void *worker)
{
    TaskHandle_t task = ((struct wyrm_worker *)worker)->task;

    if (task != NULL)
        (void)xTaskNotifyGive(task);
}

#if INCLUDE_uxTaskGetStackHighWaterMark
size_t wyrm_worker_stack_left(const struct wyrm_worker *worker)
{
    return worker->task == NULL ? WYRM_WORKER_STACK
                                : uxTaskGetStackHighWaterMark(worker->task) * sizeof(StackType_t);
}
#endif

/* ---- Lock -------------------------------------------------------------------- */

#if defined(ESP_PLATFORM)

bool wyrm_freertos_lwip_held(void)
{
    return sys_thread_tcpip(LWIP_CORE_LOCK_QUERY_HOLDER);
}

#elif !LWIP_TCPIP_CORE_LOCKING

bool wyrm_freertos_lwip_held(void)
{
    return strncmp(pcTaskGetName(NULL), TCPIP_THREAD_NAME, configMAX_TASK_NAME_LEN - 1) == 0;
}

#elif defined(WYRM_LWIP_LOCK_RECORDED) /* wyrm_lwip_lock.h */

/* Only the holder writes these, and a task finds itself in `holder` only if it has written that. */
static TaskHandle_t volatile holder;
static unsigned depth; /* of a recursive mutex */

void wyrm_freertos_lwip_lock(void)
{
    sys_mutex_lock(&lock_tcpip_core);
    holder = xTaskGetCurrentTaskHandle();
    depth++;
}

void wyrm_freertos_lwip_unlock(void)
{
    depth--;
    if (depth == 0)
        holder = NULL;
    sys_mutex_unlock(&lock_tcpip_core);
}

bool wyrm_freertos_lwip_held(void)
{
    return holder == xTaskGetCurrentTaskHandle();
}

#elif defined(osCMSIS) && osCMSIS >= 0x20000u

bool wyrm_freertos_lwip_held(void)
{
    return lock_tcpip_core != NULL && osMutexGetOwner(lock_tcpip_core) == osThreadGetId();
}

#elif LWIP_COMPAT_MUTEX || !INCLUDE_xSemaphoreGetMutexHolder

#error                                                                                             \
    "include wyrm_lwip_lock.h in lwipopts.h, or set LWIP_COMPAT_MUTEX to 0 and INCLUDE_xSemaphoreGetMutexHolder to 1, or define WYRM_LWIP_LOCK_HELD()"

#else

/* The mutex inside lwIP's own port to FreeRTOS, or in ST's port to CMSIS-RTOS version 1. */
#ifdef osCMSIS
#define CORE_MUTEX lock_tcpip_core
#else
#define CORE_MUTEX lock_tcpip_core.mut
#endif

bool wyrm_freertos_lwip_held(void)
{
    return sys_mutex_valid(&lock_tcpip_core) &&
           xSemaphoreGetMutexHolder(CORE_MUTEX) == xTaskGetCurrentTaskHandle();
}

#endif

#endif /* WYRM_PORT_FREERTOS */

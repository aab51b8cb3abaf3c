/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * FreeRTOS under a tunnel: worker and lock. wyrm_lwip_work does the work; only its take and commit
 * are under lwIP's lock, so a handshake never holds up a packet.
 */
#ifdef WYRM_PORT_FREERTOS

#include "wyrm_freertos.h"

#include "semphr.h"

#include "lwip/tcpip.h"

#include <string.h>

#if !configSUPPORT_STATIC_ALLOCATION || !INCLUDE_vTaskDelete || !INCLUDE_vTaskSuspend
#error "set configSUPPORT_STATIC_ALLOCATION, INCLUDE_vTaskDelete and INCLUDE_vTaskSuspend to 1"
#endif

/* ---- Worker --------------------------------------------------------------- */

/* Waits for its deletion, which its memory must outlive, so it does not delete itself. */
static void work(void *argument)
{
    struct wyrm_worker *worker = argument;

    while (worker->stopper == NULL) {
        (void)ulTaskNotifyTake(pdTRUE, portMAX_DELAY);
        wyrm_lwip_work(worker->lwip, &worker->job);
    }
    worker->ended = true;
    (void)xTaskNotifyGive(worker->stopper);
    vTaskSuspend(NULL);
}

void wyrm_worker_start(struct wyrm_worker *worker, struct wyrm_lwip *lwip, UBaseType_t priority)
{
    if (worker->task != NULL) {
        return;
    }
    worker->lwip = lwip;
    worker->stopper = NULL;
    worker->ended = false;
    worker->task = xTaskCreateStatic(work, "wyrm", WYRM_WORKER_STACK_WORDS, worker, priority,
                                     worker->stack, &worker->control);
    wyrm_worker_wake(worker); /* work may wait already */
}

void wyrm_worker_stop(struct wyrm_worker *worker)
{
    TaskHandle_t task = worker->task;

    if (task == NULL) {
        return;
    }
    worker->stopper = xTaskGetCurrentTaskHandle();
    (void)xTaskNotifyGive(task);
    while (!worker->ended) { /* others may notify this task too */
        (void)ulTaskNotifyTake(pdTRUE, portMAX_DELAY);
    }
    worker->task = NULL;
    vTaskDelete(task);
}

void wyrm_worker_wake(void *worker)
{
    TaskHandle_t task = ((struct wyrm_worker *)worker)->task;

    if (task != NULL) {
        (void)xTaskNotifyGive(task);
    }
}

#if INCLUDE_uxTaskGetStackHighWaterMark
UBaseType_t wyrm_worker_stack_left(const struct wyrm_worker *worker)
{
    return worker->task == NULL ? WYRM_WORKER_STACK_WORDS
                                : uxTaskGetStackHighWaterMark(worker->task);
}
#endif

/* ---- Lock -------------------------------------------------------------------- */

#if LWIP_TCPIP_CORE_LOCKING

#if LWIP_COMPAT_MUTEX || !INCLUDE_xSemaphoreGetMutexHolder
#error                                                                                             \
    "set LWIP_COMPAT_MUTEX to 0 and INCLUDE_xSemaphoreGetMutexHolder to 1, or define WYRM_LWIP_LOCK_HELD()"
#endif

bool wyrm_freertos_lwip_held(void)
{
    return sys_mutex_valid(&lock_tcpip_core) &&
           xSemaphoreGetMutexHolder(lock_tcpip_core.mut) == xTaskGetCurrentTaskHandle();
}

#else

bool wyrm_freertos_lwip_held(void)
{
    return strncmp(pcTaskGetName(NULL), TCPIP_THREAD_NAME, configMAX_TASK_NAME_LEN - 1) == 0;
}

#endif

#else
typedef int wyrm_freertos_is_not_built; /* ISO C wants something in every file */
#endif

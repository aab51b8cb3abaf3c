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

#if !configSUPPORT_STATIC_ALLOCATION || !INCLUDE_vTaskDelay || !INCLUDE_vTaskSuspend
#error "set configSUPPORT_STATIC_ALLOCATION, INCLUDE_vTaskDelay and INCLUDE_vTaskSuspend to 1"
#endif

/* ---- Worker --------------------------------------------------------------- */

/* The task is never deleted: on several cores nobody can tell whether a task that has just blocked
 * has left its core and its stack. A stopped one waits, and a later start goes on with it.
 *
 * `wanted` counts starts and stops, odd while stopped; the task confirms what it has seen. A late
 * confirmation of an earlier stop thus never passes for that of a later one. */
static bool is_stopped(uint32_t wanted)
{
    return wanted % 2 != 0;
}

static void work(void *argument)
{
    struct wyrm_worker *worker = argument;

    for (;;) {
        (void)ulTaskNotifyTake(pdTRUE, portMAX_DELAY);
        uint32_t wanted = worker->wanted;

        if (!is_stopped(wanted)) {
            wyrm_lwip_work(worker->lwip, &worker->job);
        }
        worker->confirmed = wanted;
    }
}

void wyrm_worker_start(struct wyrm_worker *worker, struct wyrm_lwip *lwip, UBaseType_t priority)
{
    if (worker->task == NULL) {
        worker->lwip = lwip;
        worker->task = xTaskCreateStatic(work, "wyrm", WYRM_WORKER_STACK_WORDS, worker, priority,
                                         worker->stack, &worker->control);
    } else if (is_stopped(worker->wanted)) {
        worker->lwip = lwip;
        worker->wanted++;
    }
    wyrm_worker_wake(worker); /* work may wait already */
}

void wyrm_worker_stop(struct wyrm_worker *worker)
{
    if (worker->task == NULL || is_stopped(worker->wanted)) {
        return;
    }
    worker->wanted++;
    while (worker->confirmed != worker->wanted) {
        wyrm_worker_wake(worker);
        vTaskDelay(1);
    }
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

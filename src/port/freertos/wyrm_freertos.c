/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The worker task, and the test for holding lwIP's core lock. wyrm_lwip_work() takes the lock only
 * to take and commit a job, so a handshake never delays a packet.
 */
#if !defined(WYRM_PORT_FREERTOS) || !WYRM_PORT_FREERTOS

typedef int wyrm_freertos_not_built; /* ISO C requires a declaration in every file */

#else

#include "wyrm_freertos.h"

#include "semphr.h"

#include "lwip/tcpip.h"

#include <string.h>

#if !configSUPPORT_STATIC_ALLOCATION || !INCLUDE_vTaskDelay || !INCLUDE_vTaskSuspend
#error "set configSUPPORT_STATIC_ALLOCATION, INCLUDE_vTaskDelay and INCLUDE_vTaskSuspend to 1"
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

static void work(void *argument)
{
    struct wyrm_worker *worker = argument;

    for (;;) {
        (void)ulTaskNotifyTake(pdTRUE, portMAX_DELAY);
        uint32_t requested = worker->requested;

        if (!is_stopped(requested)) {
            wyrm_lwip_work(worker->lwip, &worker->job);
        }
        worker->confirmed = requested;
    }
}

void wyrm_worker_start(struct wyrm_worker *worker, struct wyrm_lwip *lwip, UBaseType_t priority)
{
    if (worker->task == NULL) {
        worker->lwip = lwip;
        worker->task = xTaskCreateStatic(work, "wyrm", WYRM_WORKER_STACK_WORDS, worker, priority,
                                         worker->stack, &worker->control);
    } else if (is_stopped(worker->requested)) {
        worker->lwip = lwip;
        worker->requested++;
    }
    wyrm_worker_wake(worker); /* a handshake may be pending already */
}

void wyrm_worker_stop(struct wyrm_worker *worker)
{
    if (worker->task == NULL || is_stopped(worker->requested)) {
        return;
    }
    worker->requested++;
    while (worker->confirmed != worker->requested) {
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

#endif /* WYRM_PORT_FREERTOS */

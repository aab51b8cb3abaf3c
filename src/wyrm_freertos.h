/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * FreeRTOS under a tunnel: the task that runs handshakes, and the question who holds lwIP's core
 * lock. Compile src/port/freertos with WYRM_PORT_FREERTOS=1, beside lwIP's own
 * contrib/ports/freertos. Never called from an interrupt.
 */
#ifndef WYRM_FREERTOS_H
#define WYRM_FREERTOS_H

#include "wyrm.h"
#include "wyrm_lwip.h"

#include "FreeRTOS.h"
#include "task.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Stack of the worker in words. A handshake takes up to 290 of them on a Cortex-M4 or M7, 425 on a
 * Cortex-M3 (painted, GCC 12 -O2); platform.tai64n, which writes flash, runs on it too, before. */
#ifndef WYRM_WORKER_STACK_WORDS
#define WYRM_WORKER_STACK_WORDS 512
#endif

/* All that a worker needs, in static memory: its keys never lie on a stack that a crash dump
 * shows. Members are private. */
struct wyrm_worker {
    struct wyrm_lwip *lwip;
    TaskHandle_t task;                   /* NULL: never started */
    volatile uint32_t wanted, confirmed; /* odd: stopped */
    struct wyrm_job job;
    StaticTask_t control;
    StackType_t stack[WYRM_WORKER_STACK_WORDS];
};

/* Starts the task; its priority belongs below that of the TCP/IP task. Allocates nothing. Starting
 * it twice does nothing. */
void wyrm_worker_start(struct wyrm_worker *worker, struct wyrm_lwip *lwip, UBaseType_t priority);
/* Lets the handshake under way end; blocks that long, so the caller must not hold lwIP's lock. Stop
 * or remove the tunnel first. The task stays, waiting, and so must its memory; a later start, with
 * this tunnel or another, goes on with it at its old priority. Never delete the task: it may hold
 * the lock. */
void wyrm_worker_stop(struct wyrm_worker *worker);
/* There is work; never blocks. Fits wyrm_lwip_config.wake, with the worker as its argument. */
void wyrm_worker_wake(void *worker);
/* The least stack that was ever free, in words. With INCLUDE_uxTaskGetStackHighWaterMark. */
UBaseType_t wyrm_worker_stack_left(const struct wyrm_worker *worker);

/* True if the calling task may call lwIP directly: it holds the core lock, or without core locking
 * it is the TCP/IP task, which is told by its name. The default of WYRM_LWIP_LOCK_HELD(). */
bool wyrm_freertos_lwip_held(void);

#ifdef __cplusplus
}
#endif

#endif /* WYRM_FREERTOS_H */

/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * FreeRTOS options of every board; what differs is in its board_freertos.h. Priorities, highest
 * first: Ethernet receive, tcpip, shell, worker, idle.
 */
#ifndef FREERTOS_CONFIG_H
#define FREERTOS_CONFIG_H

#include "board.h"
#include "board_freertos.h"

#ifndef __ASSEMBLER__
#include <stddef.h>
#include <stdint.h>
_Noreturn void board_panic(const char *reason, const char *detail, uint32_t value);
uint64_t board_clock_ticks(void);
void system_woke_up(void);
#endif

/* Kernel */
#define configTICK_RATE_HZ                  1000
#define configTICK_TYPE_WIDTH_IN_BITS       TICK_TYPE_WIDTH_32_BITS
#define configUSE_PREEMPTION                1
#define configUSE_TIME_SLICING              0
#define configMAX_PRIORITIES                8
#define configMAX_TASK_NAME_LEN             12
#define configIDLE_TASK_NAME                "idle"
#define configIDLE_SHOULD_YIELD             1
#define configUSE_IDLE_HOOK                 1
#define configUSE_TICK_HOOK                 0
#define traceLOW_POWER_IDLE_END()           system_woke_up() /* tickless boards */
#define configENABLE_BACKWARD_COMPATIBILITY 1 /* lwIP's sys_arch.c uses portTICK_RATE_MS */

/* Features */
#define configUSE_MUTEXES                   1
#define configUSE_RECURSIVE_MUTEXES         1
#define configUSE_COUNTING_SEMAPHORES       1
#define configUSE_TASK_NOTIFICATIONS        1
#define configUSE_TIMERS                    0
#define configUSE_EVENT_GROUPS              0
#define configUSE_STREAM_BUFFERS            0
#define configUSE_CO_ROUTINES               0
#define configUSE_NEWLIB_REENTRANT          0
#define configSUPPORT_STATIC_ALLOCATION     1
#define configSUPPORT_DYNAMIC_ALLOCATION    1
#define configKERNEL_PROVIDED_STATIC_MEMORY 1

#define INCLUDE_vTaskDelay                  1
#define INCLUDE_vTaskDelete                 1
#define INCLUDE_vTaskSuspend                1
#define INCLUDE_xTaskGetCurrentTaskHandle   1
#define INCLUDE_xTaskGetSchedulerState      1
#define INCLUDE_xTaskGetIdleTaskHandle      1
#define INCLUDE_xSemaphoreGetMutexHolder    1
#define INCLUDE_uxTaskGetStackHighWaterMark 1

/* Statistics: run time is counted in 64-bit ticks of the device clock */
#define configUSE_TRACE_FACILITY                 1
#define configRECORD_STACK_HIGH_ADDRESS          1
#define configGENERATE_RUN_TIME_STATS            1
#define configRUN_TIME_COUNTER_TYPE              uint64_t
#define portCONFIGURE_TIMER_FOR_RUN_TIME_STATS() /* runs since reset */
#define portGET_RUN_TIME_COUNTER_VALUE()         board_clock_ticks()
#define configCHECK_FOR_STACK_OVERFLOW           2
#define configUSE_MALLOC_FAILED_HOOK             1
#define configASSERT(x)                                                                            \
    do {                                                                                           \
        if (!(x))                                                                                  \
            board_panic("FreeRTOS assertion", __FILE__, __LINE__);                                 \
    } while (0)

#endif

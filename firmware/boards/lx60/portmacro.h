/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * FreeRTOS on Xtensa with register windows: the kernel's port interface. One core; all interrupts
 * have level 1 and do not nest. A yield switches at once, so the depth of critical sections belongs
 * to the task and is saved with it.
 */
#ifndef PORTMACRO_H
#define PORTMACRO_H

#include <stdint.h>

#define portCHAR              char
#define portFLOAT             float
#define portDOUBLE            double
#define portLONG              long
#define portSHORT             short
#define portSTACK_TYPE        uint32_t
#define portBASE_TYPE         long
#define portPOINTER_SIZE_TYPE uint32_t

typedef portSTACK_TYPE StackType_t;
typedef long BaseType_t;
typedef unsigned long UBaseType_t;
typedef uint32_t TickType_t;

#define portMAX_DELAY                                ((TickType_t)UINT32_MAX)
#define portTICK_TYPE_IS_ATOMIC                      1
#define portTICK_PERIOD_MS                           ((TickType_t)1000 / configTICK_RATE_HZ)
#define portSTACK_GROWTH                             (-1)
#define portBYTE_ALIGNMENT                           16
#define portNOP()                                    __asm volatile("nop")
#define portMEMORY_BARRIER()                         __asm volatile("" : : : "memory")
#define portTASK_FUNCTION_PROTO(function, parameter) void function(void *parameter)
#define portTASK_FUNCTION(function, parameter)       void function(void *parameter)

/* ---- interrupts ---- */

/** Masks every interrupt of the kernel and returns the state for port_restore_interrupts(). */
static inline uint32_t port_mask_interrupts(void)
{
    uint32_t state;

    __asm volatile("rsil %0, 1" : "=r"(state) : : "memory");
    return state;
}

static inline void port_restore_interrupts(uint32_t state)
{
    __asm volatile("wsr %0, ps\n rsync" : : "r"(state) : "memory");
}

static inline void port_unmask_interrupts(void)
{
    uint32_t state;

    __asm volatile("rsil %0, 0" : "=r"(state) : : "memory");
}

#define portDISABLE_INTERRUPTS()               ((void)port_mask_interrupts())
#define portENABLE_INTERRUPTS()                port_unmask_interrupts()
#define portSET_INTERRUPT_MASK_FROM_ISR()      port_mask_interrupts()
#define portCLEAR_INTERRUPT_MASK_FROM_ISR(was) port_restore_interrupts(was)

extern volatile uint32_t port_critical_depth;

static inline void port_enter_critical(void)
{
    portDISABLE_INTERRUPTS();
    port_critical_depth = port_critical_depth + 1;
}

static inline void port_exit_critical(void)
{
    uint32_t depth = port_critical_depth - 1;

    port_critical_depth = depth;
    if (depth == 0)
        portENABLE_INTERRUPTS();
}

#define portENTER_CRITICAL() port_enter_critical()
#define portEXIT_CRITICAL()  port_exit_critical()

/* ---- switching ---- */

extern volatile uint32_t port_switch_wanted;

/** Saves the caller and switches to the selected task. */
void port_yield(void);

#define portYIELD() port_yield()
#define portYIELD_FROM_ISR(wanted)                                                                 \
    do {                                                                                           \
        if (wanted)                                                                                \
            port_switch_wanted = 1;                                                                \
    } while (0)
#define portEND_SWITCHING_ISR(wanted) portYIELD_FROM_ISR(wanted)

/** The tick: called by the board's interrupt handler when CCOMPARE0 matches. */
void port_tick(void);

/* The highest of the ready priorities is the first set bit. */
#if configUSE_PORT_OPTIMISED_TASK_SELECTION
#define portRECORD_READY_PRIORITY(priority, ready) ((ready) |= 1ul << (priority))
#define portRESET_READY_PRIORITY(priority, ready)  ((ready) &= ~(1ul << (priority)))
#define portGET_HIGHEST_PRIORITY(top, ready)       ((top) = 31ul - (unsigned long)__builtin_clzl(ready))
#endif

#endif

/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The C half of the FreeRTOS port; switching is in vectors.S.
 */
#include "FreeRTOS.h"
#include "task.h"

#include "board_api.h"
#include "frame.h"
#include "lx60.h"
#include "lx60_private.h"

volatile uint32_t port_critical_depth;
volatile uint32_t port_switch_wanted;

_Noreturn void port_start_first_task(void); /* vectors.S */

static uint64_t next_tick; /* on the device clock */

static _Noreturn void task_returned(void)
{
    board_panic("FreeRTOS task returned", pcTaskGetName(NULL), 0);
}

/* As if the task had been interrupted right before the first instruction of its function, called
 * with call4: that instruction, entry, makes the caller's a4 and a6 its a0 and a2. */
StackType_t *pxPortInitialiseStack(StackType_t *top, TaskFunction_t function, void *parameter)
{
    uintptr_t stack = (uintptr_t)top & ~(uintptr_t)15;
    uint32_t *frame = (uint32_t *)(stack - BASE_AREA - FRAME_SIZE);

    for (unsigned i = 0; i < FRAME_SIZE / 4; i++)
        frame[i] = 0;
    frame[FRAME_PC / 4] = (uint32_t)(uintptr_t)function;
    frame[FRAME_PS / 4] = PS_WOE | PS_CALLINC_1 | PS_UM | PS_EXCM;
    frame[FRAME_A(1) / 4] = stack;
    frame[FRAME_A(4) / 4] = ((uint32_t)(uintptr_t)task_returned & 0x3fffffffu) | 0x40000000u;
    frame[FRAME_A(6) / 4] = (uint32_t)(uintptr_t)parameter;
    return frame;
}

static void wait_for_next_tick(uint64_t now)
{
    timer_compare((uint32_t)(next_tick - now));
}

/* Emulated products take no device time, so CCOMPARE0 may match early. It would not on a core that
 * needs no emulation: then the interrupt takes no time either. */
void port_tick(void)
{
    uint32_t since = cycle_count();
    uint64_t now = board_clock_ticks();
    bool early = now < next_tick;

    for (; now >= next_tick; next_tick += configCPU_CLOCK_HZ / configTICK_RATE_HZ)
        if (xTaskIncrementTick() != pdFALSE)
            port_switch_wanted = 1;
    wait_for_next_tick(now);
    if (early)
        timer_excuse(since);
}

BaseType_t xPortStartScheduler(void)
{
    uint64_t now = board_clock_ticks();

    next_tick = now + configCPU_CLOCK_HZ / configTICK_RATE_HZ;
    wait_for_next_tick(now);
    interrupt_enable(LX60_IRQ_TIMER);
    port_start_first_task();
}

void vPortEndScheduler(void)
{
}

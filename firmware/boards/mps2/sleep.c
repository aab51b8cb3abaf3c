/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Sleeping without ticks: SysTick stops, TIMER1 wakes the processor at the next deadline, and the
 * device clock says how many ticks have passed. SysTick counts 24 bits only, 0.7 s.
 */
#include "FreeRTOS.h"
#include "task.h"

#include "board_api.h"

#include "cortexm.h"
#include "mps2_private.h"

#ifdef MPS2_TIMER1_BASE

#define TIMER1_CTRL     REG32(MPS2_TIMER1_BASE + 0x00u)
#define TIMER1_VALUE    REG32(MPS2_TIMER1_BASE + 0x04u)
#define TIMER1_RELOAD   REG32(MPS2_TIMER1_BASE + 0x08u)
#define TIMER1_INTCLEAR REG32(MPS2_TIMER1_BASE + 0x0cu)
#define TIMER1_ON       0x9u /* with its interrupt */

#define SYSTICK_CTRL   REG32(0xe000e010u)
#define SYSTICK_LOAD   REG32(0xe000e014u)
#define SYSTICK_VALUE  REG32(0xe000e018u)
#define SYSTICK_ENABLE 1u

#define CYCLES_PER_TICK (BOARD_CLOCK_HZ / configTICK_RATE_HZ)
_Static_assert(BOARD_CPU_HZ == BOARD_CLOCK_HZ, "SysTick and the device clock count alike");

/* The device clock must be read before it wraps. */
#define TICKS_MAX (85u * configTICK_RATE_HZ)

void timer1_isr(void)
{
    TIMER1_INTCLEAR = 1;
}

/* The device clock at tick 0, which the kernel does not report: at most half a tick off, and
 * constant. */
static uint64_t origin(void)
{
    static uint64_t at;

    if (at == 0)
        at = board_clock_ticks() - (uint64_t)xTaskGetTickCount() * CYCLES_PER_TICK;
    return at;
}

static void sleep_until(uint64_t end)
{
    uint64_t now = board_clock_ticks();

    if (now >= end)
        return;
    TIMER1_CTRL = 0;
    TIMER1_RELOAD = TIMER1_VALUE = (uint32_t)(end - now);
    TIMER1_INTCLEAR = 1;
    TIMER1_CTRL = TIMER1_ON;
    wait_for_interrupt(); /* a masked interrupt also wakes the processor, and runs once unmasked */
    TIMER1_CTRL = 0;
    TIMER1_INTCLEAR = 1;
}

/* Adds the ticks that have passed to the kernel's count, and restores the phase of SysTick. */
static void resume(uint64_t start, TickType_t expected)
{
    uint64_t passed = board_clock_ticks() - start;
    TickType_t now = (TickType_t)(passed / CYCLES_PER_TICK);
    uint32_t left = CYCLES_PER_TICK - (uint32_t)(passed % CYCLES_PER_TICK);
    TickType_t step = now - xTaskGetTickCount();

    if ((int32_t)step > 0)
        vTaskStepTick(step < expected ? step : expected);
    SYSTICK_LOAD = left > 1 ? left - 1 : 1;
    SYSTICK_VALUE = 0;
    SYSTICK_CTRL |= SYSTICK_ENABLE;
    SYSTICK_LOAD = CYCLES_PER_TICK - 1;
}

void sleep_for(uint32_t ticks)
{
    TickType_t expected = ticks < TICKS_MAX ? ticks : TICKS_MAX;
    uint32_t state = irq_save();

    if (eTaskConfirmSleepModeStatus() != eAbortSleep) {
        uint64_t start = origin();

        SYSTICK_CTRL &= ~SYSTICK_ENABLE;
        sleep_until(start + ((uint64_t)xTaskGetTickCount() + expected) * CYCLES_PER_TICK);
        resume(start, expected);
    }
    irq_restore(state);
}

void sleep_start(void)
{
    nvic_set_priority(MPS2_IRQ_TIMER1, BOARD_IRQ_PRIORITY, BOARD_PRIO_BITS);
    nvic_enable(MPS2_IRQ_TIMER1);
}

#else /* this board does not suppress ticks */

void sleep_start(void)
{
}

#endif

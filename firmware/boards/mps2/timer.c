/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The device clock: TIMER0 counts down from 2^32 - 1 at 25 MHz and wraps every 171 s. Each reading
 * extends it to 64 bits; every context switch takes one, so no wrap is missed.
 */
#include "board_api.h"

#include "board.h"
#include "cortexm.h"
#include "mps2_private.h"

#define TIMER0_CTRL   REG32(MPS2_TIMER0_BASE + 0x00u)
#define TIMER0_VALUE  REG32(MPS2_TIMER0_BASE + 0x04u)
#define TIMER0_RELOAD REG32(MPS2_TIMER0_BASE + 0x08u)

#define TICKS_PER_US (BOARD_CLOCK_HZ / 1000000u)

void timer_start(void)
{
    TIMER0_RELOAD = UINT32_MAX;
    TIMER0_VALUE = UINT32_MAX;
    TIMER0_CTRL = 1;
}

uint64_t board_clock_ticks(void)
{
    static uint32_t high, last;
    uint32_t state = irq_save();
    uint32_t low = ~TIMER0_VALUE;

    if (low < last)
        high++;
    last = low;

    uint64_t ticks = (uint64_t)high << 32 | low;

    irq_restore(state);
    return ticks;
}

uint64_t board_clock_us(void)
{
    return board_clock_ticks() / TICKS_PER_US;
}

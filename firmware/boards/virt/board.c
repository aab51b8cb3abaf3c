/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Initialisation, idling, the device clock.
 */
#include "board_api.h"

#include "arguments.h"
#include "flash.h"
#include "virt.h"

#define TICKS_PER_US (BOARD_CLOCK_HZ / 1000000u)

void board_init(void)
{
    protect_memory();
    uart_start();
    arguments_load();
    flash_start();
}

uint64_t board_clock_ticks(void)
{
    uint32_t high, low;

    do {
        high = CSR_READ("timeh");
        low = CSR_READ("time");
    } while (high != CSR_READ("timeh"));
    return (uint64_t)high << 32 | low;
}

uint64_t board_clock_us(void)
{
    return board_clock_ticks() / TICKS_PER_US;
}

void board_idle(void)
{
    __asm volatile("wfi" : : : "memory");
}

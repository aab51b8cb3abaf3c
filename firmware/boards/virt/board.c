/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Initialisation, names, the device clock.
 */
#include "board_api.h"

#include "arguments.h"
#include "cfi_flash.h"
#include "virt.h"

#define TICKS_PER_US (BOARD_CLOCK_HZ / 1000000u)

void board_init(void)
{
    protect_memory();
    uart_start();
    arguments_load();
    flash_start();
}

void board_idle(void)
{
    __asm volatile("wfi" : : : "memory");
}

const char *board_name(void)
{
    return BOARD_NAME;
}

const char *board_description(void)
{
    return BOARD_DESCRIPTION;
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

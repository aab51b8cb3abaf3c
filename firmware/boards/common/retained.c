/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Deep sleep in an emulator: the board idles and then resets itself, which keeps its RAM. The
 * length of the sleep, which a real board reads from its RTC, is noted before. The linker script
 * says where the retained RAM is. It is in no section, because the emulator clears those at reset.
 */
#include "board_api.h"

#include "FreeRTOS.h"
#include "task.h"

#define ASLEEP       UINT32_C(0x70656c73) /* "slep", little-endian */
#define TICKS_PER_MS (BOARD_CLOCK_HZ / 1000u)

struct note {
    uint32_t magic, ms, complement;
};

extern uint32_t retained_start[], retained_end[];

static struct note *note(void)
{
    return (struct note *)retained_start;
}

void *board_retained(size_t *size)
{
    void *memory = note() + 1;

    *size = (size_t)((uint8_t *)retained_end - (uint8_t *)memory);
    return memory;
}

uint32_t board_slept_ms(void)
{
    const struct note found = *note();

    *note() = (struct note){0};
    return found.magic == ASLEEP && found.complement == ~found.ms ? found.ms : UINT32_MAX;
}

_Noreturn void board_deep_sleep(uint32_t ms)
{
    const uint64_t end = board_clock_ticks() + (uint64_t)ms * TICKS_PER_MS;

    *note() = (struct note){ASLEEP, ms + 1u, ~(ms + 1u)};
    for (uint64_t now; (now = board_clock_ticks()) < end;)
        vTaskDelay((TickType_t)((end - now) / TICKS_PER_MS / portTICK_PERIOD_MS) + 1u);
    board_reboot();
}

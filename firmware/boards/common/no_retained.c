/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * For a board without retained RAM: the application then does not let it sleep.
 */
#include "board_api.h"

void *board_retained(size_t *size)
{
    *size = 0;
    return NULL;
}

uint32_t board_slept_ms(void)
{
    return UINT32_MAX;
}

_Noreturn void board_deep_sleep(uint32_t ms)
{
    (void)ms;
    board_reboot();
}

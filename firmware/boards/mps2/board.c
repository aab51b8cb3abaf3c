/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Initialisation and idling.
 */
#include "board_api.h"

#include "arguments.h"
#include "board.h"
#include "cortexm.h"
#include "flash.h"
#include "mps2_private.h"

void board_init(void)
{
    protect_memory();
    sleep_start();
    uart_start();
    arguments_load();
    flash_start();
}

void board_idle(void)
{
    wait_for_interrupt();
}

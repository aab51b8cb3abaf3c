/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Initialisation and name.
 */
#include "board_api.h"

#include "arguments.h"
#include "board.h"
#include "cortexm.h"
#include "mps2_private.h"

void board_init(void)
{
    protect_memory();
    uart_start();
    arguments_load();
    flash_start();
}

void board_idle(void)
{
    wait_for_interrupt();
}

const char *board_name(void)
{
    return BOARD_NAME;
}

const char *board_description(void)
{
    return BOARD_DESCRIPTION;
}

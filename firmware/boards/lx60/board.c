/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Initialisation, idling and reset.
 */
#include "board_api.h"

#include "arguments.h"
#include "board.h"
#include "flash.h"
#include "lx60_private.h"

#define RESET_REQUEST 0xdeadu

#define CFI_QUERY ((volatile uint16_t *)BOARD_CFI_BASE)

/* A chip answers the query with "QRY". Without a chip, waiting would never end. */
static void need_flash(void)
{
    bool found;

    CFI_QUERY[0x55] = 0x98;
    found = (uint8_t)CFI_QUERY[0x10] == 'Q' && (uint8_t)CFI_QUERY[0x11] == 'R' &&
            (uint8_t)CFI_QUERY[0x12] == 'Y';
    CFI_QUERY[0] = 0xff;
    if (!found)
        board_panic("no flash chip", "give the emulator -drive if=pflash with bytes", 4194304);
}

void board_init(void)
{
    uart_start();
    arguments_load();
    need_flash();
    flash_start();
}

void board_idle(void)
{
    __asm volatile("waiti 0" : : : "memory");
}

_Noreturn void board_reboot(void)
{
    REG32(LX60_RESET) = RESET_REQUEST;
    for (;;)
        continue;
}

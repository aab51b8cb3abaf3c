/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * A flash chip, simulated in PSRAM that the emulator keeps in a file.
 */
#include "flash.h"

#include "board.h"

static volatile uint8_t *const psram = (volatile uint8_t *)(uintptr_t)BOARD_PSRAM_BASE;

uint8_t chip_byte(size_t offset)
{
    return psram[offset];
}

bool chip_erase(size_t offset)
{
    for (size_t i = 0; i < BOARD_FLASH_SECTOR; i++)
        psram[offset + i] = 0xff;
    return true;
}

bool chip_program(size_t offset, const uint8_t *data, size_t len)
{
    for (size_t i = 0; i < len; i++)
        psram[offset + i] &= data[i];
    return true;
}

/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The flash. Here it is RAM, which a reset clears: replace it by the controller's commands.
 */
#include "flash.h"

#include <string.h>

#include "board.h"

static uint8_t chip[(1u + BOARD_STORE_SECTORS + BOARD_CONF_SECTORS) * BOARD_FLASH_SECTOR];

uint8_t chip_byte(size_t offset)
{
    return chip[offset];
}

bool chip_erase(size_t offset)
{
    memset(chip + offset, 0xff, BOARD_FLASH_SECTOR);
    return true;
}

/* Programming clears bits; if only whole words can be written, preserve the adjacent bytes. */
bool chip_program(size_t offset, const uint8_t *data, size_t len)
{
    for (size_t i = 0; i < len; i++)
        chip[offset + i] &= data[i];
    return true;
}

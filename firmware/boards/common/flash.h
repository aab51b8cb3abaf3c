/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The functions that a driver of a flash chip supplies to flash.c. Offsets count from the first
 * sector that is free; board.h says how large sectors are (BOARD_FLASH_SECTOR), and how many each
 * partition has (BOARD_STORE_SECTORS, BOARD_CONF_SECTORS). The first sector holds a label.
 */
#ifndef FLASH_H
#define FLASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Formats a blank chip. Call once, in board_init(). */
void flash_start(void);

uint8_t chip_byte(size_t offset);

/** Erases one sector. */
bool chip_erase(size_t offset);

/** Programs bytes of one sector, which only clear bits (flash.c has checked that). */
bool chip_program(size_t offset, const uint8_t *data, size_t len);

#endif

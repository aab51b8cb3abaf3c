/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Sectors 7 to 11 of the internal flash, 256 KB each. Erasing one takes one to two seconds and
 * stalls the processor; the tunnel erases one every 256 boots.
 */
#include "flash.h"

#include "board.h"
#include "stm32f7.h"

#define FLASH_KEYR FLASH(0x04)
#define FLASH_SR   FLASH(0x0c)
#define FLASH_CR   FLASH(0x10)

#define KEY_1     0x45670123u
#define KEY_2     0xcdef89abu
#define SR_BUSY   (1u << 16)
#define SR_ERRORS 0xf2u
#define CR_LOCK   (1u << 31)
#define CR_START  (1u << 16)
#define CR_ERASE  (1u << 1)
#define CR_WRITE  (1u << 0)
#define CR_SECTOR 3u /* bits to shift it by */

#define FIRST_SECTOR 7u
#define FIRST        0x080c0000u

static bool finished(void)
{
    __asm volatile("dsb" : : : "memory");
    while (FLASH_SR & SR_BUSY)
        continue;
    return (FLASH_SR & SR_ERRORS) == 0;
}

static void unlock(uint32_t mode)
{
    if (FLASH_CR & CR_LOCK) {
        FLASH_KEYR = KEY_1;
        FLASH_KEYR = KEY_2;
    }
    FLASH_SR = SR_ERRORS; /* clears them */
    FLASH_CR = mode;
}

uint8_t chip_byte(size_t offset)
{
    return *(const volatile uint8_t *)(uintptr_t)(FIRST + offset);
}

bool chip_erase(size_t offset)
{
    uint32_t sector = FIRST_SECTOR + (uint32_t)(offset / BOARD_FLASH_SECTOR);
    bool erased;

    unlock(CR_ERASE | sector << CR_SECTOR);
    FLASH_CR |= CR_START;
    erased = finished();
    FLASH_CR = CR_LOCK;
    return erased;
}

bool chip_program(size_t offset, const uint8_t *data, size_t len)
{
    bool written = true;

    unlock(CR_WRITE); /* byte by byte */
    for (size_t i = 0; i < len && written; i++) {
        *(volatile uint8_t *)(uintptr_t)(FIRST + offset + i) = data[i];
        written = finished();
    }
    FLASH_CR = CR_LOCK;
    return written;
}

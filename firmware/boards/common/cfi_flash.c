/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Layout from BOARD_CFI_FIRST: one sector with a label, then the partitions. A chip without the
 * label is treated as blank: all partitions are erased and the label is written last, so an
 * interrupted start formats again. Sectors are locked except while they are changed. During an
 * operation a chip only returns its status, so functions always leave it in read mode.
 */
#include "flash.h"

#include "board.h"

/* Parallel 16-bit chips receive the same command and report the same status. */
#define ALL(value) ((word)((uint32_t)(value)*0x00010001u))

enum {
    READ_ARRAY = 0xff,
    CLEAR_STATUS = 0x50,
    ERASE = 0x20,
    PROGRAM = 0x40,
    LOCKING = 0x60,
    LOCK = 0x01,
    CONFIRM = 0xd0, /* confirms an erasure; unlocks */
};
#define STATUS_READY  0x80u
#define STATUS_FAILED 0x3au /* erase, program, voltage, lock */

typedef BOARD_CFI_WORD word;

static uintptr_t address(size_t offset)
{
    return BOARD_CFI_BASE + BOARD_CFI_FIRST * BOARD_FLASH_SECTOR + offset;
}

static volatile word *word_at(size_t offset)
{
    return (volatile word *)(address(offset) & ~(sizeof(word) - 1));
}

uint8_t chip_byte(size_t offset)
{
    return *(const volatile uint8_t *)address(offset);
}

static void command(size_t offset, unsigned first, unsigned second)
{
    *word_at(offset) = ALL(first);
    *word_at(offset) = ALL(second);
}

/* Waits for the end of an operation; the chip then still returns its status. */
static bool finished(size_t offset)
{
    word status;

    do
        status = *word_at(offset);
    while ((status & ALL(STATUS_READY)) != ALL(STATUS_READY));
    *word_at(offset) = ALL(CLEAR_STATUS);
    *word_at(offset) = ALL(READ_ARRAY);
    return (status & ALL(STATUS_FAILED)) == 0;
}

static void set_lock(size_t offset, bool on)
{
    command(offset, LOCKING, on ? LOCK : CONFIRM);
    (void)finished(offset); /* if unlocking fails, so does the operation */
}

bool chip_erase(size_t offset)
{
    bool erased;

    set_lock(offset, false);
    command(offset, ERASE, CONFIRM);
    erased = finished(offset);
    set_lock(offset, true);
    return erased;
}

/* Bytes of the first and last word outside the range are unchanged. */
bool chip_program(size_t offset, const uint8_t *data, size_t len)
{
    bool written = true;

    set_lock(offset, false);
    for (size_t done = 0; done < len && written;) {
        union {
            word whole;
            uint8_t bytes[sizeof(word)];
        } value = {.whole = *word_at(offset + done)};
        size_t place = (offset + done) % sizeof(word);
        size_t at = offset + done - place;

        for (; place < sizeof(word) && done < len; place++, done++)
            value.bytes[place] &= data[done];
        *word_at(at) = ALL(PROGRAM);
        *word_at(at) = value.whole;
        written = finished(at);
    }
    set_lock(offset, true);
    return written;
}

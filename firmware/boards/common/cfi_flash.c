/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Layout from BOARD_CFI_FIRST: one sector with a label, then the partitions. Without the label the
 * chip is taken for blank: everything is erased, and labelled last, so that a start cut short
 * formats again. Sectors are locked but while they are changed. A chip answers nothing but its
 * status while it works, so functions leave it in the mode in which it is read as memory.
 */
#include "cfi_flash.h"

#include "board_api.h"

#define LABEL      "wyrmling flash 1"
#define LABEL_SIZE (sizeof LABEL)

/* Chips of 16 bits side by side all get the same command, and report alike. */
#define ALL(value) ((word)((uint32_t)(value)*0x00010001u))

enum {
    READ_ARRAY = 0xff,
    CLEAR_STATUS = 0x50,
    ERASE = 0x20,
    PROGRAM = 0x40,
    LOCKING = 0x60,
    LOCK = 0x01,
    CONFIRM = 0xd0, /* of an erasure, and unlocks */
};
#define STATUS_READY  0x80u
#define STATUS_FAILED 0x3au /* erase, program, voltage, lock */

typedef BOARD_CFI_WORD word;

static const struct {
    size_t start, size;
} parts[] = {
    [BOARD_FLASH_STORE] = {1 * BOARD_FLASH_SECTOR, 2 * BOARD_FLASH_SECTOR},
    [BOARD_FLASH_CONF] = {3 * BOARD_FLASH_SECTOR, 4 * BOARD_FLASH_SECTOR},
};
#define SECTORS 7u

static bool was_blank;

static uintptr_t address(size_t offset)
{
    return BOARD_CFI_BASE + BOARD_CFI_FIRST * BOARD_FLASH_SECTOR + offset;
}

static volatile word *word_at(size_t offset)
{
    return (volatile word *)(address(offset) & ~(sizeof(word) - 1));
}

static uint8_t byte_at(size_t offset)
{
    return *(const volatile uint8_t *)address(offset);
}

static void command(size_t offset, unsigned first, unsigned second)
{
    *word_at(offset) = ALL(first);
    *word_at(offset) = ALL(second);
}

/* Waits for the end of an operation, and leaves the status behind. */
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
    (void)finished(offset); /* failing to unlock fails what follows */
}

static bool erase_sector(size_t offset)
{
    bool erased;

    set_lock(offset, false);
    command(offset, ERASE, CONFIRM);
    erased = finished(offset);
    set_lock(offset, true);
    return erased;
}

/* Within one sector. Bytes of the first and last word that are not given stay as they are. */
static bool program(size_t offset, const uint8_t *data, size_t len)
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

static bool labelled(void)
{
    static const char label[] = LABEL;

    for (size_t i = 0; i < LABEL_SIZE; i++) {
        if (byte_at(i) != (uint8_t)label[i])
            return false;
    }
    return true;
}

void flash_start(void)
{
    bool erased = true;

    was_blank = !labelled();
    if (!was_blank)
        return;
    for (size_t i = 0; i < SECTORS; i++)
        erased = erase_sector(i * BOARD_FLASH_SECTOR) && erased;
    if (erased)
        (void)program(0, (const uint8_t *)LABEL, LABEL_SIZE);
}

bool board_flash_was_blank(void)
{
    return was_blank;
}

static bool inside(enum board_flash_part part, size_t offset, size_t len)
{
    return offset <= parts[part].size && len <= parts[part].size - offset;
}

bool board_flash_read(enum board_flash_part part, size_t offset, void *out, size_t len)
{
    uint8_t *to = out;

    if (!inside(part, offset, len))
        return false;
    for (size_t i = 0; i < len; i++)
        to[i] = byte_at(parts[part].start + offset + i);
    return true;
}

bool board_flash_erase(enum board_flash_part part, size_t offset, size_t len)
{
    if (!inside(part, offset, len) || offset % BOARD_FLASH_SECTOR || len % BOARD_FLASH_SECTOR)
        return false;
    for (size_t done = 0; done < len; done += BOARD_FLASH_SECTOR) {
        if (!erase_sector(parts[part].start + offset + done))
            return false;
    }
    return true;
}

bool board_flash_program(enum board_flash_part part, size_t offset, const void *data, size_t len)
{
    const uint8_t *from = data;
    size_t at;

    if (!inside(part, offset, len))
        return false;
    at = parts[part].start + offset;
    for (size_t i = 0; i < len; i++) {
        if (from[i] & ~byte_at(at + i))
            return false;
    }
    while (len > 0) {
        size_t now = BOARD_FLASH_SECTOR - at % BOARD_FLASH_SECTOR;

        if (now > len)
            now = len;
        if (!program(at, from, now))
            return false;
        at += now;
        from += now;
        len -= now;
    }
    return true;
}

/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Persistent flash, simulated in PSRAM that the emulator keeps in a file, with the rules of NOR
 * flash: erasing sets sectors to 0xff, programming only clears bits. The PSRAM starts with one
 * sector that holds a label, followed by the partitions. Without the label the memory is blank or
 * volatile: it is then erased and labelled, and keeps its contents at least until power is lost.
 */
#include "board_api.h"

#include "board.h"
#include "mps2_private.h"

#define LABEL      "wyrmling flash 1"
#define LABEL_SIZE (sizeof LABEL)

static const struct {
    size_t start, size;
} parts[] = {
    [BOARD_FLASH_STORE] = {1 * BOARD_FLASH_SECTOR, 4 * BOARD_FLASH_SECTOR},
    [BOARD_FLASH_CONF] = {5 * BOARD_FLASH_SECTOR, 4 * BOARD_FLASH_SECTOR},
};
#define FLASH_SIZE (9 * BOARD_FLASH_SECTOR)

static volatile uint8_t *const flash = (volatile uint8_t *)(uintptr_t)BOARD_PSRAM_BASE;
static bool was_blank;

static void erase(size_t offset, size_t len)
{
    for (size_t i = 0; i < len; i++)
        flash[offset + i] = 0xff;
}

static bool labelled(void)
{
    static const char label[] = LABEL;

    for (size_t i = 0; i < LABEL_SIZE; i++) {
        if (flash[i] != (uint8_t)label[i])
            return false;
    }
    return true;
}

/* Writes the label last, so that an interrupted formatting starts again. */
void flash_start(void)
{
    static const char label[] = LABEL;

    was_blank = !labelled();
    if (!was_blank)
        return;
    erase(0, FLASH_SIZE);
    for (size_t i = 0; i < LABEL_SIZE; i++)
        flash[i] = (uint8_t)label[i];
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
        to[i] = flash[parts[part].start + offset + i];
    return true;
}

bool board_flash_erase(enum board_flash_part part, size_t offset, size_t len)
{
    if (!inside(part, offset, len) || offset % BOARD_FLASH_SECTOR || len % BOARD_FLASH_SECTOR)
        return false;
    erase(parts[part].start + offset, len);
    return true;
}

bool board_flash_program(enum board_flash_part part, size_t offset, const void *data, size_t len)
{
    const uint8_t *from = data;

    if (!inside(part, offset, len))
        return false;

    volatile uint8_t *to = &flash[parts[part].start + offset];

    for (size_t i = 0; i < len; i++) {
        if (from[i] & ~to[i])
            return false;
    }
    for (size_t i = 0; i < len; i++)
        to[i] &= from[i];
    return true;
}

/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Persistent flash: one sector with a label, then the partitions. A chip without the label is
 * treated as blank: all partitions are erased and the label is written last, so an interrupted
 * start formats again.
 */
#include "flash.h"

#include "board_api.h"

#define LABEL      "wyrmling flash 1"
#define LABEL_SIZE (sizeof LABEL)

static const struct {
    size_t start, size;
} parts[] = {
    [BOARD_FLASH_STORE] = {BOARD_FLASH_SECTOR, BOARD_STORE_SECTORS *BOARD_FLASH_SECTOR},
    [BOARD_FLASH_CONF] = {(1 + BOARD_STORE_SECTORS) * BOARD_FLASH_SECTOR,
                          BOARD_CONF_SECTORS *BOARD_FLASH_SECTOR},
};
#define SECTORS (1 + BOARD_STORE_SECTORS + BOARD_CONF_SECTORS)

static bool was_blank;

static bool labelled(void)
{
    static const char label[] = LABEL;

    for (size_t i = 0; i < LABEL_SIZE; i++)
        if (chip_byte(i) != (uint8_t)label[i])
            return false;
    return true;
}

void flash_start(void)
{
    bool erased = true;

    was_blank = !labelled();
    if (!was_blank)
        return;
    for (size_t i = 0; i < SECTORS; i++)
        erased = chip_erase(i * BOARD_FLASH_SECTOR) && erased;
    if (erased)
        (void)chip_program(0, (const uint8_t *)LABEL, LABEL_SIZE);
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
        to[i] = chip_byte(parts[part].start + offset + i);
    return true;
}

bool board_flash_erase(enum board_flash_part part, size_t offset, size_t len)
{
    if (!inside(part, offset, len) || offset % BOARD_FLASH_SECTOR || len % BOARD_FLASH_SECTOR)
        return false;
    for (size_t done = 0; done < len; done += BOARD_FLASH_SECTOR)
        if (!chip_erase(parts[part].start + offset + done))
            return false;
    return true;
}

bool board_flash_program(enum board_flash_part part, size_t offset, const void *data, size_t len)
{
    const uint8_t *from = data;
    size_t at;

    if (!inside(part, offset, len))
        return false;
    at = parts[part].start + offset;
    for (size_t i = 0; i < len; i++)
        if (from[i] & ~chip_byte(at + i))
            return false;
    while (len > 0) {
        size_t now = BOARD_FLASH_SECTOR - at % BOARD_FLASH_SECTOR;

        if (now > len)
            now = len;
        if (!chip_program(at, from, now))
            return false;
        at += now;
        from += now;
        len -= now;
    }
    return true;
}

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Two erase sectors of memory-mapped flash for wyrm_store, which writes them as a log. Reserve them
 * in the linker script, apart from everything else.
 */
#include "tunnel.h"

#include <string.h>

#define SECTOR 4096u

/* Of your linker script, and of your chip: both wait until the flash is done. Erasing leaves 0xff;
 * a record of 16 bytes is programmed once per erase, at a multiple of 16. */
extern const uint8_t my_store_sectors[WYRM_STORE_SECTORS * SECTOR];
extern bool my_chip_erase_sector(const void *sector);
extern bool my_chip_program(const void *at, const void *data, size_t len);

static bool load(void *unused, unsigned place, void *buf, size_t len)
{
    (void)unused;
    memcpy(buf, &my_store_sectors[place * len], len);
    return true;
}

static bool save(void *unused, unsigned place, const void *buf, size_t len)
{
    const uint8_t *at = &my_store_sectors[place * len];

    (void)unused;
    if (place * len % SECTOR == 0 && !my_chip_erase_sector(at))
        return false;
    return my_chip_program(at, buf, len);
}

const struct wyrm_store_io my_flash = {
    .load = load, .save = save, .per_sector = SECTOR / WYRM_STORE_RECORD_LEN};

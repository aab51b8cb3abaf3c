/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Memory protection (RISC-V Privileged Architecture, 3.7). Entries are locked, because only locked
 * ones apply to machine mode: code cannot be written, data cannot be executed, and neither NULL nor
 * memory after the firmware's can be accessed. Regions are page-aligned, because smaller ones slow
 * the emulator down.
 */
#include <stdint.h>

#include "board.h"
#include "virt.h"

#define READ   1u
#define WRITE  2u
#define EXEC   4u
#define TOP    (1u << 3) /* from the previous entry's address */
#define NAPOT  (3u << 3)
#define LOCKED (1u << 7)

#define BEHIND_ALL 0x90000000u

extern const uint8_t code_start[], code_end[], ram_end[];

static uint32_t word_address(const uint8_t *at)
{
    return (uint32_t)(uintptr_t)at >> 2;
}

/* Of 4 KB. */
static uint32_t page(uint32_t at)
{
    return at >> 2 | 0x1ffu;
}

void protect_memory(void)
{
    CSR_WRITE("pmpaddr0", page(0));
    CSR_WRITE("pmpaddr1", page(VIRT_BOOT_ROM));
    CSR_WRITE("pmpaddr2", page(BOARD_CFI_BASE));
    CSR_WRITE("pmpaddr3", word_address(code_start));
    CSR_WRITE("pmpaddr4", word_address(code_end));
    CSR_WRITE("pmpaddr5", word_address(ram_end));
    CSR_WRITE("pmpaddr6", BEHIND_ALL >> 2);
    CSR_WRITE("pmpaddr7", UINT32_MAX);
    /* The emulator keeps locked entries across a reset, which begins in ROM and flash. */
    CSR_WRITE("pmpcfg0", (LOCKED | NAPOT) | (LOCKED | NAPOT | READ | EXEC) << 8 |
                             (LOCKED | NAPOT | READ | EXEC) << 16 | 0u << 24);
    /* The last entry makes everything else non-executable. */
    CSR_WRITE("pmpcfg1", (LOCKED | TOP | READ | EXEC) | (LOCKED | TOP | READ | WRITE) << 8 |
                             (LOCKED | TOP) << 16 | (LOCKED | NAPOT | READ | WRITE) << 24);
}

/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Memory protection (ARMv8-M Architecture Reference Manual, B8): code cannot be written, data
 * cannot be executed. Regions do not overlap, and all are readable. Memory outside the firmware's,
 * including around NULL, can be neither written nor executed.
 */
#include <stdint.h>

#include "cortexm.h"
#include "mps2_private.h"

#define MPU_TYPE  REG32(0xe000ed90u)
#define MPU_CTRL  REG32(0xe000ed94u)
#define MPU_RNR   REG32(0xe000ed98u)
#define MPU_RBAR  REG32(0xe000ed9cu)
#define MPU_RLAR  REG32(0xe000eda0u)
#define MPU_MAIR0 REG32(0xe000edc0u)

#define MPU_ON          1u
#define MPU_DEFAULT_MAP 4u /* outside the regions */
#define NORMAL          0xffu

#define READ_WRITE 0u
#define READ_ONLY  4u
#define NO_EXECUTE 1u

#define LAST_BITS 0x1fu /* low address bits, which a region's limit omits */

static void region(uint32_t number, const uint8_t *begin, const uint8_t *end, uint32_t access)
{
    MPU_RNR = number;
    MPU_RBAR = (uint32_t)(uintptr_t)begin | access;
    MPU_RLAR = (((uint32_t)(uintptr_t)end - 1) & ~LAST_BITS) | 1u;
}

void protect_memory(void)
{
    extern const uint8_t flash_start_address[], flash_end[], ram_start[], ram_end[];
    const uint8_t *const null_end = (const uint8_t *)(uintptr_t)0x00400000u;

    if (MPU_TYPE == 0)
        return;
    MPU_MAIR0 = NORMAL;
    region(0, (const uint8_t *)0, null_end, READ_ONLY | NO_EXECUTE);
    region(1, flash_start_address, flash_end, READ_ONLY);
    region(2, flash_end, flash_end + 0x200000u, READ_ONLY | NO_EXECUTE);
    region(3, ram_start, ram_end, READ_WRITE | NO_EXECUTE);
    region(4, ram_end, ram_end + 0x180000u, READ_ONLY | NO_EXECUTE);
    MPU_CTRL = MPU_ON | MPU_DEFAULT_MAP;
    __asm volatile("dsb\n isb" : : : "memory");
}

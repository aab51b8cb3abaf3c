/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Memory protection (ARMv7-M Architecture Reference Manual, B3.5): code is read-only, so a write
 * through NULL faults; data is not executable; memory that an STM32F767 does not have is
 * inaccessible.
 */
#include <stdint.h>

#include "cortexm.h"
#include "mps2_private.h"

#define MPU_TYPE REG32(0xe000ed90u)
#define MPU_CTRL REG32(0xe000ed94u)
#define MPU_RNR  REG32(0xe000ed98u)
#define MPU_RBAR REG32(0xe000ed9cu)
#define MPU_RASR REG32(0xe000eda0u)

#define MPU_ON          (1u << 0)
#define MPU_DEFAULT_MAP (1u << 2) /* outside the regions: the default memory map */

#define NO_ACCESS  (0u << 24)
#define READ_WRITE (1u << 24)
#define READ_ONLY  (5u << 24)
#define NO_EXECUTE (1u << 28)
#define NORMAL     (1u << 19 | 1u << 17 | 1u << 16) /* memory, write-back */

/* Sets up a region of 2^log2_size bytes. Where regions overlap, the higher number wins. */
static void region(uint32_t number, uint32_t base, uint32_t log2_size, uint32_t access)
{
    MPU_RNR = number;
    MPU_RBAR = base;
    MPU_RASR = access | NORMAL | (log2_size - 1) << 1 | 1;
}

void protect_memory(void)
{
    if (MPU_TYPE == 0)
        return;
    region(0, 0x00000000u, 22, NO_ACCESS | NO_EXECUTE);
    region(1, 0x00000000u, 21, READ_ONLY);
    region(2, 0x20000000u, 22, NO_ACCESS | NO_EXECUTE);
    region(3, 0x20000000u, 19, READ_WRITE | NO_EXECUTE);
    MPU_CTRL = MPU_ON | MPU_DEFAULT_MAP;
    __asm volatile("dsb\n isb" : : : "memory");
}

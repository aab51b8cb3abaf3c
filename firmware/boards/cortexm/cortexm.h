/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Core registers and instructions that the firmware uses (ARMv7-M Architecture Reference Manual,
 * B3). Nothing here depends on the board.
 */
#ifndef CORTEXM_H
#define CORTEXM_H

#include <stdint.h>

#define REG32(address) (*(volatile uint32_t *)(uintptr_t)(address))

#define SCB_ICSR  REG32(0xe000ed04u)
#define SCB_AIRCR REG32(0xe000ed0cu)
#define SCB_CCR   REG32(0xe000ed14u)
#define SCB_SHCSR REG32(0xe000ed24u)
#define SCB_CFSR  REG32(0xe000ed28u)
#define SCB_HFSR  REG32(0xe000ed2cu)
#define SCB_MMFAR REG32(0xe000ed34u)
#define SCB_BFAR  REG32(0xe000ed38u)

#define SCB_AIRCR_SYSRESETREQ   0x05fa0004u
#define SCB_CCR_DIV_0_TRP       (1u << 4)
#define SCB_SHCSR_FAULTS_ENABLE (7u << 16) /* MemManage, BusFault, UsageFault */

static inline void nvic_enable(uint32_t irq)
{
    REG32(0xe000e100u + 4u * (irq / 32u)) = 1u << (irq % 32u);
}

static inline void nvic_set_priority(uint32_t irq, uint32_t priority, uint32_t bits)
{
    *(volatile uint8_t *)(uintptr_t)(0xe000e400u + irq) = (uint8_t)(priority << (8u - bits));
}

/** Masks all interrupts and returns the previous state for irq_restore(). */
static inline uint32_t irq_save(void)
{
    uint32_t state;

    __asm volatile("mrs %0, primask\n cpsid i" : "=r"(state) : : "memory");
    return state;
}

static inline void irq_restore(uint32_t state)
{
    __asm volatile("msr primask, %0" : : "r"(state) : "memory");
}

/** Entry of all faults in the vector table (fault.c). */
void fault_handler(void);

static inline void wait_for_interrupt(void)
{
    __asm volatile("dsb\n wfi" : : : "memory");
}

#endif

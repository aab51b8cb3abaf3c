/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Internal interfaces between the files of this board.
 */
#ifndef LX60_PRIVATE_H
#define LX60_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lx60.h"

#define REG32(address) (*(volatile uint32_t *)(uintptr_t)(address))

void timer_start(void);
void uart_start(void);

/** Makes CCOMPARE0 match in this many ticks, or slightly later if they are few. */
void timer_compare(uint32_t ticks);

static inline uint32_t cycle_count(void)
{
    uint32_t count;

    __asm volatile("rsr %0, ccount" : "=r"(count) : : "memory");
    return count;
}

/** Deducts an interrupt that began then from the device clock. */
void timer_excuse(uint32_t since);

static inline void interrupt_enable(unsigned line)
{
    uint32_t lines;

    __asm volatile("rsr %0, intenable" : "=r"(lines));
    lines |= 1u << line;
    __asm volatile("wsr %0, intenable\n rsync" : : "r"(lines));
}

/* Handlers of interrupts */
void uart_isr(void);
void ethernet_isr(void);

/* ---- vectors.S ---- */

/** A call to the emulator; -1 without one. */
int32_t lx60_try_simcall(uint32_t operation, uintptr_t b, uintptr_t c, uintptr_t d);

/* a0 to a15, then how many products were emulated, then two words of the vector's own. */
extern volatile uint32_t lx60_products[19];

/** The state at a fault. */
struct lx60_fault {
    uint32_t a[16], pc, ps, cause, address, is_double;
};

#endif

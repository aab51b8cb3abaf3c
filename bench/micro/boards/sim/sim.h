/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * What both boards on QEMU's Xtensa machine "sim" share: its counter of cycles.
 */
#ifndef SIM_H
#define SIM_H

#include <stdint.h>

/* Under -icount shift=7 an instruction takes 128 ns, a tick of CCOUNT 25 ns. */
#define INSTRUCTION_NS 128
#define TICK_NS        25

/* Instructions since the first call. Ticks beyond a whole number of them are kept for the next. */
static inline uint32_t sim_instructions(void)
{
    static uint32_t before, ticks, instructions;
    uint32_t count;

    __asm__ volatile("rsr %0, ccount" : "=r"(count));
    ticks += count - before;
    before = count;
    instructions += ticks / INSTRUCTION_NS * TICK_NS;
    ticks %= INSTRUCTION_NS;
    return instructions + ticks * TICK_NS / INSTRUCTION_NS;
}

#endif /* SIM_H */

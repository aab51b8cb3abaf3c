/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Arm MPS2 boards in QEMU: AN385 (Cortex-M3, also for ARMv6-M code), AN386 (M4), AN500 (M7), AN505
 * (M33), run as
 *   qemu-system-arm -M mps2-an500 -icount shift=6,sleep=off -semihosting-config enable=on ...
 */
#include "board.h"

/* CMSDK APB timer 0, counting down. AN505 has it elsewhere, and slower. */
#ifndef TIMER_BASE
#define TIMER_BASE 0x40000000
#define TICK_NS    40
#endif
#define TIMER_CTRL   (*(volatile uint32_t *)(TIMER_BASE + 0))
#define TIMER_VALUE  (*(volatile uint32_t *)(TIMER_BASE + 4))
#define TIMER_RELOAD (*(volatile uint32_t *)(TIMER_BASE + 8))

#define INSTRUCTION_NS 64 /* at shift 6 */

/* Semihosting operations. */
enum { SYS_WRITE0 = 0x04, SYS_EXIT_EXTENDED = 0x20 };

const bool board_counts = true;

noreturn void board_start(void);
noreturn void board_fault(void);

extern uint32_t board_stack_top[];

static void semihost(uintptr_t operation, const void *argument)
{
    register uintptr_t r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = argument;

    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
}

/* Ticks beyond a whole number of instructions are kept for the next call. */
uint32_t board_instructions(void)
{
    static uint32_t before, ticks, instructions;
    uint32_t value = TIMER_VALUE;

    ticks += before - value;
    before = value;
    instructions += ticks / INSTRUCTION_NS * TICK_NS;
    ticks %= INSTRUCTION_NS;
    return instructions + ticks * TICK_NS / INSTRUCTION_NS;
}

__attribute__((naked)) void board_known_loop(__attribute__((unused)) uint32_t rounds)
{
    __asm__ volatile(".syntax unified\n"
                     "1: subs r0, #1\n"
                     "   bne 1b\n"
                     "   bx lr\n");
}

void board_print(const char *text)
{
    semihost(SYS_WRITE0, text);
}

noreturn void board_exit(int status)
{
    const uint32_t application_exit[2] = {0x20026, (uint32_t)status};

    semihost(SYS_EXIT_EXTENDED, application_exit);
    for (;;) {
    }
}

noreturn void board_fault(void)
{
    board_print("fault\n");
    board_exit(1);
}

noreturn void board_start(void)
{
    TIMER_RELOAD = UINT32_MAX;
    TIMER_VALUE = UINT32_MAX;
    TIMER_CTRL = 1;
    board_exit(main());
}

struct vectors {
    uint32_t *stack;
    void (*handlers[15])(void);
};

__attribute__((section(".vectors"), used)) static const struct vectors vectors = {
    board_stack_top,
    {board_start, board_fault, board_fault, board_fault, board_fault, board_fault}};

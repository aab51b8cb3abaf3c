/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * QEMU's Xtensa machine "sim", run as
 *   qemu-system-xtensa -M sim -cpu lx106 -semihosting-config enable=on -icount shift=7 ...
 */
#include "board.h"

#include <string.h>

/* An instruction takes 128 ns, a tick of CCOUNT 25 ns. */
#define INSTRUCTION_NS 128
#define TICK_NS        25

enum { SYS_EXIT = 1, SYS_WRITE = 4, STANDARD_OUTPUT = 1 };

const bool board_counts = true;

noreturn void board_start(void);
noreturn void board_fault(void);

static int simcall(int operation, uintptr_t b, uintptr_t c, uintptr_t d)
{
    register int a2 __asm__("a2") = operation;
    register uintptr_t a3 __asm__("a3") = b;
    register uintptr_t a4 __asm__("a4") = c;
    register uintptr_t a5 __asm__("a5") = d;

    __asm__ volatile(".byte 0x00, 0x51, 0x00" /* simcall */
                     : "+r"(a2), "+r"(a3)
                     : "r"(a4), "r"(a5)
                     : "memory");
    return a2;
}

/* Ticks beyond a whole number of instructions are kept for the next call. */
uint32_t board_instructions(void)
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

/* Alignment pads with instructions of their own kind: the loop holds two. */
__asm__(".text\n"
        ".align 4\n"
        ".global board_known_loop\n"
        "board_known_loop:\n"
        "1: addi a2, a2, -1\n"
        "   bnez a2, 1b\n"
        "   ret\n");

/* Debian's libgcc for this core lacks them. Only public numbers are divided. */
uint32_t __udivsi3(uint32_t n, uint32_t d);
uint32_t __umodsi3(uint32_t n, uint32_t d);

static uint32_t divide(uint32_t n, uint32_t d, uint32_t *rest)
{
    uint32_t quotient = 0;

    *rest = 0;
    for (unsigned i = 0; i < 32; i++) {
        *rest = *rest << 1 | n >> 31;
        n <<= 1;
        quotient <<= 1;
        if (*rest >= d) {
            *rest -= d;
            quotient |= 1;
        }
    }
    return quotient;
}

uint32_t __udivsi3(uint32_t n, uint32_t d)
{
    uint32_t rest;

    return divide(n, d, &rest);
}

uint32_t __umodsi3(uint32_t n, uint32_t d)
{
    uint32_t rest;

    (void)divide(n, d, &rest);
    return rest;
}

void board_print(const char *text)
{
    (void)simcall(SYS_WRITE, STANDARD_OUTPUT, (uintptr_t)text, strlen(text));
}

noreturn void board_exit(int status)
{
    (void)simcall(SYS_EXIT, (uintptr_t)status, 0, 0);
    for (;;) {
    }
}

noreturn void board_start(void)
{
    board_exit(main());
}

noreturn void board_fault(void)
{
    board_print("fault\n");
    board_exit(1);
}

/* PS keeps its value of a reset, so that exceptions are double ones. */
__asm__(".section .vectors, \"ax\"\n"
        ".global board_vectors\n"
        "board_vectors:\n"
        ".org 0x70\n"
        "   j board_fault\n"
        ".section .reset, \"ax\"\n"
        ".global board_reset\n"
        "board_reset:\n"
        "   j 1f\n"
        ".align 4\n"
        "2: .long board_stack_top\n"
        "3: .long board_vectors\n"
        "4: .long board_start\n"
        "1: l32r a1, 2b\n"
        "   l32r a0, 3b\n"
        "   wsr a0, vecbase\n"
        "   l32r a0, 4b\n"
        "   jx a0\n"
        ".text\n");

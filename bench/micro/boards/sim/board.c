/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * QEMU's Xtensa machine "sim", run as
 *   qemu-system-xtensa -M sim -cpu lx106 -semihosting-config enable=on -icount shift=7 ...
 */
#include "board.h"
#include "sim.h"

const bool board_counts = true;

uint32_t board_instructions(void)
{
    return sim_instructions();
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

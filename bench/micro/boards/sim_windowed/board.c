/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * QEMU's Xtensa machine "sim" with a core that has register windows, for code of an ESP32, run as
 *   qemu-system-xtensa -M sim -cpu de212 -semihosting-config enable=on -icount shift=7 ...
 *
 * That core lacks two instructions of an ESP32: MULUH and MULSH, the high word of a product. Its
 * vector here does that work in a fixed number of instructions and counts how often, so that the
 * counter can leave them out: each counts as one instruction. Overflows and underflows of the
 * register windows count in full, as an ESP32 runs them too.
 */
#include "../sim/sim.h"
#include "board.h"

#include <stddef.h>
#include <string.h>

/* What the vector of illegal instructions takes for one MULUH or MULSH, beside the instruction. */
#define EMULATION 86

const bool board_counts = true;

/* What the vector uses: registers a0 to a15, then the number of those products so far. */
extern uint32_t board_emulated[17];
uint32_t board_emulated[17];

uint32_t board_instructions(void)
{
    return sim_instructions() - EMULATION * *(volatile uint32_t *)&board_emulated[16];
}

/* Four instructions a round; one of the two among them, for the counter to be checked with
 * what makes it difficult. */
__asm__(".text\n"
        ".align 4\n"
        ".global board_known_loop\n"
        "board_known_loop:\n"
        "   entry a1, 32\n"
        "   srli a2, a2, 1\n"
        "1: addi a2, a2, -1\n"
        "   muluh a3, a2, a2\n"
        "   nop\n"
        "   bnez a2, 1b\n"
        "   retw\n");

/* There is no C library with windowed calls here. Like those of others: words where both ends are
 * aligned. */
void *memcpy(void *restrict to, const void *restrict from, size_t len)
{
    uint8_t *out = to;
    const uint8_t *in = from;

    if (((uintptr_t)out | (uintptr_t)in) % 4 == 0)
        for (; len >= 4; len -= 4, out += 4, in += 4)
            *(uint32_t *)(void *)out = *(const uint32_t *)(const void *)in;
    for (; len > 0; len--)
        *out++ = *in++;
    return to;
}

void *memmove(void *to, const void *from, size_t len)
{
    uint8_t *out = to;
    const uint8_t *in = from;

    if ((uintptr_t)to <= (uintptr_t)from)
        return memcpy(to, from, len);
    while (len-- > 0)
        out[len] = in[len];
    return to;
}

void *memset(void *to, int value, size_t len)
{
    uint8_t *out = to;
    uint32_t word = (uint8_t)value * UINT32_C(0x01010101);

    for (; len > 0 && (uintptr_t)out % 4 != 0; len--)
        *out++ = (uint8_t)value;
    for (; len >= 4; len -= 4, out += 4)
        *(uint32_t *)(void *)out = word;
    for (; len > 0; len--)
        *out++ = (uint8_t)value;
    return to;
}

int memcmp(const void *a, const void *b, size_t len)
{
    const uint8_t *x = a, *y = b;

    for (; len > 0; len--, x++, y++)
        if (*x != *y)
            return *x < *y ? -1 : 1;
    return 0;
}

size_t strlen(const char *text)
{
    size_t len = 0;

    while (text[len])
        len++;
    return len;
}

/* Sets stack and windows up, and calls. PS: windows checked, user mode, no exception. */
__asm__(".section .reset, \"ax\"\n"
        ".global board_reset\n"
        "board_reset:\n"
        "   j 1f\n"
        ".align 4\n"
        "2: .long board_stack_top\n"
        "3: .long board_start\n"
        "4: .long 0x40020\n"
        "1: l32r a4, 3b\n"
        "board_call_a4:\n"
        "   wsr a4, excsave1\n"
        "   movi a2, 1\n"
        "   wsr a2, windowstart\n"
        "   movi a2, 0\n"
        "   wsr a2, windowbase\n"
        "   rsync\n"
        "   l32r a1, 2b\n"
        "   l32r a2, 4b\n"
        "   wsr a2, ps\n"
        "   rsync\n"
        "   rsr a4, excsave1\n"
        "   callx4 a4\n"
        ".text\n");

/* As the manual of the instruction set gives them: each saves or restores the registers of a call
 * by 4, 8 or 12. */
__asm__(".section .vectors, \"ax\"\n"
        "   s32e a0, a5, -16\n"
        "   s32e a1, a5, -12\n"
        "   s32e a2, a5, -8\n"
        "   s32e a3, a5, -4\n"
        "   rfwo\n"
        ".org 0x40\n"
        "   l32e a0, a5, -16\n"
        "   l32e a1, a5, -12\n"
        "   l32e a2, a5, -8\n"
        "   l32e a3, a5, -4\n"
        "   rfwu\n"
        ".org 0x80\n"
        "   s32e a0, a9, -16\n"
        "   l32e a0, a1, -12\n"
        "   s32e a1, a9, -12\n"
        "   s32e a2, a9, -8\n"
        "   s32e a3, a9, -4\n"
        "   s32e a4, a0, -32\n"
        "   s32e a5, a0, -28\n"
        "   s32e a6, a0, -24\n"
        "   s32e a7, a0, -20\n"
        "   rfwo\n"
        ".org 0xc0\n"
        "   l32e a0, a9, -16\n"
        "   l32e a1, a9, -12\n"
        "   l32e a2, a9, -8\n"
        "   l32e a7, a1, -12\n"
        "   l32e a3, a9, -4\n"
        "   l32e a4, a7, -32\n"
        "   l32e a5, a7, -28\n"
        "   l32e a6, a7, -24\n"
        "   l32e a7, a7, -20\n"
        "   rfwu\n"
        ".org 0x100\n"
        "   s32e a0, a13, -16\n"
        "   l32e a0, a1, -12\n"
        "   s32e a1, a13, -12\n"
        "   s32e a2, a13, -8\n"
        "   s32e a3, a13, -4\n"
        "   s32e a4, a0, -48\n"
        "   s32e a5, a0, -44\n"
        "   s32e a6, a0, -40\n"
        "   s32e a7, a0, -36\n"
        "   s32e a8, a0, -32\n"
        "   s32e a9, a0, -28\n"
        "   s32e a10, a0, -24\n"
        "   s32e a11, a0, -20\n"
        "   rfwo\n"
        ".org 0x140\n"
        "   l32e a0, a13, -16\n"
        "   l32e a1, a13, -12\n"
        "   l32e a2, a13, -8\n"
        "   l32e a11, a1, -12\n"
        "   l32e a3, a13, -4\n"
        "   l32e a4, a11, -48\n"
        "   l32e a5, a11, -44\n"
        "   l32e a6, a11, -40\n"
        "   l32e a7, a11, -36\n"
        "   l32e a8, a11, -32\n"
        "   l32e a9, a11, -28\n"
        "   l32e a10, a11, -24\n"
        "   l32e a11, a11, -20\n"
        "   rfwu\n"
        ".org 0x300\n" /* exceptions of the kernel, then of the user */
        "   wsr a0, excsave1\n"
        "   j board_illegal\n"
        ".org 0x340\n"
        "   wsr a0, excsave1\n"
        "   j board_illegal\n"
        ".text\n");

#define EACH(instruction)                                                                          \
    instruction(1) instruction(2) instruction(3) instruction(4) instruction(5) instruction(6)      \
        instruction(7) instruction(8) instruction(9) instruction(10) instruction(11)               \
            instruction(12) instruction(13) instruction(14) instruction(15)
#define SAVE(n)    "s32i a" #n ", a0, 4 * " #n "\n"
#define RESTORE(n) "l32i a" #n ", a0, 4 * " #n "\n"

/* MULUH r, s, t is the bytes t0 rs a2, MULSH t0 rs b2. Registers become memory, so that a number
 * picks one. */
__asm__(".text\n"
        ".align 4\n"
        "2: .long board_emulated\n"
        "3: .long board_fault\n"
        "5: .long board_call_a4\n"
        "4: l32r a4, 3b\n"
        "l32r a5, 5b\n"
        "jx a5\n"
        "board_illegal:\n"
        "l32r a0, 2b\n" EACH(SAVE) "rsr a1, excsave1\n"
                                   "s32i a1, a0, 0\n"
                                   "rsr a2, epc1\n"
                                   "l8ui a3, a2, 0\n"
                                   "l8ui a4, a2, 1\n"
                                   "l8ui a5, a2, 2\n"
                                   "extui a9, a5, 4, 1\n" /* signed */
                                   "slli a6, a9, 4\n"
                                   "sub a5, a5, a6\n"
                                   "neg a9, a9\n"
                                   "movi a6, 0xa2\n"
                                   "bne a5, a6, 4b\n"
                                   "extui a5, a3, 0, 4\n"
                                   "bnez a5, 4b\n"
                                   "srli a3, a3, 4\n"
                                   "addx4 a3, a3, a0\n"
                                   "l32i a3, a3, 0\n"
                                   "extui a5, a4, 0, 4\n"
                                   "addx4 a5, a5, a0\n"
                                   "l32i a5, a5, 0\n"
                                   "srai a6, a3, 31\n"
                                   "and a6, a6, a5\n"
                                   "srai a7, a5, 31\n"
                                   "and a7, a7, a3\n"
                                   "add a6, a6, a7\n"
                                   "and a9, a9, a6\n" /* too much, by then */
                                   "srli a4, a4, 4\n"
                                   "addx4 a4, a4, a0\n"
                                   "extui a6, a3, 0, 16\n"
                                   "extui a3, a3, 16, 16\n"
                                   "extui a7, a5, 0, 16\n"
                                   "extui a5, a5, 16, 16\n"
                                   "mull a8, a6, a7\n"
                                   "extui a8, a8, 16, 16\n"
                                   "mull a7, a3, a7\n"
                                   "add a7, a7, a8\n"
                                   "mull a6, a6, a5\n"
                                   "extui a8, a7, 0, 16\n"
                                   "add a6, a6, a8\n"
                                   "mull a3, a3, a5\n"
                                   "extui a7, a7, 16, 16\n"
                                   "add a3, a3, a7\n"
                                   "extui a6, a6, 16, 16\n"
                                   "add a3, a3, a6\n"
                                   "sub a3, a3, a9\n"
                                   "s32i a3, a4, 0\n"
                                   "addi a2, a2, 3\n"
                                   "wsr a2, epc1\n"
                                   "l32i a2, a0, 64\n"
                                   "addi a2, a2, 1\n"
                                   "s32i a2, a0, 64\n" EACH(RESTORE) "l32i a0, a0, 0\n"
                                                                     "rfe\n");

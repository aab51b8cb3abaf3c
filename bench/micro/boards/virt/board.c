/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * QEMU's RISC-V machine "virt", run as
 *   qemu-system-riscv32 -M virt -bios none -icount shift=0 -serial stdio ...
 */
#include "board.h"

#define UART_DATA (*(volatile uint8_t *)0x10000000)
#define TEST_EXIT (*(volatile uint32_t *)0x00100000)

const bool board_counts = true;

noreturn void board_start(void);

uint32_t board_instructions(void)
{
    uint32_t count;

    __asm__ volatile("rdinstret %0" : "=r"(count));
    return count;
}

__attribute__((naked)) void board_known_loop(__attribute__((unused)) uint32_t rounds)
{
    __asm__ volatile("1: addi a0, a0, -1\n"
                     "   bnez a0, 1b\n"
                     "   ret\n");
}

void board_print(const char *text)
{
    for (; *text != '\0'; text++)
        UART_DATA = (uint8_t)*text;
}

noreturn void board_exit(int status)
{
    TEST_EXIT = status == 0 ? 0x5555 : (uint32_t)status << 16 | 0x3333;
    for (;;) {
    }
}

/* Where a trap goes: tests must not hang on one. */
__attribute__((aligned(4))) static noreturn void fault(void)
{
    board_print("fault\n");
    board_exit(1);
}

static noreturn __attribute__((used)) void begin(void)
{
    __asm__ volatile("csrw mtvec, %0" : : "r"(fault));
    board_exit(main());
}

__attribute__((naked, section(".vectors"))) noreturn void board_start(void)
{
    __asm__ volatile("la sp, board_stack_top\n"
                     "tail begin\n");
}

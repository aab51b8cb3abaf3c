/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Startup and exit on QEMU's RISC-V `virt` board.
 */
#include "../target.h"

#define UART        (*(volatile uint8_t *)0x10000000)
#define TEST_DEVICE (*(volatile uint32_t *)0x00100000)

enum { TEST_PASS = 0x5555, TEST_FAIL = 0x13333 };

int main(void);
noreturn void target_start(void);
noreturn void target_run(void);

/* A trap restarts at the entry, which must not look like success. */
__asm__(".section .start, \"ax\"\n"
        ".global target_start\n"
        "target_start:\n"
        "    .option push\n"
        "    .option norelax\n"
        "    la gp, __global_pointer$\n"
        "    .option pop\n"
        "    la sp, target_stack_top\n"
        "    la t0, target_fault\n"
        "    .insn i 0x73, 1, x0, t0, 0x305\n" /* csrw mtvec, t0 */
        "    j target_run\n"
        "    .align 2\n"
        "target_fault:\n"
        "    la sp, target_stack_top\n"
        "    la a0, target_fault_text\n"
        "    call target_print\n"
        "    li a0, 1\n"
        "    j target_exit\n"
        "target_fault_text: .asciz \"fault\\n\"\n"
        ".text\n");

void target_print(const char *text)
{
    while (*text)
        UART = (uint8_t)*text++;
}

const struct order *target_order(void)
{
    extern const uint8_t target_order_place[];

    return (const void *)target_order_place;
}

noreturn void target_exit(int status)
{
    TEST_DEVICE = status == 0 ? TEST_PASS : TEST_FAIL;
    for (;;) {
    }
}

noreturn void target_run(void)
{
    target_exit(main());
}

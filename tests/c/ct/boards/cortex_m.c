/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Startup and exit on any Cortex-M board of QEMU, by semihosting.
 */
#include "../target.h"

enum {
    SYS_WRITE0 = 0x04,
    SYS_EXIT = 0x18,
    STOPPED_BY_APPLICATION = 0x20026,
    STOPPED_BY_ERROR = 0x20023
};

int main(void);
noreturn void target_start(void);
noreturn void target_fault(void);

extern uint32_t target_stack_top[];

static void semihost(uintptr_t operation, uintptr_t argument)
{
    register uintptr_t r0 __asm__("r0") = operation;
    register uintptr_t r1 __asm__("r1") = argument;

    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
}

void target_print(const char *text)
{
    semihost(SYS_WRITE0, (uintptr_t)text);
}

const struct order *target_order(void)
{
    extern const uint8_t target_order_place[];

    return (const void *)target_order_place;
}

noreturn void target_exit(int status)
{
    semihost(SYS_EXIT, status == 0 ? STOPPED_BY_APPLICATION : STOPPED_BY_ERROR);
    for (;;) {
    }
}

noreturn void target_fault(void)
{
    target_print("fault\n");
    target_exit(1);
}

noreturn void target_start(void)
{
    target_exit(main());
}

struct vectors {
    uint32_t *stack;
    void (*handlers[15])(void);
};

__attribute__((section(".start"), used)) static const struct vectors vectors = {
    target_stack_top,
    {target_start, target_fault, target_fault, target_fault, target_fault, target_fault}};

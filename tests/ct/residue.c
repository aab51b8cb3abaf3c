/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Nothing is called between the return of the function and the copy: another frame would hide what
 * was left.
 */
#include "residue.h"

#define PAINT 0xc0ffee11

static inline volatile uint32_t *stack_pointer(void)
{
    uintptr_t sp;

#if defined(__x86_64__)
    __asm__ volatile("mov %%rsp, %0" : "=r"(sp));
#elif defined(__arm__)
    __asm__ volatile("mov %0, sp" : "=r"(sp));
#elif defined(__riscv)
    __asm__ volatile("mv %0, sp" : "=r"(sp));
#else
#error "how does this architecture call its stack pointer?"
#endif
    return (volatile uint32_t *)sp;
}

/* What callers keep in registers is saved on the stack by the function under test: make it zeros.
 */
static inline void clear_registers(void)
{
#if defined(__x86_64__)
    __asm__ volatile("xor %%ebx, %%ebx\n\t"
                     "xor %%ebp, %%ebp\n\t"
                     "xor %%r12, %%r12\n\t"
                     "xor %%r13, %%r13\n\t"
                     "xor %%r14, %%r14\n\t"
                     "xor %%r15, %%r15"
                     :
                     :
                     : "rbx", "rbp", "r12", "r13", "r14", "r15", "cc");
#elif defined(__arm__)
    __asm__ volatile("movs r4, #0\n\t"
                     "movs r5, #0\n\t"
                     "movs r6, #0\n\t"
                     "mov r8, r4\n\t"
                     "mov r9, r4\n\t"
                     "mov r10, r4\n\t"
                     "mov r11, r4"
                     :
                     :
                     : "r4", "r5", "r6", "r8", "r9", "r10", "r11", "cc");
#if !defined(__clang__) /* whose frame pointer it is */
    __asm__ volatile("movs r7, #0" : : : "r7", "cc");
#endif
#elif defined(__riscv)
    __asm__ volatile("li s0, 0\n\t"
                     "li s1, 0\n\t"
                     "li s2, 0\n\t"
                     "li s3, 0\n\t"
                     "li s4, 0\n\t"
                     "li s5, 0\n\t"
                     "li s6, 0\n\t"
                     "li s7, 0\n\t"
                     "li s8, 0\n\t"
                     "li s9, 0\n\t"
                     "li s10, 0\n\t"
                     "li s11, 0"
                     :
                     :
                     : "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11");
#endif
}

__attribute__((noinline)) void residue_capture(void (*run)(void), uint32_t found[RESIDUE_WORDS])
{
    volatile uint32_t *sp = stack_pointer();

    for (unsigned i = 1; i <= RESIDUE_WORDS; i++)
        sp[-(int)i] = PAINT;
    clear_registers();
    run();
    for (unsigned i = 1; i <= RESIDUE_WORDS; i++)
        found[i - 1] = sp[-(int)i];
}

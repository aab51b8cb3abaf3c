/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Calls nothing between the function's return and the copy, because another frame would overwrite
 * the residue.
 */
#include "residue.h"

#include "crypto/wyrm_crypto_select.h"

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
#elif WYRM_ARCH_XTENSA
    __asm__ volatile("mov %0, a1" : "=r"(sp));
#if WYRM_XTENSA_WINDOWED
    sp -= 16; /* may contain live registers of our caller */
#endif
#else
#error "how does this architecture call its stack pointer?"
#endif
    return (volatile uint32_t *)sp;
}

#if WYRM_ARCH_XTENSA && WYRM_XTENSA_WINDOWED
static inline void clear_window(void)
{
    __asm__ volatile("movi a8, 0\n\t"
                     "movi a9, 0\n\t"
                     "movi a10, 0\n\t"
                     "movi a11, 0\n\t"
                     "movi a12, 0\n\t"
                     "movi a13, 0\n\t"
                     "movi a14, 0\n\t"
                     "movi a15, 0"
                     :
                     :
                     : "a8", "a9", "a10", "a11", "a12", "a13", "a14", "a15");
}

/* Clears all 64 registers, because a new window shows their old contents. Call before painting the
 * stack, which they are saved to. */
__attribute__((noinline)) static void clear_windows(unsigned more)
{
    if (more > 0)
        clear_windows(more - 1);
    clear_window();
}
#else
static inline void clear_windows(unsigned more)
{
    (void)more;
}
#endif

/* The function under test saves its caller's registers on the stack, so clear them first.
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
#elif WYRM_ARCH_XTENSA && WYRM_XTENSA_WINDOWED
    clear_window();
#elif WYRM_ARCH_XTENSA
    __asm__ volatile("movi a12, 0\n\t"
                     "movi a13, 0\n\t"
                     "movi a14, 0\n\t"
                     "movi a15, 0"
                     :
                     :
                     : "a12", "a13", "a14", "a15");
#endif
}

__attribute__((noinline)) void residue_capture(void (*run)(void), uint32_t found[RESIDUE_WORDS])
{
    volatile uint32_t *sp = stack_pointer();

    clear_windows(7);
    for (unsigned i = 1; i <= RESIDUE_WORDS; i++)
        sp[-(int)i] = PAINT;
    clear_registers();
    run();
    for (unsigned i = 1; i <= RESIDUE_WORDS; i++)
        found[i - 1] = sp[-(int)i];
}

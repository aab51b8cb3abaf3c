/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * This machine. The stack is measured here; instructions are counted by valgrind's callgrind, which
 * is told the names of the functions.
 */
#define _GNU_SOURCE
#include "board.h"

#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

#define STACK_WORDS 65536

const bool board_counts = false;

/* main of the other images: here it runs on a stack that can be painted. */
int bench_main(void);

uint32_t board_stack_bottom[STACK_WORDS];

uint32_t board_instructions(void)
{
    return 0;
}

/* noipa: a body the compiler knows would be taken into the caller, and the name with it. */
__attribute__((noipa)) void board_known_loop(uint32_t rounds)
{
#if defined(__x86_64__)
    __asm__ volatile("1: sub $1, %0\n"
                     "   jnz 1b\n"
                     : "+r"(rounds)
                     :
                     : "cc");
#elif defined(__aarch64__)
    __asm__ volatile("1: subs %w0, %w0, #1\n"
                     "   b.ne 1b\n"
                     : "+r"(rounds)
                     :
                     : "cc");
#else
#error "bench/micro/boards/host: a loop of two instructions is missing for this machine"
#endif
}

void board_print(const char *text)
{
    fputs(text, stdout);
}

noreturn void board_exit(int status)
{
    exit(status);
}

static void run(void)
{
    board_exit(bench_main());
}

int main(void)
{
    static ucontext_t context;

    if (getcontext(&context) != 0)
        return EXIT_FAILURE;
    context.uc_stack.ss_sp = board_stack_bottom;
    context.uc_stack.ss_size = sizeof(board_stack_bottom);
    makecontext(&context, run, 0);
    (void)setcontext(&context);
    return EXIT_FAILURE;
}

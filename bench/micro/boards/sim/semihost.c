/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Beginning, words and end of a program on QEMU's Xtensa machine "sim", with windows or without.
 */
#include "board.h"

#include <string.h>

enum { SYS_EXIT = 1, SYS_WRITE = 4, STANDARD_OUTPUT = 1 };

/* Only the code of the reset and of the vectors calls them. */
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

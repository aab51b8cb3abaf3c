/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Panic reports, written by polling. board_panic() writes a complete one; a fault handler begins a
 * report, adds the registers and stops.
 */
#ifndef PANIC_H
#define PANIC_H

#include <stdint.h>

/** Masks interrupts and prints the reason and the task. */
void panic_begin(const char *reason);

/** Prints a register on the current line. */
void panic_register(const char *name, uint32_t value);
void panic_end_line(void);

/** Resets the board, or does what the start-up argument panic=halt or panic=exit says. */
_Noreturn void panic_stop(void);

#endif

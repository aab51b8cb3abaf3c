/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * What a bare-metal image needs of the machine it runs on. One folder of boards/ implements it.
 */
#ifndef BOARD_H
#define BOARD_H

#include <stdint.h>
#include <stdnoreturn.h>

/* Instructions executed since some moment; true to within one, under the emulator options named in
 * the board's file. */
uint32_t board_instructions(void);

/* Executes exactly 2 * rounds instructions and a call: the counter is checked against it. */
void board_known_loop(uint32_t rounds);

void board_print(const char *text);

/* Ends the emulator with this exit status. */
noreturn void board_exit(int status);

/* The lowest word of the stack, which is painted to see how far it was used. */
extern uint32_t board_stack_bottom[];

#endif /* BOARD_H */

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * What a bare-metal image needs of the machine it runs on. One folder of boards/ implements it.
 */
#ifndef BOARD_H
#define BOARD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdnoreturn.h>

/* False where the image runs under a tool that counts: board_instructions then returns 0. */
extern const bool board_counts;

/* What the board calls when it is ready; the result is the emulator's exit status. */
int main(void);

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

/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The command line: reads a line, splits it at spaces and runs the command. A new command is a
 * function, its declaration in commands.h and a row in the table of shell.c.
 */
#ifndef SHELL_H
#define SHELL_H

#include <stdbool.h>

/** Runs for ever in the console's owner. */
_Noreturn void shell_run(void);

/** Prints "error: ..." and returns false, for a command to return in turn. */
bool shell_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Prints the usage of the running command as an error; returns false. */
bool shell_usage(void);

#endif

/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The command line: reads a line, splits it at spaces and runs the command. A new command is a
 * function, its declaration in commands.h and a row in the table of commands.c.
 */
#ifndef SHELL_H
#define SHELL_H

#include <stdbool.h>
#include <stddef.h>

struct command {
    const char *name;
    const char *arguments;
    const char *summary;
    const char *detail; /* further lines of `help NAME`, or NULL */
    bool (*run)(int argc, char **argv);
};

/** Reads and runs commands from this table; never returns. Console's owner only. */
_Noreturn void shell_run(const struct command *list, size_t count);

/** The command `help`: lists the commands, or explains one. */
bool shell_help(int argc, char **argv);

/** Prints "error: ..." and returns false, for a command to return in turn. */
bool shell_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Prints the usage of the running command as an error; returns false. */
bool shell_usage(void);

#endif

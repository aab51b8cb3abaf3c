/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Semihosting: calls to the emulator (or debugger) for arguments, entropy and exit. Works without
 * one too: the first call finds out, every later one fails at once.
 */
#ifndef SEMIHOST_H
#define SEMIHOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Detects whether a host is attached. Called once at start-up, before the scheduler. */
void semihost_init(void);

/** Copies the command line, terminated; false when there is none. */
bool semihost_command_line(char *out, size_t cap);

/** Reads exactly len bytes from the start of a host file. */
bool semihost_read_file(const char *path, void *out, size_t len);

/** Ends the emulator with this exit code; returns only when nobody answers. */
void semihost_exit(uint32_t code);

/** Called by the fault handler: true when the fault was a semihosting call nobody answers. */
bool semihost_was_refused(uint32_t *frame);

#endif

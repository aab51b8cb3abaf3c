/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Semihosting: calls to the emulator or debugger for arguments, entropy and exit. Without a host,
 * semihost_init() detects that and all later calls fail.
 */
#ifndef SEMIHOST_H
#define SEMIHOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Detects whether a host is attached. Called once at start-up, before the scheduler. */
void semihost_init(void);

/** Copies the terminated command line; false if there is none. */
bool semihost_command_line(char *out, size_t cap);

/** Reads exactly len bytes from the start of a host file. */
bool semihost_read_file(const char *path, void *out, size_t len);

/** Ends the emulator with this exit code; returns only without a host. */
void semihost_exit(uint32_t code);

/** Called by the fault handler: true if a semihosting call without a host caused the fault; the
 * call has then been skipped. */
bool semihost_was_refused(uint32_t *frame);

#endif

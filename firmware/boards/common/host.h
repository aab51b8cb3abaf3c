/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Calls to the emulator or debugger: arguments, files, exit. Without one, they fail.
 */
#ifndef HOST_H
#define HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Copies the start-up arguments, separated by spaces and terminated; false if there are none. */
bool host_arguments(char *out, size_t cap);

/** Reads exactly len bytes from the start of a file of the host. */
bool host_read_file(const char *path, void *out, size_t len);

/** Ends the emulator with this exit code; returns only without one. */
void host_exit(uint32_t code);

#endif

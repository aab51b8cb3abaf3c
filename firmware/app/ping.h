/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 */
#ifndef PING_H
#define PING_H

#include <stdbool.h>
#include <stdint.h>

struct ping_result {
    uint32_t sent, received;
};

/** The ping command for other commands; false: an error was printed, or Ctrl-C pressed. */
bool ping_run(int argc, char **argv, struct ping_result *result);

#endif

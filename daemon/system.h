/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Log lines, the clock and event registration.
 */
#ifndef WYRMD_SYSTEM_H
#define WYRMD_SYSTEM_H

#include <wyrm.h>

/* Sets the interface name that log lines start with, and whether verbose ones are printed. */
void wyrmd_log_open(const char *interface, bool verbose);
/* Prints one line to standard error. */
void wyrmd_log(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same, only with --verbose. */
void wyrmd_log_verbose(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Milliseconds since boot, including time spent suspended: sessions age meanwhile. */
wyrm_ms wyrmd_now(void);

/* Adds `fd` to the epoll set for reading; false with errno. */
bool wyrmd_watch(int epoll, int fd);

#endif /* WYRMD_SYSTEM_H */

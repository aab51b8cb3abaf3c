/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 */
#ifndef WYRMD_PRIVILEGES_H
#define WYRMD_PRIVILEGES_H

#include <stdbool.h>

/* Drops all capabilities that the running daemon does not need; false after logging why. */
bool wyrmd_drop_privileges(const char *socket_dir, bool low_ports);

#endif /* WYRMD_PRIVILEGES_H */

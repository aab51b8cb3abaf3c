/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 */
#ifndef WYRMD_SANDBOX_H
#define WYRMD_SANDBOX_H

/* Denies everything that the loop does not need, as far as the system supports it, so that code
 * running in a compromised daemon can do little. */
void wyrmd_sandbox(const char *socket_dir);

#endif /* WYRMD_SANDBOX_H */

/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 */
#ifndef WG_H
#define WG_H

#include <stdbool.h>

/** Starts the tunnel with the current configuration. On failure prints an error, returns false. */
bool wg_up(void);

#endif

/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 */
#ifndef ARGUMENTS_H
#define ARGUMENTS_H

/** Fetches the start-up arguments from the host, for board_argument(). Call once, in
 * board_init(). */
void arguments_load(void);

#endif

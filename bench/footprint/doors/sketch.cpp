/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The sketch that is counted: a tunnel from a wg-quick file.
 */
#include <WyrmlingWireGuard.h>

extern "C" const char my_wg_quick_file[]; /* declared, not linked */
extern "C" bool tunnel_start();

static WireGuard wg;

bool tunnel_start()
{
    return wg.begin(my_wg_quick_file);
}

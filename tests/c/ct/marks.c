/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The markers. Their bodies differ so that no compiler merges them.
 */
#include "target.h"

void target_begin(void)
{
    __asm__ volatile("nop" : : : "memory");
}

void target_end(void)
{
    __asm__ volatile("nop\n\tnop" : : : "memory");
}

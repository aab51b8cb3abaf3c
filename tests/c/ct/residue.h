/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Reads the stack below the caller's frame after a function has run.
 */
#ifndef RESIDUE_H
#define RESIDUE_H

#include <stdint.h>

enum { RESIDUE_WORDS = 1024 }; /* depth of the scan: 4 KiB */

/* Paints the free stack, calls `run` and copies what the stack then holds: word 0 lies next to the
 * caller's frame. */
void residue_capture(void (*run)(void), uint32_t found[RESIDUE_WORDS]);

#endif /* RESIDUE_H */

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Constant-time helpers and stack scrubbing, shared by the files of this folder.
 */
#ifndef WYRM_CT_H
#define WYRM_CT_H

#include <stdint.h>

/* Hides the origin of a number from the compiler, which may replace arithmetic by a branch if it
 * knows that the number is 0 or 1, 0 or ~0, or the result of a comparison. */
static inline uint32_t wyrm_opaque(uint32_t number)
{
    __asm__("" : "+r"(number));
    return number;
}

/* Clears the stack below the caller's frame, where the functions it called may have left secrets.
 * Every public function that takes a key calls it last. */
void wyrm_scrub_stack(void);

#endif /* WYRM_CT_H */

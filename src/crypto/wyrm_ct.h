/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * What the files of this room share to leave no secret behind.
 */
#ifndef WYRM_CT_H
#define WYRM_CT_H

#include <stdint.h>

/* Hides from the compiler where a number comes from: what it knows to be 0 or 1, 0 or ~0, or the
 * result of a comparison, it may turn into a branch. */
static inline uint32_t wyrm_opaque(uint32_t number)
{
    __asm__("" : "+r"(number));
    return number;
}

/* Clears the stack just below the caller's frame, where the functions it called kept words that no
 * C statement can name. Called last, by every public function that takes a key. */
void wyrm_scrub_stack(void);

#endif /* WYRM_CT_H */

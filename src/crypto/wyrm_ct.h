/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * What the files of this room share to leave no secret behind.
 */
#ifndef WYRM_CT_H
#define WYRM_CT_H

/* Clears the stack just below the caller's frame, where the functions it called kept words that no
 * C statement can name. Called last, by every public function that takes a key. */
void wyrm_scrub_stack(void);

#endif /* WYRM_CT_H */

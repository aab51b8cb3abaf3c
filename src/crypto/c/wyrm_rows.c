/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The loop shared by X25519 and Poly1305 in the smallest build.
 */
#include "wyrm_rows.h"

#if WYRM_ROWS

wyrm_limb wyrm_row(wyrm_limb *sum, wyrm_limb factor, const wyrm_limb *b, unsigned n)
{
    wyrm_limb_pair carry = 0;

    do {
        carry += *sum + (wyrm_limb_pair)factor * *b++;
        *sum++ = (wyrm_limb)carry;
        carry >>= WYRM_ROWS;
    } while (--n > 0);
    return (wyrm_limb)carry;
}

#endif

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The same random words in every run of a test: xorshift.
 */
#ifndef RANDOM_WORD_H
#define RANDOM_WORD_H

#include <stdint.h>

static inline uint32_t random_word(void)
{
    static uint32_t state = 0x9e3779b9;

    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

#endif /* RANDOM_WORD_H */

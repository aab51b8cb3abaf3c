/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 */
#ifndef PRINT_H
#define PRINT_H

#include "board.h"

/* Prints `before` and a decimal number. */
static inline void print_number(const char *before, uint32_t number)
{
    char digits[11];
    char *p = digits + sizeof(digits) - 1;

    *p = '\0';
    do {
        *--p = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    board_print(before);
    board_print(p);
}

#endif /* PRINT_H */

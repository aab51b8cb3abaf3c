/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Both Xtensa cores on their boards of bench/micro, which start main and exit with its result.
 */
#include "../target.h"

#include "board.h"

void target_print(const char *text)
{
    board_print(text);
}

const struct order *target_order(void)
{
    extern const uint8_t target_order_place[];

    return (const void *)target_order_place;
}

noreturn void target_exit(int status)
{
    board_exit(status);
}

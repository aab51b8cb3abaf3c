/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Functions that leak their secrets in different ways, to prove that the tests detect each of them.
 */
#include "subjects.h"

/* Leaks through its branches. */
bool leak_early_exit(const uint8_t *a, const uint8_t *b, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (a[i] != b[i])
            return false;
    return true;
}

/* Leaks through its addresses. */
uint8_t leak_table(const uint8_t secret[32])
{
    static volatile uint8_t table[256];
    uint8_t sum = 0;

    for (size_t i = 0; i < 32; i++)
        sum = (uint8_t)(sum + table[secret[i]]);
    return sum;
}

/* Leaks through the time of one instruction, which no trace shows. */
uint32_t leak_division(uint32_t secret, uint32_t divisor)
{
    return secret / divisor;
}

/* Also on some cores: calls the compiler's library, or runs an instruction of 3 to 5 cycles. */
uint32_t leak_wide_multiply(uint32_t secret, uint32_t factor)
{
    return (uint32_t)((uint64_t)secret * factor >> 32);
}

/* Leaves a secret in memory. */
void leak_on_stack(const uint8_t secret[32])
{
    volatile uint8_t copy[32];

    for (size_t i = 0; i < sizeof(copy); i++)
        copy[i] = secret[i] ^ 0x55;
}

/* Not a leak, but a defect: ARMv6-M faults. */
uint32_t read_word_anywhere(const uint8_t *p)
{
    return *(const volatile uint32_t *)(const volatile void *)p;
}

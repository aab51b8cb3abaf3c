/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Code that betrays its secrets, each piece in its own way, so that the tests which should notice
 * can be seen to do so.
 */
#include "subjects.h"

/* By its branches. */
bool leak_early_exit(const uint8_t *a, const uint8_t *b, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (a[i] != b[i])
            return false;
    return true;
}

/* By its addresses. */
uint8_t leak_table(const uint8_t secret[32])
{
    static volatile uint8_t table[256];
    uint8_t sum = 0;

    for (size_t i = 0; i < 32; i++)
        sum = (uint8_t)(sum + table[secret[i]]);
    return sum;
}

/* By the time of one instruction, which no trace shows. */
uint32_t leak_division(uint32_t secret, uint32_t divisor)
{
    return secret / divisor;
}

/* The same on some cores: a call of the compiler's library, or an instruction of 3 to 5 cycles. */
uint32_t leak_wide_multiply(uint32_t secret, uint32_t factor)
{
    return (uint32_t)((uint64_t)secret * factor >> 32);
}

/* By what it leaves in memory. */
void leak_on_stack(const uint8_t secret[32])
{
    volatile uint8_t copy[32];

    for (size_t i = 0; i < sizeof(copy); i++)
        copy[i] = secret[i] ^ 0x55;
}

/* No leak, but as wrong: ARMv6-M faults. */
uint32_t read_word_anywhere(const uint8_t *p)
{
    return *(const volatile uint32_t *)(const volatile void *)p;
}

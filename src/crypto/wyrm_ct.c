/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Comparing and forgetting secrets.
 */
#include "wyrm_ct.h"
#include "wyrm_crypto_select.h"

#include "../wyrm_crypto.h"

#include <string.h>

/* Hides a value's origin from the compiler, which might otherwise leave a loop at the first byte
 * that settles the result. */
static inline uint32_t opaque(uint32_t value)
{
    __asm__("" : "+r"(value));
    return value;
}

bool wyrm_ct_equal(const void *a, const void *b, size_t len)
{
    const uint8_t *x = a, *y = b;
    uint32_t difference = 0;

    for (size_t i = 0; i < len; i++)
        difference = opaque(difference | (uint32_t)(x[i] ^ y[i]));
    return difference == 0;
}

bool wyrm_ct_is_zero(const void *a, size_t len)
{
    const uint8_t *x = a;
    uint32_t seen = 0;

    for (size_t i = 0; i < len; i++)
        seen = opaque(seen | x[i]);
    return seen == 0;
}

void wyrm_wipe(void *memory, size_t len)
{
    memset(memory, 0, len);
    /* The compiler must believe that somebody reads the zeros. */
    __asm__ volatile("" : : "r"(memory) : "memory");
}

/* Calls nothing and so saves no register, whose value might be a secret of the caller. */
__attribute__((noinline)) void wyrm_scrub_stack(void)
{
    volatile uint64_t frames[WYRM_SCRUB_BYTES / 8];

    for (unsigned i = 0; i < WYRM_SCRUB_BYTES / 8; i++)
        frames[i] = 0;
    __asm__ volatile("" : : "r"(frames)); /* not "set but not used" */
}

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Comparing, copying and wiping secrets.
 */
#include "wyrm_ct.h"
#include "wyrm_bytes.h"
#include "wyrm_crypto_scrub.h"

#include "../wyrm_crypto.h"

#include <string.h>

#if WYRM_SMALL
__attribute__((noinline)) void wyrm_copy(void *out, const void *in, size_t len)
{
    memcpy(out, in, len);
}
#endif

/* Without a comparison, which compiles to a branch on an Xtensa. */
static inline bool is_zero(uint32_t value)
{
    return wyrm_opaque(~value & (value - 1)) >> 31;
}

bool wyrm_ct_equal(const void *a, const void *b, size_t len)
{
    const uint8_t *x = a, *y = b;
    uint32_t difference = 0;

    /* Opaque: otherwise the compiler could stop at the first byte that decides the result. */
    for (; !WYRM_SMALL && WYRM_UNALIGNED && len >= 4; len -= 4, x += 4, y += 4)
        difference = wyrm_opaque(difference | (wyrm_load_le32(x) ^ wyrm_load_le32(y)));
    for (size_t i = 0; i < len; i++)
        difference = wyrm_opaque(difference | (uint32_t)(x[i] ^ y[i]));
    return is_zero(difference);
}

bool wyrm_ct_is_zero(const void *a, size_t len)
{
    const uint8_t *x = a;
    uint32_t seen = 0;

    for (size_t i = 0; i < len; i++)
        seen = wyrm_opaque(seen | x[i]);
    return is_zero(seen);
}

void wyrm_wipe(void *memory, size_t len)
{
    memset(memory, 0, len);
    /* The compiler must assume that the zeros are read. */
    __asm__ volatile("" : : "r"(memory) : "memory");
}

/* A leaf function: it saves no register, which could contain a secret of the caller. */
__attribute__((noinline)) void wyrm_scrub_stack(void)
{
    volatile uint64_t frames[WYRM_SCRUB_BYTES / 8];

#if !WYRM_SMALL
#pragma GCC unroll 12
#endif
    for (unsigned i = 0; i < WYRM_SCRUB_BYTES / 8; i++)
        frames[i] = 0;
    __asm__ volatile("" : : "r"(frames)); /* not "set but not used" */
}

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Little-endian words at any address. Compilers turn these into one load or store where the core
 * allows misaligned access, and into bytes elsewhere.
 */
#ifndef WYRM_BYTES_H
#define WYRM_BYTES_H

#include "wyrm_crypto_select.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A single instruction is shorter than a call, but compilers decide on inlining before they combine
 * it. */
#if WYRM_UNALIGNED && defined(__GNUC__)
#define WYRM_BYTES_INLINE __attribute__((always_inline)) static inline
#else
#define WYRM_BYTES_INLINE static inline
#endif

WYRM_BYTES_INLINE uint32_t wyrm_load_le32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

WYRM_BYTES_INLINE uint64_t wyrm_load_le64(const uint8_t *p)
{
    return wyrm_load_le32(p) | (uint64_t)wyrm_load_le32(p + 4) << 32;
}

WYRM_BYTES_INLINE void wyrm_store_le32(uint8_t *p, uint32_t value)
{
    if (WYRM_UNALIGNED) { /* not every compiler combines four bytes into a word */
        __builtin_memcpy(p, &value, sizeof(value));
        return;
    }
    p[0] = (uint8_t)value;
    p[1] = (uint8_t)(value >> 8);
    p[2] = (uint8_t)(value >> 16);
    p[3] = (uint8_t)(value >> 24);
}

WYRM_BYTES_INLINE void wyrm_store_le64(uint8_t *p, uint64_t value)
{
    wyrm_store_le32(p, (uint32_t)value);
    wyrm_store_le32(p + 4, (uint32_t)(value >> 32));
}

/* memcpy. In small builds a call, because compilers expand a short copy into more code than a call
 * takes. Otherwise the builtin, which is expanded even in freestanding builds, into word accesses
 * where the types of the arguments allow them. */
#if WYRM_SMALL
void wyrm_copy(void *out, const void *in, size_t len);
#else
#define wyrm_copy __builtin_memcpy
#endif

/* Loads `n` little-endian words. */
static inline void wyrm_load_words(uint32_t *out, const uint8_t *in, size_t n)
{
    wyrm_copy(out, in, 4 * n);
    for (size_t i = 0; !WYRM_LITTLE_ENDIAN && i < n; i++)
        out[i] = wyrm_load_le32(in + 4 * i);
}

/* True if the two functions below may access words at `p`. Depends only on the address, which is
 * public. */
static inline bool wyrm_words_at(const void *p)
{
    return WYRM_UNALIGNED || (WYRM_LITTLE_ENDIAN && (uintptr_t)p % 4 == 0);
}

static inline uint32_t wyrm_load_word(const uint8_t *p)
{
    uint32_t value;

    if (WYRM_UNALIGNED)
        return wyrm_load_le32(p);
    __builtin_memcpy(&value, __builtin_assume_aligned(p, 4), sizeof(value));
    return value;
}

static inline void wyrm_store_word(uint8_t *p, uint32_t value)
{
    if (WYRM_UNALIGNED)
        wyrm_store_le32(p, value);
    else
        __builtin_memcpy(__builtin_assume_aligned(p, 4), &value, sizeof(value));
}

#endif /* WYRM_BYTES_H */

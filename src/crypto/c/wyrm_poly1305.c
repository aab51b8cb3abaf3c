/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Poly1305 (RFC 8439 section 2.5): polynomial evaluation at r modulo p = 2^130 - 5.
 */
#include "../wyrm_poly1305.h"
#include "../wyrm_bytes.h"
#include "../wyrm_ct.h"

#include "../../wyrm_crypto.h"

#include <string.h>

#if WYRM_ROWS
#include "wyrm_poly1305_rows.h"
#else

/* Word i of r: the key without the bits that RFC 8439 section 2.5 clears. */
static inline uint32_t clamped(const uint8_t key[16], unsigned i)
{
    return wyrm_load_le32(key + 4 * i) & (i == 0 ? 0x0fffffff : 0x0ffffffc);
}

#include WYRM_POLY1305_HEADER

void wyrm_poly1305_init(struct wyrm_poly1305 *state, const uint8_t key[32])
{
    if (!WYRM_UNALIGNED)
        key = __builtin_assume_aligned(key, 4);
    memset(state->h, 0, sizeof(state->h));
    load_key(state, key);
    wyrm_load_words(state->pad, key + 16, 4);
}

#if !WYRM_CT_ADD64
static inline uint32_t half_word(const uint32_t *words, unsigned i)
{
    return words[i / 2] >> 16 * (i % 2) & 0xffff;
}
#endif

void wyrm_poly1305_finish(struct wyrm_poly1305 *state, uint8_t tag[16])
{
    uint32_t room[5];
    const uint32_t *sum = sum_words(state, room);

    /* sum >= p exactly if sum + 5 reaches bit 130; then sum - p = sum + 5 without that bit. */
#if WYRM_CT_ADD64
    uint64_t carry = 5;

    for (unsigned i = 0; i < 4; i++)
        carry = (carry + sum[i]) >> 32;
    carry = 5 * (((uint32_t)carry + sum[4]) >> 2);
    for (unsigned i = 0; i < 4; i++) {
        carry += (uint64_t)sum[i] + state->pad[i];
        wyrm_store_le32(tag + 4 * i, (uint32_t)carry);
        carry >>= 32;
    }
#else
    uint32_t carry = 5;

    for (unsigned i = 0; i < 8; i++)
        carry = (carry + half_word(sum, i)) >> 16;
    carry = 5 * ((carry + sum[4]) >> 2);
    for (unsigned i = 0; i < 8; i++) {
        carry += half_word(sum, i) + half_word(state->pad, i);
        tag[2 * i] = (uint8_t)carry;
        tag[2 * i + 1] = (uint8_t)(carry >> 8);
        carry >>= 16;
    }
#endif
}

#endif /* WYRM_ROWS */

/* A separate function, so that its frame is cleared too: compilers spill parts of secrets into
 * it. */
__attribute__((noinline)) static void
authenticate(uint8_t tag[WYRM_AEAD_TAG_LEN], const uint8_t *in, size_t len, const uint8_t key[32])
{
    struct {
        struct wyrm_poly1305 poly;
        uint32_t key[8];
        uint8_t last[WYRM_POLY1305_BLOCK];
    } s;
    size_t rest = len % WYRM_POLY1305_BLOCK, whole = len - rest;

    memcpy(s.key, key, sizeof(s.key));
    wyrm_poly1305_init(&s.poly, (const uint8_t *)s.key);
    if (whole > 0)
        wyrm_poly1305_blocks(&s.poly, in, whole / WYRM_POLY1305_BLOCK, 1);
    if (rest > 0) {
        memset(s.last, 0, sizeof(s.last));
        memcpy(s.last, in + whole, rest);
        s.last[rest] = 1;
        wyrm_poly1305_blocks(&s.poly, s.last, 1, 0);
    }
    wyrm_poly1305_finish(&s.poly, tag);
    wyrm_wipe(&s, sizeof(s));
    wyrm_scrub_stack(); /* the frames of functions called here may be deeper than the caller clears
                         */
}

void wyrm_poly1305(uint8_t tag[WYRM_AEAD_TAG_LEN], const uint8_t *in, size_t len,
                   const uint8_t key[32])
{
    authenticate(tag, in, len, key);
    wyrm_scrub_stack();
}

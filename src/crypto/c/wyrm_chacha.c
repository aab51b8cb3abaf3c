/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * ChaCha20 (RFC 8439 section 2.3 and 2.4) and HChaCha20 (draft-irtf-cfrg-xchacha-03 section 2.2).
 */
#include "../wyrm_chacha.h"
#include "../wyrm_bytes.h"
#include "../wyrm_ct.h"

#include "../../wyrm_crypto.h"

#include <string.h>

/* "expand 32-byte k" */
static const uint32_t constant[4] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};

void wyrm_chacha20_init(uint32_t state[WYRM_CHACHA20_WORDS], const uint8_t key[32],
                        const uint8_t nonce[12], uint32_t counter)
{
    for (unsigned i = 0; i < 4; i++)
        state[i] = constant[i];
    wyrm_load_words(state + 4, key, 8);
    state[WYRM_CHACHA20_COUNTER] = counter;
    wyrm_load_words(state + 13, nonce, 3);
}

#if !WYRM_CHACHA20_ASM

static inline uint32_t rotate_left(uint32_t value, unsigned n)
{
    return value << n | value >> (32 - n);
}

#define QUARTER(a, b, c, d)                                                                        \
    do {                                                                                           \
        a += b;                                                                                    \
        d = rotate_left(d ^ a, 16);                                                                \
        c += d;                                                                                    \
        b = rotate_left(b ^ c, 12);                                                                \
        a += b;                                                                                    \
        d = rotate_left(d ^ a, 8);                                                                 \
        c += d;                                                                                    \
        b = rotate_left(b ^ c, 7);                                                                 \
    } while (0)

/* Words of text: with `words` at once, otherwise from bytes. */
static inline void xor_word(uint8_t *out, const uint8_t *in, uint32_t key, bool words)
{
    if (words)
        wyrm_store_word(out, wyrm_load_word(in) ^ key);
    else
        wyrm_store_le32(out, wyrm_load_le32(in) ^ key);
}

/* One block in 16 local variables, which compilers keep in registers as far as possible. */
static inline void block_fast(const uint32_t s[WYRM_CHACHA20_WORDS], uint8_t *out,
                              const uint8_t *in, bool words)
{
    uint32_t x0 = s[0], x1 = s[1], x2 = s[2], x3 = s[3], x4 = s[4], x5 = s[5], x6 = s[6], x7 = s[7],
             x8 = s[8], x9 = s[9], x10 = s[10], x11 = s[11], x12 = s[12], x13 = s[13], x14 = s[14],
             x15 = s[15];

    for (unsigned i = 0; i < 10; i++) {
        QUARTER(x0, x4, x8, x12);
        QUARTER(x1, x5, x9, x13);
        QUARTER(x2, x6, x10, x14);
        QUARTER(x3, x7, x11, x15);
        QUARTER(x0, x5, x10, x15);
        QUARTER(x1, x6, x11, x12);
        QUARTER(x2, x7, x8, x13);
        QUARTER(x3, x4, x9, x14);
    }
    xor_word(out, in, x0 + s[0], words);
    xor_word(out + 4, in + 4, x1 + s[1], words);
    xor_word(out + 8, in + 8, x2 + s[2], words);
    xor_word(out + 12, in + 12, x3 + s[3], words);
    xor_word(out + 16, in + 16, x4 + s[4], words);
    xor_word(out + 20, in + 20, x5 + s[5], words);
    xor_word(out + 24, in + 24, x6 + s[6], words);
    xor_word(out + 28, in + 28, x7 + s[7], words);
    xor_word(out + 32, in + 32, x8 + s[8], words);
    xor_word(out + 36, in + 36, x9 + s[9], words);
    xor_word(out + 40, in + 40, x10 + s[10], words);
    xor_word(out + 44, in + 44, x11 + s[11], words);
    xor_word(out + 48, in + 48, x12 + s[12], words);
    xor_word(out + 52, in + 52, x13 + s[13], words);
    xor_word(out + 56, in + 56, x14 + s[14], words);
    xor_word(out + 60, in + 60, x15 + s[15], words);
}

/* The same as a loop without tables: round i works on column i % 4, the diagonals being columns of
 * rows rotated by one, two and three. */
static inline void block_small(const uint32_t s[WYRM_CHACHA20_WORDS], uint8_t *out,
                               const uint8_t *in)
{
    uint32_t x[WYRM_CHACHA20_WORDS];

    memcpy(x, s, sizeof(x));
    for (unsigned i = 0; i < 80; i++) {
        unsigned turn = i >> 2 & 1;
        uint32_t *pa = x + (i & 3), *pb = x + 4 + ((i + turn) & 3);
        uint32_t *pc = x + 8 + ((i + 2 * turn) & 3), *pd = x + 12 + ((i + 3 * turn) & 3);
        uint32_t a = *pa, b = *pb, c = *pc, d = *pd;

        QUARTER(a, b, c, d);
        *pa = a;
        *pb = b;
        *pc = c;
        *pd = d;
    }
    for (unsigned i = 0; i < WYRM_CHACHA20_WORDS; i++)
        xor_word(out + 4 * i, in + 4 * i, x[i] + s[i], false);
}

void wyrm_chacha20_blocks(uint32_t state[WYRM_CHACHA20_WORDS], uint8_t *out, const uint8_t *in,
                          size_t blocks)
{
    bool words = wyrm_words_at(out) && wyrm_words_at(in);

    for (; blocks > 0; blocks--) {
        if (WYRM_SMALL)
            block_small(state, out, in);
        else if (words)
            block_fast(state, out, in, true);
        else
            block_fast(state, out, in, false);
        state[WYRM_CHACHA20_COUNTER]++;
        out += WYRM_CHACHA20_BLOCK;
        in += WYRM_CHACHA20_BLOCK;
    }
}

#endif

void wyrm_chacha20_stream(struct wyrm_chacha20 *s, uint8_t *out, const uint8_t *in, size_t len)
{
    size_t rest = len % WYRM_CHACHA20_BLOCK, whole = len - rest;

    if (whole > 0)
        wyrm_chacha20_blocks(s->state, out, in, whole / WYRM_CHACHA20_BLOCK);
    if (rest > 0) {
        memcpy(s->tail, in + whole, rest);
        wyrm_chacha20_blocks(s->state, s->tail, s->tail, 1);
        memcpy(out + whole, s->tail, rest);
    }
}

void wyrm_chacha20_xor(uint8_t *out, const uint8_t *in, size_t len, const uint8_t key[32],
                       const uint8_t nonce[WYRM_AEAD_NONCE_LEN], uint32_t counter)
{
    struct wyrm_chacha20 s;

    wyrm_chacha20_init(s.state, key, nonce, counter);
    wyrm_chacha20_stream(&s, out, in, len);
    wyrm_wipe(&s, sizeof(s));
    wyrm_scrub_stack();
}

bool wyrm_hchacha20(uint8_t out[32], const uint8_t key[32], const uint8_t nonce[16])
{
    struct {
        uint32_t state[WYRM_CHACHA20_WORDS];
        uint8_t block[WYRM_CHACHA20_BLOCK];
    } s;

    wyrm_chacha20_init(s.state, key, nonce + 4, wyrm_load_le32(nonce));
    memset(s.block, 0, sizeof(s.block));
    wyrm_chacha20_blocks(s.state, s.block, s.block, 1);
    s.state[WYRM_CHACHA20_COUNTER]--;
    /* HChaCha20 is the block without the final addition of the input, so subtract the input
     * again. */
    for (unsigned i = 0; i < 4; i++, out += 4) {
        wyrm_store_le32(out, wyrm_load_le32(s.block + 4 * i) - s.state[i]);
        wyrm_store_le32(out + 16, wyrm_load_le32(s.block + 48 + 4 * i) - s.state[12 + i]);
    }
    wyrm_wipe(&s, sizeof(s));
    wyrm_scrub_stack();
    return true;
}

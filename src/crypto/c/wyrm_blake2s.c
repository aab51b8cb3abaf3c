/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * BLAKE2s (RFC 7693).
 */
#include "../wyrm_blake2s.h"
#include "../wyrm_bytes.h"
#include "../wyrm_ct.h"

#include <string.h>

static const uint32_t iv[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                               0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

#if !WYRM_BLAKE2S_ASM

/* The message words of a round: two for each of its eight steps, as bytes, or as nibbles of one
 * byte, which halves the table for slightly more instructions. */
#if WYRM_SMALL
#define SIGMA_ROW    8
#define PAIR(x, y)   (x) << 4 | (y)
#define WORD_X(s, i) ((s)[i] >> 4)
#define WORD_Y(s, i) ((s)[i] & 15)
#define UNROLL
#else
#define SIGMA_ROW    16
#define PAIR(x, y)   (x), (y)
#define WORD_X(s, i) ((s)[2 * (i)])
#define WORD_Y(s, i) ((s)[2 * (i) + 1])
#define UNROLL       _Pragma("GCC unroll 8")
#endif
#define ROW(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p)                                        \
    PAIR(a, b), PAIR(c, d), PAIR(e, f), PAIR(g, h), PAIR(i, j), PAIR(k, l), PAIR(m, n), PAIR(o, p)

static const uint8_t sigma[10][SIGMA_ROW] = {
    {ROW(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)},
    {ROW(14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3)},
    {ROW(11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4)},
    {ROW(7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8)},
    {ROW(9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13)},
    {ROW(2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9)},
    {ROW(12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11)},
    {ROW(13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10)},
    {ROW(6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5)},
    {ROW(10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0)},
};

static inline uint32_t rotate_right(uint32_t value, unsigned n)
{
    return value >> n | value << (32 - n);
}

#define MIX(a, b, c, d, x, y)                                                                      \
    do {                                                                                           \
        a += b + (x);                                                                              \
        d = rotate_right(d ^ a, 16);                                                               \
        c += d;                                                                                    \
        b = rotate_right(b ^ c, 12);                                                               \
        a += b + (y);                                                                              \
        d = rotate_right(d ^ a, 8);                                                                \
        c += d;                                                                                    \
        b = rotate_right(b ^ c, 7);                                                                \
    } while (0)

#define STEP(a, b, c, d, i) MIX(a, b, c, d, m[WORD_X(s, i)], m[WORD_Y(s, i)])

static inline void round_fast(uint32_t v[16], const uint32_t m[16], const uint8_t s[SIGMA_ROW])
{
    STEP(v[0], v[4], v[8], v[12], 0);
    STEP(v[1], v[5], v[9], v[13], 1);
    STEP(v[2], v[6], v[10], v[14], 2);
    STEP(v[3], v[7], v[11], v[15], 3);
    STEP(v[0], v[5], v[10], v[15], 4);
    STEP(v[1], v[6], v[11], v[12], 5);
    STEP(v[2], v[7], v[8], v[13], 6);
    STEP(v[3], v[4], v[9], v[14], 7);
}

/* Step i works on column i % 4; diagonals are columns of rows rotated by one, two and three. */
static inline void round_small(uint32_t v[16], const uint32_t m[16], const uint8_t s[SIGMA_ROW])
{
    for (unsigned i = 0; i < 8; i++) {
        unsigned turn = i >> 2;
        uint32_t *pa = v + (i & 3), *pb = v + 4 + ((i + turn) & 3);
        uint32_t *pc = v + 8 + ((i + 2 * turn) & 3), *pd = v + 12 + ((i + 3 * turn) & 3);
        uint32_t a = *pa, b = *pb, c = *pc, d = *pd;

        STEP(a, b, c, d, i);
        *pa = a;
        *pb = b;
        *pc = c;
        *pd = d;
    }
}

void wyrm_blake2s_compress(struct wyrm_blake2s *state, const uint8_t block[WYRM_HASH_BLOCK_LEN],
                           uint32_t last)
{
    uint32_t *h = state->h;
    uint32_t m[16];
    uint32_t v[16];

    UNROLL
    for (unsigned i = 0; i < 8; i++) {
        v[i] = h[i];
        v[8 + i] = iv[i];
    }
    v[12] ^= state->counter[0];
    v[13] ^= state->counter[1];
    v[14] ^= last;
    wyrm_load_words(m, block, 16);
    for (unsigned i = 0; i < 10; i++)
        if (WYRM_SMALL)
            round_small(v, m, sigma[i]);
        else
            round_fast(v, m, sigma[i]);
    for (unsigned i = 0; i < 8; i++)
        h[i] ^= v[i] ^ v[i + 8];
}

#endif

#if WYRM_SMALL
__attribute__((noinline))
#endif
static void
compress(struct wyrm_blake2s *state, uint32_t last)
{
    state->counter[0] += state->fill;
    state->counter[1] += state->counter[0] < state->fill;
    state->fill = 0;
    wyrm_blake2s_compress(state, state->block, last);
}

void wyrm_blake2s_init(struct wyrm_blake2s *state, size_t out_len, const uint8_t *key,
                       size_t key_len)
{
    wyrm_copy(state->h, iv, sizeof(iv));
    state->h[0] ^= UINT32_C(0x01010000) ^ (uint32_t)key_len << 8 ^ (uint32_t)out_len;
    state->counter[0] = state->counter[1] = 0;
    state->fill = 0;
    state->out_len = (uint32_t)out_len;
    if (key_len > 0) {
        memset(state->block, 0, sizeof(state->block));
        memcpy(state->block, key, key_len);
        state->fill = sizeof(state->block);
    }
}

void wyrm_blake2s_init_hmac(struct wyrm_blake2s *state, const uint8_t *key, size_t len,
                            uint32_t pad)
{
    wyrm_blake2s_init(state, WYRM_HASH_LEN, key, len);
    state->h[0] ^= (uint32_t)len << 8; /* BLAKE2s itself is used unkeyed */
    for (unsigned i = 0; i < sizeof(state->block); i += 4)
        wyrm_store_word(state->block + i, wyrm_load_word(state->block + i) ^ pad);
}

void wyrm_blake2s_update(struct wyrm_blake2s *state, const void *in, size_t len)
{
    const uint8_t *p = in;
    size_t room = sizeof(state->block) - state->fill;

    if (len == 0)
        return;
    /* A full block is kept until more data follows: the last one is compressed by finish. */
    for (; len > room; room = sizeof(state->block)) {
        memcpy(state->block + state->fill, p, room);
        state->fill = sizeof(state->block);
        compress(state, 0);
        p += room;
        len -= room;
    }
    memcpy(state->block + state->fill, p, len);
    state->fill += (uint32_t)len;
}

void wyrm_blake2s_finish(struct wyrm_blake2s *state, uint8_t *out)
{
    memset(state->block + state->fill, 0, sizeof(state->block) - state->fill);
    compress(state, ~UINT32_C(0));
    for (unsigned i = 0; !WYRM_LITTLE_ENDIAN && i < 8; i++)
        state->h[i] = wyrm_load_le32((const uint8_t *)&state->h[i]);
    memcpy(out, state->h, state->out_len);
}

void wyrm_blake2s_final(struct wyrm_blake2s *state, uint8_t *out)
{
    wyrm_blake2s_finish(state, out);
    wyrm_wipe(state, sizeof(*state));
    wyrm_scrub_stack();
}

void wyrm_blake2s(uint8_t *out, size_t out_len, const uint8_t *key, size_t key_len, const void *in,
                  size_t len)
{
    struct wyrm_blake2s state;

    wyrm_blake2s_init(&state, out_len, key, key_len);
    wyrm_blake2s_update(&state, in, len);
    wyrm_blake2s_final(&state, out);
}

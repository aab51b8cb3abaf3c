/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The ChaCha20 leaf on AArch64: four blocks at a time, lane i of each NEON register belonging to
 * block i, then the remaining blocks one by one. The portable twin is in c/wyrm_chacha.c.
 *
 * Constant time: additions, XORs, shifts and shuffles by constants.
 */
#include "../wyrm_chacha.h"
#include "../wyrm_crypto_select.h"

#if WYRM_CHACHA20_ASM && WYRM_ARCH_AARCH64

#include <arm_neon.h>

enum { LANES = 4 };

/* Rotation by 16 is a shuffle of half words, by 8 one of bytes; by others, a shift and an insertion
 * of the bits shifted out. */
#define ROTATE_16(x)   vreinterpretq_u32_u16(vrev32q_u16(vreinterpretq_u16_u32(x)))
#define ROTATE(x, n)   vsriq_n_u32(vshlq_n_u32(x, n), x, 32 - (n))
#define ROTATE_8(x, t) vreinterpretq_u32_u8(vqtbl1q_u8(vreinterpretq_u8_u32(x), t))

#define QUARTER(a, b, c, d)                                                                        \
    do {                                                                                           \
        uint32x4_t mixed;                                                                          \
        a = vaddq_u32(a, b);                                                                       \
        mixed = veorq_u32(d, a);                                                                   \
        d = ROTATE_16(mixed);                                                                      \
        c = vaddq_u32(c, d);                                                                       \
        mixed = veorq_u32(b, c);                                                                   \
        b = ROTATE(mixed, 12);                                                                     \
        a = vaddq_u32(a, b);                                                                       \
        mixed = veorq_u32(d, a);                                                                   \
        d = ROTATE_8(mixed, by_8);                                                                 \
        c = vaddq_u32(c, d);                                                                       \
        mixed = veorq_u32(b, c);                                                                   \
        b = ROTATE(mixed, 7);                                                                      \
    } while (0)

static inline uint8x16_t bytes_by_8(void)
{
    static const uint8_t order[16] = {3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14};

    return vld1q_u8(order);
}

static inline void xor_row(uint8_t *out, const uint8_t *in, uint32x4_t key)
{
    vst1q_u8(out, veorq_u8(vld1q_u8(in), vreinterpretq_u8_u32(key)));
}

/* Four words of four blocks become a row of each block. */
static inline void xor_rows(uint8_t *out, const uint8_t *in, const uint32x4_t x[4])
{
    uint32x4x2_t ab = vtrnq_u32(x[0], x[1]), cd = vtrnq_u32(x[2], x[3]);
    uint32x4_t rows[LANES] = {
        vcombine_u32(vget_low_u32(ab.val[0]), vget_low_u32(cd.val[0])),
        vcombine_u32(vget_low_u32(ab.val[1]), vget_low_u32(cd.val[1])),
        vcombine_u32(vget_high_u32(ab.val[0]), vget_high_u32(cd.val[0])),
        vcombine_u32(vget_high_u32(ab.val[1]), vget_high_u32(cd.val[1])),
    };

    for (unsigned i = 0; i < LANES; i++)
        xor_row(out + i * WYRM_CHACHA20_BLOCK, in + i * WYRM_CHACHA20_BLOCK, rows[i]);
}

static void four_blocks(const uint32_t s[WYRM_CHACHA20_WORDS], uint8_t *out, const uint8_t *in)
{
    static const uint32_t steps[LANES] = {0, 1, 2, 3};
    const uint8x16_t by_8 = bytes_by_8();
    uint32x4_t x[WYRM_CHACHA20_WORDS];

    for (unsigned i = 0; i < WYRM_CHACHA20_WORDS; i++)
        x[i] = vdupq_n_u32(s[i]);
    x[WYRM_CHACHA20_COUNTER] = vaddq_u32(x[WYRM_CHACHA20_COUNTER], vld1q_u32(steps));
    for (unsigned i = 0; i < 10; i++) {
        QUARTER(x[0], x[4], x[8], x[12]);
        QUARTER(x[1], x[5], x[9], x[13]);
        QUARTER(x[2], x[6], x[10], x[14]);
        QUARTER(x[3], x[7], x[11], x[15]);
        QUARTER(x[0], x[5], x[10], x[15]);
        QUARTER(x[1], x[6], x[11], x[12]);
        QUARTER(x[2], x[7], x[8], x[13]);
        QUARTER(x[3], x[4], x[9], x[14]);
    }
    for (unsigned i = 0; i < WYRM_CHACHA20_WORDS; i++)
        x[i] = vaddq_u32(x[i], vdupq_n_u32(s[i]));
    x[WYRM_CHACHA20_COUNTER] = vaddq_u32(x[WYRM_CHACHA20_COUNTER], vld1q_u32(steps));
    for (unsigned i = 0; i < WYRM_CHACHA20_WORDS; i += 4)
        xor_rows(out + 4 * i, in + 4 * i, x + i);
}

/* One block: a register holds a row, and turning three of them makes the diagonals columns. */
static void one_block(const uint32_t s[WYRM_CHACHA20_WORDS], uint8_t *out, const uint8_t *in)
{
    const uint32x4_t a0 = vld1q_u32(s), b0 = vld1q_u32(s + 4), c0 = vld1q_u32(s + 8),
                     d0 = vld1q_u32(s + 12);
    const uint8x16_t by_8 = bytes_by_8();
    uint32x4_t a = a0, b = b0, c = c0, d = d0;

    for (unsigned i = 0; i < 10; i++) {
        QUARTER(a, b, c, d);
        b = vextq_u32(b, b, 1);
        c = vextq_u32(c, c, 2);
        d = vextq_u32(d, d, 3);
        QUARTER(a, b, c, d);
        b = vextq_u32(b, b, 3);
        c = vextq_u32(c, c, 2);
        d = vextq_u32(d, d, 1);
    }
    xor_row(out, in, vaddq_u32(a, a0));
    xor_row(out + 16, in + 16, vaddq_u32(b, b0));
    xor_row(out + 32, in + 32, vaddq_u32(c, c0));
    xor_row(out + 48, in + 48, vaddq_u32(d, d0));
}

void wyrm_chacha20_blocks(uint32_t state[WYRM_CHACHA20_WORDS], uint8_t *out, const uint8_t *in,
                          size_t blocks)
{
    while (blocks > 0) {
        unsigned now = blocks < LANES ? 1 : LANES;

        if (now == LANES)
            four_blocks(state, out, in);
        else
            one_block(state, out, in);
        state[WYRM_CHACHA20_COUNTER] += now;
        out += now * WYRM_CHACHA20_BLOCK;
        in += now * WYRM_CHACHA20_BLOCK;
        blocks -= now;
    }
}

#endif

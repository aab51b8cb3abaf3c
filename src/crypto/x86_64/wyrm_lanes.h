/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Eight blocks of ChaCha20 and of Poly1305 at a time, in lanes of 256-bit registers. Included once
 * for each set of instructions, with
 *
 *   LANES(name)  the name of a function in this set
 *   TARGET       the attribute that lets the compiler use it
 *   ROTATES      1 if it rotates words by any count in one instruction
 *
 * Constant time: additions, exclusive ors, shifts, shuffles by constants and 32 x 32 -> 64
 * multiplications, none of which depend on their operands on any x86-64.
 */

/* ---- ChaCha20: lane i of each register belongs to block i ------------------ */

#if ROTATES
#define ROTATE_BYTES(x, n, order) ((x) << (n) | (x) >> (32 - (n)))
#else
#define ROTATE_BYTES(x, n, order) ((v8)_mm256_shuffle_epi8((__m256i)(x), order))
#endif
#define ROTATE(x, n) ((x) << (n) | (x) >> (32 - (n)))

#define QUARTER(a, b, c, d)                                                                        \
    do {                                                                                           \
        a += b;                                                                                    \
        d = ROTATE_BYTES(d ^ a, 16, by_16);                                                        \
        c += d;                                                                                    \
        b = ROTATE(b ^ c, 12);                                                                     \
        a += b;                                                                                    \
        d = ROTATE_BYTES(d ^ a, 8, by_8);                                                          \
        c += d;                                                                                    \
        b = ROTATE(b ^ c, 7);                                                                      \
    } while (0)

/* Turns eight registers of one word of eight blocks into half of each block, and stores these one
 * block apart. */
TARGET static inline void LANES(transpose)(uint8_t *out, v8 a, v8 b, v8 c, v8 d, v8 e, v8 f, v8 g,
                                           v8 h)
{
    __m256i t0 = _mm256_unpacklo_epi32((__m256i)a, (__m256i)b);
    __m256i t1 = _mm256_unpackhi_epi32((__m256i)a, (__m256i)b);
    __m256i t2 = _mm256_unpacklo_epi32((__m256i)c, (__m256i)d);
    __m256i t3 = _mm256_unpackhi_epi32((__m256i)c, (__m256i)d);
    __m256i t4 = _mm256_unpacklo_epi32((__m256i)e, (__m256i)f);
    __m256i t5 = _mm256_unpackhi_epi32((__m256i)e, (__m256i)f);
    __m256i t6 = _mm256_unpacklo_epi32((__m256i)g, (__m256i)h);
    __m256i t7 = _mm256_unpackhi_epi32((__m256i)g, (__m256i)h);
    __m256i u0 = _mm256_unpacklo_epi64(t0, t2), u1 = _mm256_unpackhi_epi64(t0, t2);
    __m256i u2 = _mm256_unpacklo_epi64(t1, t3), u3 = _mm256_unpackhi_epi64(t1, t3);
    __m256i u4 = _mm256_unpacklo_epi64(t4, t6), u5 = _mm256_unpackhi_epi64(t4, t6);
    __m256i u6 = _mm256_unpacklo_epi64(t5, t7), u7 = _mm256_unpackhi_epi64(t5, t7);

    _mm256_storeu_si256((__m256i *)(out + 0), _mm256_permute2x128_si256(u0, u4, 0x20));
    _mm256_storeu_si256((__m256i *)(out + 64), _mm256_permute2x128_si256(u1, u5, 0x20));
    _mm256_storeu_si256((__m256i *)(out + 128), _mm256_permute2x128_si256(u2, u6, 0x20));
    _mm256_storeu_si256((__m256i *)(out + 192), _mm256_permute2x128_si256(u3, u7, 0x20));
    _mm256_storeu_si256((__m256i *)(out + 256), _mm256_permute2x128_si256(u0, u4, 0x31));
    _mm256_storeu_si256((__m256i *)(out + 320), _mm256_permute2x128_si256(u1, u5, 0x31));
    _mm256_storeu_si256((__m256i *)(out + 384), _mm256_permute2x128_si256(u2, u6, 0x31));
    _mm256_storeu_si256((__m256i *)(out + 448), _mm256_permute2x128_si256(u3, u7, 0x31));
}

/* The next eight blocks of key stream; the counter moves on. */
TARGET static void LANES(key_stream)(uint8_t out[8 * WYRM_CHACHA20_BLOCK],
                                     uint32_t s[WYRM_CHACHA20_WORDS])
{
#if !ROTATES
    const __m256i by_16 = _mm256_setr_epi8(2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13, 2,
                                           3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13);
    const __m256i by_8 = _mm256_setr_epi8(3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14, 3,
                                          0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14);
#endif
    const v8 steps = {0, 1, 2, 3, 4, 5, 6, 7};
    v8 x[WYRM_CHACHA20_WORDS];

    for (unsigned i = 0; i < WYRM_CHACHA20_WORDS; i++)
        x[i] = (v8)_mm256_set1_epi32((int)s[i]);
    x[WYRM_CHACHA20_COUNTER] += steps;
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
        x[i] += (v8)_mm256_set1_epi32((int)s[i]);
    x[WYRM_CHACHA20_COUNTER] += steps;
    s[WYRM_CHACHA20_COUNTER] += 8;
    LANES(transpose)(out, x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]);
    LANES(transpose)(out + 32, x[8], x[9], x[10], x[11], x[12], x[13], x[14], x[15]);
}

/* ---- Poly1305: block i of eight in lane order[i] of two groups of four ------ */

/* h = h * r in each lane, limbs of 26 bits; those of r are less than 2^27, those of the result too,
 * and those of h may be up to 2^28. */
TARGET static inline void LANES(multiply)(__m256i h[LIMBS], const __m256i r[LIMBS],
                                          const __m256i r5[LIMBS])
{
    const __m256i mask = _mm256_set1_epi64x(LIMB_MASK);
    __m256i d[LIMBS], carry;

    for (unsigned i = 0; i < LIMBS; i++) {
        d[i] = _mm256_mul_epu32(h[0], r[i]);
        for (unsigned j = 1; j < LIMBS; j++)
            d[i] = _mm256_add_epi64(d[i],
                                    _mm256_mul_epu32(h[j], j <= i ? r[i - j] : r5[LIMBS + i - j]));
    }
#define CARRY(from, to)                                                                            \
    do {                                                                                           \
        carry = _mm256_srli_epi64(d[from], 26);                                                    \
        d[from] = _mm256_and_si256(d[from], mask);                                                 \
        d[to] = _mm256_add_epi64(d[to], carry);                                                    \
    } while (0)
    CARRY(0, 1);
    CARRY(3, 4);
    CARRY(1, 2);
    carry = _mm256_srli_epi64(d[4], 26);
    d[4] = _mm256_and_si256(d[4], mask);
    d[0] = _mm256_add_epi64(d[0], _mm256_add_epi64(carry, _mm256_slli_epi64(carry, 2)));
    CARRY(2, 3);
    CARRY(0, 1);
    CARRY(3, 4);
#undef CARRY
    for (unsigned i = 0; i < LIMBS; i++)
        h[i] = d[i];
}

/* h += four blocks, each with bit 128 set where `top` has it. */
TARGET static inline void LANES(add_blocks)(__m256i h[LIMBS], const uint8_t in[64], __m256i top)
{
    const __m256i mask = _mm256_set1_epi64x(LIMB_MASK);
    __m256i a = _mm256_loadu_si256((const __m256i *)in);
    __m256i b = _mm256_loadu_si256((const __m256i *)(in + 32));
    __m256i low = _mm256_unpacklo_epi64(a, b), high = _mm256_unpackhi_epi64(a, b);
    __m256i middle = _mm256_or_si256(_mm256_srli_epi64(low, 52), _mm256_slli_epi64(high, 12));

    h[0] = _mm256_add_epi64(h[0], _mm256_and_si256(low, mask));
    h[1] = _mm256_add_epi64(h[1], _mm256_and_si256(_mm256_srli_epi64(low, 26), mask));
    h[2] = _mm256_add_epi64(h[2], _mm256_and_si256(middle, mask));
    h[3] = _mm256_add_epi64(h[3], _mm256_and_si256(_mm256_srli_epi64(high, 14), mask));
    h[4] = _mm256_add_epi64(h[4], _mm256_or_si256(_mm256_srli_epi64(high, 40), top));
}

/* The powers of `r` that the lanes are multiplied with in the end: (r^8 r^6 r^7 r^5) for the first
 * four blocks, (r^4 r^2 r^3 r^1) for the last. The order is that of add_blocks. */
TARGET static inline void LANES(spread)(__m256i out[LIMBS], __m256i out5[LIMBS],
                                        const uint32_t a[LIMBS], const uint32_t b[LIMBS],
                                        const uint32_t c[LIMBS], const uint32_t e[LIMBS])
{
    for (unsigned i = 0; i < LIMBS; i++) {
        out[i] = _mm256_setr_epi64x(a[i], b[i], c[i], e[i]);
        out5[i] = _mm256_add_epi64(out[i], _mm256_slli_epi64(out[i], 2));
    }
}

TARGET static void LANES(authenticate)(uint64_t sum[LIMBS], uint32_t power[8][LIMBS],
                                       const uint8_t first[128], uint32_t empty, const uint8_t *in,
                                       size_t groups, const uint8_t last[128])
{
    const __m256i top = _mm256_set1_epi64x(1 << 24);
    __m256i h[2][LIMBS], r[LIMBS], r5[LIMBS];
    /* Bit 128 belongs to blocks that exist: the first group may begin with empty ones. */
    long long tops[8];

    for (unsigned i = 0; i < 8; i++)
        tops[i] = i < empty ? 0 : 1 << 24;
    for (unsigned i = 0; i < LIMBS; i++)
        h[0][i] = h[1][i] = _mm256_setzero_si256();
    LANES(add_blocks)(h[0], first, _mm256_setr_epi64x(tops[0], tops[2], tops[1], tops[3]));
    LANES(add_blocks)(h[1], first + 64, _mm256_setr_epi64x(tops[4], tops[6], tops[5], tops[7]));

    LANES(spread)(r, r5, power[7], power[7], power[7], power[7]);
    for (; groups > 0; groups--, in += 128) {
        LANES(multiply)(h[0], r, r5);
        LANES(multiply)(h[1], r, r5);
        LANES(add_blocks)(h[0], in, top);
        LANES(add_blocks)(h[1], in + 64, top);
    }
    LANES(multiply)(h[0], r, r5);
    LANES(multiply)(h[1], r, r5);
    LANES(add_blocks)(h[0], last, top);
    LANES(add_blocks)(h[1], last + 64, top);

    LANES(spread)(r, r5, power[7], power[5], power[6], power[4]);
    LANES(multiply)(h[0], r, r5);
    LANES(spread)(r, r5, power[3], power[1], power[2], power[0]);
    LANES(multiply)(h[1], r, r5);
    for (unsigned i = 0; i < LIMBS; i++) {
        __m256i both = _mm256_add_epi64(h[0][i], h[1][i]);
        __m128i half =
            _mm_add_epi64(_mm256_castsi256_si128(both), _mm256_extracti128_si256(both, 1));

        sum[i] = (uint64_t)_mm_extract_epi64(half, 0) + (uint64_t)_mm_extract_epi64(half, 1);
    }
}

/* ---- At the end ------------------------------------------------------------- */

/* Clears every vector register of this set. A function of its own: a call may change them all. */
TARGET __attribute__((noinline)) static void LANES(clear_registers)(void)
{
    __asm__ volatile("vzeroall");
#if ROTATES
    __asm__ volatile(".irp n, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31\n"
                     "vpxorq %ymm\\n, %ymm\\n, %ymm\\n\n"
                     ".endr");
#endif
}

#undef QUARTER
#undef ROTATE
#undef ROTATE_BYTES

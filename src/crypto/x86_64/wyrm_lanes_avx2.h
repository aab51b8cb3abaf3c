/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Eight blocks of ChaCha20 and of Poly1305 at a time, in lanes of 256-bit registers. Part of
 * wyrm_aead_x86_64.c, which includes it once.
 *
 * Constant time: additions, exclusive ors, shifts, shuffles by constants and 32 x 32 -> 64
 * multiplications, none of which depend on their operands on any x86-64.
 */

#define AVX2 __attribute__((target("avx2")))

typedef uint32_t v8 __attribute__((vector_size(32)));

/* Poly1305 here: 5 limbs of 26 bits. */
enum { LIMBS_26 = 5, MASK_26 = (1 << 26) - 1 };

/* ---- ChaCha20: lane i of each register belongs to block i ------------------ */

#define BY_16_AVX2(x) ((v8)_mm256_shuffle_epi8((__m256i)(x), by_16))
#define BY_8_AVX2(x)  ((v8)_mm256_shuffle_epi8((__m256i)(x), by_8))

/* Turns eight registers of one word of eight blocks into half of each block, and stores these one
 * block apart. */
AVX2 static inline void transpose_avx2(uint8_t *out, v8 a, v8 b, v8 c, v8 d, v8 e, v8 f, v8 g, v8 h)
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

/* The next eight blocks of key stream; advances the counter. */
AVX2 static void key_stream_avx2(uint8_t out[8 * WYRM_CHACHA20_BLOCK],
                                 uint32_t s[WYRM_CHACHA20_WORDS])
{
    const __m256i by_16 = _mm256_setr_epi8(2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13, 2,
                                           3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13);
    const __m256i by_8 = _mm256_setr_epi8(3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14, 3,
                                          0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14);
    const v8 steps = {0, 1, 2, 3, 4, 5, 6, 7};
    v8 x[WYRM_CHACHA20_WORDS];

    for (unsigned i = 0; i < WYRM_CHACHA20_WORDS; i++)
        x[i] = (v8)_mm256_set1_epi32((int)s[i]);
    x[WYRM_CHACHA20_COUNTER] += steps;
    for (unsigned i = 0; i < 10; i++)
        DOUBLE_ROUND(x, BY_16_AVX2, BY_8_AVX2);
    for (unsigned i = 0; i < WYRM_CHACHA20_WORDS; i++)
        x[i] += (v8)_mm256_set1_epi32((int)s[i]);
    x[WYRM_CHACHA20_COUNTER] += steps;
    s[WYRM_CHACHA20_COUNTER] += 8;
    transpose_avx2(out, x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]);
    transpose_avx2(out + 32, x[8], x[9], x[10], x[11], x[12], x[13], x[14], x[15]);
}

/* out = in ^ key. */
AVX2 static void xor_avx2(uint8_t *out, const uint8_t *in, const uint8_t *key, size_t len)
{
    for (; len >= 32; len -= 32, out += 32, in += 32, key += 32)
        _mm256_storeu_si256((__m256i *)out,
                            _mm256_xor_si256(_mm256_loadu_si256((const __m256i *)in),
                                             _mm256_loadu_si256((const __m256i *)key)));
    for (; len > 0; len--)
        *out++ = *in++ ^ *key++;
}

/* ---- Poly1305: block i of eight in lane order[i] of two groups of four ------ */

/* h = h * r in each lane, limbs of 26 bits; those of r are less than 2^27, those of the result too,
 * and those of h may be up to 2^28. */
AVX2 static inline void multiply_avx2(__m256i h[LIMBS_26], const __m256i r[LIMBS_26],
                                      const __m256i r5[LIMBS_26])
{
    const __m256i mask = _mm256_set1_epi64x(MASK_26);
    __m256i d[LIMBS_26], carry;

    for (unsigned i = 0; i < LIMBS_26; i++) {
        d[i] = _mm256_mul_epu32(h[0], r[i]);
        for (unsigned j = 1; j < LIMBS_26; j++)
            d[i] = _mm256_add_epi64(
                d[i], _mm256_mul_epu32(h[j], j <= i ? r[i - j] : r5[LIMBS_26 + i - j]));
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
    for (unsigned i = 0; i < LIMBS_26; i++)
        h[i] = d[i];
}

/* h += four blocks, each with bit 128 set where `top` has it. */
AVX2 static inline void add_blocks_avx2(__m256i h[LIMBS_26], const uint8_t in[64], __m256i top)
{
    const __m256i mask = _mm256_set1_epi64x(MASK_26);
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

/* A number in limbs of 44 bits, limb 1 perhaps a little longer, in limbs of 26 bits. */
AVX2 static inline void narrow_avx2(uint32_t out[LIMBS_26], const uint64_t in[LIMBS])
{
    out[0] = in[0] & MASK_26;
    out[1] = (uint32_t)(in[0] >> 26) | (uint32_t)(in[1] & 0xff) << 18;
    out[2] = (uint32_t)(in[1] >> 8) & MASK_26;
    out[3] = (uint32_t)(in[1] >> 34) + ((uint32_t)(in[2] & 0xffff) << 10);
    out[4] = (uint32_t)(in[2] >> 16);
}

/* The powers of `r` by which the lanes are finally multiplied: (r^8 r^6 r^7 r^5) for the first four
 * blocks, (r^4 r^2 r^3 r^1) for the last. The order is that of add_blocks. */
AVX2 static inline void spread_avx2(__m256i out[LIMBS_26], __m256i out5[LIMBS_26],
                                    const uint64_t a[LIMBS], const uint64_t b[LIMBS],
                                    const uint64_t c[LIMBS], const uint64_t e[LIMBS])
{
    uint32_t lane[4][LIMBS_26];

    narrow_avx2(lane[0], a);
    narrow_avx2(lane[1], b);
    narrow_avx2(lane[2], c);
    narrow_avx2(lane[3], e);
    for (unsigned i = 0; i < LIMBS_26; i++) {
        out[i] = _mm256_setr_epi64x(lane[0][i], lane[1][i], lane[2][i], lane[3][i]);
        out5[i] = _mm256_add_epi64(out[i], _mm256_slli_epi64(out[i], 2));
    }
    wyrm_wipe(lane, sizeof(lane));
}

AVX2 static void authenticate_avx2(uint64_t sum[LIMBS], uint64_t power[LANE_BLOCKS][LIMBS],
                                   const uint8_t first[GROUP], unsigned empty, const uint8_t *in,
                                   size_t groups, const uint8_t last[GROUP])
{
    const __m256i top = _mm256_set1_epi64x(1 << 24);
    __m256i h[2][LIMBS_26], r[LIMBS_26], r5[LIMBS_26];
    uint64_t narrow[LIMBS_26];
    /* Only actual blocks have bit 128: the first group may start with empty ones. */
    long long tops[LANE_BLOCKS];

    for (unsigned i = 0; i < LANE_BLOCKS; i++)
        tops[i] = i < empty ? 0 : 1 << 24;
    for (unsigned i = 0; i < LIMBS_26; i++)
        h[0][i] = h[1][i] = _mm256_setzero_si256();
    add_blocks_avx2(h[0], first, _mm256_setr_epi64x(tops[0], tops[2], tops[1], tops[3]));
    add_blocks_avx2(h[1], first + 64, _mm256_setr_epi64x(tops[4], tops[6], tops[5], tops[7]));

    spread_avx2(r, r5, power[7], power[7], power[7], power[7]);
    for (; groups > 0; groups--, in += 128) {
        multiply_avx2(h[0], r, r5);
        multiply_avx2(h[1], r, r5);
        add_blocks_avx2(h[0], in, top);
        add_blocks_avx2(h[1], in + 64, top);
    }
    multiply_avx2(h[0], r, r5);
    multiply_avx2(h[1], r, r5);
    add_blocks_avx2(h[0], last, top);
    add_blocks_avx2(h[1], last + 64, top);

    spread_avx2(r, r5, power[7], power[5], power[6], power[4]);
    multiply_avx2(h[0], r, r5);
    spread_avx2(r, r5, power[3], power[1], power[2], power[0]);
    multiply_avx2(h[1], r, r5);
    for (unsigned i = 0; i < LIMBS_26; i++) {
        __m256i both = _mm256_add_epi64(h[0][i], h[1][i]);
        __m128i half =
            _mm_add_epi64(_mm256_castsi256_si128(both), _mm256_extracti128_si256(both, 1));

        narrow[i] = (uint64_t)_mm_extract_epi64(half, 0) + (uint64_t)_mm_extract_epi64(half, 1);
    }
    /* Limbs of up to 30 bits: the part of limb 3 above 26 bits is moved to limb 4, or it would not
     * fit. */
    narrow[4] += narrow[3] >> 26;
    sum[0] = narrow[0] + (narrow[1] << 26);
    sum[1] = (narrow[2] << 8) + ((narrow[3] & MASK_26) << 34);
    sum[2] = narrow[4] << 16;
    wyrm_wipe(narrow, sizeof(narrow));
}

/* ---- At the end ------------------------------------------------------------- */

/* Clears every vector register of this set. A separate function, because a call may change them
 * all. */
AVX2 __attribute__((noinline)) static void clear_registers_avx2(void)
{
    __asm__ volatile("vzeroall");
}

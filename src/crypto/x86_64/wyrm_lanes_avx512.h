/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Sixteen blocks of ChaCha20 and eight of Poly1305 at a time, in lanes of 512-bit registers, for
 * processors with the 52-bit multiply-add of AVX-512 IFMA. Part of wyrm_aead_x86_64.c, which
 * includes it once.
 *
 * Constant time: additions, exclusive ors, shifts, rotations, shuffles by constants, loads and
 * stores masked by lengths, and 52 x 52 -> 104 multiplications, none of which depend on their
 * operands on any x86-64.
 */

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512ifma")))

typedef uint32_t v16 __attribute__((vector_size(64)));

/* ---- ChaCha20: lane i of each register belongs to block i ------------------ */

#define BY_16_AVX512(x) ROTATE(x, 16)
#define BY_8_AVX512(x)  ROTATE(x, 8)

/* Turns four registers of one word of sixteen blocks into words a..d of blocks 0, 4, 8, 12 in
 * out[0], of blocks 1, 5, 9, 13 in out[1] and so on. */
AVX512 static inline void interleave_avx512(__m512i out[4], v16 a, v16 b, v16 c, v16 d)
{
    __m512i t0 = _mm512_unpacklo_epi32((__m512i)a, (__m512i)b);
    __m512i t1 = _mm512_unpackhi_epi32((__m512i)a, (__m512i)b);
    __m512i t2 = _mm512_unpacklo_epi32((__m512i)c, (__m512i)d);
    __m512i t3 = _mm512_unpackhi_epi32((__m512i)c, (__m512i)d);

    out[0] = _mm512_unpacklo_epi64(t0, t2);
    out[1] = _mm512_unpackhi_epi64(t0, t2);
    out[2] = _mm512_unpacklo_epi64(t1, t3);
    out[3] = _mm512_unpackhi_epi64(t1, t3);
}

/* Stores blocks 0, 4, 8 and 12 counted from `out`: each argument has a quarter of all four. */
AVX512 static inline void store_blocks_avx512(uint8_t *out, __m512i a, __m512i b, __m512i c,
                                              __m512i d)
{
    __m512i ab_low = _mm512_shuffle_i32x4(a, b, 0x44), ab_high = _mm512_shuffle_i32x4(a, b, 0xee);
    __m512i cd_low = _mm512_shuffle_i32x4(c, d, 0x44), cd_high = _mm512_shuffle_i32x4(c, d, 0xee);

    _mm512_storeu_si512(out, _mm512_shuffle_i32x4(ab_low, cd_low, 0x88));
    _mm512_storeu_si512(out + 4 * 64, _mm512_shuffle_i32x4(ab_low, cd_low, 0xdd));
    _mm512_storeu_si512(out + 8 * 64, _mm512_shuffle_i32x4(ab_high, cd_high, 0x88));
    _mm512_storeu_si512(out + 12 * 64, _mm512_shuffle_i32x4(ab_high, cd_high, 0xdd));
}

/* The next sixteen blocks of key stream; advances the counter. */
AVX512 static void key_stream_avx512(uint8_t out[16 * WYRM_CHACHA20_BLOCK],
                                     uint32_t s[WYRM_CHACHA20_WORDS])
{
    const v16 steps = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    v16 x[WYRM_CHACHA20_WORDS];
    __m512i quarter[4][4];

    for (unsigned i = 0; i < WYRM_CHACHA20_WORDS; i++)
        x[i] = (v16)_mm512_set1_epi32((int)s[i]);
    x[WYRM_CHACHA20_COUNTER] += steps;
    for (unsigned i = 0; i < 10; i++)
        DOUBLE_ROUND(x, BY_16_AVX512, BY_8_AVX512);
    for (unsigned i = 0; i < WYRM_CHACHA20_WORDS; i++)
        x[i] += (v16)_mm512_set1_epi32((int)s[i]);
    x[WYRM_CHACHA20_COUNTER] += steps;
    s[WYRM_CHACHA20_COUNTER] += 16;
    for (unsigned i = 0; i < 4; i++)
        interleave_avx512(quarter[i], x[4 * i], x[4 * i + 1], x[4 * i + 2], x[4 * i + 3]);
    for (unsigned i = 0; i < 4; i++)
        store_blocks_avx512(out + i * 64, quarter[0][i], quarter[1][i], quarter[2][i],
                            quarter[3][i]);
}

/* out = in ^ key; the last part is masked by the length. */
AVX512 static void xor_avx512(uint8_t *out, const uint8_t *in, const uint8_t *key, size_t len)
{
    for (; len >= 64; len -= 64, out += 64, in += 64, key += 64)
        _mm512_storeu_si512(out, _mm512_xor_si512(_mm512_loadu_si512(in), _mm512_loadu_si512(key)));
    if (len > 0) {
        __mmask64 bytes = ~(__mmask64)0 >> (64 - len);

        _mm512_mask_storeu_epi8(out, bytes,
                                _mm512_xor_si512(_mm512_maskz_loadu_epi8(bytes, in),
                                                 _mm512_maskz_loadu_epi8(bytes, key)));
    }
}

/* ---- Poly1305: blocks 0, 4, 1, 5, 2, 6, 3, 7 of a group in lanes 0 to 7 ---- */

/* h = h * r in each lane. Limbs of r are less than 2^45, those of h up to 2^46; those of the result
 * less than 2^45. The upper half of a product counts 2^52 = 2^44 * 2^8: in the limb above. */
AVX512 static inline void multiply_avx512(__m512i h[LIMBS], const __m512i r[LIMBS],
                                          const __m512i r20[LIMBS])
{
    const __m512i mask = _mm512_set1_epi64(LIMB_MASK), zero = _mm512_setzero_si512();
    __m512i low[LIMBS], high[LIMBS], carry;

    for (unsigned i = 0; i < LIMBS; i++) {
        low[i] = _mm512_madd52lo_epu64(zero, h[0], r[i]);
        high[i] = _mm512_madd52hi_epu64(zero, h[0], r[i]);
        for (unsigned j = 1; j < LIMBS; j++) {
            __m512i factor = j <= i ? r[i - j] : r20[LIMBS + i - j];

            low[i] = _mm512_madd52lo_epu64(low[i], h[j], factor);
            high[i] = _mm512_madd52hi_epu64(high[i], h[j], factor);
        }
    }
    carry = _mm512_add_epi64(_mm512_srli_epi64(low[0], 44), _mm512_slli_epi64(high[0], 8));
    low[1] = _mm512_add_epi64(low[1], carry);
    carry = _mm512_add_epi64(_mm512_srli_epi64(low[1], 44), _mm512_slli_epi64(high[1], 8));
    low[2] = _mm512_add_epi64(low[2], carry);
    /* The top limb has 42 bits; higher bits are folded into the lowest limb: 2^130 = 5. */
    carry = _mm512_add_epi64(_mm512_srli_epi64(low[2], 42), _mm512_slli_epi64(high[2], 10));
    carry = _mm512_add_epi64(carry, _mm512_slli_epi64(carry, 2));
    low[0] = _mm512_add_epi64(_mm512_and_si512(low[0], mask), carry);
    h[0] = _mm512_and_si512(low[0], mask);
    h[1] = _mm512_add_epi64(_mm512_and_si512(low[1], mask), _mm512_srli_epi64(low[0], 44));
    h[2] = _mm512_and_si512(low[2], _mm512_srli_epi64(mask, 2));
}

/* h += eight blocks, each with bit 128 set where `top` has it. */
AVX512 static inline void add_blocks_avx512(__m512i h[LIMBS], const uint8_t in[128], __m512i top)
{
    const __m512i mask = _mm512_set1_epi64(LIMB_MASK);
    __m512i a = _mm512_loadu_si512(in), b = _mm512_loadu_si512(in + 64);
    __m512i low = _mm512_unpacklo_epi64(a, b), high = _mm512_unpackhi_epi64(a, b);
    __m512i middle = _mm512_or_si512(_mm512_srli_epi64(low, 44), _mm512_slli_epi64(high, 20));

    h[0] = _mm512_add_epi64(h[0], _mm512_and_si512(low, mask));
    h[1] = _mm512_add_epi64(h[1], _mm512_and_si512(middle, mask));
    h[2] = _mm512_add_epi64(h[2], _mm512_or_si512(_mm512_srli_epi64(high, 24), top));
}

/* r^8, or with `each` the power by which each lane is finally multiplied. */
AVX512 static inline void spread_avx512(__m512i out[LIMBS], __m512i out20[LIMBS],
                                        uint64_t power[LANE_BLOCKS][LIMBS], bool each)
{
    for (unsigned i = 0; i < LIMBS; i++) {
        out[i] = each ? _mm512_setr_epi64((long long)power[7][i], (long long)power[3][i],
                                          (long long)power[6][i], (long long)power[2][i],
                                          (long long)power[5][i], (long long)power[1][i],
                                          (long long)power[4][i], (long long)power[0][i])
                      : _mm512_set1_epi64((long long)power[7][i]);
        out20[i] = _mm512_add_epi64(_mm512_slli_epi64(out[i], 4), _mm512_slli_epi64(out[i], 2));
    }
}

AVX512 static void authenticate_avx512(uint64_t sum[LIMBS], uint64_t power[LANE_BLOCKS][LIMBS],
                                       const uint8_t first[GROUP], unsigned empty,
                                       const uint8_t *in, size_t groups, const uint8_t last[GROUP])
{
    /* Only actual blocks have bit 128: the first group may start with empty ones. */
    const __m512i order = _mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7);
    const __m512i top = _mm512_set1_epi64(1LL << 40);
    __mmask8 exist = _mm512_cmpge_epu64_mask(order, _mm512_set1_epi64(empty));
    __m512i h[LIMBS], r[LIMBS], r20[LIMBS];

    for (unsigned i = 0; i < LIMBS; i++)
        h[i] = _mm512_setzero_si512();
    add_blocks_avx512(h, first, _mm512_maskz_mov_epi64(exist, top));
    spread_avx512(r, r20, power, false);
    for (; groups > 0; groups--, in += GROUP) {
        multiply_avx512(h, r, r20);
        add_blocks_avx512(h, in, top);
    }
    multiply_avx512(h, r, r20);
    add_blocks_avx512(h, last, top);
    spread_avx512(r, r20, power, true);
    multiply_avx512(h, r, r20);
    for (unsigned i = 0; i < LIMBS; i++)
        sum[i] = (uint64_t)_mm512_reduce_add_epi64(h[i]);
}

/* ---- At the end ------------------------------------------------------------- */

/* Clears every vector register of this set. A separate function, because a call may change them
 * all. */
AVX512 __attribute__((noinline)) static void clear_registers_avx512(void)
{
    __asm__ volatile("vzeroall\n"
                     ".irp n, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31\n"
                     "vpxorq %zmm\\n, %zmm\\n, %zmm\\n\n"
                     ".endr");
}

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * ChaCha20-Poly1305 for data packets on x86-64 with AVX2 or AVX-512VL, chosen at run time.
 *
 * Poly1305 takes eight blocks at a time: sum = sum * r^8 + block in eight lanes, which are finally
 * multiplied by r^8 ... r^1 and added up. Where the number of blocks is no multiple of eight, the
 * first lanes begin with nothing. Numbers are 5 limbs of 26 bits, radix 2^26, modulo 2^130 - 5.
 */
#include "wyrm_aead_x86_64.h"

#include "../wyrm_bytes.h"
#include "../wyrm_chacha.h"
#include "../wyrm_ct.h"

#include <string.h>

#if WYRM_AEAD_X86_64

#include <immintrin.h>

enum {
    LIMBS = 5,
    LIMB_MASK = (1 << 26) - 1,
    LANE_BLOCKS = 8,
    GROUP = LANE_BLOCKS * 16,                   /* bytes of Poly1305 at a time */
    STREAM = LANE_BLOCKS * WYRM_CHACHA20_BLOCK, /* bytes of key stream at a time */
    SHORT = 2 * GROUP,                          /* less is left to the portable code */
    SPILLED = 1600                              /* bytes: a test that scans the stack measures it */
};

typedef uint32_t v8 __attribute__((vector_size(32)));

#define LANES(name) name##_avx2
#define TARGET      __attribute__((target("avx2")))
#define ROTATES     0
#include "wyrm_lanes.h"
#undef LANES
#undef TARGET
#undef ROTATES

#define LANES(name) name##_avx512
#define TARGET      __attribute__((target("avx2,avx512f,avx512vl")))
#define ROTATES     1
#include "wyrm_lanes.h"
#undef LANES
#undef TARGET
#undef ROTATES

enum level { LEVEL_PORTABLE, LEVEL_AVX2, LEVEL_AVX512 };

static enum level level(void)
{
#ifdef WYRM_AEAD_AVX2_ONLY /* for the test of the set that this machine would not choose */
    return __builtin_cpu_supports("avx2") ? LEVEL_AVX2 : LEVEL_PORTABLE;
#endif
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl"))
        return LEVEL_AVX512;
    return __builtin_cpu_supports("avx2") ? LEVEL_AVX2 : LEVEL_PORTABLE;
}

/* Everything secret that an operation keeps in memory. */
struct work {
    uint32_t chacha[WYRM_CHACHA20_WORDS];
    uint8_t stream[STREAM];
    size_t used;                        /* bytes of stream */
    uint32_t power[LANE_BLOCKS][LIMBS]; /* r^1 to r^8 */
    uint64_t sum[LIMBS];
    uint8_t first[GROUP], last[GROUP];
    uint8_t pad[16];
    enum level level;
};

/* ---- Key stream ---------------------------------------------------------- */

static void refill(struct work *w)
{
    if (w->level == LEVEL_AVX512)
        key_stream_avx512(w->stream, w->chacha);
    else
        key_stream_avx2(w->stream, w->chacha);
    w->used = 0;
}

/* out = in ^ key, for as many bytes as there are. */
__attribute__((target("avx2"))) static void xor_bytes(uint8_t *out, const uint8_t *in,
                                                      const uint8_t *key, size_t len)
{
    for (; len >= 32; len -= 32, out += 32, in += 32, key += 32)
        _mm256_storeu_si256((__m256i *)out,
                            _mm256_xor_si256(_mm256_loadu_si256((const __m256i *)in),
                                             _mm256_loadu_si256((const __m256i *)key)));
    for (; len > 0; len--)
        *out++ = *in++ ^ *key++;
}

/* out = in ^ key stream, zeros with in == NULL. */
static void mix(struct work *w, uint8_t *out, const uint8_t *in, size_t len)
{
    while (len > 0) {
        size_t part;

        if (w->used == STREAM)
            refill(w);
        part = STREAM - w->used < len ? STREAM - w->used : len;
        if (in == NULL) {
            memcpy(out, w->stream + w->used, part);
        } else {
            xor_bytes(out, in, w->stream + w->used, part);
            in += part;
        }
        w->used += part;
        out += part;
        len -= part;
    }
}

/* ---- Poly1305 ------------------------------------------------------------ */

/* Carries until every limb has 26 bits, but for a little in limb 1. */
static void carry(uint64_t d[LIMBS])
{
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i + 1 < LIMBS; i++) {
            d[i + 1] += d[i] >> 26;
            d[i] &= LIMB_MASK;
        }
        d[0] += 5 * (d[LIMBS - 1] >> 26);
        d[LIMBS - 1] &= LIMB_MASK;
    }
    d[1] += d[0] >> 26;
    d[0] &= LIMB_MASK;
}

static void multiply(uint32_t out[LIMBS], const uint32_t a[LIMBS], const uint32_t b[LIMBS])
{
    uint64_t d[LIMBS];

    for (unsigned i = 0; i < LIMBS; i++) {
        d[i] = 0;
        for (unsigned j = 0; j < LIMBS; j++)
            d[i] += (uint64_t)a[j] * (j <= i ? b[i - j] : 5 * b[LIMBS + i - j]);
    }
    carry(d);
    for (unsigned i = 0; i < LIMBS; i++)
        out[i] = (uint32_t)d[i];
}

/* Takes the key of Poly1305 from the first block of the key stream. */
static void start(struct work *w, const uint8_t nonce[WYRM_AEAD_NONCE_LEN],
                  const uint8_t key[WYRM_AEAD_KEY_LEN])
{
    const uint8_t *r = w->stream;

    wyrm_chacha20_init(w->chacha, key, nonce, 0);
    refill(w);
    w->used = WYRM_CHACHA20_BLOCK;
    /* Clamped as it is cut into limbs. */
    w->power[0][0] = wyrm_load_le32(r) & 0x3ffffff;
    w->power[0][1] = (wyrm_load_le32(r + 3) >> 2) & 0x3ffff03;
    w->power[0][2] = (wyrm_load_le32(r + 6) >> 4) & 0x3ffc0ff;
    w->power[0][3] = (wyrm_load_le32(r + 9) >> 6) & 0x3f03fff;
    w->power[0][4] = (wyrm_load_le32(r + 12) >> 8) & 0x00fffff;
    for (unsigned i = 1; i < LANE_BLOCKS; i++)
        multiply(w->power[i], w->power[i / 2], w->power[(i - 1) / 2]);
    memcpy(w->pad, r + 16, sizeof(w->pad));
}

/* sum mod 2^130 - 5, plus pad, mod 2^128. */
static void write_tag(struct work *w, uint8_t tag[WYRM_AEAD_TAG_LEN])
{
    uint64_t *h = w->sum, g[LIMBS], over, low, high, pad;

    carry(h);
    carry(h);
    /* h + 5 - 2^130: not negative if h was not less than the modulus. */
    over = 5;
    for (unsigned i = 0; i < LIMBS; i++) {
        g[i] = h[i] + over;
        over = g[i] >> 26;
        g[i] &= LIMB_MASK;
    }
    for (unsigned i = 0; i < LIMBS; i++)
        h[i] = (h[i] & (over - 1)) | (g[i] & (0 - over));
    low = h[0] | h[1] << 26 | h[2] << 52;
    high = h[2] >> 12 | h[3] << 14 | h[4] << 40;
    pad = wyrm_load_le64(w->pad);
    wyrm_store_le64(tag, low + pad);
    high += low + pad < low;
    wyrm_store_le64(tag + 8, high + wyrm_load_le64(w->pad + 8));
}

/* The tag of `len` >= SHORT bytes of ciphertext: its blocks, the last filled up with zeros, and one
 * with the lengths. */
static void authenticate(struct work *w, const uint8_t *text, size_t len,
                         uint8_t tag[WYRM_AEAD_TAG_LEN])
{
    size_t blocks = (len + 15) / 16 + 1;
    size_t empty = (0 - blocks) % LANE_BLOCKS, head = GROUP - empty * 16;
    size_t groups = (blocks + empty) / LANE_BLOCKS - 2, rest = len - head - groups * GROUP;

    memset(w->first, 0, sizeof(w->first));
    memcpy(w->first + empty * 16, text, head);
    memset(w->last, 0, sizeof(w->last));
    memcpy(w->last, text + head + groups * GROUP, rest);
    wyrm_store_le64(w->last + GROUP - 8, len);
    if (w->level == LEVEL_AVX512)
        authenticate_avx512(w->sum, w->power, w->first, (uint32_t)empty, text + head, groups,
                            w->last);
    else
        authenticate_avx2(w->sum, w->power, w->first, (uint32_t)empty, text + head, groups,
                          w->last);
    write_tag(w, tag);
}

/* ---- The two operations --------------------------------------------------- */

/* Clears the stack below the caller's frame, where the lanes spill registers. */
__attribute__((noinline)) static void scrub(void)
{
    uint8_t frames[SPILLED];

    wyrm_wipe(frames, sizeof(frames));
}

/* Last of all: wiping memory may go through vector registers itself. */
static void clear_registers(enum level level)
{
    if (level == LEVEL_AVX512)
        clear_registers_avx512();
    else
        clear_registers_avx2();
}

static void forget(struct work *w)
{
    enum level level = w->level;

    wyrm_wipe(w, sizeof(*w));
    scrub();
    clear_registers(level);
}

bool wyrm_aead_x86_64_serves(size_t len, size_t aad_len)
{
    return aad_len == 0 && len >= SHORT && level() != LEVEL_PORTABLE;
}

void wyrm_aead_x86_64_seal(uint8_t *out, const struct wyrm_span *spans, unsigned n, size_t pad,
                           const uint8_t nonce[WYRM_AEAD_NONCE_LEN],
                           const uint8_t key[WYRM_AEAD_KEY_LEN])
{
    struct work w;
    size_t len = 0;

    w.level = level();
    start(&w, nonce, key);
    for (unsigned i = 0; i < n; i++) {
        mix(&w, out + len, spans[i].data, spans[i].len);
        len += spans[i].len;
    }
    mix(&w, out + len, NULL, pad);
    len += pad;
    authenticate(&w, out, len, out + len);
    forget(&w);
}

bool wyrm_aead_x86_64_open(uint8_t *buf, size_t len, const uint8_t nonce[WYRM_AEAD_NONCE_LEN],
                           const uint8_t key[WYRM_AEAD_KEY_LEN])
{
    uint8_t tag[WYRM_AEAD_TAG_LEN];
    struct work w;
    bool ok;

    w.level = level();
    start(&w, nonce, key);
    authenticate(&w, buf, len, tag);
    ok = wyrm_ct_equal(tag, buf + len, WYRM_AEAD_TAG_LEN);
    if (ok)
        mix(&w, buf, buf, len);
    wyrm_wipe(tag, sizeof(tag));
    forget(&w);
    return ok;
}

#endif /* WYRM_AEAD_X86_64 */

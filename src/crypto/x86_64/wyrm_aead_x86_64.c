/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * ChaCha20-Poly1305 for data packets on x86-64 with AVX2 or AVX-512 IFMA, chosen at run time.
 *
 * Poly1305 takes eight blocks at a time: sum = sum * r^8 + block in eight lanes, which are finally
 * multiplied by r^8 ... r^1 and added up. If the number of blocks is not a multiple of eight, the
 * first lanes start with zero. Numbers modulo 2^130 - 5 have 3 limbs of 44, 44 and 42 bits; within
 * the lanes of AVX2, whose multiplication takes 32 bits, 5 limbs of 26.
 */
#include "wyrm_aead_x86_64.h"

#include "../wyrm_bytes.h"
#include "../wyrm_chacha.h"
#include "../wyrm_ct.h"

#include <string.h>

#if WYRM_AEAD_X86_64

#include <immintrin.h>

#define LIMB_MASK ((1ULL << 44) - 1)

enum {
    LIMBS = 3,
    TOP_BITS = 42, /* of the last limb */
    LANE_BLOCKS = 8,
    GROUP = LANE_BLOCKS * 16,          /* bytes of Poly1305 at a time */
    STREAM = 16 * WYRM_CHACHA20_BLOCK, /* room for key stream, bytes */
    SHORT = 2 * GROUP,                 /* shorter messages are left to the portable code */
    SPILLED = 1600                     /* bytes: a test that scans the stack measures it */
};

#define ROTATE(x, n) ((x) << (n) | (x) >> (32 - (n)))

/* RFC 8439, section 2.1, on vectors; `by_16` and `by_8` are macros that rotate by these counts. */
#define QUARTER(a, b, c, d, by_16, by_8)                                                           \
    do {                                                                                           \
        a += b;                                                                                    \
        d = by_16(d ^ a);                                                                          \
        c += d;                                                                                    \
        b = ROTATE(b ^ c, 12);                                                                     \
        a += b;                                                                                    \
        d = by_8(d ^ a);                                                                           \
        c += d;                                                                                    \
        b = ROTATE(b ^ c, 7);                                                                      \
    } while (0)

#define DOUBLE_ROUND(x, by_16, by_8)                                                               \
    do {                                                                                           \
        QUARTER(x[0], x[4], x[8], x[12], by_16, by_8);                                             \
        QUARTER(x[1], x[5], x[9], x[13], by_16, by_8);                                             \
        QUARTER(x[2], x[6], x[10], x[14], by_16, by_8);                                            \
        QUARTER(x[3], x[7], x[11], x[15], by_16, by_8);                                            \
        QUARTER(x[0], x[5], x[10], x[15], by_16, by_8);                                            \
        QUARTER(x[1], x[6], x[11], x[12], by_16, by_8);                                            \
        QUARTER(x[2], x[7], x[8], x[13], by_16, by_8);                                             \
        QUARTER(x[3], x[4], x[9], x[14], by_16, by_8);                                             \
    } while (0)

#include "wyrm_lanes_avx2.h"
#include "wyrm_lanes_avx512.h"

enum level { LEVEL_PORTABLE, LEVEL_AVX2, LEVEL_AVX512 };

static enum level level(void)
{
#ifdef WYRM_AEAD_AVX2_ONLY /* lets tests run the set that this machine would not choose */
    return __builtin_cpu_supports("avx2") ? LEVEL_AVX2 : LEVEL_PORTABLE;
#endif
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512ifma"))
        return LEVEL_AVX512;
    return __builtin_cpu_supports("avx2") ? LEVEL_AVX2 : LEVEL_PORTABLE;
}

/* Everything secret that an operation keeps in memory. */
struct work {
    uint32_t chacha[WYRM_CHACHA20_WORDS];
    uint8_t stream[STREAM];
    size_t used;                        /* bytes of stream */
    uint64_t power[LANE_BLOCKS][LIMBS]; /* r^1 to r^8 */
    uint64_t sum[LIMBS];
    uint8_t first[GROUP], last[GROUP];
    uint8_t pad[16];
    enum level level;
};

/* ---- Key stream ---------------------------------------------------------- */

/* The set with fewer lanes fills only the upper half of the buffer. */
static void refill(struct work *w)
{
    w->used = w->level == LEVEL_AVX512 ? 0 : STREAM / 2;
    if (w->level == LEVEL_AVX512)
        key_stream_avx512(w->stream, w->chacha);
    else
        key_stream_avx2(w->stream + w->used, w->chacha);
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
            if (w->level == LEVEL_AVX512)
                xor_avx512(out, in, w->stream + w->used, part);
            else
                xor_avx2(out, in, w->stream + w->used, part);
            in += part;
        }
        w->used += part;
        out += part;
        len -= part;
    }
}

/* ---- Poly1305 ------------------------------------------------------------ */

/* Leaves 44, 44 and 42 bits in the limbs, except slightly more in limb 1. */
static void carry(uint64_t h[LIMBS])
{
    h[1] += h[0] >> 44;
    h[0] &= LIMB_MASK;
    h[2] += h[1] >> 44;
    h[1] &= LIMB_MASK;
    h[0] += 5 * (h[2] >> TOP_BITS);
    h[2] &= LIMB_MASK >> 2;
    h[1] += h[0] >> 44;
    h[0] &= LIMB_MASK;
}

static void multiply(uint64_t out[LIMBS], const uint64_t a[LIMBS], const uint64_t b[LIMBS])
{
    __extension__ typedef unsigned __int128 wide;
    /* The part above 2^132 is added 20 times at the bottom: 2^132 = 4 * 2^130. */
    uint64_t b1 = 20 * b[1], b2 = 20 * b[2];
    wide low = (wide)a[0] * b[0] + (wide)a[1] * b2 + (wide)a[2] * b1;
    wide middle = (wide)a[0] * b[1] + (wide)a[1] * b[0] + (wide)a[2] * b2 + (uint64_t)(low >> 44);
    wide high =
        (wide)a[0] * b[2] + (wide)a[1] * b[1] + (wide)a[2] * b[0] + (uint64_t)(middle >> 44);
    uint64_t h0 = ((uint64_t)low & LIMB_MASK) + 5 * (uint64_t)(high >> TOP_BITS);

    out[0] = h0 & LIMB_MASK;
    out[1] = ((uint64_t)middle & LIMB_MASK) + (h0 >> 44);
    out[2] = (uint64_t)high & (LIMB_MASK >> 2);
}

/* Takes the key of Poly1305 from the first block of the key stream. */
static void start(struct work *w, const uint8_t nonce[WYRM_AEAD_NONCE_LEN],
                  const uint8_t key[WYRM_AEAD_KEY_LEN])
{
    const uint8_t *block;
    uint64_t low, high;

    wyrm_chacha20_init(w->chacha, key, nonce, 0);
    refill(w);
    block = w->stream + w->used;
    w->used += WYRM_CHACHA20_BLOCK;
    low = wyrm_load_le64(block) & 0x0ffffffc0fffffff;
    high = wyrm_load_le64(block + 8) & 0x0ffffffc0ffffffc;
    w->power[0][0] = low & LIMB_MASK;
    w->power[0][1] = (low >> 44 | high << 20) & LIMB_MASK;
    w->power[0][2] = high >> 24;
    for (unsigned i = 1; i < LANE_BLOCKS; i++)
        multiply(w->power[i], w->power[i / 2], w->power[(i - 1) / 2]);
    memcpy(w->pad, block + 16, sizeof(w->pad));
}

/* sum mod 2^130 - 5, plus pad, mod 2^128. */
static void write_tag(struct work *w, uint8_t tag[WYRM_AEAD_TAG_LEN])
{
    uint64_t *h = w->sum, g[LIMBS], keep, low, high, pad;

    carry(h);
    carry(h);
    /* h + 5 reaches 2^130 if h is not less than the modulus. */
    g[0] = h[0] + 5;
    g[1] = h[1] + (g[0] >> 44);
    g[2] = h[2] + (g[1] >> 44);
    keep = (g[2] >> TOP_BITS) - 1;
    for (unsigned i = 0; i < LIMBS; i++)
        h[i] = (h[i] & keep) | (g[i] & LIMB_MASK & ~keep);
    low = h[0] | h[1] << 44;
    high = h[1] >> 20 | h[2] << 24;
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
        authenticate_avx512(w->sum, w->power, w->first, (unsigned)empty, text + head, groups,
                            w->last);
    else
        authenticate_avx2(w->sum, w->power, w->first, (unsigned)empty, text + head, groups,
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

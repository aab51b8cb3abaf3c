/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * ChaCha20-Poly1305 (RFC 8439 section 2.8) over scattered plaintext.
 */
#include "wyrm_bytes.h"
#include "wyrm_chacha.h"
#include "wyrm_ct.h"
#include "wyrm_poly1305.h"

#include "x86_64/wyrm_aead_x86_64.h"

#include "../wyrm_crypto.h"

#include <string.h>

#if WYRM_SMALL

struct aead {
    struct wyrm_chacha20 chacha; /* its tail is also the buffer for the key and the tag */
    struct wyrm_poly1305 poly;
};

#else

struct aead {
    uint8_t *out; /* where the next block goes */
    size_t fill;  /* bytes of an incomplete block in `tail` */
    uint32_t chacha[WYRM_CHACHA20_WORDS];
    struct wyrm_poly1305 poly;
    _Alignas(uint32_t) uint8_t tail[WYRM_CHACHA20_BLOCK]; /* at first the key of Poly1305 */
    /* The end of the message for Poly1305: an incomplete block and both lengths. */
    uint8_t end[2 * WYRM_POLY1305_BLOCK];
};

#endif

static void wipe(struct aead *s)
{
    wyrm_wipe(s, sizeof(*s));
    wyrm_scrub_stack();
}

#if WYRM_SMALL

/* Adds `len` bytes, padded with zeros to a multiple of 16. */
__attribute__((noinline)) static void absorb(struct wyrm_poly1305 *poly, const uint8_t *in,
                                             size_t len)
{
    uint8_t last[WYRM_POLY1305_BLOCK] = {0};
    size_t rest = len % WYRM_POLY1305_BLOCK;

    if (len > rest)
        wyrm_poly1305_blocks(poly, in, len / WYRM_POLY1305_BLOCK, 1);
    if (rest > 0) {
        memcpy(last, in + len - rest, rest);
        wyrm_poly1305_blocks(poly, last, 1, 1);
    }
}

/* Block 0 of the key stream is the key of Poly1305. */
__attribute__((noinline)) static void start(struct aead *s,
                                            const uint8_t nonce[WYRM_AEAD_NONCE_LEN],
                                            const uint8_t key[WYRM_AEAD_KEY_LEN],
                                            const uint8_t *aad, size_t aad_len)
{
    wyrm_chacha20_init(s->chacha.state, key, nonce, 0);
    memset(s->chacha.tail, 0, WYRM_CHACHA20_BLOCK);
    wyrm_chacha20_blocks(s->chacha.state, s->chacha.tail, s->chacha.tail, 1);
    wyrm_poly1305_init(&s->poly, s->chacha.tail);
    absorb(&s->poly, aad, aad_len);
}

/* Leaves the tag of `len` bytes of ciphertext in the tail. */
__attribute__((noinline)) static void make_tag(struct aead *s, const uint8_t *text, size_t len,
                                               size_t aad_len)
{
    uint8_t *room = s->chacha.tail;

    absorb(&s->poly, text, len);
    wyrm_store_le64(room, aad_len);
    wyrm_store_le64(room + 8, len);
    wyrm_poly1305_blocks(&s->poly, room, 1, 1);
    wyrm_poly1305_finish(&s->poly, room);
}

/* Gathers the spans in `out` first: slightly slower than one pass, and a third of its code. */
static void seal_text(uint8_t *out, const struct wyrm_span *spans, unsigned n, size_t pad,
                      const uint8_t *aad, size_t aad_len, const uint8_t nonce[WYRM_AEAD_NONCE_LEN],
                      const uint8_t key[WYRM_AEAD_KEY_LEN])
{
    struct aead s;
    size_t len = 0;

    for (; n > 0; n--, len += spans++->len)
        if (spans->len > 0 && spans->data != out + len)
            memcpy(out + len, spans->data, spans->len);
    memset(out + len, 0, pad);
    len += pad;
    start(&s, nonce, key, aad, aad_len);
    wyrm_chacha20_stream(&s.chacha, out, out, len);
    make_tag(&s, out, len, aad_len);
    wyrm_copy(out + len, s.chacha.tail, WYRM_AEAD_TAG_LEN);
    wipe(&s);
}

static bool open_text(uint8_t *buf, size_t len, const uint8_t *aad, size_t aad_len,
                      const uint8_t nonce[WYRM_AEAD_NONCE_LEN],
                      const uint8_t key[WYRM_AEAD_KEY_LEN])
{
    struct aead s;
    bool ok;

    start(&s, nonce, key, aad, aad_len);
    make_tag(&s, buf, len, aad_len);
    ok = wyrm_ct_equal(s.chacha.tail, buf + len, WYRM_AEAD_TAG_LEN);
    if (ok)
        wyrm_chacha20_stream(&s.chacha, buf, buf, len);
    wipe(&s);
    return ok;
}

#else

/* Inlined into each caller, for speed. */
#if !defined(__OPTIMIZE__)
#define SHARED __attribute__((noinline)) static
#else
#define SHARED __attribute__((always_inline)) static inline
#endif

/* Adds `len` bytes, padded with zeros to a multiple of 16, then the lengths if requested. */
SHARED void absorb(struct aead *s, const uint8_t *in, size_t len, bool lengths)
{
    size_t rest = len % WYRM_POLY1305_BLOCK, whole = len - rest;
    size_t n = lengths ? 1 : 0;
    uint8_t *end = s->end + WYRM_POLY1305_BLOCK;

    if (whole > 0)
        wyrm_poly1305_blocks(&s->poly, in, whole / WYRM_POLY1305_BLOCK, 1);
    if (rest > 0) {
        end = memset(s->end, 0, WYRM_POLY1305_BLOCK);
        memcpy(end, in + whole, rest);
        n++;
    }
    if (n > 0)
        wyrm_poly1305_blocks(&s->poly, end, n, 1);
}

/* Block 0 of the key stream is the key of Poly1305; the message is encrypted from block 1 on. */
static void start(struct aead *s, const uint8_t *aad, size_t aad_len,
                  const uint8_t nonce[WYRM_AEAD_NONCE_LEN], const uint8_t key[WYRM_AEAD_KEY_LEN])
{
    wyrm_chacha20_init(s->chacha, key, nonce, 0);
    memset(s->tail, 0, sizeof(s->tail));
    wyrm_chacha20_blocks(s->chacha, s->tail, s->tail, 1);
    wyrm_poly1305_init(&s->poly, s->tail);
    absorb(s, aad, aad_len, false);
    wyrm_store_le64(s->end + WYRM_POLY1305_BLOCK, aad_len);
    s->fill = 0;
}

/* Encrypts all complete blocks and buffers the rest. */
SHARED void encrypt(struct aead *s, const uint8_t *in, size_t len)
{
    while (len > 0) {
        const uint8_t *from = in;
        size_t take = len & ~(size_t)(WYRM_CHACHA20_BLOCK - 1), n = take;

        if (s->fill > 0 || take == 0) {
            take = WYRM_CHACHA20_BLOCK - s->fill;
            take = len < take ? len : take;
            memcpy(s->tail + s->fill, in, take);
            s->fill += take;
            if (s->fill < WYRM_CHACHA20_BLOCK)
                return;
            s->fill = 0;
            from = s->tail;
            n = WYRM_CHACHA20_BLOCK;
        }
        in += take;
        len -= take;
        wyrm_chacha20_blocks(s->chacha, s->out, from, n / WYRM_CHACHA20_BLOCK);
        s->out += n;
    }
}

/* Encrypts the incomplete last block. */
static void encrypt_rest(struct aead *s)
{
    if (s->fill == 0)
        return;
    wyrm_chacha20_blocks(s->chacha, s->tail, s->tail, 1);
    memcpy(s->out, s->tail, s->fill);
    s->out += s->fill;
}

/* The tag of `len` bytes of ciphertext. */
SHARED void make_tag(struct aead *s, uint8_t tag[WYRM_AEAD_TAG_LEN], const uint8_t *text,
                     size_t len)
{
    wyrm_store_le64(s->end + WYRM_POLY1305_BLOCK + 8, len);
    absorb(s, text, len, true);
    wyrm_poly1305_finish(&s->poly, tag);
}

static void seal_text(uint8_t *out, const struct wyrm_span *spans, unsigned n, size_t pad,
                      const uint8_t *aad, size_t aad_len, const uint8_t nonce[WYRM_AEAD_NONCE_LEN],
                      const uint8_t key[WYRM_AEAD_KEY_LEN])
{
    struct aead s;

    start(&s, aad, aad_len, nonce, key);
    s.out = out;
    for (; n > 0; n--, spans++)
        encrypt(&s, spans->data, spans->len);
    if (pad > 0) {
        memset(s.out + s.fill, 0, pad);
        encrypt(&s, s.out + s.fill, pad);
    }
    encrypt_rest(&s);
    make_tag(&s, s.out, out, (size_t)(s.out - out));
    wipe(&s);
}

static bool open_text(uint8_t *buf, size_t len, const uint8_t *aad, size_t aad_len,
                      const uint8_t nonce[WYRM_AEAD_NONCE_LEN],
                      const uint8_t key[WYRM_AEAD_KEY_LEN])
{
    struct aead s;
    bool ok;

    start(&s, aad, aad_len, nonce, key);
    make_tag(&s, s.tail, buf, len);
    ok = wyrm_ct_equal(s.tail, buf + len, WYRM_AEAD_TAG_LEN);
    if (ok) {
        s.out = buf;
        encrypt(&s, buf, len);
        encrypt_rest(&s);
    }
    wipe(&s);
    return ok;
}

#endif /* WYRM_SMALL */

/* Bytes of the spans and the padding. */
static size_t total(const struct wyrm_span *spans, unsigned n, size_t pad)
{
    size_t len = pad;

    for (; n > 0; n--, spans++)
        len += spans->len;
    return len;
}

bool wyrm_aead_seal(uint8_t *out, const struct wyrm_span *spans, unsigned n, size_t pad,
                    const uint8_t *aad, size_t aad_len, const uint8_t nonce[WYRM_AEAD_NONCE_LEN],
                    const uint8_t key[WYRM_AEAD_KEY_LEN])
{
    if (WYRM_AEAD_X86_64 && wyrm_aead_x86_64_serves(total(spans, n, pad), aad_len))
        wyrm_aead_x86_64_seal(out, spans, n, pad, nonce, key);
    else
        seal_text(out, spans, n, pad, aad, aad_len, nonce, key);
    return true;
}

bool wyrm_aead_open(uint8_t *buf, size_t len, const uint8_t *aad, size_t aad_len,
                    const uint8_t nonce[WYRM_AEAD_NONCE_LEN], const uint8_t key[WYRM_AEAD_KEY_LEN])
{
    if (len < WYRM_AEAD_TAG_LEN)
        return false;
    len -= WYRM_AEAD_TAG_LEN;
    if (WYRM_AEAD_X86_64 && wyrm_aead_x86_64_serves(len, aad_len))
        return wyrm_aead_x86_64_open(buf, len, nonce, key);
    return open_text(buf, len, aad, aad_len, nonce, key);
}

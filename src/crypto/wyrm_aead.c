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

#include "../wyrm_crypto.h"

#include <string.h>

/* Blocks enciphered before they are hashed: few enough to stay in a small data cache, and all of a
 * packet of common size. */
#define RUN 32

struct aead {
    uint32_t chacha[WYRM_CHACHA20_WORDS];
    struct wyrm_poly1305 poly;
    /* The last, broken block; the lengths that end the Poly1305 message are put behind it, and then
     * the tag. */
    uint8_t tail[WYRM_CHACHA20_BLOCK + WYRM_POLY1305_BLOCK];
};

/* The plaintext: what is left of `n` spans, the first from `data` on, and then `pad` zeros. */
struct source {
    const struct wyrm_span *span;
    const uint8_t *data;
    size_t len;
    unsigned n;
    size_t pad;
};

/* Block 0 of the key stream is the key of Poly1305; the state is left at block 1. */
static void start(struct aead *s, const uint8_t *aad, size_t aad_len,
                  const uint8_t nonce[WYRM_AEAD_NONCE_LEN], const uint8_t key[WYRM_AEAD_KEY_LEN])
{
    wyrm_chacha20_init(s->chacha, key, nonce, 0);
    memset(s->tail, 0, WYRM_CHACHA20_BLOCK);
    wyrm_chacha20_blocks(s->chacha, s->tail, s->tail, 1);
    wyrm_poly1305_init(&s->poly, s->tail);
    wyrm_poly1305_padded(&s->poly, aad, aad_len);
}

/* Takes in the `rest` bytes of ciphertext in the tail and the lengths, and writes the tag. */
static void finish(struct aead *s, size_t rest, size_t aad_len, size_t len,
                   uint8_t tag[WYRM_AEAD_TAG_LEN])
{
    size_t at = (rest + WYRM_POLY1305_BLOCK - 1) & ~(size_t)(WYRM_POLY1305_BLOCK - 1);

    if (at > rest)
        memset(s->tail + rest, 0, at - rest);
    wyrm_store_le64(s->tail + at, aad_len);
    wyrm_store_le64(s->tail + at + 8, len);
    wyrm_poly1305_blocks(&s->poly, s->tail, at / WYRM_POLY1305_BLOCK + 1, 1);
    wyrm_poly1305_finish(&s->poly, tag);
}

static void forget(struct aead *s)
{
    wyrm_wipe(s, sizeof(*s));
    wyrm_scrub_stack();
}

/* Enciphers the `rest` bytes in the tail, into `out` too. */
static void finish_text(struct aead *s, uint8_t *out, size_t rest)
{
    if (rest == 0)
        return;
    wyrm_chacha20_blocks(s->chacha, s->tail, s->tail, 1);
    memcpy(out, s->tail, rest);
}

/* Leaves `n` bytes of the current span behind, and spans without any. */
static void advance(struct source *src, size_t n)
{
    src->data += n;
    src->len -= n;
    while (src->len == 0 && src->n > 0) {
        src->data = src->span->data;
        src->len = src->span->len;
        src->span++;
        src->n--;
    }
}

/* Collects one block across spans and padding; fewer bytes only at the end. */
static size_t collect(struct source *src, uint8_t block[WYRM_CHACHA20_BLOCK])
{
    size_t room = WYRM_CHACHA20_BLOCK, take;

    while (src->len > 0 && room > 0) {
        take = src->len < room ? src->len : room;
        memcpy(block + WYRM_CHACHA20_BLOCK - room, src->data, take);
        advance(src, take);
        room -= take;
    }
    take = src->pad < room ? src->pad : room;
    memset(block + WYRM_CHACHA20_BLOCK - room, 0, take);
    src->pad -= take;
    return WYRM_CHACHA20_BLOCK - room + take;
}

void wyrm_aead_seal(uint8_t *out, const struct wyrm_span *spans, unsigned n, size_t pad,
                    const uint8_t *aad, size_t aad_len, const uint8_t nonce[WYRM_AEAD_NONCE_LEN],
                    const uint8_t key[WYRM_AEAD_KEY_LEN])
{
    struct source src = {spans, out, 0, n, pad}; /* nothing yet, at any address */
    uint8_t *begin = out;
    size_t rest;
    struct aead s;

    start(&s, aad, aad_len, nonce, key);
    advance(&src, 0);
    for (;;) {
        const uint8_t *in = src.data;
        size_t blocks = src.len / WYRM_CHACHA20_BLOCK;

        if (blocks > 0) {
            blocks = blocks < RUN ? blocks : RUN;
            advance(&src, blocks * WYRM_CHACHA20_BLOCK);
        } else {
            rest = collect(&src, s.tail);
            if (rest < WYRM_CHACHA20_BLOCK)
                break;
            in = s.tail;
            blocks = 1;
        }
        wyrm_chacha20_blocks(s.chacha, out, in, blocks);
        wyrm_poly1305_blocks(&s.poly, out, blocks * (WYRM_CHACHA20_BLOCK / WYRM_POLY1305_BLOCK), 1);
        out += blocks * WYRM_CHACHA20_BLOCK;
    }
    finish_text(&s, out, rest);
    out += rest;
    finish(&s, rest, aad_len, (size_t)(out - begin), out);
    forget(&s);
}

bool wyrm_aead_open(uint8_t *buf, size_t len, const uint8_t *aad, size_t aad_len,
                    const uint8_t nonce[WYRM_AEAD_NONCE_LEN], const uint8_t key[WYRM_AEAD_KEY_LEN])
{
    size_t rest, whole;
    struct aead s;
    uint8_t *tag = s.tail + WYRM_CHACHA20_BLOCK;
    bool ok;

    if (len < WYRM_AEAD_TAG_LEN)
        return false;
    len -= WYRM_AEAD_TAG_LEN;
    rest = len % WYRM_CHACHA20_BLOCK;
    whole = len - rest;

    start(&s, aad, aad_len, nonce, key);
    if (whole > 0)
        wyrm_poly1305_blocks(&s.poly, buf, whole / WYRM_POLY1305_BLOCK, 1);
    if (rest > 0)
        memcpy(s.tail, buf + whole, rest);
    finish(&s, rest, aad_len, len, tag);
    ok = wyrm_ct_equal(tag, buf + len, WYRM_AEAD_TAG_LEN);

    /* From here the packet is genuine. */
    if (ok && whole > 0)
        wyrm_chacha20_blocks(s.chacha, buf, buf, whole / WYRM_CHACHA20_BLOCK);
    if (ok)
        finish_text(&s, buf + whole, rest);
    forget(&s);
    return ok;
}

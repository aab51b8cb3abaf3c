/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * HMAC (RFC 2104) over BLAKE2s and the KDF of the WireGuard paper section 5.4.
 */
#include "wyrm_blake2s.h"
#include "wyrm_bytes.h"
#include "wyrm_ct.h"

#include <string.h>

#define INNER UINT32_C(0x36363636)
#define OUTER UINT32_C(0x5c5c5c5c)

/* out = HMAC(key, in), for a key of 1 to 64 bytes; `in` may be `out`. */
__attribute__((noinline)) static void hmac(struct wyrm_blake2s *s, uint8_t out[WYRM_HASH_LEN],
                                           const uint8_t *key, size_t key_len, const void *in,
                                           size_t len)
{
    for (uint32_t pad = INNER;; pad = OUTER, in = out, len = WYRM_HASH_LEN) {
        wyrm_blake2s_init_hmac(s, key, key_len, pad);
        wyrm_blake2s_update(s, in, len);
        wyrm_blake2s_finish(s, out);
        if (pad == OUTER)
            break;
    }
}

/* HMAC with one 32-byte key for several messages. Fast builds compress the key's two blocks once,
 * small builds for each message. */
#if WYRM_SMALL

struct keyed {
    struct wyrm_blake2s scratch;
    uint8_t key[WYRM_HASH_LEN];
};

static void set_key(struct keyed *s)
{
    (void)s;
}

static void use_key(struct keyed *s, uint8_t out[WYRM_HASH_LEN], const void *in, size_t len)
{
    hmac(&s->scratch, out, s->key, WYRM_HASH_LEN, in, len);
}

#else

struct keyed {
    struct wyrm_blake2s scratch, inner, outer;
    uint8_t key[WYRM_HASH_LEN];
};

static void take_in(struct wyrm_blake2s *s, const uint8_t key[WYRM_HASH_LEN], uint32_t pad)
{
    wyrm_blake2s_init_hmac(s, key, WYRM_HASH_LEN, pad);
    s->counter[0] = s->fill;
    s->fill = 0;
    wyrm_blake2s_compress(s, s->block, 0);
}

static void set_key(struct keyed *s)
{
    take_in(&s->inner, s->key, INNER);
    take_in(&s->outer, s->key, OUTER);
}

/* len > 0 */
static void use_key(struct keyed *s, uint8_t out[WYRM_HASH_LEN], const void *in, size_t len)
{
    s->scratch = s->inner;
    wyrm_blake2s_update(&s->scratch, in, len);
    wyrm_blake2s_finish(&s->scratch, out);
    s->scratch = s->outer;
    wyrm_blake2s_update(&s->scratch, out, WYRM_HASH_LEN);
    wyrm_blake2s_finish(&s->scratch, out);
}

#endif

void wyrm_hmac(uint8_t out[WYRM_HASH_LEN], const uint8_t *key, size_t key_len, const void *in,
               size_t len)
{
    struct {
        struct wyrm_blake2s scratch;
        uint8_t short_key[WYRM_HASH_LEN], mac[WYRM_HASH_LEN];
    } s;

    if (key_len > WYRM_HASH_BLOCK_LEN) {
        wyrm_blake2s(s.short_key, sizeof(s.short_key), NULL, 0, key, key_len);
        key = s.short_key;
        key_len = sizeof(s.short_key);
    }
    if (key_len == 0) { /* keys are padded with zeros anyway */
        s.short_key[0] = 0;
        key = s.short_key;
        key_len = 1;
    }
    hmac(&s.scratch, s.mac, key, key_len, in, len);
    memcpy(out, s.mac, sizeof(s.mac));
    wyrm_wipe(&s, sizeof(s));
    wyrm_scrub_stack();
}

void wyrm_kdf(uint8_t out1[WYRM_HASH_LEN], uint8_t *out2, uint8_t *out3,
              const uint8_t chaining_key[WYRM_HASH_LEN], const void *in, size_t len)
{
    struct {
        struct keyed hmac;
        uint8_t
            text[WYRM_HASH_LEN + 1]; /* the previous output, if any, and the number of this one */
    } s;
    uint8_t *outs[3] = {out1, out2, out3};
    size_t before = 0;

    hmac(&s.hmac.scratch, s.hmac.key, chaining_key, WYRM_HASH_LEN, in, len);
    set_key(&s.hmac);
    for (unsigned i = 0; i < 3 && outs[i] != NULL; i++) {
        s.text[before] = (uint8_t)(i + 1);
        use_key(&s.hmac, s.text, s.text, before + 1);
        wyrm_copy(outs[i], s.text, WYRM_HASH_LEN);
        before = WYRM_HASH_LEN;
    }
    wyrm_wipe(&s, sizeof(s));
    wyrm_scrub_stack();
}

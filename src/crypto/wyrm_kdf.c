/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * HMAC (RFC 2104) over BLAKE2s and the KDF of the WireGuard paper section 5.4.
 */
#include "wyrm_blake2s.h"
#include "wyrm_ct.h"

#include <string.h>

#define INNER UINT32_C(0x36363636)
#define OUTER UINT32_C(0x5c5c5c5c)

/* HMAC under one key. What depends on the key alone is done once per key instead of once per use.
 */
struct hmac {
    struct wyrm_blake2s inner, outer, scratch;
};

static void set_key(struct hmac *s, const uint8_t *key, size_t len)
{
    wyrm_blake2s_init_hmac(&s->inner, key, len, INNER);
    wyrm_blake2s_init_hmac(&s->outer, key, len, OUTER);
}

/* out = HMAC(key, in); `in` may be `out`. */
static void use_key(struct hmac *s, uint8_t out[WYRM_HASH_LEN], const void *in, size_t len)
{
    s->scratch = s->inner;
    wyrm_blake2s_update(&s->scratch, in, len);
    wyrm_blake2s_finish(&s->scratch, out);
    s->scratch = s->outer;
    wyrm_blake2s_update(&s->scratch, out, WYRM_HASH_LEN);
    wyrm_blake2s_finish(&s->scratch, out);
}

void wyrm_hmac(uint8_t out[WYRM_HASH_LEN], const uint8_t *key, size_t key_len, const void *in,
               size_t len)
{
    struct {
        struct hmac hmac;
        uint8_t short_key[WYRM_HASH_LEN];
    } s;

    if (key_len > WYRM_HASH_BLOCK_LEN) {
        wyrm_blake2s(s.short_key, sizeof(s.short_key), NULL, 0, key, key_len);
        key = s.short_key;
        key_len = sizeof(s.short_key);
    }
    set_key(&s.hmac, key, key_len);
    use_key(&s.hmac, out, in, len);
    wyrm_wipe(&s, sizeof(s));
    wyrm_scrub_stack();
}

void wyrm_kdf(uint8_t out1[WYRM_HASH_LEN], uint8_t *out2, uint8_t *out3,
              const uint8_t chaining_key[WYRM_HASH_LEN], const void *in, size_t len)
{
    struct {
        struct hmac hmac;
        uint8_t text[WYRM_HASH_LEN + 1]; /* the output before, if any, and the number of this one */
    } s;
    uint8_t *outs[3] = {out1, out2, out3};
    size_t before = 0;

    set_key(&s.hmac, chaining_key, WYRM_HASH_LEN);
    use_key(&s.hmac, s.text, in, len);
    set_key(&s.hmac, s.text, WYRM_HASH_LEN);
    for (unsigned i = 0; i < 3 && outs[i] != NULL; i++) {
        s.text[before] = (uint8_t)(i + 1);
        use_key(&s.hmac, s.text, s.text, before + 1);
        memcpy(outs[i], s.text, WYRM_HASH_LEN);
        before = WYRM_HASH_LEN;
    }
    wyrm_wipe(&s, sizeof(s));
    wyrm_scrub_stack();
}

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

/* Starts a hash whose first block, the padded key, waits in the buffer: an empty message makes it
 * the last block too. key_len is at most a block. */
static void start(struct wyrm_blake2s *state, const uint8_t *key, size_t key_len, uint32_t pad)
{
    wyrm_blake2s_init(state, WYRM_HASH_LEN, NULL, 0);
    memcpy(state->block, key, key_len);
    memset(state->block + key_len, 0, sizeof(state->block) - key_len);
    for (uint8_t *p = state->block; p < state->block + sizeof(state->block); p += 4)
        wyrm_store_word(p, wyrm_load_word(p) ^ pad);
    state->fill = sizeof(state->block);
}

void wyrm_hmac(uint8_t out[WYRM_HASH_LEN], const uint8_t *key, size_t key_len, const void *in,
               size_t len)
{
    struct {
        struct wyrm_blake2s hash;
        uint8_t digest[WYRM_HASH_LEN], short_key[WYRM_HASH_LEN];
    } s;

    if (key_len > WYRM_HASH_BLOCK_LEN) {
        wyrm_blake2s(s.short_key, sizeof(s.short_key), NULL, 0, key, key_len);
        key = s.short_key;
        key_len = sizeof(s.short_key);
    }
    start(&s.hash, key, key_len, INNER);
    wyrm_blake2s_update(&s.hash, in, len);
    wyrm_blake2s_finish(&s.hash, s.digest);
    start(&s.hash, key, key_len, OUTER);
    wyrm_blake2s_update(&s.hash, s.digest, sizeof(s.digest));
    wyrm_blake2s_finish(&s.hash, out);
    wyrm_wipe(&s, sizeof(s));
    wyrm_scrub_stack();
}

/* The part of HMAC that depends on the key alone, once per key and pad instead of once per use. */
static void key_half(uint32_t half[8], const uint8_t key[WYRM_HASH_LEN], uint32_t pad,
                     struct wyrm_blake2s *scratch)
{
    start(scratch, key, WYRM_HASH_LEN, pad);
    scratch->counter[0] = WYRM_HASH_BLOCK_LEN;
    wyrm_blake2s_compress(scratch, scratch->block, 0);
    memcpy(half, scratch->h, sizeof(scratch->h));
}

/* Hashes at most a block after such a half; more than none. */
static void finish_half(uint8_t out[WYRM_HASH_LEN], const uint32_t half[8], const uint8_t *in,
                        size_t len, struct wyrm_blake2s *scratch)
{
    memcpy(scratch->h, half, sizeof(scratch->h));
    scratch->counter[0] = WYRM_HASH_BLOCK_LEN;
    scratch->counter[1] = 0;
    scratch->fill = 0;
    scratch->out_len = WYRM_HASH_LEN;
    wyrm_blake2s_update(scratch, in, len);
    wyrm_blake2s_finish(scratch, out);
}

void wyrm_kdf(uint8_t out1[WYRM_HASH_LEN], uint8_t *out2, uint8_t *out3,
              const uint8_t chaining_key[WYRM_HASH_LEN], const void *in, size_t len)
{
    struct {
        struct wyrm_blake2s scratch;
        uint32_t inner[8], outer[8];
        uint8_t text[WYRM_HASH_LEN + 1]; /* the output before, if any, and the number of this one */
    } s;
    uint8_t *outs[3] = {out1, out2, out3};
    size_t before = 0;

    wyrm_hmac(s.text, chaining_key, WYRM_HASH_LEN, in, len);
    key_half(s.inner, s.text, INNER, &s.scratch);
    key_half(s.outer, s.text, OUTER, &s.scratch);
    for (unsigned i = 0; i < 3 && outs[i] != NULL; i++) {
        s.text[before] = (uint8_t)(i + 1);
        finish_half(s.text, s.inner, s.text, before + 1, &s.scratch);
        finish_half(s.text, s.outer, s.text, WYRM_HASH_LEN, &s.scratch);
        memcpy(outs[i], s.text, WYRM_HASH_LEN);
        before = WYRM_HASH_LEN;
    }
    wyrm_wipe(&s, sizeof(s));
    wyrm_scrub_stack();
}

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The primitives below WireGuard: X25519, ChaCha20-Poly1305, XChaCha20-Poly1305, BLAKE2s, HMAC,
 * HKDF. Public for ports, benches and tests. None allocates, keeps a pointer or depends on a secret
 * in branch or address; buffers may be misaligned; every secret copy is wiped before return.
 */
#ifndef WYRM_CRYPTO_H
#define WYRM_CRYPTO_H

#include "wyrm_span.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- X25519 (RFC 7748) ------------------------------------------------ */

#define WYRM_X25519_LEN 32

/* out = scalar * point. The scalar is clamped and bit 255 of the point ignored (RFC 7748 section
 * 5). False if the result is all zero (a point of low order) or an external backend failed: out is
 * all zero then, and must not be used as a key. */
bool wyrm_x25519(uint8_t out[WYRM_X25519_LEN], const uint8_t scalar[WYRM_X25519_LEN],
                 const uint8_t point[WYRM_X25519_LEN]);
/* out = scalar * 9: the public key of a private key. False, with zeros in out, only if an external
 * backend failed. */
bool wyrm_x25519_base(uint8_t out[WYRM_X25519_LEN], const uint8_t scalar[WYRM_X25519_LEN]);

/* ---- ChaCha20-Poly1305 (RFC 8439) ------------------------------------- */

#define WYRM_AEAD_KEY_LEN    32
#define WYRM_AEAD_NONCE_LEN  12
#define WYRM_XAEAD_NONCE_LEN 24
#define WYRM_AEAD_TAG_LEN    16

/* Encrypts the concatenation of `n` spans followed by `pad` zero bytes, in one pass:
 * out receives sum(len) + pad bytes of ciphertext, then the tag. `out` may equal the start of a
 * single span (in place); otherwise it must overlap no span. False, with zeros in out, only if an
 * external backend failed. */
bool wyrm_aead_seal(uint8_t *out, const struct wyrm_span *spans, unsigned n, size_t pad,
                    const uint8_t *aad, size_t aad_len, const uint8_t nonce[WYRM_AEAD_NONCE_LEN],
                    const uint8_t key[WYRM_AEAD_KEY_LEN]);
/* Checks the tag in the last 16 of `len` bytes, and only then decrypts buf in place.
 * False, with buf untouched, if the tag is wrong or len < 16. */
bool wyrm_aead_open(uint8_t *buf, size_t len, const uint8_t *aad, size_t aad_len,
                    const uint8_t nonce[WYRM_AEAD_NONCE_LEN], const uint8_t key[WYRM_AEAD_KEY_LEN]);

/* The same with a 24-byte nonce (draft-irtf-cfrg-xchacha-03). in may equal out. */
bool wyrm_xaead_seal(uint8_t *out, const uint8_t *in, size_t len, const uint8_t *aad,
                     size_t aad_len, const uint8_t nonce[WYRM_XAEAD_NONCE_LEN],
                     const uint8_t key[WYRM_AEAD_KEY_LEN]);
bool wyrm_xaead_open(uint8_t *buf, size_t len, const uint8_t *aad, size_t aad_len,
                     const uint8_t nonce[WYRM_XAEAD_NONCE_LEN],
                     const uint8_t key[WYRM_AEAD_KEY_LEN]);

/* The parts. HChaCha20 is false, with zeros in out, only if an external backend failed. */
void wyrm_chacha20_xor(uint8_t *out, const uint8_t *in, size_t len, const uint8_t key[32],
                       const uint8_t nonce[WYRM_AEAD_NONCE_LEN], uint32_t counter);
bool wyrm_hchacha20(uint8_t out[32], const uint8_t key[32], const uint8_t nonce[16]);
void wyrm_poly1305(uint8_t tag[WYRM_AEAD_TAG_LEN], const uint8_t *in, size_t len,
                   const uint8_t key[32]);

/* ---- BLAKE2s (RFC 7693), HMAC, HKDF ----------------------------------- */

#define WYRM_HASH_LEN       32
#define WYRM_HASH_BLOCK_LEN 64

/* Visible so that callers can place it; do not rely on the contents. Plain copying forks a state.
 */
struct wyrm_blake2s {
    uint32_t h[8];
    uint32_t counter[2]; /* bytes compressed so far, low word first */
    uint8_t block[WYRM_HASH_BLOCK_LEN];
    uint32_t fill;    /* bytes waiting in block */
    uint32_t out_len; /* 1..32 */
};

/* key_len 0..32; a key makes this the keyed MAC of RFC 7693. */
void wyrm_blake2s_init(struct wyrm_blake2s *state, size_t out_len, const uint8_t *key,
                       size_t key_len);
void wyrm_blake2s_update(struct wyrm_blake2s *state, const void *in, size_t len);
/* Writes out_len bytes and wipes the state. */
void wyrm_blake2s_final(struct wyrm_blake2s *state, uint8_t *out);
void wyrm_blake2s(uint8_t *out, size_t out_len, const uint8_t *key, size_t key_len, const void *in,
                  size_t len);

/* HMAC over unkeyed BLAKE2s; keys longer than a block are hashed first (RFC 2104). */
void wyrm_hmac(uint8_t out[WYRM_HASH_LEN], const uint8_t *key, size_t key_len, const void *in,
               size_t len);

/* KDF1, KDF2, KDF3 of the WireGuard paper section 5.4: out2 and out3 may be NULL (out2 only with
 * out3). Any output may be the chaining key itself. */
void wyrm_kdf(uint8_t out1[WYRM_HASH_LEN], uint8_t *out2, uint8_t *out3,
              const uint8_t chaining_key[WYRM_HASH_LEN], const void *in, size_t len);

/* ---- Constant-time helpers -------------------------------------------- */

/* True if equal; the only branch on the result is the caller's. */
bool wyrm_ct_equal(const void *a, const void *b, size_t len);
bool wyrm_ct_is_zero(const void *a, size_t len);
/* Clears memory that a compiler would otherwise leave because nobody reads it again. */
void wyrm_wipe(void *memory, size_t len);

#ifdef __cplusplus
}
#endif

#endif /* WYRM_CRYPTO_H */

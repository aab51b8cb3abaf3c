/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The C files of the leaves once more, as if there were no assembly. Only the leaves are of use;
 * the other public names move out of the library's way.
 */
#define WYRM_ASM  0
#define WYRM_ROWS 0 /* the form that has the same state */

#define wyrm_chacha20_blocks   twin_chacha20_blocks
#define wyrm_chacha20_init     twin_chacha20_init
#define wyrm_chacha20_stream   twin_chacha20_stream
#define wyrm_chacha20_xor      twin_chacha20_xor
#define wyrm_hchacha20         twin_hchacha20
#define wyrm_poly1305_blocks   twin_poly1305_blocks
#define wyrm_poly1305_init     twin_poly1305_init
#define wyrm_poly1305_finish   twin_poly1305_finish
#define wyrm_blake2s_compress  twin_blake2s_compress
#define wyrm_blake2s_init      twin_blake2s_init
#define wyrm_blake2s_init_hmac twin_blake2s_init_hmac
#define wyrm_blake2s_update    twin_blake2s_update
#define wyrm_blake2s_finish    twin_blake2s_finish
#define wyrm_blake2s_final     twin_blake2s_final

/* These two are also names of structs, so only calls and declarations are renamed. */
#define wyrm_poly1305(tag, in, len, key) twin_poly1305(tag, in, len, key)
#define wyrm_blake2s(out, out_len, key, key_len, in, len)                                          \
    twin_blake2s(out, out_len, key, key_len, in, len)

#include "../../../src/crypto/c/wyrm_blake2s.c"
#include "../../../src/crypto/c/wyrm_chacha.c"
#include "../../../src/crypto/c/wyrm_poly1305.c"

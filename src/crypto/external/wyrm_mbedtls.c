/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * X25519 and ChaCha20-Poly1305 by Mbed TLS 3, instead of our own: for firmware that contains Mbed
 * TLS anyway, or a chip whose accelerator it drives (MBEDTLS_CHACHA20_ALT and the like). BLAKE2s,
 * which it lacks, remains ours. Needs MBEDTLS_CHACHA20_C, MBEDTLS_POLY1305_C, MBEDTLS_ECP_C and
 * MBEDTLS_ECP_DP_CURVE25519_ENABLED. Its X25519 allocates from Mbed TLS's heap.
 *
 * An accelerator may fail: the function then returns an error and zeros.
 */
#ifndef ARDUINO /* whose build system compiles every file of src/ */

#include "wyrm_gather.h"

#include "../wyrm_bytes.h"

#include "../../wyrm_crypto.h"

#include <mbedtls/chacha20.h>
#include <mbedtls/ecp.h>
#include <mbedtls/poly1305.h>

#define CHACHA20_BLOCK 64
#define POLY1305_KEY   32
#define POLY1305_BLOCK 16

static bool chacha20(uint8_t *out, const uint8_t *in, size_t len, const uint8_t key[32],
                     const uint8_t nonce[WYRM_AEAD_NONCE_LEN], uint32_t counter)
{
    return mbedtls_chacha20_crypt(key, nonce, counter, len, in, out) == 0;
}

/* ---- X25519 ----------------------------------------------------------- */

/* Mbed TLS blinds the ladder with random factors. These are derived from the secret itself, so they
 * need no random generator, which may not be ready. */
struct blinding {
    uint8_t key[WYRM_HASH_LEN];
    uint32_t drawn;
};

static int next_factor(void *blinding, unsigned char *out, size_t len)
{
    struct blinding *b = blinding;
    uint8_t nonce[WYRM_AEAD_NONCE_LEN] = {0};

    wyrm_store_le32(nonce, b->drawn++);
    memset(out, 0, len);
    return chacha20(out, out, len, b->key, nonce, 0) ? 0 : MBEDTLS_ERR_ECP_RANDOM_FAILED;
}

bool wyrm_x25519(uint8_t out[WYRM_X25519_LEN], const uint8_t scalar[WYRM_X25519_LEN],
                 const uint8_t point[WYRM_X25519_LEN])
{
    struct blinding blinding = {.drawn = 0};
    mbedtls_ecp_keypair pair;
    mbedtls_ecp_point product, factor;
    mbedtls_ecp_group group;
    mbedtls_mpi number;
    size_t written = 0;
    bool ok;

    wyrm_blake2s(blinding.key, sizeof(blinding.key), scalar, WYRM_X25519_LEN, point,
                 WYRM_X25519_LEN);
    mbedtls_ecp_keypair_init(&pair);
    mbedtls_ecp_group_init(&group);
    mbedtls_ecp_point_init(&product);
    mbedtls_ecp_point_init(&factor);
    mbedtls_mpi_init(&number);
    /* Reading clamps the scalar and ignores bit 255 of the point; the multiplication rejects points
     * of low order. */
    ok = mbedtls_ecp_group_load(&group, MBEDTLS_ECP_DP_CURVE25519) == 0 &&
         mbedtls_ecp_read_key(MBEDTLS_ECP_DP_CURVE25519, &pair, scalar, WYRM_X25519_LEN) == 0 &&
         mbedtls_ecp_export(&pair, NULL, &number, NULL) == 0 &&
         mbedtls_ecp_point_read_binary(&group, &factor, point, WYRM_X25519_LEN) == 0 &&
         mbedtls_ecp_mul(&group, &product, &number, &factor, next_factor, &blinding) == 0 &&
         mbedtls_ecp_point_write_binary(&group, &product, MBEDTLS_ECP_PF_UNCOMPRESSED, &written,
                                        out, WYRM_X25519_LEN) == 0 &&
         !wyrm_ct_is_zero(out, WYRM_X25519_LEN);
    if (!ok)
        memset(out, 0, WYRM_X25519_LEN);
    mbedtls_mpi_free(&number);
    mbedtls_ecp_point_free(&factor);
    mbedtls_ecp_point_free(&product);
    mbedtls_ecp_group_free(&group);
    mbedtls_ecp_keypair_free(&pair);
    wyrm_wipe(&blinding, sizeof(blinding));
    return ok;
}

bool wyrm_x25519_base(uint8_t out[WYRM_X25519_LEN], const uint8_t scalar[WYRM_X25519_LEN])
{
    static const uint8_t base[WYRM_X25519_LEN] = {9};

    return wyrm_x25519(out, scalar, base); /* false if memory ran out */
}

/* ---- ChaCha20-Poly1305 ------------------------------------------------ */

static bool padded(mbedtls_poly1305_context *poly, const uint8_t *in, size_t len)
{
    static const uint8_t zeros[POLY1305_BLOCK];
    size_t over = len % POLY1305_BLOCK;

    return (len == 0 || mbedtls_poly1305_update(poly, in, len) == 0) &&
           (over == 0 || mbedtls_poly1305_update(poly, zeros, POLY1305_BLOCK - over) == 0);
}

/* The tag of RFC 8439 section 2.8 over additional data and ciphertext. */
static bool authenticate(uint8_t tag[WYRM_AEAD_TAG_LEN], const uint8_t *in, size_t len,
                         const uint8_t *aad, size_t aad_len,
                         const uint8_t nonce[WYRM_AEAD_NONCE_LEN],
                         const uint8_t key[WYRM_AEAD_KEY_LEN])
{
    uint8_t once[POLY1305_KEY] = {0}, lengths[POLY1305_BLOCK];
    mbedtls_poly1305_context poly;
    bool ok;

    wyrm_store_le64(lengths, aad_len);
    wyrm_store_le64(lengths + 8, len);
    mbedtls_poly1305_init(&poly);
    ok = chacha20(once, once, sizeof(once), key, nonce, 0) &&
         mbedtls_poly1305_starts(&poly, once) == 0 && padded(&poly, aad, aad_len) &&
         padded(&poly, in, len) && padded(&poly, lengths, sizeof(lengths)) &&
         mbedtls_poly1305_finish(&poly, tag) == 0;
    mbedtls_poly1305_free(&poly);
    wyrm_wipe(once, sizeof(once));
    return ok;
}

bool wyrm_aead_seal(uint8_t *out, const struct wyrm_span *spans, unsigned n, size_t pad,
                    const uint8_t *aad, size_t aad_len, const uint8_t nonce[WYRM_AEAD_NONCE_LEN],
                    const uint8_t key[WYRM_AEAD_KEY_LEN])
{
    size_t len;
    const uint8_t *text = wyrm_gather(out, spans, n, pad, &len);

    bool ok = chacha20(out, text, len, key, nonce, 1) &&
              authenticate(out + len, out, len, aad, aad_len, nonce, key);

    if (!ok)
        memset(out, 0, len + WYRM_AEAD_TAG_LEN);
    return ok;
}

bool wyrm_aead_open(uint8_t *buf, size_t len, const uint8_t *aad, size_t aad_len,
                    const uint8_t nonce[WYRM_AEAD_NONCE_LEN], const uint8_t key[WYRM_AEAD_KEY_LEN])
{
    uint8_t tag[WYRM_AEAD_TAG_LEN];

    if (len < WYRM_AEAD_TAG_LEN)
        return false;
    len -= WYRM_AEAD_TAG_LEN;
    if (!authenticate(tag, buf, len, aad, aad_len, nonce, key) ||
        !wyrm_ct_equal(tag, buf + len, sizeof(tag)))
        return false;

    /* From here the packet is genuine. */
    return chacha20(buf, buf, len, key, nonce, 1);
}

void wyrm_chacha20_xor(uint8_t *out, const uint8_t *in, size_t len, const uint8_t key[32],
                       const uint8_t nonce[WYRM_AEAD_NONCE_LEN], uint32_t counter)
{
    if (!chacha20(out, in, len, key, nonce, counter))
        memset(out, 0, len);
}

/* HChaCha20 is a block of key stream, under the first four bytes of the nonce as the counter,
 * without the final addition of the input, so subtract the input again. */
bool wyrm_hchacha20(uint8_t out[32], const uint8_t key[32], const uint8_t nonce[16])
{
    static const uint8_t constants[16] = {'e', 'x', 'p', 'a', 'n', 'd', ' ', '3',
                                          '2', '-', 'b', 'y', 't', 'e', ' ', 'k'};
    uint8_t block[CHACHA20_BLOCK] = {0};

    if (!chacha20(block, block, sizeof(block), key, nonce + 4, wyrm_load_le32(nonce))) {
        memset(out, 0, 32);
        return false;
    }
    for (unsigned i = 0; i < 16; i += 4) {
        wyrm_store_le32(out + i, wyrm_load_le32(block + i) - wyrm_load_le32(constants + i));
        wyrm_store_le32(out + 16 + i, wyrm_load_le32(block + 48 + i) - wyrm_load_le32(nonce + i));
    }
    wyrm_wipe(block, sizeof(block));
    return true;
}

void wyrm_poly1305(uint8_t tag[WYRM_AEAD_TAG_LEN], const uint8_t *in, size_t len,
                   const uint8_t key[32])
{
    if (mbedtls_poly1305_mac(key, in, len, tag) != 0)
        memset(tag, 0, WYRM_AEAD_TAG_LEN);
}

#else

typedef int wyrm_external_not_built; /* ISO C requires a declaration in every file */

#endif

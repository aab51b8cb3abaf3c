/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Compares the daemon's cipher with the portable one, which the published vectors test: every
 * length around every edge, scattered plaintext, padding, forgeries, numbers near 2^130.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

#include "aead_portable.h"
#include "wyrm_crypto.h"

#ifndef AVX2_ONLY
#define AVX2_ONLY 0
#endif

enum { LONGEST = 2100, ROOM = LONGEST + 64 + WYRM_AEAD_TAG_LEN };

/* The 16 registers of 32 bytes that AVX2 has, or the 32 of 64 bytes that AVX-512 has. */
__attribute__((noinline)) static void read_vector_registers(uint8_t out[32 * 64])
{
    if (!AVX2_ONLY && __builtin_cpu_supports("avx512ifma"))
        __asm__ volatile(
            ".set at, 0\n"
            ".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, "
            "19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31\n"
            "vmovdqu64 %%zmm\\n, at(%0)\n"
            ".set at, at + 64\n"
            ".endr"
            :
            : "r"(out)
            : "memory");
    else
        __asm__ volatile(".set at, 0\n"
                         ".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n"
                         "vmovdqu %%ymm\\n, at(%0)\n"
                         ".set at, at + 64\n"
                         ".endr"
                         :
                         : "r"(out)
                         : "memory");
}

static uint64_t seed = 1;

static void fill(uint8_t *out, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        out[i] = (uint8_t)(seed >> 56);
    }
}

TEST(every_length_is_sealed_as_by_the_portable_code)
{
    static uint8_t text[LONGEST], ours[ROOM], theirs[ROOM];
    uint8_t key[32], nonce[12];

    for (size_t len = 0; len <= LONGEST; len++) {
        struct wyrm_span span = {text, len};
        size_t pad = len % 17;

        fill(text, len);
        fill(key, sizeof(key));
        fill(nonce, sizeof(nonce));
        wyrm_aead_seal(ours, &span, 1, pad, NULL, 0, nonce, key);
        portable_aead_seal(theirs, &span, 1, pad, NULL, 0, nonce, key);
        assert_memory_equal(ours, theirs, len + pad + WYRM_AEAD_TAG_LEN);
    }
}

TEST(packets_of_65535_bytes_are_sealed_as_by_the_portable_code)
{
    static uint8_t text[65535], ours[65535 + 32], theirs[65535 + 32];
    const uint8_t key[32] = {1}, nonce[12] = {2};
    struct wyrm_span span = {text, sizeof(text)};

    fill(text, sizeof(text));
    wyrm_aead_seal(ours, &span, 1, 1, NULL, 0, nonce, key);
    portable_aead_seal(theirs, &span, 1, 1, NULL, 0, nonce, key);
    assert_memory_equal(ours, theirs, sizeof(text) + 17);
    assert_true(wyrm_aead_open(ours, sizeof(text) + 17, NULL, 0, nonce, key));
    assert_memory_equal(ours, text, sizeof(text));
}

TEST(scattered_plaintext_gives_the_same)
{
    static uint8_t text[LONGEST], ours[ROOM], theirs[ROOM];
    const uint8_t key[32] = {3}, nonce[12] = {4};

    fill(text, sizeof(text));
    for (size_t a = 0; a < 150; a += 7) {
        for (size_t b = 0; b < 700; b += 61) {
            struct wyrm_span whole = {text, 1300};
            struct wyrm_span parts[3] = {{text, a}, {text + a, b}, {text + a + b, 1300 - a - b}};

            wyrm_aead_seal(ours, parts, 3, 12, NULL, 0, nonce, key);
            portable_aead_seal(theirs, &whole, 1, 12, NULL, 0, nonce, key);
            assert_memory_equal(ours, theirs, 1312 + WYRM_AEAD_TAG_LEN);
        }
    }
}

TEST(only_genuine_ciphertext_opens)
{
    static uint8_t text[LONGEST], box[ROOM], kept[ROOM];
    uint8_t key[32], nonce[12];

    for (size_t len = 240; len <= LONGEST; len += 13) {
        struct wyrm_span span = {text, len};
        size_t total = len + WYRM_AEAD_TAG_LEN;

        fill(text, len);
        fill(key, sizeof(key));
        fill(nonce, sizeof(nonce));
        portable_aead_seal(box, &span, 1, 0, NULL, 0, nonce, key);
        for (size_t at = 0; at < total; at += 37) {
            box[at] ^= 0x80;
            memcpy(kept, box, total);
            assert_false(wyrm_aead_open(box, total, NULL, 0, nonce, key));
            assert_memory_equal(box, kept, total); /* untouched */
            box[at] ^= 0x80;
        }
        assert_true(wyrm_aead_open(box, total, NULL, 0, nonce, key));
        assert_memory_equal(box, text, len);
    }
}

TEST(additional_data_is_sealed_as_by_the_portable_code)
{
    static uint8_t text[600], ours[ROOM], theirs[ROOM];
    const uint8_t key[32] = {5}, nonce[12] = {6}, aad[32] = {7};
    struct wyrm_span span = {text, sizeof(text)};

    fill(text, sizeof(text));
    wyrm_aead_seal(ours, &span, 1, 0, aad, sizeof(aad), nonce, key);
    portable_aead_seal(theirs, &span, 1, 0, aad, sizeof(aad), nonce, key);
    assert_memory_equal(ours, theirs, sizeof(text) + WYRM_AEAD_TAG_LEN);
    assert_true(
        wyrm_aead_open(ours, sizeof(text) + WYRM_AEAD_TAG_LEN, aad, sizeof(aad), nonce, key));
}

/* Ciphertext of all ones or zeros drives the sum of Poly1305 to its limits. Tags are compared by
 * opening, whatever the plaintext. */
TEST(extreme_ciphertext_has_the_same_tag)
{
    static const uint8_t values[] = {0x00, 0xff, 0xfb, 0x80, 0x01};
    static uint8_t box[ROOM], plain[ROOM];
    uint8_t key[32], nonce[12] = {0};

    for (unsigned i = 0; i < 400; i++) {
        size_t len = 256 + (i * 29) % 1500;
        struct wyrm_span span = {plain, len};

        fill(key, sizeof(key));
        /* The key stream itself as plaintext gives a ciphertext of zeros. */
        memset(plain, 0, len);
        wyrm_chacha20_xor(plain, plain, len, key, nonce, 1);
        for (size_t at = 0; at < len; at++)
            plain[at] ^= values[i % sizeof(values)];
        portable_aead_seal(box, &span, 1, 0, NULL, 0, nonce, key);
        assert_int_equal(box[0], values[i % sizeof(values)]);
        assert_true(wyrm_aead_open(box, len + WYRM_AEAD_TAG_LEN, NULL, 0, nonce, key));
    }
}

/* For every length that the vector code handles, reads the registers right after the call. */
TEST(no_vector_register_keeps_anything)
{
    static uint8_t text[LONGEST], box[ROOM];
    uint8_t key[32], nonce[12], registers[32 * 64];
    const struct wyrm_span span = {text, 1420};

    fill(key, sizeof(key));
    fill(nonce, sizeof(nonce));
    fill(text, sizeof(text));
    memset(registers, 0, sizeof(registers));
    if (!__builtin_cpu_supports("avx2"))
        skip();

    wyrm_aead_seal(box, &span, 1, 4, NULL, 0, nonce, key);
    read_vector_registers(registers);
    assert_true(wyrm_ct_is_zero(registers, sizeof(registers)));
    assert_true(wyrm_aead_open(box, 1424 + WYRM_AEAD_TAG_LEN, NULL, 0, nonce, key));
    read_vector_registers(registers);
    assert_true(wyrm_ct_is_zero(registers, sizeof(registers)));
    box[0] ^= 1;
    assert_false(wyrm_aead_open(box, 1424 + WYRM_AEAD_TAG_LEN, NULL, 0, nonce, key));
    read_vector_registers(registers);
    assert_true(wyrm_ct_is_zero(registers, sizeof(registers)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(every_length_is_sealed_as_by_the_portable_code),
        RUN(no_vector_register_keeps_anything),
        RUN(packets_of_65535_bytes_are_sealed_as_by_the_portable_code),
        RUN(scattered_plaintext_gives_the_same),
        RUN(only_genuine_ciphertext_opens),
        RUN(additional_data_is_sealed_as_by_the_portable_code),
        RUN(extreme_ciphertext_has_the_same_tag),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

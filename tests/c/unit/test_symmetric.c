/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * ChaCha20-Poly1305, BLAKE2s, HMAC and the KDF. test_symmetric_small.c runs the same table over the
 * small form, 13-bit limbs and byte accesses.
 */
#include "wyrm_crypto.h"

#include <string.h>

#include "test.h"

#ifndef GROUP
#define GROUP "test_symmetric"
#endif

#define MAX_LEN 320
#define TAG     WYRM_AEAD_TAG_LEN

static const uint8_t key[32] = {0x80, 0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8a,
                                0x8b, 0x8c, 0x8d, 0x8e, 0x8f, 0x90, 0x91, 0x92, 0x93, 0x94, 0x95,
                                0x96, 0x97, 0x98, 0x99, 0x9a, 0x9b, 0x9c, 0x9d, 0x9e, 0x9f};
static const uint8_t nonce[12] = {7, 0, 0, 0, 0x40, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47};
static uint8_t text[MAX_LEN];

FIXTURE(fill_text)
{
    uint32_t word = 0x2545f491;

    for (size_t i = 0; i < sizeof(text); i++) {
        word ^= word << 13;
        word ^= word >> 17;
        word ^= word << 5;
        text[i] = (uint8_t)(word >> 24);
    }
    return 0;
}

static size_t from_hex(uint8_t *out, const char *hex)
{
    size_t len = strlen(hex) / 2;

    for (size_t i = 0; i < 2 * len; i++) {
        unsigned digit = (unsigned)hex[i] - (hex[i] <= '9' ? '0' : 'a' - 10);

        out[i / 2] = (uint8_t)(16u * out[i / 2] + digit);
    }
    return len;
}

static void assert_hex(const uint8_t *got, const char *hex)
{
    uint8_t want[256];

    assert_memory_equal(got, want, from_hex(want, hex));
}

static void seal(uint8_t *out, const uint8_t *in, size_t len, const uint8_t *aad, size_t aad_len)
{
    struct wyrm_span span = {in, len};

    wyrm_aead_seal(out, &span, 1, 0, aad, aad_len, nonce, key);
}

/* ---- Known answers ---------------------------------------------------- */

TEST(the_block_function_gives_the_example_of_rfc_8439)
{
    uint8_t k[32], n[12], zero[64] = {0}, out[64];

    from_hex(k, "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f");
    from_hex(n, "000000090000004a00000000");
    wyrm_chacha20_xor(out, zero, sizeof(out), k, n, 1);
    assert_hex(out, "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e"
                    "d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e");
}

TEST(hchacha20_gives_the_example_of_its_draft)
{
    uint8_t k[32], n[16], out[32];

    from_hex(k, "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f");
    from_hex(n, "000000090000004a0000000031415927");
    wyrm_hchacha20(out, k, n);
    assert_hex(out, "82413b4227b27bfed30e42508a877d73a0f9e4d58a74a853c12ec41326d3ecdc");
}

TEST(poly1305_gives_the_example_of_rfc_8439)
{
    const char *message = "Cryptographic Forum Research Group";
    uint8_t k[32], tag[TAG];

    from_hex(k, "85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b");
    wyrm_poly1305(tag, (const uint8_t *)message, strlen(message), k);
    assert_hex(tag, "a8061dc1305136c6c22b8baf0c0127a9");
}

/* RFC 8439 A.3, tests 7 to 11: sums that just reach or miss 2^128 and p. */
TEST(poly1305_reduces_the_edge_cases_of_rfc_8439)
{
    static const struct {
        const char *r, *message, *tag;
    } cases[] = {
        {"02000000000000000000000000000000", "ffffffffffffffffffffffffffffffff",
         "03000000000000000000000000000000"},
        {"01000000000000000000000000000000",
         "fffffffffffffffffffffffffffffffff0ffffffffffffffffffffffffffffff"
         "11000000000000000000000000000000",
         "05000000000000000000000000000000"},
        {"01000000000000000000000000000000",
         "fffffffffffffffffffffffffffffffffbfefefefefefefefefefefefefefefe"
         "01010101010101010101010101010101",
         "00000000000000000000000000000000"},
        {"02000000000000000000000000000000", "fdffffffffffffffffffffffffffffff",
         "faffffffffffffffffffffffffffffff"},
        {"01000000000000000400000000000000",
         "e33594d7505e43b900000000000000003394d7505e4379cd0100000000000000"
         "0000000000000000000000000000000001000000000000000000000000000000",
         "14000000000000005500000000000000"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint8_t k[32] = {0}, message[64], tag[TAG];
        size_t len = from_hex(message, cases[i].message);

        from_hex(k, cases[i].r);
        wyrm_poly1305(tag, message, len, k);
        assert_hex(tag, cases[i].tag);
    }
}

TEST(seal_gives_the_example_of_rfc_8439)
{
    const char *plain = "Ladies and Gentlemen of the class of '99: If I could offer you only one "
                        "tip for the future, sunscreen would be it.";
    uint8_t aad[12], out[114 + TAG];

    from_hex(aad, "50515253c0c1c2c3c4c5c6c7");
    seal(out, (const uint8_t *)plain, strlen(plain), aad, sizeof(aad));
    assert_hex(out, "d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d6"
                    "3dbea45e8ca9671282fafb69da92728b1a71de0a9e060b2905d6a5b67ecd3b36"
                    "92ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc"
                    "3ff4def08e4b7a9de576d26586cec64b6116"
                    "1ae10b594f09e26a7e902ecbd0600691");
}

TEST(blake2s_gives_the_example_of_rfc_7693)
{
    uint8_t out[32];

    wyrm_blake2s(out, 32, NULL, 0, "abc", 3);
    assert_hex(out, "508c5e8c327c14e2e1a72ba34eeb452f37458b209ed63a294d999b4c86675982");
}

/* RFC 7693 appendix E: the hash of hashes over lengths, keys and digest sizes. */
static void self_test_sequence(uint8_t *out, size_t len, uint32_t seed)
{
    uint32_t a = 0xdead4bad * seed, b = 1;

    for (size_t i = 0; i < len; i++) {
        uint32_t t = a + b;

        a = b;
        b = t;
        out[i] = (uint8_t)(t >> 24);
    }
}

TEST(blake2s_passes_the_self_test_of_rfc_7693)
{
    static const size_t out_lens[] = {16, 20, 28, 32}, in_lens[] = {0, 3, 64, 65, 255, 1024};
    uint8_t in[1024], md[32], k[32];
    struct wyrm_blake2s all;

    wyrm_blake2s_init(&all, 32, NULL, 0);
    for (size_t i = 0; i < 4; i++) {
        for (size_t j = 0; j < 6; j++) {
            self_test_sequence(in, in_lens[j], (uint32_t)in_lens[j]);
            wyrm_blake2s(md, out_lens[i], NULL, 0, in, in_lens[j]);
            wyrm_blake2s_update(&all, md, out_lens[i]);
            self_test_sequence(k, out_lens[i], (uint32_t)out_lens[i]);
            wyrm_blake2s(md, out_lens[i], k, out_lens[i], in, in_lens[j]);
            wyrm_blake2s_update(&all, md, out_lens[i]);
        }
    }
    wyrm_blake2s_final(&all, md);
    assert_hex(md, "6a411f08ce25adcdfb02aba641451cec53c598b24f4fc787fbdc88797f4c1dfe");
}

/* ---- AEAD ------------------------------------------------------------- */

TEST(every_length_opens_to_what_was_sealed)
{
    uint8_t sealed[MAX_LEN + TAG];

    for (size_t len = 0; len <= MAX_LEN; len++) {
        size_t aad_len = len % 37;

        seal(sealed, text, len, text, aad_len);
        assert_true(wyrm_aead_open(sealed, len + TAG, text, aad_len, nonce, key));
        assert_memory_equal(sealed, text, len);
    }
}

TEST(every_length_equals_cipher_then_mac)
{
    uint8_t sealed[MAX_LEN + TAG], want[MAX_LEN], mac_input[MAX_LEN + 32], zero[32] = {0};
    uint8_t mac_key[32], tag[TAG];

    wyrm_chacha20_xor(mac_key, zero, sizeof(mac_key), key, nonce, 0);
    for (size_t len = 0; len <= MAX_LEN; len++) {
        size_t padded = (len + 15) / 16 * 16;

        seal(sealed, text, len, NULL, 0);
        wyrm_chacha20_xor(want, text, len, key, nonce, 1);
        assert_memory_equal(sealed, want, len);
        memset(mac_input, 0, sizeof(mac_input));
        memcpy(mac_input, want, len);
        mac_input[padded + 8] = (uint8_t)len;
        mac_input[padded + 9] = (uint8_t)(len >> 8);
        wyrm_poly1305(tag, mac_input, padded + 16, mac_key);
        assert_memory_equal(sealed + len, tag, TAG);
    }
}

TEST(every_split_in_three_spans_seals_the_same)
{
    enum { LEN = 200 };
    uint8_t want[LEN + TAG], got[LEN + TAG];

    seal(want, text, LEN, NULL, 0);
    for (size_t first = 0; first <= LEN; first++) {
        for (size_t second = first; second <= LEN; second++) {
            struct wyrm_span spans[] = {{text, first},
                                        {NULL, 0},
                                        {text + first, second - first},
                                        {text + second, LEN - second}};

            wyrm_aead_seal(got, spans, 4, 0, NULL, 0, nonce, key);
            assert_memory_equal(got, want, sizeof(want));
        }
    }
}

TEST(padding_seals_as_zeros)
{
    uint8_t plain[MAX_LEN], want[MAX_LEN + TAG], got[MAX_LEN + TAG];

    for (size_t len = 0; len <= 130; len++) {
        for (size_t pad = 0; pad <= 130; pad++) {
            struct wyrm_span spans[] = {{text, len / 3}, {text + len / 3, len - len / 3}};

            memcpy(plain, text, len);
            memset(plain + len, 0, pad);
            seal(want, plain, len + pad, NULL, 0);
            wyrm_aead_seal(got, spans, 2, pad, NULL, 0, nonce, key);
            assert_memory_equal(got, want, len + pad + TAG);
        }
    }
}

TEST(no_spans_at_all_seal_the_empty_message)
{
    uint8_t want[TAG], got[TAG];

    seal(want, NULL, 0, text, 20);
    wyrm_aead_seal(got, NULL, 0, 0, text, 20, nonce, key);
    assert_memory_equal(got, want, TAG);
    assert_true(wyrm_aead_open(got, TAG, text, 20, nonce, key));
    assert_false(wyrm_aead_open(got, TAG, text, 19, nonce, key));
}

TEST(misaligned_buffers_seal_and_open_the_same)
{
    enum { LEN = 300 };
    uint8_t want[LEN + TAG], in[LEN + 4], out[LEN + TAG + 4];

    seal(want, text, LEN, text, 13);
    for (size_t i = 0; i < 16; i++) {
        uint8_t *from = in + i % 4, *to = out + i / 4;

        memcpy(from, text, LEN);
        seal(to, from, LEN, text, 13);
        assert_memory_equal(to, want, sizeof(want));
        assert_true(wyrm_aead_open(to, LEN + TAG, text, 13, nonce, key));
        assert_memory_equal(to, text, LEN);
    }
}

TEST(sealing_in_place_gives_the_same)
{
    uint8_t want[MAX_LEN + TAG], buf[MAX_LEN + TAG];

    for (size_t len = 0; len <= MAX_LEN; len++) {
        seal(want, text, len, NULL, 0);
        memcpy(buf, text, len);
        seal(buf, buf, len, NULL, 0);
        assert_memory_equal(buf, want, len + TAG);
    }
}

TEST(a_changed_bit_anywhere_is_refused_and_nothing_touched)
{
    enum { LEN = 100 };
    uint8_t sealed[LEN + TAG], before[LEN + TAG];

    seal(sealed, text, LEN, text, 8);
    for (size_t bit = 0; bit < 8 * sizeof(sealed); bit++) {
        sealed[bit / 8] ^= (uint8_t)(1u << bit % 8);
        memcpy(before, sealed, sizeof(sealed));
        assert_false(wyrm_aead_open(sealed, sizeof(sealed), text, 8, nonce, key));
        assert_memory_equal(sealed, before, sizeof(sealed));
        sealed[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    assert_true(wyrm_aead_open(sealed, sizeof(sealed), text, 8, nonce, key));
}

TEST(less_than_a_tag_is_refused)
{
    uint8_t sealed[TAG];

    seal(sealed, NULL, 0, NULL, 0);
    for (size_t len = 0; len < TAG; len++)
        assert_false(wyrm_aead_open(sealed, len, NULL, 0, nonce, key));
}

TEST(the_counter_moves_on_by_one_for_each_block)
{
    uint8_t whole[256], part[64];

    wyrm_chacha20_xor(whole, text, sizeof(whole), key, nonce, 0xfffffffe);
    for (uint32_t i = 0; i < 4; i++) {
        wyrm_chacha20_xor(part, text + 64 * i, 64, key, nonce, 0xfffffffe + i);
        assert_memory_equal(whole + 64 * i, part, 64);
    }
}

TEST(the_long_nonce_gives_the_example_of_its_draft)
{
    const char *plain = "Ladies and Gentlemen of the class of '99: If I could offer you only one "
                        "tip for the future, sunscreen would be it.";
    uint8_t aad[12], n[24], out[114 + TAG];

    from_hex(aad, "50515253c0c1c2c3c4c5c6c7");
    from_hex(n, "404142434445464748494a4b4c4d4e4f5051525354555657");
    wyrm_xaead_seal(out, (const uint8_t *)plain, strlen(plain), aad, sizeof(aad), n, key);
    assert_hex(out + 114, "c0875924c1c7987947deafd8780acf49");
    out[0] ^= 1;
    assert_false(wyrm_xaead_open(out, sizeof(out), aad, sizeof(aad), n, key));
    out[0] ^= 1;
    assert_true(wyrm_xaead_open(out, sizeof(out), aad, sizeof(aad), n, key));
    assert_memory_equal(out, plain, strlen(plain));
}

/* ---- Hashes ----------------------------------------------------------- */

TEST(every_split_hashes_the_same)
{
    static const size_t key_lens[] = {0, 1, 32};
    uint8_t want[32], got[32];

    for (size_t k = 0; k < 3; k++) {
        for (size_t len = 0; len <= 200; len++) {
            wyrm_blake2s(want, 32, key, key_lens[k], text, len);
            for (size_t cut = 0; cut <= len; cut++) {
                struct wyrm_blake2s hash;

                wyrm_blake2s_init(&hash, 32, key, key_lens[k]);
                wyrm_blake2s_update(&hash, text, cut);
                wyrm_blake2s_update(&hash, text + cut, len - cut);
                wyrm_blake2s_final(&hash, got);
                assert_memory_equal(got, want, 32);
            }
        }
    }
}

TEST(a_copied_hash_state_continues_independently)
{
    struct wyrm_blake2s keyed, fork;
    uint8_t want[16], got[16];

    wyrm_blake2s_init(&keyed, 16, key, 32);
    for (size_t len = 0; len <= 130; len++) {
        fork = keyed;
        wyrm_blake2s_update(&fork, text, len);
        wyrm_blake2s_final(&fork, got);
        wyrm_blake2s(want, 16, key, 32, text, len);
        assert_memory_equal(got, want, 16);
    }
}

TEST(the_keyed_hash_of_nothing_is_that_of_the_key_block)
{
    uint8_t out[32];

    wyrm_blake2s(out, 32, key, 32, NULL, 0);
    assert_hex(out, "29635d3f0df07f4d088bcda9b04b1c431ea0c074112249b86c8d7cefc3f3b96f");
}

TEST(final_wipes_the_state)
{
    struct wyrm_blake2s hash, zero;
    uint8_t out[32];

    memset(&zero, 0, sizeof(zero));
    wyrm_blake2s_init(&hash, 32, key, 32);
    wyrm_blake2s_update(&hash, text, 99);
    wyrm_blake2s_final(&hash, out);
    assert_memory_equal(&hash, &zero, sizeof(zero));
}

/* HMAC by its definition, from two hashes. */
static void slow_hmac(uint8_t out[32], const uint8_t *k, size_t k_len, const uint8_t *in,
                      size_t len)
{
    uint8_t block[64] = {0}, buf[64 + MAX_LEN];

    if (k_len > 64)
        wyrm_blake2s(block, 32, NULL, 0, k, k_len);
    else
        memcpy(block, k, k_len);
    for (size_t i = 0; i < 64; i++)
        buf[i] = block[i] ^ 0x36;
    memcpy(buf + 64, in, len);
    wyrm_blake2s(out, 32, NULL, 0, buf, 64 + len);
    for (size_t i = 0; i < 64; i++)
        buf[i] = block[i] ^ 0x5c;
    memcpy(buf + 64, out, 32);
    wyrm_blake2s(out, 32, NULL, 0, buf, 96);
}

TEST(hmac_takes_keys_of_any_length)
{
    uint8_t want[32], got[32];

    for (size_t k_len = 0; k_len <= 150; k_len++) {
        size_t len = 7 * k_len % 200;

        slow_hmac(want, text, k_len, text + 100, len);
        wyrm_hmac(got, text, k_len, text + 100, len);
        assert_memory_equal(got, want, 32);
    }
}

TEST(kdf_gives_the_chain_of_hmacs_wherever_its_outputs_lie)
{
    uint8_t prk[32], want[3][32], chained[33], out[3][32];

    for (size_t len = 0; len <= 130; len++) {
        slow_hmac(prk, key, 32, text, len);
        slow_hmac(want[0], prk, 32, (const uint8_t *)"\1", 1);
        for (size_t i = 1; i < 3; i++) {
            memcpy(chained, want[i - 1], 32);
            chained[32] = (uint8_t)(i + 1);
            slow_hmac(want[i], prk, 32, chained, sizeof(chained));
        }
        for (size_t n = 1; n <= 3; n++) {
            for (size_t alias = 0; alias < n; alias++) {
                memset(out, 0, sizeof(out));
                memcpy(out[alias], key, 32);
                wyrm_kdf(out[0], n > 1 ? out[1] : NULL, n > 2 ? out[2] : NULL, out[alias], text,
                         len);
                assert_memory_equal(out, want, 32 * n);
            }
        }
    }
}

/* ---- Helpers ---------------------------------------------------------- */

TEST(comparison_detects_every_flipped_bit)
{
    uint8_t a[33], b[33];

    memcpy(a, text, sizeof(a));
    memcpy(b, text, sizeof(b));
    assert_true(wyrm_ct_equal(a, b, sizeof(a)));
    for (size_t bit = 0; bit < 8 * sizeof(a); bit++) {
        b[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_false(wyrm_ct_equal(a, b, sizeof(a)));
        b[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    memset(a, 0, sizeof(a));
    assert_true(wyrm_ct_is_zero(a, sizeof(a)));
    for (size_t bit = 0; bit < 8 * sizeof(a); bit++) {
        a[bit / 8] = (uint8_t)(1u << bit % 8);
        assert_false(wyrm_ct_is_zero(a, sizeof(a)));
        a[bit / 8] = 0;
    }
    assert_true(wyrm_ct_equal(a, text, 0));
    assert_true(wyrm_ct_is_zero(text, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(the_block_function_gives_the_example_of_rfc_8439),
        RUN(hchacha20_gives_the_example_of_its_draft),
        RUN(poly1305_gives_the_example_of_rfc_8439),
        RUN(poly1305_reduces_the_edge_cases_of_rfc_8439),
        RUN(seal_gives_the_example_of_rfc_8439),
        RUN(blake2s_gives_the_example_of_rfc_7693),
        RUN(blake2s_passes_the_self_test_of_rfc_7693),
        RUN(every_length_opens_to_what_was_sealed),
        RUN(every_length_equals_cipher_then_mac),
        RUN(every_split_in_three_spans_seals_the_same),
        RUN(padding_seals_as_zeros),
        RUN(no_spans_at_all_seal_the_empty_message),
        RUN(misaligned_buffers_seal_and_open_the_same),
        RUN(sealing_in_place_gives_the_same),
        RUN(a_changed_bit_anywhere_is_refused_and_nothing_touched),
        RUN(less_than_a_tag_is_refused),
        RUN(the_counter_moves_on_by_one_for_each_block),
        RUN(the_long_nonce_gives_the_example_of_its_draft),
        RUN(every_split_hashes_the_same),
        RUN(a_copied_hash_state_continues_independently),
        RUN(the_keyed_hash_of_nothing_is_that_of_the_key_block),
        RUN(final_wipes_the_state),
        RUN(hmac_takes_keys_of_any_length),
        RUN(kdf_gives_the_chain_of_hmacs_wherever_its_outputs_lie),
        RUN(comparison_detects_every_flipped_bit),
    };

    return cmocka_run_group_tests_name(GROUP, tests, fill_text, NULL);
}

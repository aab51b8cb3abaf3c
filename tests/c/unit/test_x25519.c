/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * X25519. The same table runs over every field: test_x25519_fe13.c, test_x25519_rows16.c and others
 * include this file with WYRM_FE_BITS or WYRM_ROWS set, and are then also compared with the
 * library's own choice.
 */
#if defined(WYRM_FE_BITS) || defined(WYRM_ROWS)
#define wyrm_x25519      x25519_under_test
#define wyrm_x25519_base x25519_base_under_test
#include "../../../src/crypto/c/wyrm_x25519.c"
#undef wyrm_x25519
#undef wyrm_x25519_base
bool wyrm_x25519(uint8_t out[32], const uint8_t scalar[32], const uint8_t point[32]);
#else
#include "wyrm_crypto.h"
#define x25519_under_test      wyrm_x25519
#define x25519_base_under_test wyrm_x25519_base
#endif

#include <string.h>

#include "test.h"

#define ALICE_PRIVATE "77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a"
#define ALICE_PUBLIC  "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a"
#define BOB_PRIVATE   "5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb"
#define BOB_PUBLIC    "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f"
#define SHARED        "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742"
#define NINE          "0900000000000000000000000000000000000000000000000000000000000000"

#ifndef GROUP
#define GROUP "test_x25519"
#endif

static void from_hex(uint8_t out[32], const char *hex)
{
    for (unsigned i = 0; i < 64; i++) {
        unsigned digit = (unsigned)hex[i] - (hex[i] <= '9' ? '0' : 'a' - 10);

        out[i / 2] = (uint8_t)((unsigned)out[i / 2] << 4 | digit);
    }
}

static void expect(const char *scalar_hex, const char *point_hex, const char *out_hex)
{
    uint8_t scalar[32], point[32], want[32], got[32];

    from_hex(scalar, scalar_hex);
    from_hex(point, point_hex);
    from_hex(want, out_hex);
    assert_true(x25519_under_test(got, scalar, point));
    assert_memory_equal(got, want, 32);
}

/* The same numbers in every run: 64-bit xorshift. */
static void scramble(uint64_t *state, uint8_t out[32])
{
    for (unsigned i = 0; i < 32; i++) {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        out[i] = (uint8_t)(*state >> 24);
    }
}

TEST(vectors_of_rfc_7748_hold)
{
    expect("a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4",
           "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c",
           "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552");
    expect("4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d",
           "e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493",
           "95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957");
    expect(ALICE_PRIVATE, NINE, ALICE_PUBLIC);
    expect(BOB_PRIVATE, NINE, BOB_PUBLIC);
    expect(ALICE_PRIVATE, BOB_PUBLIC, SHARED);
    expect(BOB_PRIVATE, ALICE_PUBLIC, SHARED);
}

TEST(a_thousand_iterations_reach_the_value_of_rfc_7748)
{
    uint8_t k[32], u[32], next[32], want[32];

    from_hex(k, NINE);
    from_hex(u, NINE);
    for (unsigned i = 1; i <= 1000; i++) {
        assert_true(x25519_under_test(next, k, u));
        memcpy(u, k, 32);
        memcpy(k, next, 32);
        if (i == 1)
            from_hex(want, "422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079");
        if (i == 1000)
            from_hex(want, "684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51");
        if (i == 1 || i == 1000)
            assert_memory_equal(k, want, 32);
    }
}

TEST(points_of_low_order_give_zero_and_false)
{
    static const char *const low[] = {
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
        "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    };
    static const uint8_t zero[32];
    uint8_t scalar[32], point[32], out[32];

    from_hex(scalar, ALICE_PRIVATE);
    for (unsigned i = 0; i < sizeof low / sizeof low[0]; i++) {
        from_hex(point, low[i]);
        for (unsigned high = 0; high < 2; high++) {
            point[31] = (uint8_t)(point[31] ^ (high << 7));
            memset(out, 0xaa, 32);
            assert_false(x25519_under_test(out, scalar, point));
            assert_memory_equal(out, zero, 32);
        }
    }
}

TEST(points_not_below_p_are_taken_modulo_p)
{
    uint8_t scalar[32], small[32] = {0}, large[32], want[32], got[32];

    from_hex(scalar, ALICE_PRIVATE);
    memset(large, 0xff, 32);
    large[31] = 0x7f;
    for (uint8_t i = 2; i < 19; i++) {
        small[0] = i;
        large[0] = (uint8_t)(0xed + i); /* p + i */
        assert_true(x25519_under_test(want, scalar, small));
        assert_true(x25519_under_test(got, scalar, large));
        assert_memory_equal(got, want, 32);
    }
}

TEST(bit_255_of_the_point_and_the_clamped_bits_do_not_matter)
{
    uint8_t scalar[32], point[32], want[32], got[32];

    from_hex(scalar, ALICE_PRIVATE);
    from_hex(point, BOB_PUBLIC);
    assert_true(x25519_under_test(want, scalar, point));
    point[31] ^= 0x80;
    scalar[0] ^= 0x07;
    scalar[31] ^= 0x80;
    assert_true(x25519_under_test(got, scalar, point));
    assert_memory_equal(got, want, 32);
    scalar[31] ^= 0x40;
    assert_true(x25519_under_test(got, scalar, point));
    assert_memory_equal(got, want, 32);
}

TEST(the_base_point_is_nine)
{
    uint8_t scalar[32], nine[32], want[32], got[32];
    uint64_t seed = 1;

    from_hex(nine, NINE);
    for (unsigned i = 0; i < 20; i++) {
        scramble(&seed, scalar);
        assert_true(x25519_under_test(want, scalar, nine));
        x25519_base_under_test(got, scalar);
        assert_memory_equal(got, want, 32);
    }
}

TEST(inputs_may_be_misaligned_and_stay_as_they_are)
{
    uint8_t scalar[40] = {0}, point[40] = {0}, out[40], want[32];
    uint8_t scalar_before[40], point_before[40];

    from_hex(want, SHARED);
    for (unsigned shift = 0; shift < 8; shift++) {
        from_hex(scalar + shift, ALICE_PRIVATE);
        from_hex(point + shift, BOB_PUBLIC);
        memcpy(scalar_before, scalar, sizeof scalar);
        memcpy(point_before, point, sizeof point);
        memset(out, 0xaa, sizeof out);
        assert_true(x25519_under_test(out + shift, scalar + shift, point + shift));
        assert_memory_equal(out + shift, want, 32);
        for (unsigned i = 0; i < sizeof out; i++)
            if (i < shift || i >= shift + 32)
                assert_int_equal(out[i], 0xaa);
        assert_memory_equal(scalar, scalar_before, sizeof scalar);
        assert_memory_equal(point, point_before, sizeof point);
    }
}

TEST(the_output_may_replace_either_input)
{
    uint8_t scalar[32], point[32], want[32];

    from_hex(want, SHARED);
    from_hex(scalar, ALICE_PRIVATE);
    from_hex(point, BOB_PUBLIC);
    assert_true(x25519_under_test(scalar, scalar, point));
    assert_memory_equal(scalar, want, 32);
    from_hex(scalar, ALICE_PRIVATE);
    assert_true(x25519_under_test(point, scalar, point));
    assert_memory_equal(point, want, 32);
}

TEST(both_sides_of_an_exchange_agree)
{
    uint8_t a[32], b[32], public_a[32], public_b[32], shared_a[32], shared_b[32];
    uint64_t seed = 2;

    for (unsigned i = 0; i < 50; i++) {
        scramble(&seed, a);
        scramble(&seed, b);
        x25519_base_under_test(public_a, a);
        x25519_base_under_test(public_b, b);
        assert_true(x25519_under_test(shared_a, a, public_b));
        assert_true(x25519_under_test(shared_b, b, public_a));
        assert_memory_equal(shared_a, shared_b, 32);
    }
}

/* Runs of equal bits fill limbs with ones and zeros, where carries are longest. */
TEST(fields_agree_on_random_and_on_carry_heavy_points)
{
    uint8_t scalar[32], point[32], want[32], got[32];
    uint64_t seed = 3;

    for (unsigned i = 0; i < 500; i++) {
        bool want_ok;

        scramble(&seed, scalar);
        scramble(&seed, point);
        if (i % 2)
            for (unsigned j = 0; j < 32; j++)
                point[j] = point[j] & 1 ? 0xff : 0x00;
        want_ok = wyrm_x25519(want, scalar, point);
        assert_int_equal(x25519_under_test(got, scalar, point), want_ok);
        assert_memory_equal(got, want, 32);
    }
}

#if defined(WYRM_ROWS) && WYRM_ROWS
/* A small number less one about 2^255: no scalar and point are known that lead there. */
TEST(differences_hold_at_the_ends_of_their_range)
{
    static const int near[] = {-20, -19, -18, -17, -1, 0, 1, 17, 18, 19, 20};
    element slot[SLOTS], zero = {0};

    for (unsigned i = 0; i < 19; i++) {
        for (unsigned j = 0; j < sizeof near / sizeof near[0]; j++) {
            memset(slot, 0, sizeof slot);
            slot[T0][0] = (wyrm_limb)i;
            slot[T1][LIMBS - 1] = (wyrm_limb)((wyrm_limb)1 << (WYRM_ROWS - 1));
            ripple(slot[T1], near[j]); /* 2^255 and a little more or less */
            operate(slot, SUB(X1, T0, T1));
            operate(slot, SUM(X1, X1, T1)); /* i again, perhaps with a p too many */
            operate(slot, SUB(X1, X1, T0));
            slot[X2][0] = 1;
            operate(slot, MUL(X1, X1, X2));
            ripple(slot[X1], 19);
            ripple(slot[X1], (int32_t)(19 * take_top(slot[X1])) - 19);
            assert_memory_equal(slot[X1], zero, sizeof zero);
        }
    }
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(vectors_of_rfc_7748_hold),
        RUN(a_thousand_iterations_reach_the_value_of_rfc_7748),
        RUN(points_of_low_order_give_zero_and_false),
        RUN(points_not_below_p_are_taken_modulo_p),
        RUN(bit_255_of_the_point_and_the_clamped_bits_do_not_matter),
        RUN(the_base_point_is_nine),
        RUN(inputs_may_be_misaligned_and_stay_as_they_are),
        RUN(the_output_may_replace_either_input),
        RUN(both_sides_of_an_exchange_agree),
        RUN(fields_agree_on_random_and_on_carry_heavy_points),
#if defined(WYRM_ROWS) && WYRM_ROWS
        RUN(differences_hold_at_the_ends_of_their_range),
#endif
    };

    return cmocka_run_group_tests_name(GROUP, tests, NULL, NULL);
}

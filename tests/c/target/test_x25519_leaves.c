/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Compares the assembly of X25519 with its portable twin, the field over 32-bit limbs, whose file
 * is included here. Operands have many words of zeros and ones, and many lie near multiples of p.
 */
#define WYRM_X25519_ASM  0
#define WYRM_FE_BITS     32
#define wyrm_x25519      twin_x25519
#define wyrm_x25519_base twin_x25519_base
#include "../../../src/crypto/c/wyrm_x25519.c"
#undef wyrm_x25519
#undef wyrm_x25519_base

#include "random_word.h"

#include <string.h>

#include "test.h"

#if WYRM_ARCH_ARMV7EM
#define LEAF(name) wyrm_fe_##name##_armv7em
#elif WYRM_ARCH_ARMV6M
#define LEAF(name) wyrm_fe_##name##_armv6m
#elif WYRM_ARCH_RV32
#define LEAF(name) wyrm_fe_##name##_rv32
#endif

#if defined(LEAF) && WYRM_ASM

void LEAF(mul)(struct fe *out, const struct fe *a, const struct fe *b);
void LEAF(sqr)(struct fe *out, const struct fe *a, unsigned times);
void LEAF(ladder)(struct fe *x, struct fe *z, const uint8_t swaps[32]);

#ifndef CHECK_ROUNDS
#define CHECK_ROUNDS 20000
#endif

enum { ROUNDS = CHECK_ROUNDS, LADDERS = ROUNDS / 250 }; /* of 255 steps each */

static uint32_t edgy_word(void)
{
    static const uint32_t edges[] = {0, 1, 19, 38, 0x7fffffff, 0x80000000, 0xffffffda, 0xffffffff};
    uint32_t choice = random_word();

    return choice & 0x100 ? edges[choice >> 16 & 7] : random_word();
}

/* One in four is k * 2^255 - small: around 0, p, 2^255 and 2p. */
static struct fe edgy_element(void)
{
    struct fe a;
    bool near_multiple = random_word() % 4 == 0;

    for (unsigned i = 0; i < FE_LIMBS; i++)
        a.limb[i] = near_multiple ? 0xffffffff : edgy_word();
    if (near_multiple) {
        a.limb[0] -= random_word() % 64;
        a.limb[7] >>= random_word() % 2;
    }
    return a;
}

/* The leaves promise the same value modulo p, and little above 2^255. */
static void assert_same(struct fe got, struct fe want)
{
    uint8_t got_bytes[32], want_bytes[32];

    assert_true(got.limb[7] < 0x80000000 + 40);
    fe_store(got_bytes, &got);
    fe_store(want_bytes, &want);
    assert_memory_equal(got_bytes, want_bytes, 32);
}

TEST(multiplication_equals_its_twin)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        struct fe a = edgy_element(), b = edgy_element(), got, want;

        LEAF(mul)(&got, &a, &b);
        fe_mul(&want, &a, &b);
        assert_same(got, want);
        LEAF(mul)(&a, &a, &b);
        assert_same(a, want);
    }
}

TEST(squaring_equals_its_twin)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        struct fe a = edgy_element(), got, want;
        unsigned times = 1 + i % 3;

        LEAF(sqr)(&got, &a, times);
        fe_sqr_times(&want, &a, times);
        assert_same(got, want);
    }
}

/* The ladder takes coordinates as they come from a packet, below 2^255, and clamped scalars: of the
 * swaps bit 254 is set, bits 1 and 0 are not. The results are the same fractions. */
static void check_ladder(void leaf(struct fe *x, struct fe *z, const uint8_t swaps[32]),
                         struct fe point)
{
    struct fe got_x = point, got_z, want_x = point, want_z;
    uint8_t swaps[32];

    for (unsigned j = 0; j < sizeof(swaps); j++)
        swaps[j] = (uint8_t)random_word();
    swaps[0] &= 0xfc;
    swaps[31] |= 0x40;
    leaf(&got_x, &got_z, swaps);
    ladder(&want_x, &want_z, swaps);
    assert_true(got_x.limb[7] < 0x80000000 + 40);
    assert_true(got_z.limb[7] < 0x80000000 + 40);
    fe_mul(&got_x, &got_x, &want_z);
    fe_mul(&want_x, &want_x, &got_z);
    assert_same(got_x, want_x);
}

TEST(the_ladder_equals_its_twin)
{
    for (unsigned i = 0; i < LADDERS; i++) {
        struct fe point = edgy_element();

        point.limb[7] &= 0x7fffffff;
        check_ladder(LEAF(ladder), point);
    }
}

#if WYRM_ARCH_ARMV6M || (WYRM_ARCH_RV32 && !WYRM_SMALL)
void LEAF(ladder_from_9)(struct fe *x, struct fe *z, const uint8_t swaps[32]);

TEST(the_ladder_from_the_base_point_equals_its_twin)
{
    for (unsigned i = 0; i < LADDERS; i++)
        check_ladder(LEAF(ladder_from_9), (struct fe){{9}});
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(multiplication_equals_its_twin),
        RUN(squaring_equals_its_twin),
        RUN(the_ladder_equals_its_twin),
#if WYRM_ARCH_ARMV6M || (WYRM_ARCH_RV32 && !WYRM_SMALL)
        RUN(the_ladder_from_the_base_point_equals_its_twin),
#endif
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
    board_print("no leaves of X25519 on this core\n");
    return 0;
}

#endif

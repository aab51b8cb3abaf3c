/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The assembly of the 26-bit X25519 field against its portable twin, whose file is included here.
 * They give the same limbs, not only the same value. Operands are what the ladder multiplies: sums
 * and differences, with many limbs at the ends of their range.
 */
#define WYRM_X25519_ASM  0
#define wyrm_x25519      twin_x25519
#define wyrm_x25519_base twin_x25519_base
#include "../../../src/crypto/c/wyrm_x25519.c"
#undef wyrm_x25519
#undef wyrm_x25519_base

#include "random_word.h"

#include <string.h>

#include "test.h"

#if WYRM_ASM && WYRM_ARCH_XTENSA && WYRM_FE_BITS == 26

void wyrm_fe_mul_xtensa(struct fe *out, const struct fe *a, const struct fe *b);
void wyrm_fe_sqr_xtensa(struct fe *out, const struct fe *a, unsigned times);
void wyrm_fe_ladder_xtensa(struct fe *x, struct fe *z, const uint8_t swaps[32]);

#ifndef CHECK_ROUNDS
#define CHECK_ROUNDS 1000
#endif

enum { ROUNDS = CHECK_ROUNDS, LADDERS = ROUNDS / 1000 + 2 }; /* of 255 steps each */

/* A result of mul: limbs from 0 to 2^26 - 1, but for the top one. */
static struct fe edgy_product(void)
{
    static const int32_t edges[] = {0, (int32_t)FE_MASK, (int32_t)FE_MASK - 18, 1};
    struct fe a;

    for (unsigned i = 0; i < FE_LIMBS; i++) {
        uint32_t choice = random_word();

        a.limb[i] = choice & 0x300 ? edges[choice >> 16 & 3] : (int32_t)(random_word() & FE_MASK);
    }
    a.limb[FE_LIMBS - 1] >>= FE_BITS - FE_TOP;
    a.limb[FE_LIMBS - 1] += (int32_t)(random_word() % 0x20000) - 0x10000;
    return a;
}

static struct fe edgy_difference(void)
{
    struct fe a = edgy_product(), b = edgy_product();

    fe_sub(&a, &a, &b);
    return a;
}

static struct fe edgy_sum(void)
{
    struct fe a = edgy_product(), b = edgy_product();

    fe_add(&a, &a, &b);
    return a;
}

static void assert_same(const struct fe *got, const struct fe *want)
{
    assert_memory_equal(got, want, sizeof(*want));
}

TEST(multiplication_equals_its_twin)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        struct fe a = i % 2 ? edgy_sum() : edgy_difference();
        struct fe b = i % 4 < 2 ? edgy_difference() : edgy_product(), got, want;

        wyrm_fe_mul_xtensa(&got, &a, &b);
        fe_mul(&want, &a, &b);
        assert_same(&got, &want);
        wyrm_fe_mul_xtensa(&a, &a, &b);
        assert_same(&a, &want);
    }
}

TEST(squaring_equals_its_twin)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        struct fe a = i % 2 ? edgy_sum() : edgy_difference(), got, want;
        unsigned times = 1 + i % 3;

        wyrm_fe_sqr_xtensa(&got, &a, times);
        fe_sqr_times(&want, &a, times);
        assert_same(&got, &want);
    }
}

/* The ladder takes coordinates as they come from a packet, below 2^255, and clamped scalars: of the
 * swaps bit 254 is set, bits 1 and 0 are not. The results are the same fractions. */
TEST(the_ladder_equals_its_twin)
{
    for (unsigned i = 0; i < LADDERS; i++) {
        uint8_t swaps[32], point[32], got_bytes[32], want_bytes[32];
        struct fe got_x, got_z, want_x, want_z;

        for (unsigned j = 0; j < sizeof(swaps); j++) {
            swaps[j] = (uint8_t)random_word();
            point[j] = (uint8_t)(i % 2 ? random_word() : 0xff);
        }
        swaps[0] &= 0xfc;
        swaps[31] |= 0x40;
        fe_load(&got_x, point);
        want_x = got_x;
        wyrm_fe_ladder_xtensa(&got_x, &got_z, swaps);
        ladder(&want_x, &want_z, swaps);
        fe_mul(&got_x, &got_x, &want_z);
        fe_mul(&want_x, &want_x, &got_z);
        fe_store(got_bytes, &got_x);
        fe_store(want_bytes, &want_x);
        assert_memory_equal(got_bytes, want_bytes, 32);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(multiplication_equals_its_twin),
        RUN(squaring_equals_its_twin),
        RUN(the_ladder_equals_its_twin),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
    board_print("no 26-bit leaves of X25519 on this core\n");
    return 0;
}

#endif

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The assembly of the 13-bit X25519 field against its portable twin, whose file is included here.
 * They give the same limbs, not only the same value. Operands are sums and differences of reduced
 * elements, with many limbs at the ends of their range.
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

#if WYRM_ASM && WYRM_ARCH_ARMV7M

#define LEAF(name) wyrm_fe_##name##_armv7m

/* An element as the assembly holds it. */
struct wide {
    int32_t limb[FE_LIMBS];
};

void LEAF(add)(struct wide *out, const struct wide *a, const struct wide *b);
void LEAF(sub)(struct wide *out, const struct wide *a, const struct wide *b);
void LEAF(mul)(struct wide *out, const struct wide *a, const struct wide *b);
void LEAF(sqr)(struct wide *out, const struct wide *a);
void LEAF(mul_a24)(struct wide *out, const struct wide *a, const struct wide *b);
void LEAF(select)(struct wide *out, const struct wide *a, uint32_t mask);

#ifndef CHECK_ROUNDS
#define CHECK_ROUNDS 5000
#endif

enum { ROUNDS = CHECK_ROUNDS, LIMIT = 4096 + 16 };

static int16_t edgy_limb(int limit)
{
    static const int edges[] = {0, 1, -1, 2};
    uint32_t choice = random_word();

    if (choice & 0x100)
        return (int16_t)(choice & 0x200 ? limit : -limit);
    if (choice & 0x400)
        return (int16_t)edges[choice >> 16 & 3];
    return (int16_t)((int)(random_word() % (2u * (unsigned)limit + 1)) - limit);
}

static struct fe edgy_element(int limit)
{
    struct fe a;

    for (unsigned i = 0; i < FE_LIMBS; i++)
        a.limb[i] = edgy_limb(i < FE_LIMBS - 1 ? limit : limit >> 5);
    return a;
}

static struct wide widened(const struct fe *a)
{
    struct wide w;

    for (unsigned i = 0; i < FE_LIMBS; i++)
        w.limb[i] = a->limb[i];
    return w;
}

static void assert_same(const struct wide *got, const struct fe *want)
{
    struct wide w = widened(want);

    assert_memory_equal(got->limb, w.limb, sizeof(w.limb));
}

/* a^(2^times) */
static void leaf_sqr(struct wide *out, const struct wide *a, unsigned times)
{
    LEAF(sqr)(out, a);
    while (--times > 0)
        LEAF(sqr)(out, out);
}

/* Leaves may round elsewhere than their twins, within the same bounds. */
static void assert_same_element(const struct wide *got, const struct fe *want)
{
    struct fe a, b = *want;
    uint8_t bytes_a[32], bytes_b[32];

    for (unsigned i = 0; i < FE_LIMBS; i++) {
        assert_true(got->limb[i] >= -LIMIT && got->limb[i] <= LIMIT);
        a.limb[i] = (int16_t)got->limb[i];
    }
    fe_store(bytes_a, &a);
    fe_store(bytes_b, &b);
    assert_memory_equal(bytes_a, bytes_b, sizeof(bytes_a));
}

TEST(products_equal_their_twins)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        struct fe a = edgy_element(2 * LIMIT), b = edgy_element(2 * LIMIT), want;
        struct wide wide_a = widened(&a), wide_b = widened(&b), got;
        unsigned times = 1 + i % 3;

        LEAF(mul)(&got, &wide_a, &wide_b);
        fe_mul(&want, &a, &b);
        assert_same_element(&got, &want);
        LEAF(mul)(&wide_b, &wide_a, &wide_b);
        assert_same_element(&wide_b, &want);
        leaf_sqr(&got, &wide_a, times);
        fe_sqr_times(&want, &a, times);
        assert_same_element(&got, &want);
        leaf_sqr(&wide_a, &wide_a, times);
        assert_same_element(&wide_a, &want);
    }
}

TEST(the_rest_of_the_arithmetic_equals_its_twins)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        struct fe a = edgy_element(LIMIT), b = edgy_element(LIMIT), want;
        struct wide wide_a = widened(&a), wide_b = widened(&b), got;
        uint32_t mask = 0u - i % 2;

        LEAF(add)(&got, &wide_a, &wide_b);
        fe_add(&want, &a, &b);
        assert_same(&got, &want);
        LEAF(sub)(&got, &wide_a, &wide_b);
        fe_sub(&want, &a, &b);
        assert_same(&got, &want);
        fe_select(&want, &a, mask);
        LEAF(select)(&got, &wide_a, mask);
        assert_same(&got, &want);
        fe_sub(&b, &a, &b);
        wide_b = widened(&b);
        LEAF(mul_a24)(&wide_a, &wide_a, &wide_b);
        fe_mul_a24(&want, &a, &b);
        assert_same_element(&wide_a, &want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(products_equal_their_twins),
        RUN(the_rest_of_the_arithmetic_equals_its_twins),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
    board_print("no leaves of the 13-bit X25519 field on this core\n");
    return 0;
}

#endif

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Compares every assembly leaf with its portable twin, on random words that include many zeros and
 * ones, and checks the stack for residue.
 */
#include "random_word.h"
#include "twins.h"

#include <string.h>

#include "test.h"

#ifndef CHECK_ROUNDS
#define CHECK_ROUNDS 5000
#endif

enum { ROUNDS = CHECK_ROUNDS, MAX_BLOCKS = 5, SLACK = 8 };

/* Words at which carries and comparisons go wrong, as often as any others. */
static uint32_t edgy_word(void)
{
    static const uint32_t edges[] = {0, 1, 2, 3, 0x7fffffff, 0x80000000, 0xfffffffb, 0xffffffff};
    uint32_t choice = random_word();

    return choice & 0x100 ? edges[choice >> 16 & 7] : random_word();
}

static void fill_edgy(void *memory, size_t len)
{
    uint8_t *p = memory;

    for (size_t i = 0; i < len; i += 4) {
        uint32_t word = edgy_word();

        memcpy(p + i, &word, len - i < 4 ? len - i : 4);
    }
}

TEST(chacha20_blocks_equals_its_twin)
{
    uint8_t in[64 * MAX_BLOCKS + SLACK], got[sizeof(in)], want[sizeof(in)];
    uint32_t a[WYRM_CHACHA20_WORDS], b[WYRM_CHACHA20_WORDS];

    for (unsigned i = 0; i < ROUNDS / 2; i++) {
        size_t blocks = 1 + random_word() % MAX_BLOCKS;
        uint8_t *from = in + i % 4, *to = got + i / 4 % 4, *twin_to = want + i / 4 % 4;

        fill_edgy(a, sizeof(a));
        memcpy(b, a, sizeof(b));
        fill_edgy(in, sizeof(in));
        fill_edgy(got, sizeof(got));
        memcpy(want, got, sizeof(want));
        if (i / 16 % 2) { /* in place */
            memcpy(to, from, 64 * blocks);
            memcpy(twin_to, from, 64 * blocks);
            wyrm_chacha20_blocks(a, to, to, blocks);
            twin_chacha20_blocks(b, twin_to, twin_to, blocks);
        } else {
            wyrm_chacha20_blocks(a, to, from, blocks);
            twin_chacha20_blocks(b, twin_to, from, blocks);
        }
        assert_memory_equal(got, want, sizeof(want));
        assert_memory_equal(a, b, sizeof(a));
    }
}

/* A state as init and earlier blocks may leave it. */
static void random_poly1305(struct wyrm_poly1305 *p)
{
    _Alignas(uint32_t) uint8_t key[32];
    uint8_t blocks[32];

    fill_edgy(key, sizeof(key));
    fill_edgy(blocks, sizeof(blocks));
    wyrm_poly1305_init(p, key);
    twin_poly1305_blocks(p, blocks, 2, 1);
#if WYRM_POLY1305_BITS == 32
    fill_edgy(p->h, 4 * sizeof(p->h[0]));
    p->h[4] = random_word() % 5;
#endif
}

/* Sums may differ by p where both of them are small enough for finish. */
static void assert_same_sum(struct wyrm_poly1305 *a, struct wyrm_poly1305 *b)
{
    uint8_t got[WYRM_AEAD_TAG_LEN], want[WYRM_AEAD_TAG_LEN];

#if WYRM_POLY1305_BITS == 32
    assert_true(a->h[4] <= 4);
#endif
    wyrm_poly1305_finish(a, got);
    wyrm_poly1305_finish(b, want);
    assert_memory_equal(got, want, sizeof(want));
    memset(a->h, 0, sizeof(a->h));
    memset(b->h, 0, sizeof(b->h));
    assert_memory_equal(a, b, sizeof(*a));
}

TEST(poly1305_blocks_equals_its_twin)
{
    uint8_t in[16 * MAX_BLOCKS + SLACK];
    struct wyrm_poly1305 a, b;

    for (unsigned i = 0; i < ROUNDS; i++) {
        size_t blocks = 1 + random_word() % MAX_BLOCKS;
        uint32_t top = blocks == 1 ? random_word() & 1 : 1;

        random_poly1305(&a);
        b = a;
        fill_edgy(in, sizeof(in));
        wyrm_poly1305_blocks(&a, in + i % 4, blocks, top);
        twin_poly1305_blocks(&b, in + i % 4, blocks, top);
        assert_same_sum(&a, &b);
    }
}

TEST(blake2s_compress_equals_its_twin)
{
    uint8_t block[WYRM_HASH_BLOCK_LEN + SLACK];
    struct wyrm_blake2s a, b;

    for (unsigned i = 0; i < ROUNDS; i++) {
        uint32_t last = i / 4 % 2 ? 0 : ~UINT32_C(0);

        fill_edgy(&a, sizeof(a));
        b = a;
        fill_edgy(block, sizeof(block));
        wyrm_blake2s_compress(&a, block + i % 4, last);
        twin_blake2s_compress(&b, block + i % 4, last);
        assert_memory_equal(&a, &b, sizeof(a));
    }
}

/* ---- What is left on the stack ---------------------------------------- */

enum { RESIDUE = 512, PAINT = 0x5a, OWN_FRAME = 8 }; /* words */

static uint8_t secret[32], packet[200 + WYRM_AEAD_TAG_LEN], out[96];

static void run_seal(void)
{
    struct wyrm_span spans[2] = {{packet, 40}, {packet + 40, 160}};
    static uint8_t sealed[sizeof(packet)];

    wyrm_aead_seal(sealed, spans, 2, 0, NULL, 0, out + 64, secret);
}

static void run_open(void)
{
    wyrm_aead_open(packet, sizeof(packet), NULL, 0, out + 64, secret);
}

static void run_xor(void)
{
    wyrm_chacha20_xor(packet, packet, sizeof(packet), secret, out + 64, 1);
}

static void run_hchacha(void)
{
    wyrm_hchacha20(out, secret, out + 64);
}

static void run_poly1305(void)
{
    wyrm_poly1305(out, packet, sizeof(packet), secret);
}

static void run_mac(void)
{
    wyrm_blake2s(out, 16, secret, 32, packet, 116);
}

static void run_hmac(void)
{
    wyrm_hmac(out, secret, 32, packet, 32);
}

static void run_kdf(void)
{
    wyrm_kdf(out, out + 32, out + 64, secret, packet, 32);
}

static void run_x25519(void)
{
    (void)wyrm_x25519(out, secret, packet);
}

static uint32_t residue[RESIDUE];

/* Runs on a painted stack and copies what is left of it below this frame. Without arguments that
 * differ from run to run, lest they be found there. */
__attribute__((noinline)) static void leave_residue(void (*run)(void))
{
    volatile uint32_t *top = (volatile uint32_t *)__builtin_frame_address(0) - OWN_FRAME;

    for (volatile uint32_t *word = top - RESIDUE; word < top; word++)
        *word = PAINT;
    run();
    for (unsigned i = 0; i < RESIDUE; i++)
        residue[i] = (top - RESIDUE)[i];
}

TEST(no_call_leaves_a_word_that_depends_on_its_secrets)
{
    static void (*const runs[])(void) = {run_seal, run_open, run_xor, run_hchacha, run_poly1305,
                                         run_mac,  run_hmac, run_kdf, run_x25519};
    static uint32_t first[RESIDUE];
    static volatile unsigned turn; /* in memory: a register would show on the stack */

    for (unsigned i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
        for (turn = 0; turn < 2; turn++) {
            memset(out, 0, sizeof(out));
            fill_edgy(secret, sizeof(secret));
            memset(packet, (int)(1 + turn), sizeof(packet));
            /* The same in every turn, lest registers for arguments still hold what differs. */
            memset(residue, 0, sizeof(residue));
            leave_residue(runs[i]);
            if (turn == 0)
                memcpy(first, residue, sizeof(first));
        }
        for (unsigned w = 0; w < RESIDUE; w++) {
            if (first[w] != residue[w]) {
                print_number("run ", i);
                print_number(" differs in the word at -", 4 * (RESIDUE - w));
                board_print("\n");
            }
        }
        assert_memory_equal(first, residue, sizeof(first));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(chacha20_blocks_equals_its_twin),
        RUN(poly1305_blocks_equals_its_twin),
        RUN(blake2s_compress_equals_its_twin),
        RUN(no_call_leaves_a_word_that_depends_on_its_secrets),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

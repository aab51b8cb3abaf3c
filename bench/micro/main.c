/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Counts instructions and stack of every primitive. Prints one line each: its name, instructions
 * (0 where somebody else counts them), bytes of stack. Fails if the counter does not agree with a
 * loop of known length.
 */
#include "bench.h"
#include "board.h"
#include "print.h"

#include <stdbool.h>

#define PAINT          0xc0ffee11
#define KNOWN_ROUNDS   UINT32_C(1000000)
#define KNOWN_SLACK    16
#define FRAME_OF_PAINT 16 /* words that painting must leave alone: its own */

struct measurement {
    uint32_t instructions;
    uint32_t stack_bytes;
};

static void nothing(void)
{
}

static uint32_t count(void (*run)(void))
{
    uint32_t before = board_instructions();

    run();
    return board_instructions() - before;
}

/* noinline: the painted words must lie below the frame that runs the primitive. */
__attribute__((noinline)) static uint32_t *paint(void)
{
    uint32_t *top = (uint32_t *)__builtin_frame_address(0) - FRAME_OF_PAINT;

    for (volatile uint32_t *word = board_stack_bottom; word < top; word++)
        *word = PAINT;
    return top;
}

static struct measurement measure(void (*prepare)(void), void (*run)(void))
{
    struct measurement m;
    uint32_t *here = __builtin_frame_address(0);
    volatile uint32_t *word = board_stack_bottom;

    if (prepare)
        prepare();
    m.instructions = count(run);
    if (prepare)
        prepare();
    paint();
    run();
    while (*word == PAINT)
        word++;
    m.stack_bytes = (uint32_t)((uintptr_t)here - (uintptr_t)word);
    return m;
}

static bool counter_is_true(void)
{
    uint32_t before = board_instructions(), seen;

    board_known_loop(KNOWN_ROUNDS);
    seen = board_instructions() - before;
    return seen >= 2 * KNOWN_ROUNDS && seen < 2 * KNOWN_ROUNDS + KNOWN_SLACK + count(nothing);
}

static void report(const struct primitive *primitives, size_t n)
{
    uint32_t call = count(nothing);

    for (size_t i = 0; i < n; i++) {
        struct measurement m = measure(primitives[i].prepare, primitives[i].run);

        board_print(primitives[i].name);
        print_number(" ", m.instructions - call);
        print_number(" ", m.stack_bytes);
        board_print("\n");
    }
}

int main(void)
{
    if (!counter_is_true() && board_counts) {
        board_print("The instruction counter does not agree with a loop of known length; "
                    "run the emulator with the options in the board's file.\n");
        return 1;
    }
    report(symmetric_primitives, symmetric_primitive_count);
    report(x25519_primitives, x25519_primitive_count);
    report(handshake_primitives, handshake_primitive_count);
    return 0;
}

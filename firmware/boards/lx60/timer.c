/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The device clock: CCOUNT since reset, less the time of emulating MULUH and MULSH, which an ESP32
 * has. Every reading extends it to 64 bits, and every tick reads it.
 *
 * The cost of one emulation is measured at start-up, relative to MULL, which the core has. If the
 * emulator gives every instruction the same time (-icount), all measurements are equal; if it
 * follows the host's time they differ, and then nothing is deducted.
 */
#include "board_api.h"

#include "FreeRTOS.h"

#include "board.h"
#include "lx60_private.h"

#define TICKS_PER_US (BOARD_CLOCK_HZ / 1000000u)
#define ROUNDS       1024u /* per measurement: a power of two */
#define TOLERANCE    4096u /* a measurement may differ by one in so many */
#define SOONEST      64u   /* ticks: enough to write the register */

static uint32_t price; /* of a product, in ticks / ROUNDS */
static uint32_t owed;  /* ticks to be taken off */

/* Not inlined: nothing else may execute between the two reads of CCOUNT. */
static __attribute__((noinline)) uint32_t time_products(void)
{
    uint32_t rounds = ROUNDS, start = cycle_count();

    __asm volatile("1: .byte 0x90, 0x89, 0xa2\n" /* muluh a8, a9, a9 */
                   "addi %0, %0, -1\n"
                   "bnez %0, 1b\n"
                   : "+r"(rounds)
                   :
                   : "a8", "a9");
    return cycle_count() - start;
}

static __attribute__((noinline)) uint32_t time_low_products(void)
{
    uint32_t rounds = ROUNDS, start = cycle_count();

    __asm volatile("1: mull a8, a9, a9\n"
                   "addi %0, %0, -1\n"
                   "bnez %0, 1b\n"
                   : "+r"(rounds)
                   :
                   : "a8", "a9");
    return cycle_count() - start;
}

void timer_start(void)
{
    uint32_t least = UINT32_MAX, most = 0;

    (void)time_products(); /* the emulator translates new code first */
    (void)time_low_products();
    for (int i = 0; i < 6; i++) {
        uint32_t more = time_products() - time_low_products();

        least = more < least ? more : least;
        most = more > most ? more : most;
    }
    price = most - least <= 2 + least / TOLERANCE ? least : 0;
    (void)board_clock_ticks();
}

static uint32_t ticks_of_products(void)
{
    static uint32_t seen, fraction;
    uint32_t count = lx60_products[16], fresh = count - seen;

    seen = count;
    fraction += fresh * price; /* every tick reads it, so it is far below 32 bits */

    uint32_t ticks = fraction / ROUNDS;

    fraction %= ROUNDS;
    return ticks;
}

/* Ticks since the last reading, less the pending deduction. */
static uint32_t advance(void)
{
    static uint32_t last;
    uint32_t count = cycle_count(), passed = count - last;

    last = count;
    owed += ticks_of_products();

    uint32_t off = owed < passed ? owed : passed;

    owed -= off;
    return passed - off;
}

static uint64_t ticks, microseconds;

static void look(void)
{
    static uint32_t rest;
    uint32_t passed = advance();

    ticks += passed;
    rest += passed;
    microseconds += rest / TICKS_PER_US;
    rest %= TICKS_PER_US;
}

uint64_t board_clock_ticks(void)
{
    uint32_t state = port_mask_interrupts();

    look();

    uint64_t now = ticks;

    port_restore_interrupts(state);
    return now;
}

uint64_t board_clock_us(void)
{
    uint32_t state = port_mask_interrupts();

    look();

    uint64_t now = microseconds;

    port_restore_interrupts(state);
    return now;
}

/* Saving and restoring registers takes about as long as a product. */
void timer_excuse(uint32_t since)
{
    if (price)
        owed += cycle_count() - since + price / ROUNDS;
}

void timer_compare(uint32_t left)
{
    uint32_t at, now;

    if (left < SOONEST)
        left = SOONEST;
    do {
        at = cycle_count() + left;
        __asm volatile("wsr %0, ccompare0\n esync" : : "r"(at) : "memory");
        now = cycle_count();
        left *= 2;
    } while ((int32_t)(now - at) >= 0); /* the host suspended the emulator meanwhile */
}

/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Compiler helpers for 64-bit products and quotients: Debian has no such library for the windowed
 * ABI. Names and semantics are GCC's (libgcc, integer library routines).
 */
#include <stdint.h>

union wide {
    uint64_t whole;
    struct {
        uint32_t low, high;
    };
};

uint64_t __muldi3(uint64_t a, uint64_t b);
uint64_t __udivdi3(uint64_t n, uint64_t d);
uint64_t __umoddi3(uint64_t n, uint64_t d);
int64_t __divdi3(int64_t n, int64_t d);
int64_t __moddi3(int64_t n, int64_t d);

static union wide product(uint32_t a, uint32_t b)
{
    uint32_t a0 = a & 0xffff, a1 = a >> 16, b0 = b & 0xffff, b1 = b >> 16;
    uint32_t low = a0 * b0, cross = a1 * b0 + (low >> 16);
    uint32_t other = a0 * b1 + (cross & 0xffff);

    return (union wide){.low = other << 16 | (low & 0xffff),
                        .high = a1 * b1 + (cross >> 16) + (other >> 16)};
}

uint64_t __muldi3(uint64_t a, uint64_t b)
{
    union wide x = {a}, y = {b}, p = product(x.low, y.low);

    p.high += x.low * y.high + x.high * y.low;
    return p.whole;
}

/* Computes the quotient bit by bit, skipping leading zeros. */
static uint64_t divide(uint64_t n, uint64_t d, uint64_t *rest)
{
    union wide a = {n}, b = {d};
    uint64_t quotient = 0;

    if (a.high == 0 && b.high == 0) {
        *rest = a.low % b.low;
        return a.low / b.low;
    }
    if (d > n) {
        *rest = n;
        return 0;
    }

    unsigned shift = b.high ? (unsigned)(__builtin_clz(b.high) - __builtin_clz(a.high))
                            : (unsigned)(32 + __builtin_clz(b.low) - __builtin_clz(a.high));

    d <<= shift;
    for (unsigned i = 0; i <= shift; i++) {
        quotient <<= 1;
        if (n >= d) {
            n -= d;
            quotient |= 1;
        }
        d >>= 1;
    }
    *rest = n;
    return quotient;
}

uint64_t __udivdi3(uint64_t n, uint64_t d)
{
    uint64_t rest;

    return divide(n, d, &rest);
}

uint64_t __umoddi3(uint64_t n, uint64_t d)
{
    uint64_t rest;

    (void)divide(n, d, &rest);
    return rest;
}

static uint64_t magnitude(int64_t value)
{
    return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

int64_t __divdi3(int64_t n, int64_t d)
{
    uint64_t rest, quotient = divide(magnitude(n), magnitude(d), &rest);

    return (int64_t)((n < 0) != (d < 0) ? 0 - quotient : quotient);
}

int64_t __moddi3(int64_t n, int64_t d)
{
    uint64_t rest;

    (void)divide(magnitude(n), magnitude(d), &rest);
    return (int64_t)(n < 0 ? 0 - rest : rest);
}

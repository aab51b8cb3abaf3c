/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * memcpy() and memset() of boards/virt at every alignment and many lengths; the exit code is 0 if
 * no byte is wrong. Compiled with -fno-builtin, so that these very functions run.
 */
#include <stdint.h>
#include <string.h>

#define SIZE    300u
#define BEFORE  16u
#define LENGTHS 150u

static uint8_t from[SIZE], to[SIZE];

static int holds(unsigned at, unsigned len, const uint8_t *expected, uint8_t fill)
{
    for (unsigned i = 0; i < SIZE; i++) {
        int inside = i >= at && i < at + len;
        uint8_t wanted = !inside ? 0xee : expected ? expected[i - at] : fill;

        if (to[i] != wanted)
            return 0;
    }
    return 1;
}

static void clear(void)
{
    for (unsigned i = 0; i < SIZE; i++)
        to[i] = 0xee;
}

int main(void)
{
    for (unsigned i = 0; i < SIZE; i++)
        from[i] = (uint8_t)(i * 7 + 1);
    for (unsigned source = 0; source < 5; source++) {
        for (unsigned at = BEFORE; at < BEFORE + 5; at++) {
            for (unsigned len = 0; len < LENGTHS; len++) {
                clear();
                if (memcpy(to + at, from + source, len) != to + at ||
                    !holds(at, len, from + source, 0))
                    return 1;
                clear();
                if (memset(to + at, 0x5a1, len) != to + at || !holds(at, len, NULL, 0xa1))
                    return 2;
            }
        }
    }
    return 0;
}

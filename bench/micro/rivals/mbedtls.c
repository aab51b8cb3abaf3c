/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Memory for the C library's heap, from which Mbed TLS has its big numbers. newlib and picolibc ask
 * for it under different names.
 */
#include <stddef.h>
#include <stdint.h>

enum { HEAP = 24 * 1024 };

void *_sbrk(ptrdiff_t more);
void *sbrk(ptrdiff_t more);

void *sbrk(ptrdiff_t more)
{
    static _Alignas(8) uint8_t heap[HEAP];
    static ptrdiff_t top;
    void *given = heap + top;

    if (more > HEAP - top)
        return (void *)-1;
    top += more;
    return given;
}

void *_sbrk(ptrdiff_t more)
{
    return sbrk(more);
}

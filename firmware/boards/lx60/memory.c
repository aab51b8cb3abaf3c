/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The functions of string.h and stdlib.h that the firmware uses: Debian's C library for Xtensa is
 * built for calls without register windows. memcpy() and memset() are in memory.S.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The compiler recognises these loops and would replace them by a call to the same function. */
#define PLAIN __attribute__((no_builtin))

PLAIN void *memmove(void *to, const void *from, size_t len)
{
    uint8_t *out = to;
    const uint8_t *in = from;

    if ((uintptr_t)to - (uintptr_t)from >= len)
        return memcpy(to, from, len);
    while (len-- > 0)
        out[len] = in[len];
    return to;
}

PLAIN int memcmp(const void *a, const void *b, size_t len)
{
    const uint8_t *x = a, *y = b;

    for (; len > 0; len--, x++, y++)
        if (*x != *y)
            return *x < *y ? -1 : 1;
    return 0;
}

PLAIN void *memchr(const void *memory, int byte, size_t len)
{
    const uint8_t *at = memory;

    for (; len > 0; len--, at++)
        if (*at == (uint8_t)byte)
            return (void *)(uintptr_t)at;
    return NULL;
}

PLAIN size_t strlen(const char *text)
{
    size_t len = 0;

    while (text[len])
        len++;
    return len;
}

PLAIN int strcmp(const char *a, const char *b)
{
    return strncmp(a, b, SIZE_MAX);
}

PLAIN int strncmp(const char *a, const char *b, size_t len)
{
    for (; len > 0; len--, a++, b++) {
        if (*a != *b)
            return (uint8_t)*a < (uint8_t)*b ? -1 : 1;
        if (*a == '\0')
            break;
    }
    return 0;
}

PLAIN char *strchr(const char *text, int wanted)
{
    for (;; text++) {
        if (*text == (char)wanted)
            return (char *)(uintptr_t)text;
        if (*text == '\0')
            return NULL;
    }
}

PLAIN size_t strcspn(const char *text, const char *ends)
{
    size_t len = 0;

    while (text[len] && !strchr(ends, text[len]))
        len++;
    return len;
}

int atoi(const char *text)
{
    int value = 0;

    for (; *text >= '0' && *text <= '9'; text++)
        value = value * 10 + (*text - '0');
    return value;
}

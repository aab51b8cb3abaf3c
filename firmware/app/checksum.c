/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The Internet checksum (RFC 1071), the second most expensive thing plain TCP does here. Sums
 * words into 64 bits, so carries are folded once at the end; lwIP's own sums half-words.
 */
#include <stddef.h>
#include <stdint.h>

uint16_t net_checksum(const void *data, int len);

static uint32_t fold(uint64_t sum)
{
    sum = (sum & UINT32_MAX) + (sum >> 32);
    sum = (sum & UINT32_MAX) + (sum >> 32);
    sum = (sum & 0xffffu) + (sum >> 16);
    sum = (sum & 0xffffu) + (sum >> 16);
    sum = (sum & 0xffffu) + (sum >> 16);
    return (uint32_t)sum;
}

static uint64_t sum_words(const uint32_t *p, size_t words)
{
    uint64_t sum = 0;

    for (; words >= 8; words -= 8, p += 8) {
        sum += p[0];
        sum += p[1];
        sum += p[2];
        sum += p[3];
        sum += p[4];
        sum += p[5];
        sum += p[6];
        sum += p[7];
    }
    for (; words; words--)
        sum += *p++;
    return sum;
}

/* The sum as lwIP wants it: folded to 16 bits, not inverted, in the byte order of memory. */
uint16_t net_checksum(const void *data, int len)
{
    const uint8_t *p = data;
    size_t left = (size_t)len;
    uint64_t sum = 0;
    int odd = (uintptr_t)p & 1;

    if (odd && left) {
        sum = (uint64_t)*p++ << 8;
        left--;
    }
    if (((uintptr_t)p & 2) && left >= 2) {
        sum += *(const uint16_t *)(const void *)p;
        p += 2;
        left -= 2;
    }
    sum += sum_words((const uint32_t *)(const void *)p, left / 4);
    p += left & ~(size_t)3;
    if (left & 2) {
        sum += *(const uint16_t *)(const void *)p;
        p += 2;
    }
    if (left & 1)
        sum += *p;

    uint32_t folded = fold(sum);

    /* Bytes of an odd start sit in the other half of each half-word. */
    return (uint16_t)(odd ? (folded & 0xff) << 8 | folded >> 8 : folded);
}

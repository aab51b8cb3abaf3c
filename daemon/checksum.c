/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The sum of 16-bit words is the same in either byte order, except that its own bytes are swapped.
 * So the sum is taken in native words, and stored the way the packet was read.
 */
#include "checksum.h"

#include <string.h>

static uint64_t word(const uint8_t *p)
{
    uint64_t value;

    memcpy(&value, p, sizeof(value));
    return value;
}

uint64_t wyrmd_sum(uint64_t sum, const void *bytes, size_t len)
{
    const uint8_t *p = bytes;
    uint64_t low = 0, high = 0;
    uint8_t tail[8] = {0};

    /* Halves are summed separately, so neither sum overflows before 2^32 words. */
    for (; len >= 32; len -= 32, p += 32) {
        uint64_t a = word(p), b = word(p + 8), c = word(p + 16), e = word(p + 24);

        low += (a & UINT32_MAX) + (b & UINT32_MAX) + (c & UINT32_MAX) + (e & UINT32_MAX);
        high += (a >> 32) + (b >> 32) + (c >> 32) + (e >> 32);
    }
    for (; len >= 8; len -= 8, p += 8) {
        low += word(p) & UINT32_MAX;
        high += word(p) >> 32;
    }
    memcpy(tail, p, len);
    low += word(tail) & UINT32_MAX;
    high += word(tail) >> 32;
    return sum + low + high;
}

uint64_t wyrmd_sum_pseudo(uint64_t sum, const uint8_t *ip, uint8_t protocol, size_t len)
{
    uint8_t rest[4] = {0, protocol, (uint8_t)(len >> 8), (uint8_t)len};

    sum = ip[0] >> 4 == 4 ? wyrmd_sum(sum, ip + 12, 8) : wyrmd_sum(sum, ip + 8, 32);
    return wyrmd_sum(sum, rest, sizeof(rest));
}

uint16_t wyrmd_fold(uint64_t sum)
{
    while (sum >> 16 != 0)
        sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)sum;
}

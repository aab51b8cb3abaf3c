/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The Internet checksum (RFC 1071), the second largest cost of plain TCP here. It sums words with
 * end-around carry and folds once at the end; lwIP's version sums half-words.
 */
#include <stddef.h>
#include <stdint.h>

uint16_t net_checksum(const void *data, int len);

/* Packets are read as words, whatever their type. */
typedef uint32_t __attribute__((may_alias)) word;
typedef uint16_t __attribute__((may_alias)) half_word;

#define BLOCK 8 /* words */

static uint32_t add(uint32_t sum, uint32_t value)
{
    sum += value;
    return sum + (sum < value);
}

#if defined(__thumb2__)
/* The carry flag links the additions: 11 instructions instead of 25 in C. */
static uint32_t add_block(uint32_t sum, const word *p)
{
    __asm("ldmia %[p]!, {r3, r4, r5, r6}\n"
          "adds %[sum], %[sum], r3\n"
          "adcs %[sum], %[sum], r4\n"
          "adcs %[sum], %[sum], r5\n"
          "adcs %[sum], %[sum], r6\n"
          "ldmia %[p]!, {r3, r4, r5, r6}\n"
          "adcs %[sum], %[sum], r3\n"
          "adcs %[sum], %[sum], r4\n"
          "adcs %[sum], %[sum], r5\n"
          "adcs %[sum], %[sum], r6\n"
          "adc %[sum], %[sum], #0\n"
          : [sum] "+r"(sum), [p] "+r"(p)
          : "m"(*(const word(*)[BLOCK])p)
          : "r3", "r4", "r5", "r6", "cc");
    return sum;
}
#elif defined(__XTENSA__)
/* No carry flag: the branch skips the end-around carry. 4 instructions per word instead of 11 in
 * C. */
#define ADD_WORD(offset)                                                                           \
    "l32i %[word], %[p], " offset "\n"                                                             \
    "add %[sum], %[sum], %[word]\n"                                                                \
    "bgeu %[sum], %[word], 1f\n"                                                                   \
    "addi %[sum], %[sum], 1\n"                                                                     \
    "1:\n"

static uint32_t add_block(uint32_t sum, const word *p)
{
    uint32_t value;

    __asm(ADD_WORD("0") ADD_WORD("4") ADD_WORD("8") ADD_WORD("12") ADD_WORD("16") ADD_WORD("20")
              ADD_WORD("24") ADD_WORD("28")
          : [sum] "+r"(sum), [word] "=&r"(value)
          : [p] "r"(p), "m"(*(const word(*)[BLOCK])p));
    return sum;
}
#else
static uint32_t add_block(uint32_t sum, const word *p)
{
    for (int i = 0; i < BLOCK; i++)
        sum = add(sum, p[i]);
    return sum;
}
#endif

static uint32_t add_words(uint32_t sum, const word *p, size_t words)
{
    for (; words >= BLOCK; words -= BLOCK, p += BLOCK)
        sum = add_block(sum, p);
    while (words--)
        sum = add(sum, *p++);
    return sum;
}

static uint32_t fold(uint32_t sum)
{
    sum = (sum & 0xffffu) + (sum >> 16);
    return (sum & 0xffffu) + (sum >> 16);
}

/* Returns the sum as lwIP expects it: folded to 16 bits, not inverted, in memory byte order. */
uint16_t net_checksum(const void *data, int len)
{
    const uint8_t *p = data;
    size_t left = (size_t)len;
    uint32_t sum = 0;
    int odd = (uintptr_t)p & 1;

    if (odd && left) {
        sum = (uint32_t)*p++ << 8;
        left--;
    }
    if (((uintptr_t)p & 2) && left >= 2) {
        sum += *(const half_word *)(const void *)p;
        p += 2;
        left -= 2;
    }
    sum = add_words(sum, (const word *)(const void *)p, left / 4);
    p += left & ~(size_t)3;
    if (left & 2) {
        sum = add(sum, *(const half_word *)(const void *)p);
        p += 2;
    }
    if (left & 1)
        sum = add(sum, *p);

    uint32_t folded = fold(sum);

    /* After an odd start, the bytes of each half-word are swapped. */
    return (uint16_t)(odd ? (folded & 0xff) << 8 | folded >> 8 : folded);
}

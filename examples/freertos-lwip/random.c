/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Random bytes from the chip's generator. Without them there is no handshake, never one with weaker
 * bytes: say false rather than anything else.
 */
#include "tunnel.h"

#include <string.h>

#define TRIES 1000u /* of your generator: as many as it takes to be ready, and more */

/* Of your chip: true with a fresh word; false while there is none, or if the generator reports an
 * error. A generator whose words are raw noise (AIS 20/31, NIST SP 800-90B) needs conditioning
 * first, as by a DRBG of Mbed TLS. */
extern bool my_chip_random_word(uint32_t *word);

/* A generator that is stuck repeats itself. */
static bool next_word(uint32_t *word)
{
    static uint32_t last;

    for (unsigned i = 0; i < TRIES; i++) {
        if (!my_chip_random_word(word))
            continue;
        if (*word == last)
            return false;
        last = *word;
        return true;
    }
    return false;
}

bool my_random(void *ctx, void *out, size_t len)
{
    uint8_t *at = out;
    bool good = true;

    (void)ctx;
    while (good && len > 0) {
        size_t part = len < sizeof(uint32_t) ? len : sizeof(uint32_t);
        uint32_t word = 0;

        good = next_word(&word);
        memcpy(at, &word, part);
        at += part;
        len -= part;
    }
    return good;
}

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The anti-replay window of RFC 6479, paper section 5.4.6, independent of keys and peers. The
 * number of 32-bit words is a parameter, so that tests cover many sizes. The window is 32 less than
 * the number of bits, because a word is cleared before it is filled.
 */
#ifndef WYRM_REPLAY_H
#define WYRM_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

/* The first counter that sender and receiver refuse (paper section 6.1). */
#define WYRM_REJECT_AFTER_MESSAGES (UINT64_MAX - (UINT64_C(1) << 13))

/* True if the counter is new and within the window; then marks it as received. Call it for
 * authenticated packets only. `next` is the greatest counter plus one. */
static inline bool wyrm_replay_accept(uint64_t *next, uint32_t *ring, unsigned words,
                                      uint64_t counter)
{
    unsigned word = (unsigned)(counter / 32 % words);
    uint32_t bit = UINT32_C(1) << (counter % 32);

    if (counter >= WYRM_REJECT_AFTER_MESSAGES)
        return false;
    if (counter >= *next) {
        /* From the first bit of the greatest counter's word; 32 more before the first packet. */
        uint64_t span = counter - ((*next - 1) & ~UINT64_C(31));

        for (unsigned n = span < 32 * words ? (unsigned)span / 32 : words; n > 0;)
            ring[(word + words - --n) % words] = 0;
        *next = counter + 1;
    } else if (*next - counter > (words - 1) * UINT64_C(32) + 1) {
        return false;
    }
    if (ring[word] & bit)
        return false;
    ring[word] |= bit;
    return true;
}

#endif /* WYRM_REPLAY_H */

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The anti-replay window of RFC 6479, paper section 5.4.6. Pure: it knows neither keys nor peers.
 * The number of 32-bit words is a parameter so that tests run windows of many sizes; the window is
 * 32 less than the bits, because the word being filled is cleared ahead.
 */
#ifndef WYRM_REPLAY_H
#define WYRM_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

/* Counters from here on are refused by sender and receiver (paper section 6.1). */
#define WYRM_REJECT_AFTER_MESSAGES (UINT64_MAX - (UINT64_C(1) << 13))

/* True, once, for each counter that is new and not too far below the greatest one. To be called
 * only for authentic packets: it changes the window. `next` is one above the greatest counter. */
static inline bool wyrm_replay_accept(uint64_t *next, uint32_t *ring, unsigned words,
                                      uint64_t counter)
{
    unsigned word = (unsigned)(counter / 32 % words);
    uint32_t bit = UINT32_C(1) << (counter % 32);

    if (counter >= WYRM_REJECT_AFTER_MESSAGES)
        return false;
    if (counter >= *next) {
        /* From the start of the word of the greatest counter; 32 more before the first counter. */
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

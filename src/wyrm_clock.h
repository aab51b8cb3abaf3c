/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Widens a 32-bit millisecond counter to the clock that the core wants.
 */
#ifndef WYRM_CLOCK_H
#define WYRM_CLOCK_H

#include "wyrm.h"

#ifdef __cplusplus
extern "C" {
#endif

struct wyrm_clock {
    wyrm_ms ms;
    uint32_t last;
};

/* The wide time for a counter that now reads `ticks_ms`. Call it at least every 24 days. A counter
 * that steps back stands still instead, so the result never does. */
static inline wyrm_ms wyrm_clock_widen(struct wyrm_clock *clock, uint32_t ticks_ms)
{
    uint32_t step = ticks_ms - clock->last;

    if (step < UINT32_C(0x80000000)) {
        clock->ms += step;
        clock->last = ticks_ms;
    }
    return clock->ms;
}

#ifdef __cplusplus
}
#endif

#endif /* WYRM_CLOCK_H */

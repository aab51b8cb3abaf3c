/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The intervals of a transfer that `iperf -i` reports. Every byte belongs to exactly one of them,
 * so that their sum is the total. Knows neither lwIP nor the board, so the host tests it.
 */
#ifndef IPERF_SERIES_H
#define IPERF_SERIES_H

#include <stdbool.h>
#include <stdint.h>

/** Times in microseconds. Zero: no series. Members are private. */
struct iperf_series {
    uint64_t start, from; /* of the transfer, of the current interval */
    uint64_t period;
    uint64_t counted; /* bytes of the intervals before */
};

struct iperf_interval {
    uint64_t from, to; /* since the start */
    uint64_t bytes;
};

void iperf_series_begin(struct iperf_series *series, uint64_t now, uint32_t period_ms);

/** When the current interval ends; UINT64_MAX: there is none. */
uint64_t iperf_series_due(const struct iperf_series *series);

/** True: an interval has ended by `now`. To be called until false. Of several that have ended, the
 * first has all bytes that came since the call before. */
bool iperf_series_next(struct iperf_series *series, uint64_t now, uint64_t bytes,
                       struct iperf_interval *out);

/** The rest at the end of the transfer; false: there is none. */
bool iperf_series_end(struct iperf_series *series, uint64_t now, uint64_t bytes,
                      struct iperf_interval *out);

#endif

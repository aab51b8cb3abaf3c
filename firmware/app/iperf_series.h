/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The intervals of a transfer that `iperf -i` reports. Every byte belongs to exactly one of them,
 * so their sum is the total. Independent of lwIP and the board, so that it can be tested on the
 * host.
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

/** End of the current interval; UINT64_MAX if there is none. */
uint64_t iperf_series_due(const struct iperf_series *series);

/** True if an interval has ended by `now`; call until false. If several have ended, the first one
 * gets all bytes since the previous call. */
bool iperf_series_next(struct iperf_series *series, uint64_t now, uint64_t bytes,
                       struct iperf_interval *out);

/** The last partial interval at the end of the transfer; false if there is none. */
bool iperf_series_end(struct iperf_series *series, uint64_t now, uint64_t bytes,
                      struct iperf_interval *out);

#endif

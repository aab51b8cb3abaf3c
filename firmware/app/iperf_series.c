/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 */
#include "iperf_series.h"

void iperf_series_begin(struct iperf_series *series, uint64_t now, uint32_t period_ms)
{
    *series = (struct iperf_series){.start = now, .from = now, .period = period_ms * 1000ull};
}

uint64_t iperf_series_due(const struct iperf_series *series)
{
    return series->period > 0 ? series->from + series->period : UINT64_MAX;
}

static void take(struct iperf_series *series, uint64_t to, uint64_t bytes,
                 struct iperf_interval *out)
{
    *out = (struct iperf_interval){.from = series->from - series->start,
                                   .to = to - series->start,
                                   .bytes = bytes - series->counted};
    series->from = to;
    series->counted = bytes;
}

bool iperf_series_next(struct iperf_series *series, uint64_t now, uint64_t bytes,
                       struct iperf_interval *out)
{
    uint64_t due = iperf_series_due(series);

    if (now < due)
        return false;
    take(series, due, bytes, out);
    return true;
}

bool iperf_series_end(struct iperf_series *series, uint64_t now, uint64_t bytes,
                      struct iperf_interval *out)
{
    bool any = series->period > 0 && (now > series->from || bytes > series->counted);

    if (any)
        take(series, now, bytes, out);
    series->period = 0;
    return any;
}

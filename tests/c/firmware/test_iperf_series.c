/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The intervals that `iperf -i` reports.
 */
#include "test.h"

#include "iperf_series.h"

#define SECOND 1000000u
#define START  (77ull * SECOND)

static struct iperf_series series;
static struct iperf_interval interval;

static void expect(uint64_t from, uint64_t to, uint64_t bytes)
{
    assert_int_equal(interval.from, from);
    assert_int_equal(interval.to, to);
    assert_int_equal(interval.bytes, bytes);
}

TEST(intervals_end_on_time_and_take_what_came_in_them)
{
    iperf_series_begin(&series, START, 3000);
    assert_int_equal(iperf_series_due(&series), START + 3 * SECOND);
    assert_false(iperf_series_next(&series, START + 3 * SECOND - 1, 999, &interval));
    assert_true(iperf_series_next(&series, START + 3 * SECOND + 5, 1000, &interval));
    expect(0, 3 * SECOND, 1000);
    assert_false(iperf_series_next(&series, START + 3 * SECOND + 5, 1000, &interval));
    assert_true(iperf_series_next(&series, START + 6 * SECOND, 1500, &interval));
    expect(3 * SECOND, 6 * SECOND, 500);
}

TEST(intervals_in_which_nothing_came_are_reported_as_such)
{
    iperf_series_begin(&series, START, 1000);
    assert_true(iperf_series_next(&series, START + 2 * SECOND, 10, &interval));
    expect(0, SECOND, 10);
    assert_true(iperf_series_next(&series, START + 2 * SECOND, 10, &interval));
    expect(SECOND, 2 * SECOND, 0);
    assert_false(iperf_series_next(&series, START + 2 * SECOND, 10, &interval));
}

TEST(intervals_add_up_to_the_total)
{
    uint64_t bytes = 0, sum = 0, now = START;

    iperf_series_begin(&series, START, 700);
    for (uint64_t step = 1; step < 200; step++) {
        now += step * 7919;
        bytes += step * 31;
        while (iperf_series_next(&series, now, bytes, &interval))
            sum += interval.bytes;
    }
    assert_true(iperf_series_end(&series, now, bytes + 5, &interval));
    assert_int_equal(interval.to, now - START);
    assert_int_equal(sum + interval.bytes, bytes + 5);
}

TEST(without_a_period_there_are_no_intervals)
{
    iperf_series_begin(&series, START, 0);
    assert_true(iperf_series_due(&series) == UINT64_MAX);
    assert_false(iperf_series_next(&series, START + 100ull * SECOND, 10, &interval));
    assert_false(iperf_series_end(&series, START + 100ull * SECOND, 10, &interval));
}

TEST(transfer_that_ends_with_an_interval_has_no_rest)
{
    iperf_series_begin(&series, START, 1000);
    assert_true(iperf_series_next(&series, START + SECOND, 10, &interval));
    assert_false(iperf_series_end(&series, START + SECOND, 10, &interval));
    assert_true(iperf_series_due(&series) == UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(intervals_end_on_time_and_take_what_came_in_them),
        RUN(intervals_in_which_nothing_came_are_reported_as_such),
        RUN(intervals_add_up_to_the_total),
        RUN(without_a_period_there_are_no_intervals),
        RUN(transfer_that_ends_with_an_interval_has_no_rest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

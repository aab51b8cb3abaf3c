/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The messages of iperf 2 as the firmware parses, counts and answers them.
 */
#include <string.h>

#define SET_UP begin
#include "test.h"

#include "iperf_wire.h"

#define SECOND 1000000u

static struct iperf_count count;

static void put(uint8_t *p, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        p[i] = (uint8_t)(value >> (24 - 8 * i));
}

/* Arrives as late as it was sent: the clocks agree. */
static void receive(int64_t id, uint64_t at)
{
    uint8_t head[IPERF_DATAGRAM_MIN];

    iperf_write_datagram(head, id, at);
    assert_int_equal(iperf_datagram_id(head), id);
    iperf_count_datagram(&count, head, 100, at);
}

FIXTURE(begin)
{
    count = (struct iperf_count){.start = SECOND};
    return 0;
}

TEST(gaps_are_lost_until_they_arrive_late)
{
    for (int64_t id = 1; id <= 3; id++)
        receive(id, SECOND);
    receive(7, SECOND);
    assert_int_equal(iperf_missing(&count), 3);
    receive(5, SECOND);
    assert_int_equal(iperf_missing(&count), 2);
    receive(-8, 2 * SECOND);
    assert_int_equal(count.highest, 8);
    assert_int_equal(iperf_missing(&count), 2);
    assert_int_equal(count.bytes, 600);
}

TEST(extreme_ids_are_counted_without_overflow)
{
    receive(INT64_MIN, SECOND);
    assert_int_equal(count.highest, INT64_MAX);
    assert_int_equal(iperf_missing(&count), INT64_MAX - 1);
    receive(INT64_MAX, SECOND);
    receive(INT64_MIN, SECOND);
    receive(0, SECOND);
    receive(-1, SECOND);
    assert_int_equal(count.late, 4);
    assert_int_equal(count.highest, INT64_MAX);
}

TEST(numbers_of_32_bits_are_read_as_such)
{
    uint8_t head[IPERF_DATAGRAM_LEN + 4] = {0};

    put(head, 0x80000000u);
    put(head + 12, 0xffffffffu); /* not part of the number */
    assert_int_equal(iperf_datagram_id(head), INT32_MIN);
    iperf_count_datagram(&count, head, 16, SECOND);
    assert_int_equal(count.highest, (int64_t)INT32_MAX + 1);
}

TEST(jitter_ignores_the_difference_of_the_clocks)
{
    uint8_t head[IPERF_DATAGRAM_MIN];

    for (int64_t id = 1; id <= 100; id++) {
        iperf_write_datagram(head, id, (uint64_t)id * 1000 + 77 * (uint64_t)SECOND);
        iperf_count_datagram(&count, head, 100, SECOND + (uint64_t)id * 1000);
    }
    assert_int_equal(iperf_jitter_us(&count), 0);
    iperf_write_datagram(head, 101, 101 * 1000 + 77 * (uint64_t)SECOND);
    iperf_count_datagram(&count, head, 100, SECOND + 101 * 1000 + 1600);
    assert_int_equal(iperf_jitter_us(&count), 100);
}

TEST(report_says_what_was_counted)
{
    uint8_t head[IPERF_DATAGRAM_MIN], report[IPERF_REPORT_LEN];
    uint32_t lost = 0, total = 0;

    receive(1, SECOND);
    receive(4, SECOND);
    receive(-5, 2 * SECOND);
    iperf_write_datagram(head, -5, SECOND);
    iperf_write_report(&count, head, report);
    assert_memory_equal(report, head, IPERF_DATAGRAM_LEN);
    assert_true(iperf_read_report(report, sizeof report, &lost, &total));
    assert_int_equal(lost, 2);
    assert_int_equal(total, 5);
    assert_false(iperf_read_report(report, 40, &lost, &total));
}

/* The words that iperf 2.1.8 sends first, and second in the extension. */
static struct iperf_request asked(uint32_t flags, uint32_t upper, uint32_t amount)
{
    uint8_t header[IPERF_HEADER_LEN] = {0};

    put(header, flags);
    put(header + 8, 5002);
    put(header + 20, amount);
    put(header + 32, upper << 16);
    return iperf_parse_header(header, sizeof header);
}

TEST(the_modes_a_client_requests_are_told_apart)
{
    assert_int_equal(asked(0x40010078, 0, 0).mode, IPERF_RECEIVE);
    assert_int_equal(asked(0xc0010079, 0, 0).mode, IPERF_SEND_NOW);
    assert_int_equal(asked(0xc0010078, 0, 0).mode, IPERF_SEND_AFTERWARDS);
    assert_int_equal(asked(0x44010078, 0x0400, 0).mode, IPERF_SEND_INSTEAD);
    assert_int_equal(asked(0x44010078, 0x0800, 0).mode, IPERF_FULL_DUPLEX);
    assert_int_equal(asked(0x48010098, 0, 0).mode, IPERF_RECEIVE);
    assert_int_equal(asked(0xc8010099, 0, 0).mode, IPERF_SEND_NOW);
    assert_int_equal(asked(0x6c010098, 0x0400, 0).mode, IPERF_SEND_INSTEAD);
    assert_int_equal(asked(0x30313233, 0x0400, 0).mode, IPERF_RECEIVE); /* --compatibility */
    assert_string_equal(iperf_mode_name(IPERF_SEND_INSTEAD), "-R");
}

/* Read back by the parser, whose words are those of the real iperf. */
TEST(header_encodes_the_requested_mode)
{
    static const enum iperf_mode modes[] = {IPERF_RECEIVE, IPERF_SEND_NOW, IPERF_SEND_AFTERWARDS};

    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        struct iperf_request wanted = {.mode = modes[i], .port = 5002, .duration = 3 * SECOND}, got;
        uint8_t header[IPERF_HEADER_LEN];

        iperf_write_header(header, &wanted, false);
        got = iperf_parse_header(header, sizeof header);
        assert_int_equal(got.mode, wanted.mode);
        assert_int_equal(got.port, 5002);
        assert_int_equal(got.bytes, 0);
        assert_int_equal(got.duration, 3 * SECOND);

        wanted = (struct iperf_request){.mode = modes[i], .port = 5002, .bytes = 123456};
        iperf_write_header(header, &wanted, true);
        got = iperf_parse_header(header, sizeof header);
        assert_int_equal(got.mode, wanted.mode);
        assert_int_equal(got.bytes, 123456);
        assert_int_equal(got.duration, 0);
    }
}

TEST(first_words_of_headers_are_those_of_iperf)
{
    static const struct {
        enum iperf_mode mode;
        uint8_t tcp[4], udp[4];
    } cases[] = {
        {IPERF_RECEIVE, {0x40, 1, 0, 0x78}, {0x48, 1, 0, 0x98}},
        {IPERF_SEND_NOW, {0xc0, 1, 0, 0x79}, {0xc8, 1, 0, 0x99}},
        {IPERF_SEND_AFTERWARDS, {0xc0, 1, 0, 0x78}, {0xc8, 1, 0, 0x98}},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct iperf_request request = {.mode = cases[i].mode};
        uint8_t header[IPERF_HEADER_LEN];

        iperf_write_header(header, &request, false);
        assert_memory_equal(header, cases[i].tcp, 4);
        iperf_write_header(header, &request, true);
        assert_memory_equal(header, cases[i].udp, 4);
    }
}

TEST(amounts_are_bytes_or_hundredths_of_a_second)
{
    struct iperf_request request = asked(0xc0010079, 0, 1000);

    assert_int_equal(request.port, 5002);
    assert_int_equal(request.bytes, 1000);
    assert_int_equal(request.duration, 0);
    request = asked(0xc0010079, 0, 0xfffffc18);
    assert_int_equal(request.bytes, 0);
    assert_int_equal(request.duration, 10 * SECOND);
    assert_int_equal(asked(0xc0010079, 0, 0x80000000).duration, 0x80000000 * (uint64_t)10000);
}

TEST(a_truncated_header_means_receive_only)
{
    uint8_t header[IPERF_HEADER_LEN];

    memset(header, 0xff, sizeof header);
    assert_int_equal(iperf_parse_header(header, sizeof header - 1).mode, IPERF_RECEIVE);
    assert_int_equal(iperf_parse_header(header, 0).mode, IPERF_RECEIVE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(gaps_are_lost_until_they_arrive_late),
        RUN(extreme_ids_are_counted_without_overflow),
        RUN(numbers_of_32_bits_are_read_as_such),
        RUN(jitter_ignores_the_difference_of_the_clocks),
        RUN(report_says_what_was_counted),
        RUN(the_modes_a_client_requests_are_told_apart),
        RUN(header_encodes_the_requested_mode),
        RUN(first_words_of_headers_are_those_of_iperf),
        RUN(amounts_are_bytes_or_hundredths_of_a_second),
        RUN(a_truncated_header_means_receive_only),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

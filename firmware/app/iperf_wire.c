/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 */
#include "iperf_wire.h"

#include <string.h>

/* The client's header: 24 bytes, and 36 more if FLAG_EXTENDED is set. */
#define FLAGS        0u
#define STREAMS      4u
#define PORT         8u
#define AMOUNT       20u
#define UPPER_FLAGS  32u
#define VERSION_HIGH 36u
#define VERSION_LOW  40u

#define FLAG_BACK        0x80000000u
#define FLAG_BACK_NOW    0x00000001u
#define FLAG_EXTENDED    0x40000000u
#define FLAG_ID64        0x08000000u /* of datagrams */
#define FLAGS_TCP        0x40010078u /* extended header, length of the header */
#define FLAGS_UDP        0x48010098u /* and 64-bit numbers */
#define UPPER_REVERSE    0x04000000u
#define UPPER_BOTH       0x08000000u
#define VERSION          0x0002000100080003ull /* 2.1.8: what was tested against */
#define TEN_MILLISECONDS 10000u

/* Datagram: number (low 32 bits), seconds, microseconds, number (high 32 bits), header. */
#define ID_LOW       0u
#define SECONDS      4u
#define MICROSECONDS 8u
#define ID_HIGH      12u

/* Report: the datagram's 16 bytes again, then these words, then extensions left zero. */
#define REPORT_FLAGS      16u
#define REPORT_BYTES_HIGH 20u
#define REPORT_BYTES_LOW  24u
#define REPORT_SECONDS    28u
#define REPORT_MICROS     32u
#define REPORT_LOST       36u
#define REPORT_LATE       40u
#define REPORT_DATAGRAMS  44u
#define REPORT_JITTER_S   48u
#define REPORT_JITTER_US  52u
#define REPORT_MIN        56u
#define FLAG_VERSION1     0x80000000u

static uint32_t load_be32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static void store_be32(uint8_t *p, uint32_t value)
{
    p[0] = (uint8_t)(value >> 24);
    p[1] = (uint8_t)(value >> 16);
    p[2] = (uint8_t)(value >> 8);
    p[3] = (uint8_t)value;
}

/* ---- requests of a client ---- */

static enum iperf_mode mode_of(const uint8_t header[IPERF_HEADER_LEN])
{
    uint32_t flags = load_be32(header + FLAGS);
    uint32_t upper = flags & FLAG_EXTENDED ? load_be32(header + UPPER_FLAGS) : 0;

    if (upper & UPPER_BOTH)
        return IPERF_FULL_DUPLEX;
    if (upper & UPPER_REVERSE)
        return IPERF_SEND_INSTEAD;
    if ((flags & FLAG_BACK) == 0)
        return IPERF_RECEIVE;
    return flags & FLAG_BACK_NOW ? IPERF_SEND_NOW : IPERF_SEND_AFTERWARDS;
}

/* A negative amount is in hundredths of a second, a positive one in bytes. */
struct iperf_request iperf_parse_header(const uint8_t *header, size_t len)
{
    struct iperf_request request = {.mode = IPERF_RECEIVE};

    if (len < IPERF_HEADER_LEN)
        return request;

    int64_t amount = (int32_t)load_be32(header + AMOUNT);

    request.mode = mode_of(header);
    request.port = (uint16_t)load_be32(header + PORT);
    if (amount < 0)
        request.duration = (uint64_t)-amount * TEN_MILLISECONDS;
    else
        request.bytes = (uint64_t)amount;
    return request;
}

void iperf_write_header(uint8_t header[IPERF_HEADER_LEN], const struct iperf_request *request,
                        bool udp)
{
    uint32_t flags = udp ? FLAGS_UDP : FLAGS_TCP;
    uint32_t amount = request->duration > 0 ? 0 - (uint32_t)(request->duration / TEN_MILLISECONDS)
                                            : (uint32_t)request->bytes & INT32_MAX;

    if (request->mode == IPERF_SEND_NOW)
        flags |= FLAG_BACK | FLAG_BACK_NOW;
    else if (request->mode == IPERF_SEND_AFTERWARDS)
        flags |= FLAG_BACK;
    memset(header, 0, IPERF_HEADER_LEN);
    store_be32(header + FLAGS, flags);
    store_be32(header + STREAMS, 1);
    store_be32(header + PORT, request->port);
    store_be32(header + AMOUNT, amount);
    store_be32(header + VERSION_HIGH, (uint32_t)(VERSION >> 32));
    store_be32(header + VERSION_LOW, (uint32_t)VERSION);
}

const char *iperf_mode_name(enum iperf_mode mode)
{
    static const char *const names[] = {"-c", "-d", "-r", "-R", "--full-duplex"};

    return names[mode];
}

/* ---- datagrams ---- */

void iperf_write_datagram(uint8_t head[IPERF_DATAGRAM_MIN], int64_t id, uint64_t now_us)
{
    static const struct iperf_request plain = {.mode = IPERF_RECEIVE};

    memset(head, 0, IPERF_DATAGRAM_LEN);
    store_be32(head + ID_LOW, (uint32_t)id);
    store_be32(head + SECONDS, (uint32_t)(now_us / 1000000));
    store_be32(head + MICROSECONDS, (uint32_t)(now_us % 1000000));
    store_be32(head + ID_HIGH, (uint32_t)((uint64_t)id >> 32));
    iperf_write_header(head + IPERF_DATAGRAM_LEN, &plain, true);
}

int64_t iperf_datagram_id(const uint8_t head[IPERF_DATAGRAM_LEN + 4])
{
    uint32_t low = load_be32(head + ID_LOW);

    if ((load_be32(head + IPERF_DATAGRAM_LEN + FLAGS) & FLAG_ID64) == 0)
        return (int32_t)low;
    return (int64_t)((uint64_t)load_be32(head + ID_HIGH) << 32 | low);
}

/* Skips the first difference: the two clocks need not agree. */
static void measure_jitter(struct iperf_count *count, const uint8_t *head, uint64_t now_us)
{
    int64_t sent = (int64_t)load_be32(head + SECONDS) * 1000000 + load_be32(head + MICROSECONDS);
    int64_t transit = (int64_t)now_us - sent;
    int64_t change = transit - count->transit;

    if (count->have_transit)
        count->jitter_16 += (uint64_t)(change < 0 ? -change : change) - count->jitter_16 / 16;
    count->have_transit = true;
    count->transit = transit;
}

/* Ids come from the wire, so any value is possible: the smallest cannot be negated, the largest not
 * incremented. */
void iperf_count_datagram(struct iperf_count *count, const uint8_t head[IPERF_DATAGRAM_LEN + 4],
                          uint16_t len, uint64_t now_us)
{
    int64_t id = iperf_datagram_id(head);

    if (id < 0)
        id = id == INT64_MIN ? INT64_MAX : -id;
    if (id > count->highest) {
        count->lost += id - count->highest - 1;
        count->highest = id;
    } else {
        count->late++;
    }
    count->bytes += len;
    count->last = now_us;
    measure_jitter(count, head, now_us);
}

int64_t iperf_missing(const struct iperf_count *count)
{
    return count->lost > count->late ? count->lost - count->late : 0;
}

uint32_t iperf_jitter_us(const struct iperf_count *count)
{
    return (uint32_t)(count->jitter_16 / 16);
}

void iperf_write_report(const struct iperf_count *count, const uint8_t head[IPERF_DATAGRAM_LEN],
                        uint8_t report[IPERF_REPORT_LEN])
{
    uint64_t us = count->last - count->start;
    uint32_t jitter = iperf_jitter_us(count);

    memset(report, 0, IPERF_REPORT_LEN);
    memcpy(report, head, IPERF_DATAGRAM_LEN);
    store_be32(report + REPORT_FLAGS, FLAG_VERSION1 | FLAG_ID64);
    store_be32(report + REPORT_BYTES_HIGH, (uint32_t)(count->bytes >> 32));
    store_be32(report + REPORT_BYTES_LOW, (uint32_t)count->bytes);
    store_be32(report + REPORT_SECONDS, (uint32_t)(us / 1000000));
    store_be32(report + REPORT_MICROS, (uint32_t)(us % 1000000));
    store_be32(report + REPORT_LOST, (uint32_t)count->lost);
    store_be32(report + REPORT_LATE, (uint32_t)count->late);
    store_be32(report + REPORT_DATAGRAMS, (uint32_t)count->highest);
    store_be32(report + REPORT_JITTER_S, jitter / 1000000);
    store_be32(report + REPORT_JITTER_US, jitter % 1000000);
}

/* Ignores the report's jitter, which in iperf 2.1 includes the difference of the two clocks. */
bool iperf_read_report(const uint8_t *report, size_t len, uint32_t *lost, uint32_t *total)
{
    if (len < REPORT_MIN)
        return false;

    uint32_t gaps = load_be32(report + REPORT_LOST), late = load_be32(report + REPORT_LATE);

    *lost = gaps > late ? gaps - late : 0;
    *total = load_be32(report + REPORT_DATAGRAMS);
    return true;
}

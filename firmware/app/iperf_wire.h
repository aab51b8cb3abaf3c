/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * What iperf 2 puts on the wire, and what its server counts. All numbers there are big endian.
 * Knows neither lwIP nor the board, so the host tests it.
 */
#ifndef IPERF_WIRE_H
#define IPERF_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IPERF_PORT 5001u

/* ---- what a client asks for ---- */

#define IPERF_HEADER_LEN 60u /* the first bytes of a TCP connection, and of each datagram */

enum iperf_wish {
    IPERF_RECEIVE,         /* the device only receives */
    IPERF_SEND_NOW,        /* -d: it sends at the same time, to the client's port */
    IPERF_SEND_AFTERWARDS, /* -r: the same, when the client has finished */
    IPERF_SEND_INSTEAD,    /* -R: it sends where it was asked, and receives nothing */
    IPERF_FULL_DUPLEX,     /* --full-duplex: both on one connection */
};

struct iperf_request {
    enum iperf_wish wish;
    uint16_t port;     /* where the client listens for IPERF_SEND_NOW and _AFTERWARDS */
    uint64_t bytes;    /* how much to send; 0: for... */
    uint64_t duration; /* ...as many microseconds */
};

/** A header that is too short, or none at all (iperf's --compatibility), asks to receive. */
struct iperf_request iperf_parse_header(const uint8_t *header, size_t len);

/** The option of iperf that asks for it. */
const char *iperf_wish_name(enum iperf_wish wish);

/* ---- datagrams ---- */

#define IPERF_DATAGRAM_LEN 16u /* number and time of sending */
#define IPERF_DATAGRAM_MIN (IPERF_DATAGRAM_LEN + IPERF_HEADER_LEN)
#define IPERF_DATAGRAM_MAX 8000u
#define IPERF_REPORT_LEN   128u

/** The beginning of a datagram that one of the device's own is sent with. */
void iperf_write_datagram(uint8_t head[IPERF_DATAGRAM_MIN], int64_t id, uint64_t now_us);

/** Its number, negative in the last one. `head` has zeros where the datagram was shorter. */
int64_t iperf_datagram_id(const uint8_t head[IPERF_DATAGRAM_LEN + 4]);

/* What was received, as iperf counts it. Zero it to begin, but for `start`. */
struct iperf_count {
    uint64_t start, last; /* first and latest arrival, microseconds */
    uint64_t bytes;
    int64_t highest; /* number seen */
    int64_t lost, late;
    bool have_transit;
    int64_t transit;    /* of the latest datagram: its two clocks' difference */
    uint64_t jitter_16; /* sixteenths of a microsecond (RFC 1889, A.8) */
};

void iperf_count_datagram(struct iperf_count *count, const uint8_t head[IPERF_DATAGRAM_LEN + 4],
                          uint16_t len, uint64_t now_us);
int64_t iperf_missing(const struct iperf_count *count);
uint32_t iperf_jitter_us(const struct iperf_count *count);

/** The answer to the last datagram, whose head it repeats. */
void iperf_write_report(const struct iperf_count *count, const uint8_t head[IPERF_DATAGRAM_LEN],
                        uint8_t report[IPERF_REPORT_LEN]);

/** Reads `lost` of `total` datagrams from a report; false if it is too short to hold them. */
bool iperf_read_report(const uint8_t *report, size_t len, uint32_t *lost, uint32_t *total);

#endif

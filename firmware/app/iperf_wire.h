/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The messages of iperf 2, and the statistics of its server. Numbers on the wire are big-endian.
 * Independent of lwIP and the board, so that it can be tested on the host.
 */
#ifndef IPERF_WIRE_H
#define IPERF_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IPERF_PORT 5001u

/* ---- requests of a client ---- */

#define IPERF_HEADER_LEN 60u /* at the start of a TCP connection and of each datagram */

enum iperf_mode {
    IPERF_RECEIVE,         /* the device only receives */
    IPERF_SEND_NOW,        /* -d: the device also sends, to the client's port */
    IPERF_SEND_AFTERWARDS, /* -r: the same, once the client has finished */
    IPERF_SEND_INSTEAD,    /* -R: the device sends on this connection and receives nothing */
    IPERF_FULL_DUPLEX,     /* --full-duplex: both directions on one connection */
};

struct iperf_request {
    enum iperf_mode mode;
    uint16_t port;     /* where the client listens for IPERF_SEND_NOW and _AFTERWARDS */
    uint64_t bytes;    /* to send; 0: send for `duration` */
    uint64_t duration; /* microseconds */
};

/** Reads a client's header. One that is short or missing (--compatibility) means IPERF_RECEIVE. */
struct iperf_request iperf_parse_header(const uint8_t *header, size_t len);

/** Writes the client's header for `request`. */
void iperf_write_header(uint8_t header[IPERF_HEADER_LEN], const struct iperf_request *request,
                        bool udp);

/** The iperf option for a mode. */
const char *iperf_mode_name(enum iperf_mode mode);

/* ---- datagrams ---- */

#define IPERF_DATAGRAM_LEN 16u /* id and time of sending */
#define IPERF_DATAGRAM_MIN (IPERF_DATAGRAM_LEN + IPERF_HEADER_LEN)
#define IPERF_DATAGRAM_MAX 8000u
#define IPERF_REPORT_LEN   128u

/** Writes the head of a datagram to send. */
void iperf_write_datagram(uint8_t head[IPERF_DATAGRAM_MIN], int64_t id, uint64_t now_us);

/** Reads a datagram's id, which is negative in the last one. Pad `head` of a short one with zeros.
 */
int64_t iperf_datagram_id(const uint8_t head[IPERF_DATAGRAM_LEN + 4]);

/* Statistics of received datagrams, as iperf counts them. Initially zero, except `start`. */
struct iperf_count {
    uint64_t start, last; /* first and latest arrival, microseconds */
    uint64_t bytes;
    int64_t highest; /* id */
    int64_t lost, late;
    bool have_transit;
    int64_t transit;    /* of the latest datagram, including the difference of the clocks */
    uint64_t jitter_16; /* sixteenths of a microsecond (RFC 1889, A.8) */
};

void iperf_count_datagram(struct iperf_count *count, const uint8_t head[IPERF_DATAGRAM_LEN + 4],
                          uint16_t len, uint64_t now_us);
int64_t iperf_missing(const struct iperf_count *count);
uint32_t iperf_jitter_us(const struct iperf_count *count);

/** Writes the report in reply to the last datagram, whose head it repeats. */
void iperf_write_report(const struct iperf_count *count, const uint8_t head[IPERF_DATAGRAM_LEN],
                        uint8_t report[IPERF_REPORT_LEN]);

/** Reads `lost` of `total` datagrams from a report; false if it is too short to hold them. */
bool iperf_read_report(const uint8_t *report, size_t len, uint32_t *lost, uint32_t *total);

#endif

/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * What the TCP and UDP halves of iperf share. All calls hold lwIP's core lock, except the ones of
 * the shell's commands, which say so.
 */
#ifndef IPERF_H
#define IPERF_H

#include <stdbool.h>
#include <stdint.h>

#include "lwip/err.h"
#include "lwip/ip_addr.h"

#define IPERF_PORT 5001u

#define IPERF_DATAGRAM_MIN 76u /* the header of a datagram */
#define IPERF_DATAGRAM_MAX 8000u

struct iperf_options {
    ip_addr_t host;
    uint16_t port;
    bool udp;
    uint32_t length;       /* of a datagram, bytes; 0: default of the family */
    uint32_t rate_kbit;    /* of UDP, kbit/s */
    uint64_t bytes;        /* how much to send, or */
    uint32_t milliseconds; /* how long, when bytes is 0 */
};

/* A finished transfer, in words: "DIRECTION N bytes in M ms, R Mbit/s (device clock)". */
#define IPERF_SUMMARY_MAX 96
const char *iperf_summary(char out[IPERF_SUMMARY_MAX], const char *direction, uint64_t bytes,
                          uint64_t microseconds);

err_t iperf_tcp_serve(uint16_t port);
void iperf_tcp_stop(void);
err_t iperf_udp_serve(uint16_t port);
void iperf_udp_stop(void);

/** Send, in the shell's task, lock not held; print their result. */
bool iperf_tcp_send(const struct iperf_options *options);
bool iperf_udp_send(const struct iperf_options *options);

#endif

/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Options of the iperf command, for TCP and UDP.
 */
#ifndef IPERF_OPTIONS_H
#define IPERF_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "lwip/ip_addr.h"

#include "iperf_wire.h"

#define IPERF_STREAMS                                                                              \
    8u /* concurrent TCP streams in both directions; a client's streams of either                  \
protocol */

struct iperf_options {
    ip_addr_t host;
    uint16_t port;
    uint16_t back_port; /* where the other side connects back to */
    bool udp;
    enum iperf_mode mode;  /* of a client: IPERF_RECEIVE, _SEND_NOW (-d) or _SEND_AFTERWARDS (-r) */
    uint32_t length;       /* of a datagram or write, bytes; 0: default */
    uint32_t rate_kbit;    /* of each UDP stream, kbit/s; 0: as fast as possible */
    uint64_t bytes;        /* how much to send, or */
    uint32_t milliseconds; /* how long, when bytes is 0; of a server: 0: until stopped */
    uint32_t interval_ms;  /* between reports; 0: none */
    uint32_t window;       /* most bytes in flight; 0: the board's window */
    uint32_t mss;          /* of segments sent; 0: the connection's */
    uint32_t streams;      /* of a client */
    uint32_t timeout_ms;   /* without progress */
};

#endif

/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * What the iperf command was asked to do, for its TCP and UDP halves.
 */
#ifndef IPERF_OPTIONS_H
#define IPERF_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "lwip/ip_addr.h"

struct iperf_options {
    ip_addr_t host;
    uint16_t port;
    bool udp;
    uint32_t length;       /* of a datagram, bytes; 0: default of the family */
    uint32_t rate_kbit;    /* of UDP, kbit/s */
    uint64_t bytes;        /* how much to send, or */
    uint32_t milliseconds; /* how long, when bytes is 0 */
};

#endif

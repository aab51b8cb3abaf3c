/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * iperf 2 over UDP.
 */
#ifndef IPERF_UDP_H
#define IPERF_UDP_H

#include "lwip/err.h"

#include "iperf_options.h"

/** Serves in the background until stopped; both hold lwIP's core lock. */
err_t iperf_udp_serve(uint16_t port);
void iperf_udp_stop(void);

/** Sends, in the shell's task, lock not held; prints its result. */
bool iperf_udp_send(const struct iperf_options *options);

#endif

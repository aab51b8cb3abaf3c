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
err_t iperf_udp_serve(const struct iperf_options *options);
void iperf_udp_stop(void);

/** Serves what is sent back with -d and -r, unless a server is running already; *started reports
 * it. Lock held. */
err_t iperf_udp_expect(const struct iperf_options *options, bool *started);

/** Sessions of the server that have ended since boot. */
uint32_t iperf_udp_sessions_ended(void);

/** Sends, and receives with -d and -r, in the shell's task, lock not held; prints its result. */
bool iperf_udp_send(const struct iperf_options *options);

#endif

/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * iperf 2 over TCP.
 */
#ifndef IPERF_TCP_H
#define IPERF_TCP_H

#include "lwip/err.h"

#include "iperf_options.h"

/** Serves in the background until stopped; both hold lwIP's core lock. */
err_t iperf_tcp_serve(const struct iperf_options *options);
void iperf_tcp_stop(void);

/** Sends, and receives with -d and -r, in the shell's task, lock not held; prints its result. */
bool iperf_tcp_send(const struct iperf_options *options);

#endif

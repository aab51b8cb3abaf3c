/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * ICMP errors for local senders whose packet no peer can take.
 */
#ifndef WYRMD_UNREACHABLE_H
#define WYRMD_UNREACHABLE_H

#include "tun.h"

#include <wyrm.h>

/* Answers an outgoing packet with "destination unreachable", at a bounded rate. */
void wyrmd_unreachable(const struct wyrmd_tun *tun, wyrm_ms now, const struct wyrm_span *ip,
                       unsigned n);

#endif /* WYRMD_UNREACHABLE_H */

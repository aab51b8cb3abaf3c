/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Forwarding between the attached network and the tunnel, off until switched on. Never between two
 * hosts of the attached network, never to its routers, and never around the tunnel: the tunnel must
 * be up and the route of one end, the attached network must contain the other end.
 */
#ifndef GATEWAY_H
#define GATEWAY_H

#include <stdbool.h>
#include <stdint.h>

/** Switches forwarding of both families. Core lock held. */
void gateway_switch(bool on);
bool gateway_is_on(void);

struct gateway_counters {
    uint32_t forwarded, refused, expired, too_big;
};

/** Packets since boot. Core lock held. */
void gateway_count(struct gateway_counters *out);

#endif

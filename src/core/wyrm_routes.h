/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Cryptokey routing, paper section 2: which peer may have an inner address. Longest prefix wins,
 * for destinations going out and for sources coming in.
 */
#ifndef WYRM_ROUTES_H
#define WYRM_ROUTES_H

#include "wyrm_peer.h"

/* The peer that may have `addr` (4 or 16 bytes by family), WYRM_NO_PEER if none. */
wyrm_peer_id wyrm_routes_find(const struct wyrm_device *dev, uint8_t family, const uint8_t *addr);

#endif /* WYRM_ROUTES_H */

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Packets from the system: read from the TUN interface and sent through the tunnel.
 */
#ifndef WYRMD_TRANSMIT_H
#define WYRMD_TRANSMIT_H

#include "tunnel.h"

struct wyrmd_transmitter {
    const struct wyrmd_core *core;
    const struct wyrmd_tun *tun;
    const struct wyrmd_udp *udp;
    struct wyrmd_tunnel *tunnel;
};

/* Reads some packets and sends them; false if the interface was deleted. */
bool wyrmd_transmit(const struct wyrmd_transmitter *tx);

#endif /* WYRMD_TRANSMIT_H */

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Forgets local addresses that datagrams to a peer should no longer be sent from.
 */
#ifndef WYRMD_PATHS_H
#define WYRMD_PATHS_H

#include "core.h"
#include "udp.h"

struct wyrmd_paths {
    struct wyrmd_core *core;
    const struct wyrmd_udp *udp;
    uint8_t *suspects; /* per peer: the route to it may have changed */
};

bool wyrmd_paths_init(struct wyrmd_paths *paths, struct wyrmd_core *core,
                      const struct wyrmd_udp *udp);
/* Handles netlink messages about interfaces, addresses, routes and rules. */
void wyrmd_paths_notify(struct wyrmd_paths *paths, const void *messages, size_t len);
/* Anything may have changed. */
void wyrmd_paths_suspect_all(struct wyrmd_paths *paths);
/* Checks the peers to which the route may have changed. */
void wyrmd_paths_check(struct wyrmd_paths *paths);

#endif /* WYRMD_PATHS_H */

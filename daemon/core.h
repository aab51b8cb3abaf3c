/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The protocol core with its memory, and the time of the current event.
 */
#ifndef WYRMD_CORE_H
#define WYRMD_CORE_H

#include <wyrm.h>

struct wyrmd_core {
    struct wyrm_device dev;
    struct wyrm_pools pools;
    wyrm_ms now; /* read once per event */
};

/* Allocates the pools and initializes the device; false after logging why. */
bool wyrmd_core_init(struct wyrmd_core *core, uint16_t peers, uint32_t routes);
/* Wipes all keys. */
void wyrmd_core_close(struct wyrmd_core *core);

#endif /* WYRMD_CORE_H */

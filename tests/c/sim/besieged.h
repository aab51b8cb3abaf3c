/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The attacked device of siege.c: one interface for the full core and the client profile, whose
 * structures differ.
 */
#ifndef WYRM_SIM_BESIEGED_H
#define WYRM_SIM_BESIEGED_H

#include "wyrm.h"

extern const bool besieged_is_client;

/* There is one device, with room for eight peers. This interface uses only types that are the same
 * in both profiles.
 */
void besieged_boot(const struct wyrm_platform *io, const uint8_t priv[WYRM_KEY_LEN]);
/* The peer has 10.0.0.NAME+1. */
void besieged_meet(unsigned name, const uint8_t pub[WYRM_KEY_LEN],
                   const struct wyrm_endpoint *endpoint);
wyrm_status besieged_input(wyrm_ms now, const struct wyrm_meta *from, uint8_t *buf, size_t len,
                           struct wyrm_packet *out);
wyrm_status besieged_output(wyrm_ms now, const struct wyrm_span *ip, uint8_t *buf, size_t cap,
                            struct wyrm_packet *out);
wyrm_status besieged_poll(wyrm_ms now, uint8_t *buf, size_t cap, struct wyrm_packet *out);
wyrm_ms besieged_deadline(void);
/* Begins a job, if one waits; ends it. */
bool besieged_take(wyrm_ms now);
wyrm_status besieged_commit(wyrm_ms now, struct wyrm_packet *out);

#endif /* WYRM_SIM_BESIEGED_H */

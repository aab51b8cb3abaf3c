/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * One device of the client profile (WYRM_RESPONDER=0) with one peer. Its structures differ from
 * those of the surrounding program; this interface uses only types that are the same in both.
 */
#ifndef WYRM_TEST_CLIENT_H
#define WYRM_TEST_CLIENT_H

#include "wyrm.h"

/* Restarts the only client. Routes every address to its peer. */
void client_boot(const struct wyrm_platform *io, const uint8_t priv[WYRM_KEY_LEN],
                 const uint8_t peer[WYRM_KEY_LEN], const struct wyrm_endpoint *endpoint);
void client_set_keepalive(uint16_t seconds);
wyrm_status client_input(wyrm_ms now, const struct wyrm_meta *from, uint8_t *buf, size_t len,
                         struct wyrm_packet *out);
wyrm_status client_output(wyrm_ms now, const struct wyrm_span *ip, uint8_t *buf, size_t cap,
                          struct wyrm_packet *out);
wyrm_status client_poll(wyrm_ms now, uint8_t *buf, size_t cap, struct wyrm_packet *out);
wyrm_ms client_deadline(void);
/* Takes, runs and commits one job, if there is one; out->data lies in the client. */
bool client_work(wyrm_ms now, struct wyrm_packet *out, wyrm_status *committed);
uint32_t client_drops(wyrm_status reason);
/* True if the peer's sessions, handshake and timers have not changed since the last call. */
bool client_unmoved(void);

#endif /* WYRM_TEST_CLIENT_H */

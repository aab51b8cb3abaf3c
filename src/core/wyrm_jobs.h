/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Handshake messages on their way to the worker: admission, slots, load. Paper sections 5.3, 5.4.
 */
#ifndef WYRM_JOBS_H
#define WYRM_JOBS_H

#include "wyrm_peer.h"
#include "wyrm_wire.h"

/* An initiation or response of `len` bytes arrived. WYRM_WORK: it waits in a slot. WYRM_SEND: it
 * shall be answered by wyrm_cookie_reply. Else the reason why it was dropped, not yet
 * counted. */
wyrm_status wyrm_jobs_admit(struct wyrm_device *dev, const struct wyrm_meta *from, uint8_t *msg,
                            size_t len);

#endif /* WYRM_JOBS_H */

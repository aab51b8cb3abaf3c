/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Admission of handshake messages to the queue of the worker. Paper sections 5.3 and 5.4.
 */
#ifndef WYRM_JOBS_H
#define WYRM_JOBS_H

#include "wyrm_util.h"
#include "wyrm_wire.h"

/* An initiation or response of `len` bytes arrived. WYRM_WORK: it was queued. WYRM_SEND: answer it
 * with wyrm_cookie_reply. Otherwise the reason to drop it, not yet counted. */
wyrm_status wyrm_jobs_admit(struct wyrm_device *dev, const struct wyrm_meta *from, uint8_t *msg,
                            size_t len);

#endif /* WYRM_JOBS_H */

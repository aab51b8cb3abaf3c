/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Noise_IKpsk2 as used by WireGuard (paper section 5.4). Works on a job only: no device, no peer,
 * no lock. Each step reads or writes job->msg, updates job->noise and stores its verdict in
 * job->result. If that is negative, no other member of the job is valid.
 */
#ifndef WYRM_NOISE_H
#define WYRM_NOISE_H

#include "../wyrm.h"

/* Initiator: writes the initiation of job->local with job->timestamp, mac1 and mac2: WYRM_SEND, or
 * WYRM_D_DH if a Diffie-Hellman result is zero. */
void wyrm_noise_create_initiation(struct wyrm_job *job);
/* Responder, first half: reads job->contact.pub and job->remote from the initiation: WYRM_WORK,
 * WYRM_D_DH or WYRM_D_TAG. */
void wyrm_noise_read_static(struct wyrm_job *job);
/* Responder, second half: replaces job->timestamp, or refuses a timestamp that is not later.
 * Changes the result only on failure: WYRM_D_DH, WYRM_D_TAG or WYRM_D_TIMESTAMP. */
void wyrm_noise_read_timestamp(struct wyrm_job *job);
/* Responder: writes the response and derives job->keys: WYRM_SEND or WYRM_D_DH. */
void wyrm_noise_create_response(struct wyrm_job *job);
/* Initiator: checks the response and derives job->keys: WYRM_READY, WYRM_D_DH or WYRM_D_TAG. */
void wyrm_noise_read_response(struct wyrm_job *job);

#endif /* WYRM_NOISE_H */

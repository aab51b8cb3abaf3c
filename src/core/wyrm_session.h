/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The keypairs of a peer: seal, open, rotate. Paper sections 5.4.5 and 5.4.6.
 */
#ifndef WYRM_SESSION_H
#define WYRM_SESSION_H

#include "wyrm_time.h"
#include "wyrm_util.h"

/* The session to send with, or NULL. */
struct wyrm_keypair *wyrm_session_current(struct wyrm_peer *peer, wyrm_tick now);

/* Seals `n` spans and `pad` zero bytes into `buf` with the next counter: WYRM_SEND. */
wyrm_status wyrm_session_seal(struct wyrm_keypair *kp, const struct wyrm_span *spans, unsigned n,
                              size_t pad, uint8_t *buf);

/* Checks age, tag and counter of a data packet, in that order, and decrypts it in place.
 * WYRM_DELIVER: it is authentic and not a replay; the replay window was updated. Otherwise nothing
 * changed. */
wyrm_status wyrm_session_open(struct wyrm_keypair *kp, wyrm_tick now, uint8_t *buf, size_t len);

/* Starts a session with the keys of the job: current if we initiated, otherwise next until the
 * first data packet proves that the peer has the keys. */
void wyrm_session_begin(struct wyrm_device *dev, struct wyrm_peer *peer, const struct wyrm_job *job,
                        bool initiator);

/* The first data packet of the next session arrived: it becomes the current one. The peer uses our
 * response, so a handshake that we initiated ends: the peer may have answered it too, but would not
 * send with its session. */
void wyrm_session_confirm(struct wyrm_device *dev, struct wyrm_peer *peer);

/* Wipes a handshake in flight, or all sessions too. */
void wyrm_session_wipe_handshake(struct wyrm_device *dev, struct wyrm_peer *peer);
void wyrm_session_wipe(struct wyrm_device *dev, struct wyrm_peer *peer);

#endif /* WYRM_SESSION_H */

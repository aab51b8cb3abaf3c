/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Keypairs: their three places in a peer, sealing and opening, paper sections 5.4.5 and 5.4.6.
 */
#ifndef WYRM_SESSION_H
#define WYRM_SESSION_H

#include "wyrm_time.h"
#include "wyrm_util.h"

/* The session that may send now, NULL if there is none. */
struct wyrm_keypair *wyrm_session_current(struct wyrm_peer *peer, wyrm_tick now);

/* Seals `n` spans and `pad` zero bytes into `buf` under the next counter: WYRM_SEND. */
wyrm_status wyrm_session_seal(struct wyrm_keypair *kp, const struct wyrm_span *spans, unsigned n,
                              size_t pad, uint8_t *buf);

/* Checks age, tag and replay of a data packet, in that order, and decrypts it in place.
 * WYRM_DELIVER: authentic and new. Only then has anything changed, and only the replay window. */
wyrm_status wyrm_session_open(struct wyrm_keypair *kp, wyrm_tick now, uint8_t *buf, size_t len);

/* The job's keys become a session: current at once if we initiated, else next until the peer has
 * shown with a data packet that it has the keys. */
void wyrm_session_begin(struct wyrm_device *dev, struct wyrm_peer *peer, const struct wyrm_job *job,
                        bool initiator);

/* Data arrived under the next session, which becomes the current. It shows that the peer has taken
 * our response, so a handshake of our own in flight, which the peer may have answered too, is over:
 * the session it would begin is one that the peer does not send under. */
void wyrm_session_confirm(struct wyrm_device *dev, struct wyrm_peer *peer);

/* Forgets a handshake in flight; all keys of the peer. */
void wyrm_session_wipe_handshake(struct wyrm_device *dev, struct wyrm_peer *peer);
void wyrm_session_wipe(struct wyrm_device *dev, struct wyrm_peer *peer);

#endif /* WYRM_SESSION_H */

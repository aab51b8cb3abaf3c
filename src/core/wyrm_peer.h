/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * What the rest of the core does with a peer: its endpoint, its counters, the end of its keys.
 */
#ifndef WYRM_PEER_H
#define WYRM_PEER_H

#include "wyrm_timers.h"

/* An authenticated datagram of out->len bytes is about to be sent to `to`: fills out->to and
 * out->peer, and counts it. The caller sets out->data and out->to.tos. */
void wyrm_peer_sent(struct wyrm_device *dev, struct wyrm_peer *peer, const struct wyrm_meta *to,
                    struct wyrm_packet *out);
/* An authenticated datagram of `len` bytes was received: counts it and moves the endpoint to
 * `from`, unless that is NULL. */
void wyrm_peer_received(struct wyrm_device *dev, struct wyrm_peer *peer,
                        const struct wyrm_meta *from, size_t len);
/* A handshake completed: the initiator received the response, or the responder the first data
 * packet. */
void wyrm_peer_established(struct wyrm_device *dev, struct wyrm_peer *peer);
/* Drops the local path, or the learned endpoint too, of a peer that does not answer. */
void wyrm_peer_revise_endpoint(struct wyrm_peer *peer, enum wyrm_suspicion suspicion);

/* Sends the first persistent keepalive immediately, if they are enabled. */
void wyrm_peer_start_keepalives(struct wyrm_device *dev, struct wyrm_peer *peer);
/* Ends all sessions and timers of the peer, and outdates running jobs. */
void wyrm_peer_forget_keys(struct wyrm_device *dev, struct wyrm_peer *peer);

#endif /* WYRM_PEER_H */

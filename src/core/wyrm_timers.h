/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The timers of paper section 6. The rest of the core reports facts as they happen; only
 * wyrm_timers.c knows what follows from them, and when.
 */
#ifndef WYRM_TIMERS_H
#define WYRM_TIMERS_H

#include "wyrm_peer.h"

void wyrm_timers_clear(struct wyrm_peer *peer);

/* Facts. They happen now. */
/* An authentic datagram of out->len bytes goes to the peer, at `to`; out->data is set. The caller
 * still sets its tos. */
void wyrm_timers_sent(struct wyrm_device *dev, struct wyrm_peer *peer, const struct wyrm_meta *to,
                      struct wyrm_packet *out);
/* An authentic datagram of `len` bytes came from the peer, which answers find at `from`; NULL:
 * where it was before. */
void wyrm_timers_received(struct wyrm_device *dev, struct wyrm_peer *peer,
                          const struct wyrm_meta *from, size_t len);
/* It is a data packet, without content a keepalive: renews the session in good time. What is sent
 * is about to be sealed under `kp`. */
void wyrm_timers_data_sent(struct wyrm_device *dev, struct wyrm_peer *peer,
                           const struct wyrm_keypair *kp, size_t content);
void wyrm_timers_data_received(struct wyrm_device *dev, struct wyrm_peer *peer, size_t content);
/* An initiation with this session index went out, or could not be made. */
void wyrm_timers_initiated(struct wyrm_device *dev, struct wyrm_peer *peer, uint32_t index);
/* A keypair exists, confirmed or not. */
void wyrm_timers_session_derived(struct wyrm_device *dev, struct wyrm_peer *peer);
/* The initiator got the response, or the responder the first data packet. */
void wyrm_timers_handshake_complete(struct wyrm_device *dev, struct wyrm_peer *peer);
/* A keepalive is due and there is no session for it: makes one. */
void wyrm_timers_keepalive_unsent(struct wyrm_device *dev, struct wyrm_peer *peer);
/* Asks for a handshake, at once or as soon as REKEY_TIMEOUT allows. */
void wyrm_timers_want_handshake(struct wyrm_device *dev, struct wyrm_peer *peer);

/* Lets every timer of the peer that is due take effect; the device's next_due learns of the others.
 */
void wyrm_timers_expire(struct wyrm_device *dev, struct wyrm_peer *peer);
/* Owes the port something through wyrm_poll or wyrm_job_take. */
void wyrm_timers_owe(struct wyrm_device *dev, struct wyrm_peer *peer, enum wyrm_event event);

#endif /* WYRM_TIMERS_H */

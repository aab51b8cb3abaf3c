/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * mac1 and mac2 of handshake messages, cookies (paper sections 5.4.4 and 5.4.7) and the rate limit
 * per source address (section 5.3).
 */
#ifndef WYRM_COOKIE_H
#define WYRM_COOKIE_H

#include "wyrm_util.h"

#define WYRM_COOKIE_LIFETIME 120000u /* ms, of our secret and of a cookie received */

/* mac1 over the first `len` bytes of a message to the peer with key `pub`:
 * MAC(HASH("mac1----" || pub), msg). */
void wyrm_cookie_mac1(uint8_t mac[16], const uint8_t pub[WYRM_KEY_LEN], const uint8_t *msg,
                      size_t len);

/* Precomputes the state for wyrm_cookie_check_mac1. Call it when our public key changes. */
void wyrm_cookie_set_key(struct wyrm_device *dev);

bool wyrm_cookie_check_mac1(const struct wyrm_device *dev, const uint8_t *msg, size_t len);

/* Under load. WYRM_IDLE: mac2 proves the source address. WYRM_SEND: it does not; the message now
 * contains the cookie, answer it with wyrm_cookie_reply. WYRM_D_MAC2: it does not, and there is no
 * randomness or the budget is exhausted. `answered`: the peer whose handshake the message responds
 * to, or NULL. */
wyrm_status wyrm_cookie_admit(struct wyrm_device *dev, uint8_t *msg, size_t len,
                              const struct wyrm_endpoint *from, struct wyrm_peer *answered);

/* Drops the message and turns it into the cookie reply: WYRM_SEND, or WYRM_D_MAC2 without
 * randomness. Called by wyrm_input rather than during admission, to keep frames off the stack of
 * the cipher. */
wyrm_status wyrm_cookie_reply(struct wyrm_device *dev, uint8_t *msg, size_t len);

/* Charges a message to the rate limit of its proven source. WYRM_TICK_NEVER: the limit is exceeded.
 * Otherwise a number that is greater the more recent the previous message was, 0 for none. */
wyrm_tick wyrm_cookie_charge(struct wyrm_device *dev, const struct wyrm_endpoint *from);

/* Stores the cookie of a reply to our last handshake message to `peer`. False, with nothing
 * changed, if it is not a valid reply. */
bool wyrm_cookie_consume(const struct wyrm_device *dev, struct wyrm_peer *peer, uint8_t *msg);

#endif /* WYRM_COOKIE_H */

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The two MACs of handshake messages and the cookies behind them, paper sections 5.4.4 and 5.4.7,
 * with the per-source rate limit of section 5.3.
 */
#ifndef WYRM_COOKIE_H
#define WYRM_COOKIE_H

#include "wyrm_util.h"

#define WYRM_COOKIE_LIFETIME 120000u /* ms, for the secret and for a cookie received */

/* mac1 over `len` bytes of a message to the owner of `pub`: MAC(HASH("mac1----" || pub), msg). */
void wyrm_cookie_mac1(uint8_t mac[16], const uint8_t pub[WYRM_KEY_LEN], const uint8_t *msg,
                      size_t len);

/* Prepares a responder's check of messages to us; called when our public key changes. */
void wyrm_cookie_set_key(struct wyrm_device *dev);

bool wyrm_cookie_check_mac1(const struct wyrm_device *dev, const uint8_t *msg, size_t len);

/* Under load: WYRM_IDLE if mac2 proves the source address. WYRM_SEND: it proves nothing, and the
 * message, in which the cookie now stands, shall be answered by wyrm_cookie_reply. WYRM_D_MAC2:
 * neither, for want of randomness or beyond the budget. `answered`: whose handshake a response
 * answers, or NULL. */
wyrm_status wyrm_cookie_admit(struct wyrm_device *dev, uint8_t *msg, size_t len,
                              const struct wyrm_endpoint *from, struct wyrm_peer *answered);

/* Drops the message and makes it the cookie reply to its sender: WYRM_SEND, or WYRM_D_MAC2 without
 * randomness. Not called by what admits, so that no frame but wyrm_input's is beneath the cipher.
 */
wyrm_status wyrm_cookie_reply(struct wyrm_device *dev, uint8_t *msg, size_t len);

/* A proven source has sent a message, which counts against its rate. WYRM_TICK_NEVER: it is beyond
 * its rate. Else the greater the shorter ago it had sent one, 0 if long ago or never. */
wyrm_tick wyrm_cookie_charge(struct wyrm_device *dev, const struct wyrm_endpoint *from);

/* Takes the cookie out of a reply to our last handshake message to `peer`; false, with nothing
 * changed, if it is none. */
bool wyrm_cookie_consume(const struct wyrm_device *dev, struct wyrm_peer *peer, uint8_t *msg);

#endif /* WYRM_COOKIE_H */

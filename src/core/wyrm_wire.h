/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Offsets of the four messages of paper section 5.4. Messages are accessed by byte at these
 * offsets, not through a struct, so alignment and byte order do not matter.
 */
#ifndef WYRM_WIRE_H
#define WYRM_WIRE_H

#include "../crypto/wyrm_bytes.h"

#include <stddef.h>
#include <stdint.h>

enum wyrm_message {
    WYRM_MSG_NONE = 0,
    WYRM_MSG_INITIATION = 1,
    WYRM_MSG_RESPONSE = 2,
    WYRM_MSG_COOKIE = 3,
    WYRM_MSG_DATA = 4
};

/* First message, initiator to responder. */
enum {
    INITIATION_SENDER = 4,
    INITIATION_EPHEMERAL = 8,
    INITIATION_STATIC = 40,
    INITIATION_TIMESTAMP = 88,
    INITIATION_MAC1 = 116,
    INITIATION_LEN = 148
};
/* Second message, responder to initiator. */
enum {
    RESPONSE_SENDER = 4,
    RESPONSE_RECEIVER = 8,
    RESPONSE_EPHEMERAL = 12,
    RESPONSE_EMPTY = 44,
    RESPONSE_MAC1 = 60,
    RESPONSE_LEN = 92
};
/* Cookie reply. */
enum { COOKIE_RECEIVER = 4, COOKIE_NONCE = 8, COOKIE_SEALED = 32, COOKIE_REPLY_LEN = 64 };
/* Transport data. */
enum { DATA_RECEIVER = 4, DATA_COUNTER = 8, DATA_SEALED = 16, DATA_MIN_LEN = 32 };
/* Both handshake messages end in mac1 and mac2. */
enum { MAC_LEN = 16, MACS_LEN = 32 };

/* The type of a datagram; NONE if type, reserved bytes or length are invalid. */
static inline enum wyrm_message wyrm_classify(const uint8_t *buf, size_t len)
{
    if (len < DATA_MIN_LEN)
        return WYRM_MSG_NONE;
    switch (wyrm_load_le32(buf)) {
    case WYRM_MSG_INITIATION:
        return len == INITIATION_LEN ? WYRM_MSG_INITIATION : WYRM_MSG_NONE;
    case WYRM_MSG_RESPONSE:
        return len == RESPONSE_LEN ? WYRM_MSG_RESPONSE : WYRM_MSG_NONE;
    case WYRM_MSG_COOKIE:
        return len == COOKIE_REPLY_LEN ? WYRM_MSG_COOKIE : WYRM_MSG_NONE;
    case WYRM_MSG_DATA:
        return WYRM_MSG_DATA;
    default:
        return WYRM_MSG_NONE;
    }
}

#endif /* WYRM_WIRE_H */

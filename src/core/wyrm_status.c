/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Sentences for verdicts, apart from the rest so that a device without a console pays nothing.
 */
#include "../wyrm.h"

const char *wyrm_status_text(wyrm_status status)
{
    switch (status) {
    case WYRM_IDLE:
        return "nothing to do";
    case WYRM_SEND:
        return "a datagram is to be sent";
    case WYRM_DELIVER:
        return "a packet is to be delivered";
    case WYRM_HOLD:
        return "no session yet";
    case WYRM_WORK:
        return "a handshake job is waiting";
    case WYRM_READY:
        return "the peer can carry data";
    case WYRM_LOST:
        return "the peer does not answer";
    case WYRM_E_ARG:
        return "an argument is out of range";
    case WYRM_E_SPACE:
        return "the output buffer is too small";
    case WYRM_E_STATE:
        return "no such peer";
    case WYRM_E_FULL:
        return "no room for more";
    case WYRM_E_EXISTS:
        return "this peer exists already";
    case WYRM_E_KEY:
        return "the key is missing or unusable";
    case WYRM_E_RANDOM:
        return "the random generator failed: no handshake now";
    case WYRM_E_CLOCK:
        return "no fresh timestamp";
    case WYRM_E_ABI:
        return "library and application were compiled with different options";
    case WYRM_E_TEXT:
        return "the text does not parse";
    case WYRM_E_CRYPTO:
        return "the cryptographic backend failed";
    case WYRM_E_IMAGE:
        return "no valid image of a suspended device";
    case WYRM_D_MALFORMED:
        return "not a WireGuard message";
    case WYRM_D_MAC1:
        return "the sender does not know our public key";
    case WYRM_D_MAC2:
        return "under load and without a valid cookie";
    case WYRM_D_PEER:
        return "handshake of an unknown peer";
    case WYRM_D_INDEX:
        return "no such session";
    case WYRM_D_EXPIRED:
        return "the session has expired";
    case WYRM_D_TAG:
        return "not authentic";
    case WYRM_D_REPLAY:
        return "replayed or too late";
    case WYRM_D_TIMESTAMP:
        return "handshake with an old timestamp";
    case WYRM_D_RATE:
        return "too many handshakes";
    case WYRM_D_ROUTE:
        return "no peer may have this destination";
    case WYRM_D_SOURCE:
        return "the peer may not have this source address";
    case WYRM_D_INNER:
        return "not a well-formed IP packet inside";
    case WYRM_D_ENDPOINT:
        return "the endpoint of the peer is not known";
    case WYRM_D_BUSY:
        return "no handshake slot is free";
    case WYRM_D_DH:
        return "a public key of low order";
    case WYRM_D_RANDOM:
        return "the random generator failed or repeats itself";
    }
    return "unknown verdict";
}

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Headers of the IP packets inside the tunnel: length, addresses and ECN.
 */
#ifndef WYRM_INNER_H
#define WYRM_INNER_H

#include "../wyrm.h"

#define WYRM_INNER_HEADER_MAX 40 /* bytes that wyrm_inner_parse reads */

enum { ECN_MASK = 3, ECN_ECT_0 = 2, ECN_CE = 3 };

struct wyrm_inner {
    const uint8_t *source, *destination; /* into the header */
    size_t len;                          /* of the packet, from its header */
    uint8_t family;
    uint8_t tos; /* DSCP and ECN */
};

/* Parses the header of a packet of `len` bytes. False if it is malformed or the packet is longer.
 */
bool wyrm_inner_parse(struct wyrm_inner *inner, const uint8_t *header, size_t len);

/* The ECN bits of the outer header of an outgoing packet (RFC 6040, as in Linux). */
static inline uint8_t wyrm_inner_encapsulate_ecn(uint8_t inner_tos)
{
    uint8_t ecn = inner_tos & ECN_MASK;

    return ecn == ECN_CE ? ECN_ECT_0 : ecn;
}
/* Copies a congestion mark of the outer header into the packet if its sender supports ECN. */
void wyrm_inner_decapsulate_ecn(uint8_t *ip, const struct wyrm_inner *inner, uint8_t outer_tos);

#endif /* WYRM_INNER_H */

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * What the core must know of the IP packets inside: length, addresses, and the two ECN bits.
 */
#ifndef WYRM_INNER_H
#define WYRM_INNER_H

#include "../wyrm.h"

#define WYRM_INNER_HEADER_MAX 40 /* bytes wyrm_inner_parse looks at */

enum { ECN_MASK = 3, ECN_ECT_0 = 2, ECN_CE = 3 };

struct wyrm_inner {
    const uint8_t *source, *destination; /* into the header */
    size_t len;                          /* of the packet, by its own header */
    uint8_t family;
    uint8_t tos; /* DSCP and ECN */
};

/* False if `header`, the first bytes of a packet of `len` bytes, is not that of a well-formed IP
 * packet that fits into len. */
bool wyrm_inner_parse(struct wyrm_inner *inner, const uint8_t *header, size_t len);

/* The outer ECN bits for a packet going out (RFC 6040, as the Linux kernel does it). */
static inline uint8_t wyrm_inner_encapsulate_ecn(uint8_t inner_tos)
{
    uint8_t ecn = inner_tos & ECN_MASK;

    return ecn == ECN_CE ? ECN_ECT_0 : ecn;
}
/* Carries a congestion mark of the outer header into the packet, if its sender understands it. */
void wyrm_inner_decapsulate_ecn(uint8_t *ip, const struct wyrm_inner *inner, uint8_t outer_tos);

#endif /* WYRM_INNER_H */

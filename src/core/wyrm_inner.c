/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Inner IP headers. Called by wyrm_input after authentication and by wyrm_output.
 */
#include "wyrm_inner.h"

static size_t load_be16(const uint8_t *p)
{
    return (size_t)p[0] << 8 | p[1];
}

static bool parse_ipv4(struct wyrm_inner *inner, const uint8_t *header, size_t len)
{
    size_t header_len;

    if (len < 20)
        return false;
    header_len = (header[0] & 15u) * 4u;
    inner->family = 4;
    inner->tos = header[1];
    inner->len = load_be16(header + 2);
    inner->source = header + 12;
    inner->destination = header + 16;
    return header_len >= 20 && inner->len >= header_len && inner->len <= len;
}

static bool parse_ipv6(struct wyrm_inner *inner, const uint8_t *header, size_t len)
{
    if (len < 40)
        return false;
    inner->family = 6;
    inner->tos = (uint8_t)(header[0] << 4 | header[1] >> 4);
    inner->source = header + 8;
    inner->destination = header + 24;
    if (load_be16(header + 4) >
        len - 40) /* compared first: the sum could overflow a 16-bit size_t */
        return false;
    inner->len = 40 + load_be16(header + 4);
    return true;
}

bool wyrm_inner_parse(struct wyrm_inner *inner, const uint8_t *header, size_t len)
{
    if (len == 0)
        return false;
    if (header[0] >> 4 == 4)
        return parse_ipv4(inner, header, len);
    return WYRM_IPV6 && header[0] >> 4 == 6 && parse_ipv6(inner, header, len);
}

/* RFC 1624: a header word was increased by `delta`, so the checksum decreases by it. */
static void adjust_checksum(uint8_t *sum, unsigned delta)
{
    unsigned value = (unsigned)load_be16(sum) + 0xffffu - delta;

    value = (value & 0xffffu) + (value >> 16);
    sum[0] = (uint8_t)(value >> 8);
    sum[1] = (uint8_t)value;
}

void wyrm_inner_decapsulate_ecn(uint8_t *ip, const struct wyrm_inner *inner, uint8_t outer_tos)
{
    unsigned ecn = inner->tos & ECN_MASK;

    if ((outer_tos & ECN_MASK) != ECN_CE || ecn == 0 || ecn == ECN_CE)
        return;
    if (!WYRM_IPV6 || inner->family == 4) {
        ip[1] |= ECN_CE;
        adjust_checksum(ip + 10, ECN_CE - ecn);
    } else {
        ip[1] |= ECN_CE << 4;
    }
}

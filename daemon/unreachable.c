/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The same ICMP errors as the kernel's WireGuard interfaces (RFC 1122 section 3.2.2, RFC 4443
 * section 3.1). Their source is the unreachable address, because the system would drop a packet
 * from one of its own addresses as forged.
 */
#include "unreachable.h"
#include "checksum.h"

#include <string.h>

enum {
    QUOTED_MAX = 512,
    PER_SECOND = 100,
    ICMP4 = 1,
    ICMP4_ECHO = 8,
    ICMP6 = 58,
    ICMP6_INFORMATIONAL = 128
};

static bool too_many(wyrm_ms now)
{
    static wyrm_ms second;
    static unsigned sent;

    if (now / 1000 != second) {
        second = now / 1000;
        sent = 0;
    }
    return sent++ >= PER_SECOND;
}

/* No errors about errors, later fragments, or packets from or to a multicast address. */
static bool may_answer(const uint8_t *ip, size_t len)
{
    if (ip[0] >> 4 == 6) {
        bool error = ip[6] == ICMP6 && (len < 41 || ip[40] < ICMP6_INFORMATIONAL);

        return !error && ip[24] != 0xff && ip[8] != 0xff;
    }
    size_t at = (size_t)(ip[0] & 15) * 4;
    bool first = !(ip[6] & 0x1f) && !ip[7];
    bool error = ip[9] == ICMP4 && (len <= at || ip[at] != ICMP4_ECHO);

    return first && !error && ip[16] < 224 && ip[12] != 0 && ip[12] < 224;
}

static size_t gather(uint8_t *out, const struct wyrm_span *ip, unsigned n)
{
    size_t len = 0;

    for (unsigned i = 0; i < n; i++) {
        size_t part = ip[i].len < QUOTED_MAX - len ? ip[i].len : QUOTED_MAX - len;

        memcpy(out + len, ip[i].data, part);
        len += part;
    }
    return len;
}

void wyrmd_unreachable(const struct wyrmd_tun *tun, wyrm_ms now, const struct wyrm_span *ip,
                       unsigned n)
{
    uint8_t packet[40 + 8 + QUOTED_MAX] = {0};
    uint8_t quoted[QUOTED_MAX];
    size_t len = gather(quoted, ip, n), head;
    bool v4 = quoted[0] >> 4 == 4;
    uint8_t *icmp;
    uint16_t sum;

    if (len < (v4 ? 20 : 40) || !may_answer(quoted, len) || too_many(now))
        return;
    head = v4 ? 20 : 40;
    icmp = packet + head;
    if (v4) {
        packet[0] = 0x45;
        packet[2] = (uint8_t)((head + 8 + len) >> 8);
        packet[3] = (uint8_t)(head + 8 + len);
        packet[8] = 64;
        packet[9] = ICMP4;
        memcpy(packet + 12, quoted + 16, 4);
        memcpy(packet + 16, quoted + 12, 4);
        sum = (uint16_t)~wyrmd_fold(wyrmd_sum(0, packet, head));
        memcpy(packet + 10, &sum, sizeof(sum));
        icmp[0] = 3; /* destination unreachable: host */
        icmp[1] = 1;
    } else {
        packet[0] = 0x60;
        packet[4] = (uint8_t)((8 + len) >> 8);
        packet[5] = (uint8_t)(8 + len);
        packet[6] = ICMP6;
        packet[7] = 64;
        memcpy(packet + 8, quoted + 24, 16);
        memcpy(packet + 24, quoted + 8, 16);
        icmp[0] = 1; /* destination unreachable: address */
        icmp[1] = 3;
    }
    memcpy(icmp + 8, quoted, len);
    sum = (uint16_t)~wyrmd_fold(
        wyrmd_sum(v4 ? 0 : wyrmd_sum_pseudo(0, packet, ICMP6, 8 + len), icmp, 8 + len));
    memcpy(icmp + 2, &sum, sizeof(sum));
    wyrmd_tun_write(tun, packet, head + 8 + len);
}

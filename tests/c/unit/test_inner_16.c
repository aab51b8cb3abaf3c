/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Inner headers where size_t has 16 bits, as on AVR or MSP430: a length from the wire plus that of
 * the header does not fit.
 */
#include "world.h"

#include "core/wyrm_util.h"

/* Arithmetic on it is that of int, which the file has no reason to say anywhere else. */
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wimplicit-int-conversion"
#endif
#define size_t                     uint16_t
#define wyrm_inner_parse           inner_16_parse
#define wyrm_inner_decapsulate_ecn inner_16_decapsulate_ecn
#include "core/wyrm_inner.c"
#undef size_t

TEST(no_ipv6_length_wraps)
{
    struct wyrm_inner inner;
    uint8_t ip[200];

    for (unsigned payload = 0; payload <= UINT16_MAX; payload++) {
        make_ip6(ip, sizeof(ip), A, B, 1);
        ip[4] = (uint8_t)(payload >> 8);
        ip[5] = (uint8_t)payload;
        assert_int_equal(inner_16_parse(&inner, ip, sizeof(ip)), payload <= sizeof(ip) - 40);
        if (payload <= sizeof(ip) - 40)
            assert_int_equal(inner.len, payload + 40);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(no_ipv6_length_wraps),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

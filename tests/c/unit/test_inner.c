/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * IP headers inside: what counts as well-formed, what is cut off, and the two ECN bits.
 */
#include "world.h"

#include "core/wyrm_inner.h"

static void is_read(const struct wyrm_inner *inner, uint8_t family, const uint8_t *source,
                    const uint8_t *destination)
{
    assert_int_equal(inner->family, family);
    assert_int_equal(inner->len, 60);
    assert_int_equal(inner->tos, 0xb9);
    assert_ptr_equal(inner->source, source);
    assert_ptr_equal(inner->destination, destination);
}

TEST(an_ipv4_header_is_read)
{
    struct wyrm_inner inner;
    uint8_t ip[60];

    make_ip4(ip, sizeof(ip), A, B, 1);
    ip[1] = 0xb9;
    assert_true(wyrm_inner_parse(&inner, ip, sizeof(ip)));
    is_read(&inner, 4, ip + 12, ip + 16);
}

TEST(an_ipv6_header_is_read)
{
    struct wyrm_inner inner;
    uint8_t ip[60];

    make_ip6(ip, sizeof(ip), A, B, 1);
    ip[0] |= 0x0b;
    ip[1] |= 0x9f; /* the low bits belong to the flow label */
    assert_true(wyrm_inner_parse(&inner, ip, sizeof(ip)));
    is_read(&inner, 6, ip + 8, ip + 24);
}

TEST(other_versions_are_refused)
{
    struct wyrm_inner inner;
    uint8_t ip[60];

    for (unsigned version = 0; version < 16; version++) {
        make_ip4(ip, sizeof(ip), A, B, 1);
        ip[0] = (uint8_t)(version << 4 | 5);
        if (version != 4 && version != 6)
            assert_false(wyrm_inner_parse(&inner, ip, sizeof(ip)));
    }
}

/* Each in a block of its exact size, so that the address sanitizer sees a byte too many. */
TEST(packets_shorter_than_their_header_are_refused)
{
    struct wyrm_inner inner;
    uint8_t ip4[40], ip6[48];

    make_ip4(ip4, sizeof(ip4), A, B, 1);
    make_ip6(ip6, sizeof(ip6), A, B, 1);
    for (size_t len = 0; len < 40; len++) {
        uint8_t *exact = test_malloc(len + 1);

        memcpy(exact, ip4, len);
        assert_false(wyrm_inner_parse(&inner, exact, len));
        memcpy(exact, ip6, len);
        assert_false(wyrm_inner_parse(&inner, exact, len));
        test_free(exact);
    }
}

TEST(an_ipv4_length_must_fit)
{
    struct wyrm_inner inner;
    uint8_t ip[60];

    make_ip4(ip, sizeof(ip), A, B, 1);
    for (unsigned claimed = 0; claimed < 0x10000; claimed++) {
        ip[2] = (uint8_t)(claimed >> 8);
        ip[3] = (uint8_t)claimed;
        assert_int_equal(wyrm_inner_parse(&inner, ip, sizeof(ip)), claimed >= 20 && claimed <= 60);
    }
}

TEST(an_ipv4_header_length_must_fit)
{
    struct wyrm_inner inner;
    uint8_t ip[40];

    make_ip4(ip, sizeof(ip), A, B, 1);
    for (unsigned words = 0; words < 16; words++) {
        ip[0] = (uint8_t)(0x40 | words);
        assert_int_equal(wyrm_inner_parse(&inner, ip, sizeof(ip)), words >= 5 && words <= 10);
    }
}

TEST(an_ipv6_length_must_fit)
{
    struct wyrm_inner inner;
    uint8_t ip[60];

    make_ip6(ip, sizeof(ip), A, B, 1);
    for (unsigned claimed = 0; claimed < 0x10000; claimed++) {
        ip[4] = (uint8_t)(claimed >> 8);
        ip[5] = (uint8_t)claimed;
        assert_int_equal(wyrm_inner_parse(&inner, ip, sizeof(ip)), claimed <= 20);
    }
}

/* ---- ECN -------------------------------------------------------------------- */

enum { NOT_ECT, ECT_1, ECT_0, CE };

static unsigned checksum_of(const uint8_t ip[20])
{
    uint32_t sum = 0;

    for (unsigned i = 0; i < 20; i += 2)
        sum += (uint32_t)ip[i] << 8 | ip[i + 1];
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return sum;
}

static void write_checksum(uint8_t ip[20])
{
    unsigned sum;

    ip[10] = ip[11] = 0;
    sum = 0xffff - checksum_of(ip);
    ip[10] = (uint8_t)(sum >> 8);
    ip[11] = (uint8_t)sum;
}

/* RFC 6040 section 4.1, normal mode, except that CE goes out as ECT(0), as Linux has it: a mark
 * made before the tunnel is the inner packet's own and is not repeated outside. */
TEST(encapsulation_copies_ecn_to_the_outer_header)
{
    for (unsigned dscp = 0; dscp < 64; dscp++) {
        assert_int_equal(wyrm_inner_encapsulate_ecn((uint8_t)(dscp << 2 | NOT_ECT)), NOT_ECT);
        assert_int_equal(wyrm_inner_encapsulate_ecn((uint8_t)(dscp << 2 | ECT_0)), ECT_0);
        assert_int_equal(wyrm_inner_encapsulate_ecn((uint8_t)(dscp << 2 | ECT_1)), ECT_1);
        assert_int_equal(wyrm_inner_encapsulate_ecn((uint8_t)(dscp << 2 | CE)), ECT_0);
    }
}

/* RFC 6040 section 4.2 for an outer CE, except that a sender that knows no ECN keeps its packet, as
 * with Linux: to drop it would tell the outside something about the inside. An outer ECT(1) on
 * ECT(0) is not carried in, as with Linux. */
static const uint8_t inside[4][4] = {
    /* outer: not-ECT, ECT(1), ECT(0), CE */
    [NOT_ECT] = {NOT_ECT, NOT_ECT, NOT_ECT, NOT_ECT},
    [ECT_1] = {ECT_1, ECT_1, ECT_1, CE},
    [ECT_0] = {ECT_0, ECT_0, ECT_0, CE},
    [CE] = {CE, CE, CE, CE},
};

TEST(decapsulation_carries_congestion_marks_into_ipv4)
{
    for (unsigned tos = 0; tos < 256; tos++)
        for (unsigned outer = 0; outer < 256; outer++) {
            struct wyrm_inner inner;
            uint8_t ip[28];

            make_ip4(ip, sizeof(ip), A, B, 1);
            ip[1] = (uint8_t)tos;
            write_checksum(ip);
            assert_true(wyrm_inner_parse(&inner, ip, sizeof(ip)));
            wyrm_inner_decapsulate_ecn(ip, &inner, (uint8_t)outer);
            assert_int_equal(ip[1], (tos & 0xfc) | inside[tos & 3][outer & 3]);
            assert_int_equal(checksum_of(ip), 0xffff);
        }
}

TEST(decapsulation_carries_congestion_marks_into_ipv6)
{
    for (unsigned tos = 0; tos < 256; tos++)
        for (unsigned outer = 0; outer < 256; outer++) {
            struct wyrm_inner inner;
            uint8_t ip[48], before[48];

            make_ip6(ip, sizeof(ip), A, B, 1);
            ip[0] = (uint8_t)(0x60 | tos >> 4);
            ip[1] = (uint8_t)(tos << 4 | 0x0a);
            memcpy(before, ip, sizeof(ip));
            assert_true(wyrm_inner_parse(&inner, ip, sizeof(ip)));
            wyrm_inner_decapsulate_ecn(ip, &inner, (uint8_t)outer);
            before[1] = (uint8_t)((before[1] & 0xcf) | inside[tos & 3][outer & 3] << 4);
            assert_memory_equal(ip, before, sizeof(ip));
        }
}

/* Every checksum the header can have, among them 0 and 0xffff. */
TEST(the_ipv4_checksum_stays_right_for_every_value)
{
    for (unsigned id = 0; id < 0x10000; id++)
        for (unsigned ecn = ECT_1; ecn <= ECT_0; ecn++) {
            struct wyrm_inner inner;
            uint8_t ip[28];

            make_ip4(ip, sizeof(ip), A, B, 1);
            ip[1] = (uint8_t)ecn;
            ip[4] = (uint8_t)(id >> 8);
            ip[5] = (uint8_t)id;
            write_checksum(ip);
            assert_true(wyrm_inner_parse(&inner, ip, sizeof(ip)));
            wyrm_inner_decapsulate_ecn(ip, &inner, CE);
            assert_int_equal(ip[1], CE);
            assert_int_equal(checksum_of(ip), 0xffff);
        }
}

/* ---- Through the tunnel ------------------------------------------------------- */

TEST(the_outer_tos_is_ecn_without_dscp)
{
    struct world *w = world_make(2);
    uint8_t ip[28];

    handshake(w, A, B);
    make_ip4(ip, sizeof(ip), A, B, 1);
    ip[1] = 0xb8 | ECT_0;
    assert_int_equal(send_raw(w, A, ip, sizeof(ip)), WYRM_SEND);
    assert_int_equal(w->last[A].tos, ECT_0);
    world_free(w);
}

TEST(a_keepalive_has_a_plain_outer_tos)
{
    struct world *w = world_make(2);

    handshake(w, A, B);
    wyrm_peer_set_keepalive(&w->node[A].dev, w->id[A][B], 25);
    settle(w, A);
    assert_int_equal(w->tally[A].keepalives, 1);
    assert_int_equal(w->last[A].tos, 0);
    world_free(w);
}

/* As Linux sends them: DSCP AF41, and no ECN. */
TEST(handshake_messages_are_sent_with_priority)
{
    struct world *w = world_make(2);
    struct datagram initiation;

    make_initiation(w, A, B, &initiation);
    assert_int_equal(initiation.tos, 0x88);
    assert_int_equal(inject(w, B, &initiation, &w->node[A].address), WYRM_WORK);
    settle(w, B);
    assert_int_equal(kind_of(&w->last[B]), WYRM_MSG_RESPONSE);
    assert_int_equal(w->last[B].tos, 0x88);
    world_free(w);
}

TEST(a_congestion_mark_on_the_outer_packet_reaches_the_inner_one)
{
    struct world *w = world_make(2);
    uint8_t ip[28];

    handshake(w, A, B);
    make_ip4(ip, sizeof(ip), A, B, 1);
    ip[1] = ECT_0;
    write_checksum(ip);
    assert_int_equal(send_raw(w, A, ip, sizeof(ip)), WYRM_SEND);
    w->wire[0].tos = CE;
    pump(w);
    assert_int_equal(w->delivered, 1);
    assert_int_equal(w->inbox[0].data[1], CE);
    assert_int_equal(checksum_of(w->inbox[0].data), 0xffff);
    world_free(w);
}

TEST(padding_after_the_ip_packet_is_cut_off)
{
    struct world *w = world_make(2);
    uint8_t ip[100];

    handshake(w, A, B);
    make_ip4(ip, 50, A, B, 1);
    memset(ip + 50, 0xaa, 50);
    assert_int_equal(send_raw(w, A, ip, sizeof(ip)), WYRM_SEND);
    pump(w);
    assert_int_equal(w->inbox[0].len, 50);
    world_free(w);
}

TEST(malformed_ip_packets_are_not_sent)
{
    struct world *w = world_make(2);
    uint8_t ip[100];
    uint64_t before;

    handshake(w, A, B);
    before = node_hash(&w->node[A]);
    make_ip4(ip, sizeof(ip), A, B, 1);
    assert_int_equal(send_raw(w, A, ip, 19), WYRM_D_INNER);
    assert_int_equal(send_raw(w, A, ip, 99), WYRM_D_INNER);
    assert_int_equal(send_raw(w, A, ip, 0), WYRM_D_INNER);
    ip[0] = 0x75;
    assert_int_equal(send_raw(w, A, ip, 100), WYRM_D_INNER);
    assert_int_equal(node_hash(&w->node[A]), before);
    assert_int_equal(drops_of(w, A, WYRM_D_INNER), 4);
    world_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(an_ipv4_header_is_read),
        RUN(an_ipv6_header_is_read),
        RUN(other_versions_are_refused),
        RUN(packets_shorter_than_their_header_are_refused),
        RUN(an_ipv4_length_must_fit),
        RUN(an_ipv4_header_length_must_fit),
        RUN(an_ipv6_length_must_fit),
        RUN(encapsulation_copies_ecn_to_the_outer_header),
        RUN(decapsulation_carries_congestion_marks_into_ipv4),
        RUN(decapsulation_carries_congestion_marks_into_ipv6),
        RUN(the_ipv4_checksum_stays_right_for_every_value),
        RUN(the_outer_tos_is_ecn_without_dscp),
        RUN(a_keepalive_has_a_plain_outer_tos),
        RUN(handshake_messages_are_sent_with_priority),
        RUN(a_congestion_mark_on_the_outer_packet_reaches_the_inner_one),
        RUN(padding_after_the_ip_packet_is_cut_off),
        RUN(malformed_ip_packets_are_not_sent),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Packets merged by merge.c and cut again by transmit.c are the same, byte for byte, and packets
 * that must not be merged are not. One end of a socket pair stands in for the TUN interface.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SET_UP    open_world
#define TEAR_DOWN close_world
#include "test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "checksum.h"
#include "routing_loop.h"
#include "system.h"
#include "transmit.h"

enum { HEADER = sizeof(struct virtio_net_hdr), LONGEST = 1500, MOST = 80 };

static struct wyrmd_tun tun;
static struct wyrmd_merge *merge;
static const struct wyrmd_transmitter transmitter = {.tun = &tun};
static int system_end;
static uint8_t given[MOST][LONGEST];
static size_t given_len[MOST];
static unsigned given_n, back_n;

void wyrmd_log(const char *format, ...)
{
    (void)format;
}

void wyrmd_log_verbose(const char *format, ...)
{
    (void)format;
}

bool wyrmd_routing_loop(const struct wyrmd_core *core, const struct wyrmd_udp *udp,
                        const uint8_t *ip, size_t len)
{
    (void)core;
    (void)udp;
    (void)ip;
    (void)len;
    return false;
}

/* Called by transmit.c for each packet: they must be those that merge.c was given, in order. */
void wyrmd_tunnel_send(struct wyrmd_tunnel *tunnel, const struct wyrm_span *ip, unsigned n)
{
    uint8_t whole[LONGEST];
    size_t len = 0;

    (void)tunnel;
    for (unsigned i = 0; i < n; i++) {
        memcpy(whole + len, ip[i].data, ip[i].len);
        len += ip[i].len;
    }
    assert_true(back_n < given_n);
    assert_int_equal(len, given_len[back_n]);
    assert_memory_equal(whole, given[back_n], len);
    back_n++;
}

FIXTURE(open_world)
{
    int ends[2];

    given_n = back_n = 0;
    if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, ends) < 0)
        return -1;
    tun = (struct wyrmd_tun){.fd = ends[0], .udp_offload = true};
    system_end = ends[1];
    merge = wyrmd_merge_new(&tun);
    return merge != NULL ? 0 : -1;
}

FIXTURE(close_world)
{
    free(merge);
    close(tun.fd);
    close(system_end);
    return 0;
}

/* Adds an IPv4 or IPv6 packet with correct checksums. */
static void give(unsigned version, uint8_t protocol, size_t payload, uint32_t seq, uint8_t flags)
{
    uint8_t *ip = given[given_n];
    size_t ip_len = version == 4 ? 20 : 40, l4_len = (protocol == IPPROTO_TCP ? 32 : 8) + payload;
    uint8_t *l4 = ip + ip_len;
    uint16_t sum, number;
    uint32_t word;

    memset(ip, 0, LONGEST);
    number = htons((uint16_t)(ip_len + l4_len));
    if (version == 4) {
        ip[0] = 0x45;
        memcpy(ip + 2, &number, 2);
        number = htons((uint16_t)(100 + given_n));
        memcpy(ip + 4, &number, 2);
        ip[6] = 0x40;
        ip[8] = 64;
        ip[9] = protocol;
        memcpy(ip + 12, "\x0a\x00\x00\x01\x0a\x00\x00\x02", 8);
        sum = (uint16_t)~wyrmd_fold(wyrmd_sum(0, ip, 20));
        memcpy(ip + 10, &sum, 2);
    } else {
        ip[0] = 0x60;
        number = htons((uint16_t)l4_len);
        memcpy(ip + 4, &number, 2);
        ip[6] = protocol;
        ip[7] = 64;
        ip[8] = ip[24] = 0xfd;
        ip[39] = 1;
    }
    memcpy(l4, "\x12\x34\x00\x50", 4);
    for (size_t i = 0; i < payload; i++)
        l4[l4_len - payload + i] = (uint8_t)(seq + i * 7);
    if (protocol == IPPROTO_TCP) {
        word = htonl(seq);
        memcpy(l4 + 4, &word, 4);
        l4[12] = 0x80;
        l4[13] = flags;
        l4[15] = 99;
        memset(l4 + 20, 1, 12);
    } else {
        number = htons((uint16_t)l4_len);
        memcpy(l4 + 4, &number, 2);
    }
    sum = (uint16_t)~wyrmd_fold(wyrmd_sum(wyrmd_sum_pseudo(0, ip, protocol, l4_len), l4, l4_len));
    memcpy(l4 + (protocol == IPPROTO_TCP ? 16 : 6), &sum, 2);
    given_len[given_n++] = ip_len + l4_len;
}

/* Merges all packets, reads what the system got and sends it back; returns how many packets that
 * was. */
static unsigned there_and_back(void)
{
    static uint8_t packets[8][HEADER + PACKET_MAX];
    static uint8_t copies[MOST][LONGEST];
    ssize_t len[8];
    unsigned n = 0;

    memcpy(copies, given, sizeof(given));
    for (unsigned i = 0; i < given_n; i++)
        wyrmd_merge_push(merge, copies[i], given_len[i]);
    wyrmd_merge_flush(merge);
    while (n < 8 && (len[n] = recv(system_end, packets[n], sizeof(packets[n]), 0)) > 0)
        n++;
    for (unsigned i = 0; i < n; i++)
        assert_int_equal(send(system_end, packets[i], (size_t)len[i], 0), len[i]);
    assert_true(wyrmd_transmit(&transmitter));
    assert_int_equal(back_n, given_n);
    return n;
}

TEST(a_run_of_ipv4_tcp_is_merged_into_one_segment)
{
    for (unsigned i = 0; i < 40; i++)
        give(4, IPPROTO_TCP, 1368, 1000 + i * 1368, 0x10);
    assert_int_equal(there_and_back(), 1);
}

TEST(a_run_of_ipv6_tcp_is_merged_into_one_segment)
{
    for (unsigned i = 0; i < 40; i++)
        give(6, IPPROTO_TCP, 1348, UINT32_MAX - 5000 + i * 1348, 0x10); /* wraps */
    assert_int_equal(there_and_back(), 1);
}

TEST(a_run_of_udp_is_merged_into_one_segment)
{
    for (unsigned i = 0; i < 30; i++)
        give(6, IPPROTO_UDP, 1201, i, 0);
    assert_int_equal(there_and_back(), 1);
}

TEST(udp_is_not_merged_without_kernel_support)
{
    tun.udp_offload = false;
    for (unsigned i = 0; i < 4; i++)
        give(4, IPPROTO_UDP, 300, i, 0);
    assert_int_equal(there_and_back(), 4);
}

TEST(a_short_or_pushed_packet_ends_the_run)
{
    give(4, IPPROTO_TCP, 1000, 0, 0x10);
    give(4, IPPROTO_TCP, 999, 1000, 0x18); /* shorter and pushed: the last of the first run */
    give(4, IPPROTO_TCP, 1000, 1999, 0x10);
    give(4, IPPROTO_TCP, 1000, 2999, 0x10);
    assert_int_equal(there_and_back(), 2);
}

TEST(a_sequence_gap_ends_the_run)
{
    give(4, IPPROTO_TCP, 1000, 0, 0x10);
    give(4, IPPROTO_TCP, 1000, 2000, 0x10);
    assert_int_equal(there_and_back(), 2);
}

TEST(a_longer_packet_ends_the_run)
{
    give(6, IPPROTO_UDP, 500, 0, 0);
    give(6, IPPROTO_UDP, 501, 1, 0);
    assert_int_equal(there_and_back(), 2);
}

TEST(packets_other_than_plain_data_keep_their_order)
{
    give(4, IPPROTO_TCP, 1000, 0, 0x10);
    give(4, IPPROTO_TCP, 1000, 1000, 0x11); /* FIN */
    give(4, IPPROTO_TCP, 0, 2001, 0x10);    /* bare acknowledgement */
    give(4, IPPROTO_TCP, 1000, 2001, 0x10);
    assert_int_equal(there_and_back(), 4);
}

/* Makes the ports of the last packet unusable: in IPv4 as the first fragment of several, in IPv6
 * with empty destination options. */
static void obscure_the_last(void)
{
    uint8_t *ip = given[given_n - 1];
    uint16_t sum, number;

    if (ip[0] == 0x45) {
        ip[6] = 0x20;
        memset(ip + 10, 0, 2);
        sum = (uint16_t)~wyrmd_fold(wyrmd_sum(0, ip, 20));
        memcpy(ip + 10, &sum, 2);
        return;
    }
    memmove(ip + 48, ip + 40, given_len[given_n - 1] - 40);
    memcpy(ip + 40, (uint8_t[8]){ip[6], 0, 1, 4}, 8);
    ip[6] = 60;
    given_len[given_n - 1] += 8;
    number = htons((uint16_t)(given_len[given_n - 1] - 40));
    memcpy(ip + 4, &number, 2);
}

TEST(fragments_do_not_overtake_packets_being_merged)
{
    for (unsigned i = 0; i < 3; i++) {
        give(4, IPPROTO_UDP, 300, i, 0);
        give(4, IPPROTO_UDP, 300, i, 0);
        give(4, IPPROTO_UDP, 1000, i, 0);
        obscure_the_last();
    }
    assert_int_equal(there_and_back(), 6);
}

TEST(packets_with_extension_headers_do_not_overtake_others)
{
    give(6, IPPROTO_TCP, 1000, 0, 0x10);
    give(6, IPPROTO_TCP, 1000, 1000, 0x10);
    give(6, IPPROTO_TCP, 1000, 2000, 0x10);
    obscure_the_last();
    give(6, IPPROTO_TCP, 1000, 3000, 0x10);
    assert_int_equal(there_and_back(), 3);
}

TEST(fragments_do_not_split_runs_of_other_senders)
{
    uint16_t sum;

    give(4, IPPROTO_TCP, 1000, 0, 0x10);
    give(4, IPPROTO_UDP, 500, 0, 0);
    given[1][15] = 77; /* another sender */
    given[1][6] = 0x20;
    memset(given[1] + 10, 0, 2);
    sum = (uint16_t)~wyrmd_fold(wyrmd_sum(0, given[1], 20));
    memcpy(given[1] + 10, &sum, 2);
    give(4, IPPROTO_TCP, 1000, 1000, 0x10);
    for (unsigned i = 0; i < given_n; i++) {
        static uint8_t copies[3][LONGEST];

        memcpy(copies[i], given[i], given_len[i]);
        wyrmd_merge_push(merge, copies[i], given_len[i]);
    }
    wyrmd_merge_flush(merge);
    for (unsigned i = 0; i < 2; i++) /* the fragment, then both TCP packets as one */
        assert_int_equal(recv(system_end, (uint8_t[PACKET_MAX]){0}, PACKET_MAX, 0),
                         HEADER + (i == 0 ? 528 : 2052));
}

TEST(a_packet_with_a_wrong_checksum_is_passed_on_unchanged)
{
    for (unsigned i = 0; i < 3; i++)
        give(4, IPPROTO_TCP, 1000, i * 1000, 0x10);
    given[1][200] ^= 1;
    assert_int_equal(there_and_back(), 3);
}

/* Merging would replace the header by a correct one. */
TEST(a_packet_with_a_wrong_header_checksum_is_passed_on_unchanged)
{
    for (unsigned i = 0; i < 3; i++)
        give(4, IPPROTO_TCP, 1000, i * 1000, 0x10);
    given[1][11] ^= 1;
    assert_int_equal(there_and_back(), 3);
}

TEST(a_merged_segment_never_exceeds_the_longest_ip_packet)
{
    for (unsigned i = 0; i < 70; i++)
        give(4, IPPROTO_UDP, 1400, i, 0);
    assert_int_equal(there_and_back(), 2);
}

TEST(a_partial_checksum_is_completed)
{
    struct virtio_net_hdr how = {
        .flags = VIRTIO_NET_HDR_F_NEEDS_CSUM, .csum_start = 20, .csum_offset = 6};
    uint8_t packet[HEADER + LONGEST];
    uint16_t sum;

    give(4, IPPROTO_UDP, 333, 5, 0);
    memcpy(packet, &how, sizeof(how));
    memcpy(packet + HEADER, given[0], given_len[0]);
    sum = wyrmd_fold(wyrmd_sum_pseudo(0, given[0], IPPROTO_UDP, 341));
    memcpy(packet + HEADER + 26, &sum, 2);
    assert_true(send(system_end, packet, HEADER + given_len[0], 0) > 0);
    assert_true(wyrmd_transmit(&transmitter));
    assert_int_equal(back_n, 1);
}

/* With a routing header, the destination address is not the final one, which the checksum covers;
 * and headers are long. */
TEST(segments_may_have_long_headers_and_a_hidden_destination)
{
    enum { ROUTING = 8 + 5 * 16, IP = 40 + ROUTING, TCP = 32, PART = 1000, PARTS = 3 };
    struct virtio_net_hdr how = {.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM,
                                 .gso_type = VIRTIO_NET_HDR_GSO_TCPV6,
                                 .gso_size = PART,
                                 .hdr_len = IP + TCP,
                                 .csum_start = IP,
                                 .csum_offset = 16};
    static uint8_t whole[HEADER + IP + TCP + PARTS * PART];
    uint8_t pseudo[40] = {[0] = 0xfd, [15] = 1, [16] = 0xfd, [31] = 99, [39] = IPPROTO_TCP};
    uint8_t *ip = whole + HEADER, *last;
    uint16_t number;
    uint32_t seq;

    memcpy(whole, &how, sizeof(how));
    ip[0] = 0x60;
    number = htons(sizeof(whole) - HEADER - 40);
    memcpy(ip + 4, &number, 2);
    ip[6] = 43;
    ip[8] = ip[24] = 0xfd;
    ip[23] = 1;
    ip[39] = 2; /* the next on the way; 99 is the last */
    ip[40] = IPPROTO_TCP;
    ip[41] = ROUTING / 8 - 1;
    ip[IP + 12] = TCP / 4 << 4;
    ip[IP + 13] = 0x10;
    for (size_t i = IP + TCP; i < sizeof(whole) - HEADER; i++)
        ip[i] = (uint8_t)(i * 7);
    for (unsigned i = 0; i < PARTS; i++) {
        last = given[given_n];
        memcpy(last, ip, IP + TCP);
        memcpy(last + IP + TCP, ip + IP + TCP + i * PART, PART);
        number = htons(ROUTING + TCP + PART);
        memcpy(last + 4, &number, 2);
        seq = htonl(i * PART);
        memcpy(last + IP + 4, &seq, 4);
        number = htons(TCP + PART);
        memcpy(pseudo + 34, &number, 2);
        number = (uint16_t)~wyrmd_fold(
            wyrmd_sum(wyrmd_sum(0, pseudo, sizeof(pseudo)), last + IP, TCP + PART));
        memcpy(last + IP + 16, &number, 2);
        given_len[given_n++] = IP + TCP + PART;
    }
    number = htons(TCP + PARTS * PART);
    memcpy(pseudo + 34, &number, 2);
    number = wyrmd_fold(wyrmd_sum(0, pseudo, sizeof(pseudo)));
    memcpy(ip + IP + 16, &number, 2);
    assert_int_equal(send(system_end, whole, sizeof(whole), 0), sizeof(whole));
    assert_true(wyrmd_transmit(&transmitter));
    assert_int_equal(back_n, PARTS);
}

TEST(malformed_segments_are_dropped)
{
    uint8_t packet[HEADER + 64] = {0};
    struct virtio_net_hdr how = {.gso_type = VIRTIO_NET_HDR_GSO_TCPV4, .gso_size = 10};

    for (uint16_t start = 0; start < 200; start++) {
        how.csum_start = start < 20 ? start : (uint16_t)(start + 20); /* too early or too late */
        how.csum_offset = start % 2 == 0 ? 16 : 600;
        memcpy(packet, &how, sizeof(how));
        assert_true(send(system_end, packet, sizeof(packet), 0) > 0);
        assert_true(wyrmd_transmit(&transmitter));
    }
    assert_int_equal(back_n, 0);
}

/* Reading an epoll descriptor fails as reading a packet does that the virtio_net header cannot
 * describe. */
TEST(a_packet_that_cannot_be_read_does_not_stop_the_daemon)
{
    close(tun.fd);
    tun.fd = epoll_create1(0);
    assert_int_equal(read(tun.fd, given, sizeof(given)), -1);
    assert_int_equal(errno, EINVAL);
    assert_true(wyrmd_transmit(&transmitter));
    assert_int_equal(back_n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(a_run_of_ipv4_tcp_is_merged_into_one_segment),
        RUN(a_run_of_ipv6_tcp_is_merged_into_one_segment),
        RUN(a_run_of_udp_is_merged_into_one_segment),
        RUN(udp_is_not_merged_without_kernel_support),
        RUN(a_short_or_pushed_packet_ends_the_run),
        RUN(a_sequence_gap_ends_the_run),
        RUN(a_longer_packet_ends_the_run),
        RUN(packets_other_than_plain_data_keep_their_order),
        RUN(fragments_do_not_overtake_packets_being_merged),
        RUN(packets_with_extension_headers_do_not_overtake_others),
        RUN(fragments_do_not_split_runs_of_other_senders),
        RUN(a_packet_with_a_wrong_checksum_is_passed_on_unchanged),
        RUN(a_packet_with_a_wrong_header_checksum_is_passed_on_unchanged),
        RUN(a_merged_segment_never_exceeds_the_longest_ip_packet),
        RUN(a_partial_checksum_is_completed),
        RUN(segments_may_have_long_headers_and_a_hidden_destination),
        RUN(malformed_segments_are_dropped),
        RUN(a_packet_that_cannot_be_read_does_not_stop_the_daemon),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

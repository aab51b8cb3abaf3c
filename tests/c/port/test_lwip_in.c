/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Datagrams from peers, in every form in which lwIP delivers them.
 */
#define SET_UP     bench_setup_socket
#define SET_UP_SIX bench_setup_socket_six
#define TEAR_DOWN  bench_teardown_socket
#include "bench.h"

static const struct bench_udp hello = {
    .src = "10.7.0.2", .dst = "10.7.0.1", .sport = 9, .dport = 7, .len = 100};

/* One inner UDP datagram, sealed and wrapped by the far end. */
static size_t make_datagram(uint8_t *outer)
{
    uint8_t ip[BENCH_PACKET_MAX], sealed[BENCH_PACKET_MAX];

    return bench_wrap(sealed, bench_far_seal(ip, bench_build(ip, &hello), sealed), outer);
}

static void expect_hello(void)
{
    assert_int_equal(bench_socket.received, 1);
    assert_int_equal(bench_socket.len, hello.len);
    for (size_t i = 0; i < bench_socket.len; i++)
        assert_int_equal(bench_socket.bytes[i], (uint8_t)i);
}

TEST(a_contiguous_datagram_is_decrypted_in_place)
{
    uint8_t outer[BENCH_PACKET_MAX];

    bench_connect();
    size_t len = make_datagram(outer);
    unsigned before = bench_alive();
    struct pbuf *p = bench_pbuf(outer, len, PBUF_POOL);

    bench_fail_at = 1; /* nothing is allocated on the way in */
    bench_inject_pbuf(0, p);
    bench_fail_at = 0;
    expect_hello();
    assert_int_equal(bench_counters()->rx_copies, 0);
    assert_int_equal(bench_alive(), before);
}

/* The datagram in pieces of `size` after the IP and UDP headers. */
static struct pbuf *chain(const uint8_t *outer, size_t len, size_t size, pbuf_type type)
{
    struct pbuf *p = bench_pbuf(outer, 28, PBUF_POOL);

    for (size_t at = 28; at < len; at += size)
        pbuf_cat(p, bench_pbuf(outer + at, len - at < size ? len - at : size, type));
    return p;
}

static void arrives_with_one_copy(struct pbuf *p)
{
    bench_inject_pbuf(0, p);
    expect_hello();
    assert_int_equal(bench_counters()->rx_copies, 1);
}

TEST(chained_datagram_arrives_with_one_counted_copy)
{
    uint8_t outer[BENCH_PACKET_MAX];

    bench_connect();
    arrives_with_one_copy(chain(outer, make_datagram(outer), 64, PBUF_POOL));
}

TEST(chain_of_single_bytes_arrives)
{
    uint8_t outer[BENCH_PACKET_MAX];

    bench_connect();
    arrives_with_one_copy(chain(outer, make_datagram(outer), 1, PBUF_RAM));
}

TEST(shared_pbuf_is_not_modified)
{
    uint8_t outer[BENCH_PACKET_MAX];

    bench_connect();
    size_t len = make_datagram(outer);
    struct pbuf *p = bench_pbuf(outer, len, PBUF_POOL);

    pbuf_ref(p);
    arrives_with_one_copy(p);
    assert_int_equal(p->ref, 1);
    assert_memory_equal(p->payload, outer + 28, len - 28); /* lwIP has moved past the headers */
    pbuf_free(p);
}

TEST(read_only_pbuf_is_not_modified)
{
    uint8_t outer[BENCH_PACKET_MAX], before[BENCH_PACKET_MAX];

    bench_connect();
    size_t len = make_datagram(outer);
    memcpy(before, outer, len);
    arrives_with_one_copy(pbuf_alloc_reference(outer, (u16_t)len, PBUF_ROM));
    assert_memory_equal(outer, before, len);
}

static unsigned returned; /* buffers returned to the driver */

static void take_back(struct pbuf *p)
{
    (void)p;
    returned++;
}

/* A datagram in a driver's own buffer, as written by its DMA. */
static void receive_by_driver(pbuf_type type, uint8_t *outer, size_t len)
{
    static struct pbuf_custom descriptor;

    returned = 0;
    descriptor.custom_free_function = take_back;
    struct pbuf *p =
        pbuf_alloced_custom(PBUF_RAW, (u16_t)len, type, &descriptor, outer, BENCH_PACKET_MAX);

    assert_non_null(p);
    bench_inject_pbuf(0, p);
    assert_int_equal(returned, 1);
}

TEST(a_custom_pbuf_of_a_driver_is_decrypted_in_place)
{
    uint8_t outer[BENCH_PACKET_MAX];

    bench_connect();
    size_t len = make_datagram(outer);

    receive_by_driver(PBUF_REF, outer, len);
    expect_hello();
    assert_int_equal(bench_counters()->rx_copies, 0);
}

TEST(custom_pbuf_in_read_only_memory_is_not_modified)
{
    uint8_t outer[BENCH_PACKET_MAX], before[BENCH_PACKET_MAX];

    bench_connect();
    size_t len = make_datagram(outer);

    memcpy(before, outer, len);
    receive_by_driver(PBUF_ROM, outer, len);
    expect_hello();
    assert_int_equal(bench_counters()->rx_copies, 1);
    assert_memory_equal(outer, before, len);
}

TEST(buffer_owned_by_others_is_not_modified)
{
    uint8_t outer[BENCH_PACKET_MAX], before[BENCH_PACKET_MAX];

    bench_connect();
    size_t len = make_datagram(outer);

    memcpy(before, outer, len);
    bench_inject_pbuf(0, pbuf_alloc_reference(outer, (u16_t)len, PBUF_REF));
    expect_hello();
    assert_int_equal(bench_counters()->rx_copies, 1);
    assert_memory_equal(outer, before, len);
}

TEST(datagram_at_any_alignment_arrives)
{
    bench_connect();
    for (size_t shift = 0; shift < 8; shift++) {
        uint8_t outer[BENCH_PACKET_MAX], room[BENCH_PACKET_MAX] = {0};
        size_t len = make_datagram(outer);

        bench_socket.received = 0;
        memcpy(room + 8 + shift, outer, len);
        struct pbuf *p = bench_pbuf(room, 8 + shift + len, PBUF_POOL);

        pbuf_remove_header(p, 8 + shift);
        bench_inject_pbuf(0, p);
        expect_hello();
    }
    assert_int_equal(bench_counters()->rx_copies, 0);
}

TEST(junk_of_any_length_is_dropped)
{
    uint8_t junk[200], outer[BENCH_PACKET_MAX];

    bench_connect();
    for (size_t len = 0; len < sizeof(junk); len++) {
        memset(junk, 4, sizeof(junk));
        bench_inject(0, outer, bench_wrap(junk, len, outer));
    }
    assert_int_equal(bench_counters()->rx_packets, 0);
    assert_int_equal(bench.n_wire, 0);
}

TEST(inner_ipv6_arrives)
{
    uint8_t ip[BENCH_PACKET_MAX];
    const struct bench_udp udp = {
        .src = "fd07::2", .dst = "fd07::1", .sport = 9, .dport = 7, .len = 100};

    bench_connect();
    bench_far_send(ip, bench_build(ip, &udp));
    expect_hello();
}

TEST(echo_request_is_answered_through_the_tunnel)
{
    uint8_t ip[BENCH_PACKET_MAX];

    bench_connect();
    size_t len = bench_build(ip, &hello);
    ip[9] = IP_PROTO_ICMP; /* the UDP header becomes one of ICMP */
    ip[20] = 8;
    ip[21] = ip[22] = ip[23] = 0;
    ip[10] = ip[11] = 0;
    uint32_t sum = 0;
    for (size_t i = 0; i < 20; i += 2)
        sum += (uint32_t)(ip[i] << 8 | ip[i + 1]);
    sum = ~((sum & 0xffff) + (sum >> 16));
    ip[10] = (uint8_t)(sum >> 8);
    ip[11] = (uint8_t)sum;
    bench_far_send(ip, len);
    bench_settle();
    assert_int_equal(bench.n_plain, 1);
    assert_int_equal(bench.plain[0].len, len);
    assert_int_equal(bench.plain[0].bytes[20], 0); /* echo reply */
}

TEST(filter_sees_plain_packets_and_may_drop_them)
{
    uint8_t ip[BENCH_PACKET_MAX];

    bench_connect();
    bench.pass[WYRM_LWIP_IN] = false;
    bench_far_send(ip, bench_build(ip, &hello));
    assert_int_equal(bench_socket.received, 0);
    assert_int_equal(bench_counters()->filtered, 1);
    bench.pass[WYRM_LWIP_IN] = true;
    bench_far_send(ip, bench_build(ip, &hello));
    expect_hello();
}

TEST(inner_checksums_are_not_verified_again_unless_enabled)
{
    uint8_t ip[BENCH_PACKET_MAX];

    bench_connect();
    size_t len = bench_build(ip, &hello);
    ip[26] ^= 1;
    bench_far_send(ip, len);
    assert_int_equal(bench_socket.received, 1);
    NETIF_SET_CHECKSUM_CTRL(wyrm_lwip_netif(bench.tunnel), NETIF_CHECKSUM_ENABLE_ALL);
    bench_far_send(ip, len);
    assert_int_equal(bench_socket.received, 1);
}

TEST(segment_size_of_an_incoming_connection_is_clamped)
{
    bench_connect();
    for (int odd = 0; odd < 2; odd++) {
        uint8_t ip[BENCH_PACKET_MAX];

        bench.n_plain = 0;
        /* not for us: forwarded to where it came from */
        bench_far_send(ip, bench_build_syn(ip, "10.8.0.1", "10.7.0.2", 8960, odd));
        bench_settle();
        assert_int_equal(bench.n_plain, 1);
        assert_int_equal(bench_mss(bench.plain[0].bytes, odd), BENCH_MTU - 40);
        assert_true(bench_checksums_good(bench.plain[0].bytes, bench.plain[0].len));
    }
}

TEST(router_advertisement_of_a_peer_has_no_effect)
{
    static const struct wyrm_prefix all = {6, 0, {0}};
    uint8_t ip[BENCH_PACKET_MAX];
    const struct bench_udp udp = {.src = "fe80::2", .dst = "fd07::1", .len = 8};
    ip6_addr_t router, nowhere;

    assert_int_equal(BENCH_CORE(wyrm_route_add, bench.peer, &all), WYRM_IDLE);
    bench_connect();
    size_t len = bench_build(ip, &udp);
    ip[6] = 58;
    ip[7] = 255;
    memset(ip + 40, 0, 16);
    ip[40] = 134;
    ip[46] = 0xff; /* router for a long time */
    bench_far_send(ip, len);
    assert_int_equal(bench_counters()->rx_packets, 1);
    assert_true(ip6addr_aton("2001:db8::1", &nowhere) && ip6addr_aton("fd01::1", &router));
    assert_ptr_equal(ip6_route(&router, &nowhere), &bench.out[0]);
}

TEST(datagram_inside_its_own_tunnel_is_dropped)
{
    uint8_t ip[BENCH_PACKET_MAX], sealed[BENCH_PACKET_MAX], nested[BENCH_PACKET_MAX];
    const struct bench_udp udp = {
        .src = "10.7.0.2", .dst = "10.7.0.1", .sport = BENCH_PORT, .dport = BENCH_PORT, .len = 200};

    bench_connect();
    size_t inner = bench_far_seal(ip, bench_build(ip, &hello), sealed);
    size_t len = bench_build(nested, &udp);
    memcpy(nested + 28, sealed, inner);
    nested[26] = nested[27] = 0;
    bench_far_send(nested, len);
    assert_int_equal(bench_counters()->loops, 1);
    assert_int_equal(bench_counters()->rx_packets, 1);
}

TEST(packet_for_an_interface_that_is_down_is_dropped)
{
    uint8_t ip[BENCH_PACKET_MAX];

    bench_connect();
    netif_set_down(wyrm_lwip_netif(bench.tunnel));
    bench_far_send(ip, bench_build(ip, &hello));
    assert_int_equal(bench_socket.received, 0);
    assert_int_equal(bench_counters()->down, 1);
}

TEST(no_memory_for_a_copy_loses_the_datagram_only)
{
    uint8_t outer[BENCH_PACKET_MAX];

    bench_connect();
    size_t len = make_datagram(outer);
    struct pbuf *p = chain(outer, len, 64, PBUF_POOL);

    bench_fail_at = 1;
    bench_inject_pbuf(0, p);
    bench_fail_at = 0;
    assert_int_equal(bench_socket.received, 0);
    assert_int_equal(bench_counters()->no_memory, 1);
    bench_inject(0, outer, len);
    expect_hello();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(a_contiguous_datagram_is_decrypted_in_place),
        RUN_SIX(a_contiguous_datagram_is_decrypted_in_place),
        RUN(chained_datagram_arrives_with_one_counted_copy),
        RUN(chain_of_single_bytes_arrives),
        RUN(shared_pbuf_is_not_modified),
        RUN(read_only_pbuf_is_not_modified),
        RUN(a_custom_pbuf_of_a_driver_is_decrypted_in_place),
        RUN(custom_pbuf_in_read_only_memory_is_not_modified),
        RUN(buffer_owned_by_others_is_not_modified),
        RUN(datagram_at_any_alignment_arrives),
        RUN(junk_of_any_length_is_dropped),
        RUN(inner_ipv6_arrives),
        RUN_SIX(inner_ipv6_arrives),
        RUN(echo_request_is_answered_through_the_tunnel),
        RUN_SIX(echo_request_is_answered_through_the_tunnel),
        RUN(filter_sees_plain_packets_and_may_drop_them),
        RUN(inner_checksums_are_not_verified_again_unless_enabled),
        RUN(segment_size_of_an_incoming_connection_is_clamped),
        RUN(router_advertisement_of_a_peer_has_no_effect),
        RUN(datagram_inside_its_own_tunnel_is_dropped),
        RUN(packet_for_an_interface_that_is_down_is_dropped),
        RUN(no_memory_for_a_copy_loses_the_datagram_only),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

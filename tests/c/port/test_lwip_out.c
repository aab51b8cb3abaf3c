/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Outgoing packets: sent, held, or refused.
 */
#define SET_UP     bench_setup_socket
#define SET_UP_SIX bench_setup_socket_six
#define TEAR_DOWN  bench_teardown_socket
#include "bench.h"

#include "lwip/raw.h"

static void expect_plain(unsigned i, size_t len)
{
    assert_true(i < bench.n_plain);
    const uint8_t *ip = bench.plain[i].bytes;
    size_t header = ip[0] >> 4 == 6 ? 48 : 28;

    assert_int_equal(bench.plain[i].len, header + len);
    assert_true(bench_checksums_good(ip, bench.plain[i].len));
    for (size_t at = 0; at < len; at++)
        assert_int_equal(ip[header + at], (uint8_t)at);
}

TEST(packets_of_every_length_arrive)
{
    bench_connect();
    for (size_t len = 0; len <= BENCH_MTU - 28; len += len < 70 ? 1 : 50) {
        bench.n_plain = 0;
        assert_int_equal(bench_send(&bench_socket, "10.7.0.2", 9, len), ERR_OK);
        assert_int_equal(bench.n_wire, 1);
        assert_true(bench.wire[0].len <= 1500); /* the tunnel's MTU is right for either family */
        bench_settle();
        expect_plain(0, len);
    }
    assert_int_equal(bench_counters()->tx_copies, 0);
}

TEST(inner_ipv6_leaves)
{
    bench_connect();
    assert_int_equal(bench_send(&bench_socket, "fd07::2", 9, 100), ERR_OK);
    bench_settle();
    expect_plain(0, 100);
}

/* A payload of `pieces` single-byte pbufs. */
static struct pbuf *scattered(unsigned pieces, pbuf_type type)
{
    static uint8_t bytes[64];
    struct pbuf *p = NULL;

    for (unsigned i = 0; i < pieces; i++) {
        struct pbuf *q = type == PBUF_RAM ? pbuf_alloc(PBUF_RAW, 1, type)
                                          : pbuf_alloc_reference(&bytes[i], 1, type);

        bytes[i] = (uint8_t)i;
        *(uint8_t *)q->payload = (uint8_t)i;
        if (p == NULL)
            p = q;
        else
            pbuf_cat(p, q);
    }
    return p;
}

static void send_pbuf(struct pbuf *p)
{
    ip_addr_t to;

    assert_true(ipaddr_aton("10.7.0.2", &to));
    assert_int_equal(udp_sendto(bench_socket.pcb, p, &to, 9), ERR_OK);
}

TEST(scattered_packet_is_gathered_by_the_cipher)
{
    struct pbuf *p = scattered(WYRM_LWIP_SPANS - 1, PBUF_RAM); /* and one for the headers */

    bench_connect();
    send_pbuf(p);
    pbuf_free(p);
    bench_settle();
    expect_plain(0, WYRM_LWIP_SPANS - 1);
    assert_int_equal(bench_counters()->tx_copies, 0);
}

TEST(packet_in_too_many_pieces_is_copied_once)
{
    struct pbuf *p = scattered(40, PBUF_RAM);

    bench_connect();
    send_pbuf(p);
    pbuf_free(p);
    bench_settle();
    expect_plain(0, 40);
    assert_int_equal(bench_counters()->tx_copies, 1);
}

TEST(packet_waits_for_the_handshake_that_it_starts)
{
    assert_int_equal(bench_send(&bench_socket, "10.7.0.2", 9, 50), ERR_OK);
    assert_int_equal(bench_counters()->held, 1);
    assert_int_equal(bench.n_wire, 0);
    bench_settle();
    expect_plain(0, 50);
    assert_int_equal(bench.ready, 1);
    assert_int_equal(bench_counters()->held_dropped, 0);
}

TEST(newest_packets_are_held_and_sent_in_order)
{
    for (size_t len = 1; len <= 6; len++)
        assert_int_equal(bench_send(&bench_socket, "10.7.0.2", 9, len), ERR_OK);
    assert_int_equal(bench.tunnel->held_count, WYRM_LWIP_HOLD_PER_PEER);
    assert_int_equal(bench_counters()->held_dropped, 6 - WYRM_LWIP_HOLD_PER_PEER);
    bench_settle();
    assert_int_equal(bench.n_plain, WYRM_LWIP_HOLD_PER_PEER);
    expect_plain(0, 5);
    expect_plain(1, 6);
}

TEST(held_packets_of_all_peers_are_bounded)
{
    const struct wyrm_endpoint nowhere = {.family = 4, .port = 9, .addr = {192, 0, 2, 99}};

    for (uint8_t i = 0; i < 3; i++) {
        struct wyrm_prefix prefix = {4, 32, {10, 7, 0, (uint8_t)(100 + i)}};
        uint8_t pub[WYRM_KEY_LEN] = {(uint8_t)(9 + i)};
        char to[] = "10.7.0.100";
        wyrm_peer_id peer;

        to[9] = (char)('0' + i);
        assert_int_equal(BENCH_CORE(wyrm_peer_add, pub, &peer), WYRM_IDLE);
        assert_int_equal(BENCH_CORE(wyrm_peer_set_endpoint, peer, &nowhere), WYRM_IDLE);
        assert_int_equal(BENCH_CORE(wyrm_route_add, peer, &prefix), WYRM_IDLE);
        assert_int_equal(bench_send(&bench_socket, to, 9, 10), ERR_OK);
        assert_int_equal(bench_send(&bench_socket, to, 9, 10), ERR_OK);
    }
    assert_int_equal(bench.tunnel->held_count, 4);
    assert_int_equal(bench_counters()->held_dropped, 2);
}

TEST(held_packets_are_freed_when_the_peer_is_lost)
{
    bench.deaf = true;
    assert_int_equal(bench_send(&bench_socket, "10.7.0.2", 9, 50), ERR_OK);
    for (int i = 0; i < 20 && bench.lost == 0; i++) {
        bench_settle();
        bench_advance(6000);
    }
    assert_int_equal(bench.lost, 1);
    assert_int_equal(bench.tunnel->held_count, 0);
    assert_int_equal(bench_counters()->held_dropped, 1);
}

TEST(held_packets_are_freed_with_their_peer)
{
    assert_int_equal(bench_send(&bench_socket, "10.7.0.2", 9, 50), ERR_OK);
    unsigned before = bench_alive();
    assert_int_equal(BENCH_CORE(wyrm_peer_remove, bench.peer), WYRM_IDLE);
    assert_int_equal(bench.tunnel->held_count, 0);
    assert_int_equal(bench_alive(), before - 1);
    assert_int_equal(bench.lost, 1);
}

static wyrm_status replace_peer(struct wyrm_lwip *tunnel, void *unused)
{
    struct wyrm_device *device = wyrm_lwip_device(tunnel);
    struct wyrm_peer_info info;

    LWIP_UNUSED_ARG(unused);
    assert_int_equal(wyrm_peer_get(device, bench_now, bench.peer, &info), WYRM_IDLE);
    assert_int_equal(wyrm_peer_remove(device, bench.peer), WYRM_IDLE);
    return wyrm_peer_add(device, info.pub, &bench.peer);
}

/* TCP does not retransmit a segment that is still referenced: a connection would hang forever. */
TEST(held_packets_are_freed_with_a_peer_that_is_replaced_at_once)
{
    assert_int_equal(bench_send(&bench_socket, "10.7.0.2", 9, 50), ERR_OK);
    assert_int_equal(wyrm_lwip_call(bench.tunnel, replace_peer, NULL), WYRM_IDLE);
    assert_int_equal(bench.tunnel->held_count, 0);
    assert_int_equal(bench_counters()->held_dropped, 1);
}

TEST(held_packets_are_freed_by_stop)
{
    assert_int_equal(bench_send(&bench_socket, "10.7.0.2", 9, 50), ERR_OK);
    wyrm_lwip_stop(bench.tunnel);
    assert_int_equal(bench.tunnel->held_count, 0); /* teardown counts the allocations */
}

TEST(volatile_packet_is_copied_to_be_held)
{
    struct pbuf *p = scattered(3, PBUF_REF);

    send_pbuf(p);
    memset(p->payload, 0xee, 1); /* the owner goes on with its buffer */
    pbuf_free(p);
    assert_int_equal(bench_counters()->held_copies, 1);
    bench_settle();
    expect_plain(0, 3);
}

TEST(lasting_packet_is_held_without_a_copy)
{
    struct pbuf *p = pbuf_alloc(PBUF_TRANSPORT, 10, PBUF_RAM);

    for (uint8_t i = 0; i < 10; i++)
        pbuf_put_at(p, i, i);
    send_pbuf(p);
    assert_int_equal(p->ref, 2);
    assert_int_equal(bench_counters()->held_copies, 0);
    pbuf_free(p);
    bench_settle();
    expect_plain(0, 10);
}

/* ---- Refusals ---- */

static void inject_forwarded(const char *src, const char *dst)
{
    uint8_t ip[BENCH_PACKET_MAX];
    const struct bench_udp udp = {.src = src, .dst = dst, .sport = 5, .dport = 6, .len = 40};

    bench_inject(0, ip, bench_build(ip, &udp));
}

TEST(sender_without_a_route_gets_an_icmp_error)
{
    inject_forwarded("192.0.2.9", "10.7.0.77");
    assert_int_equal(bench.n_wire, 1);
    const uint8_t *ip = bench.wire[0].bytes;

    assert_int_equal(ip[9], 1);
    assert_int_equal(ip[19], 9); /* back to 192.0.2.9 */
    assert_int_equal(ip[20], 3);
    assert_int_equal(ip[21], 1);
    assert_int_equal(ip[28 + 19], 77); /* the packet it is about */
    assert_int_equal(bench_counters()->unreachable, 1);
}

TEST(ipv6_sender_without_a_route_gets_an_icmp_error)
{
    inject_forwarded("fd01::9", "fd07::77");
    assert_int_equal(bench.n_wire, 1);
    const uint8_t *ip = bench.wire[0].bytes;

    assert_int_equal(ip[6], 58);
    assert_int_equal(ip[39], 9);
    assert_int_equal(ip[40], 1);
    assert_int_equal(ip[41], 3);
    assert_true(bench_checksums_good(ip, bench.wire[0].len));
}

static struct {
    unsigned received;
    uint8_t bytes[64];
} icmp;

static u8_t on_icmp(void *arg, struct raw_pcb *pcb, struct pbuf *p, const ip_addr_t *addr)
{
    (void)pcb;
    (void)addr;
    icmp.received++;
    pbuf_copy_partial(p, icmp.bytes, sizeof(icmp.bytes), *(u16_t *)arg);
    return 0;
}

/* Sends `len` bytes to `to`; ICMP messages to ourselves come to `icmp`. */
static err_t send_watching_icmp(const char *to, u8_t protocol, u16_t header, size_t len)
{
    struct raw_pcb *raw = raw_new_ip_type(IPADDR_TYPE_ANY, protocol);

    memset(&icmp, 0, sizeof(icmp));
    raw_recv(raw, on_icmp, &header);
    err_t err = bench_send(&bench_socket, to, 9, len);
    netif_poll_all();
    raw_remove(raw);
    return err;
}

TEST(local_sender_gets_an_icmp_error_too)
{
    assert_int_equal(send_watching_icmp("10.7.0.77", 1, 20, 40), ERR_RTE);
    assert_int_equal(icmp.received, 1);
    assert_int_equal(icmp.bytes[0], 3);
    assert_int_equal(icmp.bytes[1], 1);
    assert_int_equal(send_watching_icmp("fd07::77", 58, 40, 40), ERR_RTE);
    assert_int_equal(icmp.received, 1);
    assert_int_equal(icmp.bytes[0], 1);
    assert_int_equal(icmp.bytes[1], 3);
}

TEST(packet_beyond_the_mtu_is_refused_with_the_mtu)
{
    bench_connect();
    assert_int_equal(send_watching_icmp("10.7.0.2", 1, 20, BENCH_MTU - 27), ERR_VAL);
    assert_int_equal(icmp.received, 1);
    assert_int_equal(icmp.bytes[0], 3);
    assert_int_equal(icmp.bytes[1], 4);
    assert_int_equal(icmp.bytes[6] << 8 | icmp.bytes[7], BENCH_MTU);
    assert_int_equal(send_watching_icmp("fd07::2", 58, 40, BENCH_MTU - 47), ERR_VAL);
    assert_int_equal(icmp.received, 1);
    assert_int_equal(icmp.bytes[0], 2);
    assert_int_equal(icmp.bytes[6] << 8 | icmp.bytes[7], BENCH_MTU);
    assert_int_equal(bench_counters()->too_big, 2);
    assert_int_equal(bench.n_wire, 0);
}

TEST(icmp_errors_cause_no_icmp_errors)
{
    uint8_t ip[BENCH_PACKET_MAX];
    const struct bench_udp udp = {
        .src = "192.0.2.9", .dst = "10.7.0.77", .sport = 3 << 8, .len = 40};

    size_t len = bench_build(ip, &udp);
    ip[9] = 1; /* an ICMP error whose receiver is unreachable */
    ip[10] = 0;
    ip[11] = 0;
    netif_get_by_index(netif_get_index(&bench.out[0]))->chksum_flags = 0;
    bench_inject(0, ip, len);
    assert_int_equal(bench_counters()->unreachable, 1);
    assert_int_equal(bench.n_wire, 0);
    /* and one to somebody whom only the tunnel could reach, where there is no route either */
    inject_forwarded("10.7.0.66", "10.7.0.77");
    assert_int_equal(bench.n_wire, 0);
}

/* How many of 40 packets that are refused at once are answered by an error. */
static unsigned errors_for_40(const char *src, const char *dst)
{
    bench.n_wire = 0;
    for (int i = 0; i < 40; i++)
        inject_forwarded(src, dst);
    return bench.n_wire;
}

TEST(known_defect_71_icmp_errors_are_limited_in_rate)
{
    bench_advance(1000); /* whatever happened before */
    assert_int_equal(errors_for_40("fd01::9", "fd07::77"), 10);
    assert_int_equal(errors_for_40("192.0.2.9", "10.7.0.77"), 0); /* of one bucket */
    bench_advance(500);
    assert_int_equal(errors_for_40("192.0.2.9", "10.7.0.77"), 5);
    bench_advance(3600000);
    assert_int_equal(errors_for_40("fd01::9", "fd07::77"), 10);
    assert_int_equal(bench_counters()->unreachable, 160);
}

TEST(multicast_is_dropped_silently)
{
    struct pbuf *p = scattered(5, PBUF_RAM);
    ip_addr_t to, from;

    assert_true(ipaddr_aton("ff02::1", &to) && ipaddr_aton("fd07::1", &from));
    (void)udp_sendto_if_src(bench_socket.pcb, p, &to, 9, wyrm_lwip_netif(bench.tunnel), &from);
    pbuf_free(p);
    assert_int_equal(bench.n_wire, 0);
}

TEST(nothing_leaves_while_the_peer_has_no_address)
{
    assert_int_equal(BENCH_CORE(wyrm_peer_set_endpoint, bench.peer, NULL), WYRM_IDLE);
    assert_int_equal(bench_send(&bench_socket, "10.7.0.2", 9, 50), ERR_RTE);
    bench_settle();
    assert_int_equal(bench.n_wire, 0);
    assert_int_equal(bench_counters()->unreachable, 1);
}

/* Tries to reach fe80::2 in a zone; how many datagrams leave. */
static unsigned reached_in_zone(uint32_t zone)
{
    struct wyrm_endpoint at = {
        .family = 6, .port = BENCH_PORT, .scope = zone, .addr = {0xfe, 0x80, [15] = 2}};
    static struct wyrm_job job;

    bench.n_wire = 0;
    assert_int_equal(BENCH_CORE(wyrm_peer_set_endpoint, bench.peer, &at), WYRM_IDLE);
    assert_int_equal(BENCH_CORE(wyrm_peer_disconnect, bench.peer), WYRM_IDLE);
    bench_advance(10000);
    assert_int_equal(BENCH_CORE(wyrm_peer_connect, bench_tunnel_now(), bench.peer), WYRM_IDLE);
    wyrm_lwip_work(bench.tunnel, &job);
    return bench.n_wire;
}

TEST(known_defect_72_zone_of_no_interface_is_not_cut_to_that_of_another)
{
    uint8_t zone = netif_get_index(&bench.out[0]);

    netif_create_ip6_linklocal_address(&bench.out[0], 1);
    netif_ip6_addr_set_state(&bench.out[0], 0, IP6_ADDR_PREFERRED);
    assert_int_equal(reached_in_zone(zone), 1);
    assert_int_equal(bench_counters()->send_errors, 0);
    assert_int_equal(reached_in_zone(256u + zone), 0);
    assert_int_equal(reached_in_zone(0x80000000u + zone), 0);
    assert_true(bench_counters()->send_errors >= 2);
}

TEST(nothing_leaves_after_stop)
{
    bench_connect();
    wyrm_lwip_stop(bench.tunnel);
    assert_int_equal(bench_send(&bench_socket, "10.7.0.2", 9, 50), ERR_RTE);
    assert_int_equal(bench_send(&bench_socket, "fd07::2", 9, 50), ERR_RTE);
    assert_int_equal(bench.n_wire, 0);
    assert_int_equal(bench_counters()->down, 2);
}

TEST(filter_may_drop_outgoing_packets)
{
    bench_connect();
    bench.pass[WYRM_LWIP_OUT] = false;
    assert_int_equal(bench_send(&bench_socket, "10.7.0.2", 9, 50), ERR_OK);
    assert_int_equal(bench.n_wire, 0);
    assert_int_equal(bench_counters()->filtered, 1);
}

static void stop_tunnel(void)
{
    wyrm_lwip_stop(bench.tunnel);
}

TEST(filter_may_stop_the_tunnel)
{
    bench_connect();
    bench.during_filter = stop_tunnel;
    assert_int_equal(bench_send(&bench_socket, "10.7.0.2", 9, 50), ERR_RTE);
    assert_int_equal(bench.tunnel->held_count, 0);
    assert_int_equal(bench.n_wire, 0);
}

TEST(tunnel_through_itself_is_cut)
{
    const struct wyrm_endpoint inside = {.family = 4, .port = 9, .addr = {10, 7, 0, 2}};

    bench_connect();
    assert_int_equal(BENCH_CORE(wyrm_peer_set_endpoint, bench.peer, &inside), WYRM_IDLE);
    assert_int_equal(bench_send(&bench_socket, "10.7.0.2", 9, 50), ERR_RTE);
    assert_int_equal(bench_counters()->loops, 1);
    assert_int_equal(bench.n_wire, 0);
}

/* ---- Headers ---- */

TEST(checksums_left_to_hardware_are_filled_in)
{
    bench_connect();
    inject_forwarded("192.0.2.9", "10.7.0.2"); /* lwIP zeroes the sums of what it forwards */
    inject_forwarded("fd01::9", "fd07::2");
    bench_settle();
    expect_plain(0, 40);
    expect_plain(1, 40);
}

TEST(segment_size_of_an_outgoing_connection_is_clamped)
{
    uint8_t ip[BENCH_PACKET_MAX];

    bench_connect();
    for (int odd = 0; odd < 2; odd++) {
        bench.n_plain = 0;
        bench_inject(0, ip, bench_build_syn(ip, "192.0.2.9", "10.7.0.2", 1460, odd));
        bench_inject(0, ip, bench_build_syn(ip, "fd01::9", "fd07::2", 1440, odd));
        bench_inject(0, ip, bench_build_syn(ip, "192.0.2.9", "10.7.0.2", 536, odd));
        bench_settle();
        assert_int_equal(bench.n_plain, 3);
        assert_int_equal(bench_mss(bench.plain[0].bytes, odd), BENCH_MTU - 40);
        assert_int_equal(bench_mss(bench.plain[1].bytes, odd), BENCH_MTU - 60);
        assert_int_equal(bench_mss(bench.plain[2].bytes, odd), 536);
        for (unsigned i = 0; i < 3; i++)
            assert_true(bench_checksums_good(bench.plain[i].bytes, bench.plain[i].len));
    }
}

static uint8_t outer_tos(void)
{
    const uint8_t *ip = bench.wire[0].bytes;

    assert_int_equal(bench.n_wire, 1);
    return (uint8_t)(ip[0] >> 4 == 6 ? ip[0] << 4 | ip[1] >> 4 : ip[1]);
}

TEST(congestion_marks_cross_the_tunnel)
{
    uint8_t ip[BENCH_PACKET_MAX];
    struct bench_udp udp = {.src = "10.8.0.1", .dst = "10.7.0.2", .tos = 2, .len = 8};

    bench_connect();
    bench_socket.pcb->tos = 2; /* ECT(0) */
    assert_int_equal(bench_send(&bench_socket, "10.7.0.2", 9, 50), ERR_OK);
    assert_int_equal(outer_tos() & 3, 2);
    bench_settle();
    bench.n_plain = 0;
    bench.tos = 3; /* congestion was met on the way */
    bench_far_send(ip, bench_build(ip, &udp));
    bench_settle();
    assert_int_equal(bench.n_plain, 1); /* forwarded back, with the mark */
    assert_int_equal(bench.plain[0].bytes[1] & 3, 3);
}

TEST(handshakes_carry_their_own_tos)
{
    static struct wyrm_job job;

    assert_int_equal(BENCH_CORE(wyrm_peer_connect, bench_tunnel_now(), bench.peer), WYRM_IDLE);
    wyrm_lwip_work(bench.tunnel, &job);
    assert_int_equal(outer_tos(), 0x88);
}

/* ---- The way out ---- */

/* Lets a datagram of the far end reach us at out[1]. */
static void reach_us_at_the_other_address(void)
{
    uint8_t ip[BENCH_PACKET_MAX], sealed[BENCH_PACKET_MAX], outer[BENCH_PACKET_MAX];
    const struct bench_udp udp = {.src = "10.7.0.2", .dst = "10.7.0.1", .dport = 7, .len = 8};

    bench_connect();
    size_t len = bench_far_seal(ip, bench_build(ip, &udp), sealed);
    bench.reach = "198.51.100.1";
    bench_inject(1, outer, bench_wrap(sealed, len, outer));
    assert_int_equal(bench_socket.received, 1);
}

static void expect_way_out(unsigned where, const uint8_t *src)
{
    bench.n_wire = 0;
    assert_int_equal(bench_send(&bench_socket, "10.7.0.2", 9, 50), ERR_OK);
    assert_int_equal(bench.n_wire, 1);
    assert_int_equal(bench.wire[0].where, where);
    assert_memory_equal(bench.wire[0].bytes + 12, src, 4);
}

static const uint8_t first[] = {192, 0, 2, 1}, second[] = {198, 51, 100, 1};

TEST(replies_leave_by_the_interface_of_the_request)
{
    bench_connect();
    expect_way_out(0, first);
    bench.ready = 0;
    assert_int_equal(BENCH_CORE(wyrm_peer_disconnect, bench.peer), WYRM_IDLE);
    bench_advance(6000);
    reach_us_at_the_other_address();
    expect_way_out(1, second);
}

TEST(routing_decides_when_the_old_address_is_gone)
{
    ip4_addr_t other;

    reach_us_at_the_other_address();
    IP4_ADDR(&other, 198, 51, 100, 7);
    netif_set_ipaddr(&bench.out[1], &other);
    expect_way_out(0, first);
}

TEST(routing_decides_when_the_old_interface_is_down)
{
    reach_us_at_the_other_address();
    netif_set_down(&bench.out[1]);
    expect_way_out(0, first);
}

TEST(routing_decides_when_the_old_interface_is_gone)
{
    reach_us_at_the_other_address();
    netif_remove(&bench.out[1]);
    expect_way_out(0, first);
}

/* ---- Memory ---- */

static void send_one_of_each(void)
{
    struct pbuf *p;

    (void)bench_send(&bench_socket, "10.7.0.2", 9, 50);
    (void)bench_send(&bench_socket, "fd07::2", 9, 50);
    (void)bench_send(&bench_socket, "10.7.0.77", 9, 50);
    inject_forwarded("192.0.2.9", "10.7.0.2");
    unsigned fail_at = bench_fail_at;
    bench_fail_at = 0;
    p = scattered(20, PBUF_REF);
    bench_fail_at = fail_at;
    ip_addr_t to;
    assert_true(ipaddr_aton("10.7.0.2", &to));
    (void)udp_sendto(bench_socket.pcb, p, &to, 9);
    pbuf_free(p);
}

TEST(any_allocation_may_fail_while_sending)
{
    bench_connect();
    for (unsigned n = 1; n < 30; n++) {
        netif_poll_all();
        unsigned before = bench_alive();

        bench_fail_at = n;
        send_one_of_each();
        bench_fail_at = 0;
        netif_poll_all(); /* ICMP messages to ourselves */
        assert_int_equal(bench_alive(), before);
        bench_settle();
        for (unsigned i = 0; i < bench.n_plain; i++) {
            const uint8_t *ip = bench.plain[i].bytes;

            assert_true(bench_checksums_good(ip, bench.plain[i].len));
        }
        bench.n_plain = 0;
        bench.n_wire = 0;
    }
}

TEST(any_allocation_may_fail_while_holding)
{
    for (unsigned n = 1; n < 30; n++) {
        bench_fail_at = n;
        send_one_of_each();
        bench_fail_at = 0;
        assert_true(bench.tunnel->held_count <= WYRM_LWIP_HOLD_PER_PEER);
        netif_poll_all();
        bench.n_wire = 0;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(packets_of_every_length_arrive),
        RUN_SIX(packets_of_every_length_arrive),
        RUN(inner_ipv6_leaves),
        RUN_SIX(inner_ipv6_leaves),
        RUN(scattered_packet_is_gathered_by_the_cipher),
        RUN(packet_in_too_many_pieces_is_copied_once),
        RUN(packet_waits_for_the_handshake_that_it_starts),
        RUN_SIX(packet_waits_for_the_handshake_that_it_starts),
        RUN(newest_packets_are_held_and_sent_in_order),
        RUN(held_packets_of_all_peers_are_bounded),
        RUN(held_packets_are_freed_when_the_peer_is_lost),
        RUN(held_packets_are_freed_with_their_peer),
        RUN(held_packets_are_freed_with_a_peer_that_is_replaced_at_once),
        RUN(held_packets_are_freed_by_stop),
        RUN(volatile_packet_is_copied_to_be_held),
        RUN(lasting_packet_is_held_without_a_copy),
        RUN(sender_without_a_route_gets_an_icmp_error),
        RUN(ipv6_sender_without_a_route_gets_an_icmp_error),
        RUN(local_sender_gets_an_icmp_error_too),
        RUN(packet_beyond_the_mtu_is_refused_with_the_mtu),
        RUN(icmp_errors_cause_no_icmp_errors),
        RUN(known_defect_71_icmp_errors_are_limited_in_rate),
        RUN(multicast_is_dropped_silently),
        RUN(nothing_leaves_while_the_peer_has_no_address),
        RUN(known_defect_72_zone_of_no_interface_is_not_cut_to_that_of_another),
        RUN(nothing_leaves_after_stop),
        RUN(filter_may_drop_outgoing_packets),
        RUN(filter_may_stop_the_tunnel),
        RUN(tunnel_through_itself_is_cut),
        RUN(checksums_left_to_hardware_are_filled_in),
        RUN(segment_size_of_an_outgoing_connection_is_clamped),
        RUN(congestion_marks_cross_the_tunnel),
        RUN_SIX(congestion_marks_cross_the_tunnel),
        RUN(handshakes_carry_their_own_tos),
        RUN_SIX(handshakes_carry_their_own_tos),
        RUN(replies_leave_by_the_interface_of_the_request),
        RUN(routing_decides_when_the_old_address_is_gone),
        RUN(routing_decides_when_the_old_interface_is_down),
        RUN(routing_decides_when_the_old_interface_is_gone),
        RUN(any_allocation_may_fail_while_sending),
        RUN(any_allocation_may_fail_while_holding),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

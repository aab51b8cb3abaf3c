/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Tests that the known defects of lwIP ports are absent, at the level of the interface. Numbered as
 * in tests/defects.toml.
 */
#define SET_UP     bench_setup_socket
#define SET_UP_SIX bench_setup_socket_six
#define TEAR_DOWN  bench_teardown_socket
#include "bench.h"

#include "wyrm_crypto.h"

#include "lwip/timeouts.h"

static struct wyrm_job job;

static void far_sends(const char *src, const char *dst, size_t len)
{
    uint8_t ip[BENCH_PACKET_MAX];
    const struct bench_udp udp = {.src = src, .dst = dst, .dport = 7, .len = len};

    bench_far_send(ip, bench_build(ip, &udp));
}

static struct wyrm_peer_info info_of_peer(void)
{
    struct wyrm_peer_info info;

    assert_int_equal(BENCH_CORE(wyrm_peer_get, bench_tunnel_now(), bench.peer, &info), WYRM_IDLE);
    return info;
}

static uint32_t drops(wyrm_status reason)
{
    uint32_t all[WYRM_DROP_REASONS];

    wyrm_lwip_count(bench.tunnel, NULL, all);
    return all[WYRM_D_MALFORMED - reason];
}

/* A data message of the live session with any bytes as its plaintext. */
static size_t seal_bytes(const uint8_t *bytes, size_t len, uint8_t *out)
{
    struct wyrm_peer *peer = &bench.far->pools->peers[bench.far_peer];
    struct wyrm_keypair *kp = &peer->kp[peer->current];
    const struct wyrm_span span = {bytes, len};
    uint8_t nonce[WYRM_AEAD_NONCE_LEN] = {0};

    memset(out, 0, WYRM_HEADER_LEN);
    out[0] = 4;
    for (int i = 0; i < 4; i++)
        out[4 + i] = (uint8_t)(kp->remote >> (8 * i));
    for (int i = 0; i < 8; i++)
        nonce[4 + i] = out[8 + i] = (uint8_t)(kp->tx_next >> (8 * i));
    kp->tx_next++;
    wyrm_aead_seal(out + WYRM_HEADER_LEN, &span, 1, 0, NULL, 0, nonce, kp->keys.send);
    return WYRM_HEADER_LEN + len + WYRM_TAG_LEN;
}

TEST(known_defect_01_source_is_checked_not_destination)
{
    bench_connect();
    far_sends("8.8.8.8", "10.7.0.1", 10); /* may not use this source */
    assert_int_equal(bench_socket.received, 0);
    assert_int_equal(drops(WYRM_D_SOURCE), 1);
    far_sends("10.8.0.5", "10.7.0.1", 10); /* our own address need not be anybody's */
    assert_int_equal(bench_socket.received, 1);
}

TEST(known_defect_02_replay_from_elsewhere_moves_no_endpoint)
{
    uint8_t ip[BENCH_PACKET_MAX], sealed[BENCH_PACKET_MAX], outer[BENCH_PACKET_MAX];
    const struct bench_udp udp = {.src = "10.7.0.2", .dst = "10.7.0.1", .dport = 7, .len = 8};

    bench_connect();
    size_t len = bench_far_seal(ip, bench_build(ip, &udp), sealed);
    bench_inject(0, outer, bench_wrap(sealed, len, outer));
    bench.from = "192.0.2.66";
    bench_inject(0, outer, bench_wrap(sealed, len, outer));
    assert_int_equal(bench_socket.received, 1);
    assert_int_equal(info_of_peer().endpoint.addr[3], 2);
}

TEST(known_defect_03_replayed_keepalive_moves_no_endpoint)
{
    uint8_t sealed[64], outer[BENCH_PACKET_MAX];

    bench_connect();
    size_t len = seal_bytes(NULL, 0, sealed);
    bench_inject(0, outer, bench_wrap(sealed, len, outer));
    bench.from = "192.0.2.66";
    bench_inject(0, outer, bench_wrap(sealed, len, outer));
    assert_int_equal(drops(WYRM_D_REPLAY), 1);
    assert_int_equal(info_of_peer().endpoint.addr[3], 2);
}

TEST(known_defect_08_first_packet_waits_instead_of_failing)
{
    assert_int_equal(bench_send(&bench_socket, "10.7.0.2", 9, 50), ERR_OK);
    bench_settle();
    assert_int_equal(bench.n_plain, 1);
}

TEST(known_defect_08_learned_endpoint_can_be_initiated_to)
{
    struct wyrm_endpoint here = {.family = 4, .port = BENCH_PORT, .addr = {192, 0, 2, 1}};

    assert_int_equal(BENCH_CORE(wyrm_peer_set_endpoint, bench.peer, NULL), WYRM_IDLE);
    assert_int_equal(wyrm_peer_set_endpoint(bench.far, bench.far_peer, &here), WYRM_IDLE);
    assert_int_equal(wyrm_peer_connect(bench.far, bench_now, bench.far_peer), WYRM_IDLE);
    bench_settle();
    bench_advance(600000); /* the session is long over */
    bench.n_wire = 0;
    assert_int_equal(bench_send(&bench_socket, "10.7.0.2", 9, 50), ERR_OK);
    bench_settle();
    assert_int_equal(bench.n_plain, 1);
}

TEST(known_defect_11_large_chained_datagram_arrives)
{
    uint8_t ip[BENCH_PACKET_MAX], sealed[BENCH_PACKET_MAX], outer[BENCH_PACKET_MAX];
    const struct bench_udp udp = {.src = "10.7.0.2", .dst = "10.7.0.1", .dport = 7, .len = 1392};

    bench_connect();
    size_t len = bench_wrap(sealed, bench_far_seal(ip, bench_build(ip, &udp), sealed), outer);
    struct pbuf *p = bench_pbuf(outer, 592, PBUF_POOL);
    pbuf_cat(p, bench_pbuf(outer + 592, 592, PBUF_POOL));
    pbuf_cat(p, bench_pbuf(outer + 1184, len - 1184, PBUF_POOL));
    bench_inject_pbuf(0, p);
    assert_int_equal(bench_socket.received, 1);
    assert_int_equal(bench_socket.len, udp.len);
}

TEST(known_defect_12_short_authentic_payload_is_not_read_beyond)
{
    bench_connect();
    for (size_t len = 1; len < 40; len++) {
        uint8_t sealed[128], outer[BENCH_PACKET_MAX], four[40] = {0x45}, six[40] = {0x60};

        bench_inject(0, outer, bench_wrap(sealed, seal_bytes(four, len, sealed), outer));
        bench_inject(0, outer, bench_wrap(sealed, seal_bytes(six, len, sealed), outer));
    }
    assert_int_equal(bench_counters()->rx_packets, 0); /* and the sanitizer saw nothing */
}

TEST(known_defect_24_ipv6_endpoints_are_possible)
{
    assert_int_equal(bench_send(&bench_socket, "10.7.0.2", 9, 50), ERR_OK);
    bench_settle();
    assert_int_equal(bench.n_plain, 1);
    assert_int_equal(bench.far_sees.family, 6);
}

TEST(known_defect_25_ipv6_source_of_a_datagram_is_whole)
{
    const struct wyrm_endpoint expected = {
        .family = 6, .port = BENCH_PORT, .addr = {0xfd, 1, [14] = 0xab, 0xcd}};

    bench_connect();
    bench.from = "fd01::abcd";
    far_sends("10.7.0.2", "10.7.0.1", 10);
    struct wyrm_endpoint learned = info_of_peer().endpoint;

    assert_int_equal(learned.family, expected.family);
    assert_int_equal(learned.port, expected.port);
    assert_memory_equal(learned.addr, expected.addr, 16);
}

TEST(known_defect_26_inner_ipv6_is_checked_like_ipv4)
{
    uint8_t ip[BENCH_PACKET_MAX];
    const struct bench_udp udp = {.src = "fd07::2", .dst = "fd07::1", .dport = 7, .len = 8};

    bench_connect();
    far_sends("fd99::2", "fd07::1", 8);
    assert_int_equal(bench_socket.received, 0);
    assert_int_equal(drops(WYRM_D_SOURCE), 1);
    size_t len = bench_build(ip, &udp);
    ip[2] = ip[3] = 0xff; /* a flow label is no length */
    bench_far_send(ip, len);
    assert_int_equal(bench_socket.received, 1);
    assert_int_equal(bench_socket.len, 8);
}

/* Calls that an application makes from its callbacks, with the lock held and the stack active. */
static void meddle(void *arg, struct udp_pcb *pcb, struct pbuf *p, const ip_addr_t *addr,
                   u16_t port)
{
    (void)arg;
    (void)pcb;
    (void)addr;
    (void)port;
    pbuf_free(p);
    bench_socket.received++;
    wyrm_lwip_remove(bench.tunnel);
}

TEST(known_defect_32_tunnel_may_be_removed_from_a_callback)
{
    bench_connect();
    udp_recv(bench_socket.pcb, meddle, NULL);
    far_sends("10.7.0.2", "10.7.0.1", 8);
    assert_int_equal(bench_socket.received, 1);
    bench_advance(10000);
}

/* Others, such as vendor stacks, may use the netif's state pointer: the port does not.
 */
TEST(known_defect_33_the_netif_state_pointer_is_not_used)
{
    struct netif *netif = wyrm_lwip_netif(bench.tunnel);
    int others;

    netif->state = &others;
    bench_connect();
    assert_int_equal(bench_send(&bench_socket, "10.7.0.2", 9, 50), ERR_OK);
    far_sends("10.7.0.2", "10.7.0.1", 8);
    bench_settle();
    assert_int_equal(bench.n_plain, 1);
    assert_int_equal(bench_socket.received, 1);
    wyrm_lwip_stop(bench.tunnel);
    assert_ptr_equal(netif->state, &others);
}

TEST(known_defect_34_without_randomness_no_handshake)
{
    bench.random_fails = true;
    assert_int_equal(bench_send(&bench_socket, "10.7.0.2", 9, 50), ERR_OK);
    for (int i = 0; i < 5; i++) {
        bench_settle();
        bench_advance(2000);
    }
    assert_int_equal(bench.n_wire, 0);
    assert_int_equal(bench.n_plain, 0);
    bench.random_fails = false;
    for (int i = 0; i < 5; i++) {
        bench_settle();
        bench_advance(2000);
    }
    assert_int_equal(bench.n_plain, 1);
}

TEST(known_defect_35_calls_before_the_start_are_refused)
{
    WYRM_LWIP_DEFINE(fresh, 1, 1, 1);

    assert_int_equal(wyrm_lwip_call_core(&fresh, bench_must_not_run, NULL), WYRM_E_STATE);
    assert_int_equal(wyrm_lwip_set_port_locked(&fresh, 1), ERR_CLSD);
    assert_int_equal(wyrm_lwip_port(&fresh), 0);
    wyrm_lwip_work(&fresh, &job);
    wyrm_lwip_stop(&fresh);
    wyrm_lwip_remove(&fresh);
}

TEST(known_defect_36_the_port_we_listen_on_is_our_own)
{
    bench_connect();
    assert_int_equal(wyrm_lwip_set_port_locked(bench.tunnel, 4444), ERR_OK);
    assert_int_equal(bench_send(&bench_socket, "10.7.0.2", 9, 50), ERR_OK);
    bench_settle();
    assert_int_equal(bench.n_plain, 1);
    assert_int_equal(bench.far_sees.port, 4444);
    assert_int_equal(info_of_peer().endpoint.port, BENCH_PORT);
}

TEST(known_defect_38_idle_tunnel_does_not_tick)
{
    for (int minutes = 0; minutes < 24 * 60; minutes++) {
        bench_now += 60000;
        sys_check_timeouts();
    }
    assert_true(bench_counters()->timer_fired <= 2);
}

TEST(known_defect_38_session_ticks_only_as_often_as_it_must)
{
    bench_connect();
    assert_int_equal(bench_send(&bench_socket, "10.7.0.2", 9, 50), ERR_OK);
    bench_settle();
    far_sends("10.7.0.2", "10.7.0.1", 8);
    bench_advance(600000);
    /* the passive keepalive, the check for an answer and its retries for 90 s, the end of the keys
     */
    assert_true(bench_counters()->timer_fired < 30);
    uint32_t before = bench_counters()->timer_fired;
    bench_advance(600000);
    assert_true(bench_counters()->timer_fired - before <= 1);
}

/* lwIP's memory comes from the test's counting allocator, and the port allocates none of its own.
 * The sanitizer detects invalid frees. */
TEST(known_defect_39_all_memory_is_returned_to_its_allocator)
{
    unsigned before;

    wyrm_lwip_remove(bench.tunnel);
    before = bench_alive();
    for (int i = 0; i < 3; i++) {
        bench_start();
        bench.ready = 0;
        bench_advance(10000);
        bench_connect();
        assert_true(bench_alive() > before);
        wyrm_lwip_remove(bench.tunnel);
        assert_int_equal(bench_alive(), before);
    }
}

TEST(known_defect_40_one_buffer_out_and_none_in)
{
    uint8_t ip[BENCH_PACKET_MAX], sealed[BENCH_PACKET_MAX], outer[BENCH_PACKET_MAX];
    const struct bench_udp udp = {.src = "10.7.0.2", .dst = "10.7.0.1", .dport = 7, .len = 900};
    ip_addr_t to;

    bench_connect();
    bench_advance(100);
    struct pbuf *p = pbuf_alloc(PBUF_TRANSPORT, 900, PBUF_RAM);

    memset(p->payload, 1, 900);
    assert_true(ipaddr_aton("10.7.0.2", &to));
    bench_fail_at = 2; /* the first allocation may succeed */
    assert_int_equal(udp_sendto(bench_socket.pcb, p, &to, 9), ERR_OK);
    assert_int_equal(bench_fail_at, 1);
    bench_fail_at = 0;
    pbuf_free(p);
    bench_settle();
    assert_int_equal(bench.n_plain, 1);

    size_t len = bench_wrap(sealed, bench_far_seal(ip, bench_build(ip, &udp), sealed), outer);
    p = bench_pbuf(outer, len, PBUF_POOL);
    bench_fail_at = 1;
    bench_inject_pbuf(0, p);
    assert_int_equal(bench_fail_at, 1);
    bench_fail_at = 0;
    assert_int_equal(bench_socket.received, 1);
}

TEST(known_defect_29_late_response_after_disconnect_makes_no_session)
{
    assert_int_equal(BENCH_CORE(wyrm_peer_connect, bench_tunnel_now(), bench.peer), WYRM_IDLE);
    wyrm_lwip_work(bench.tunnel, &job);
    assert_int_equal(BENCH_CORE(wyrm_peer_disconnect, bench.peer), WYRM_IDLE);
    bench_settle();
    assert_false(info_of_peer().up);
    assert_int_equal(bench.ready, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(known_defect_01_source_is_checked_not_destination),
        RUN(known_defect_02_replay_from_elsewhere_moves_no_endpoint),
        RUN(known_defect_03_replayed_keepalive_moves_no_endpoint),
        RUN(known_defect_08_first_packet_waits_instead_of_failing),
        RUN(known_defect_08_learned_endpoint_can_be_initiated_to),
        RUN(known_defect_11_large_chained_datagram_arrives),
        RUN(known_defect_12_short_authentic_payload_is_not_read_beyond),
        RUN_SIX(known_defect_24_ipv6_endpoints_are_possible),
        RUN_SIX(known_defect_25_ipv6_source_of_a_datagram_is_whole),
        RUN(known_defect_26_inner_ipv6_is_checked_like_ipv4),
        RUN_SIX(known_defect_26_inner_ipv6_is_checked_like_ipv4),
        RUN(known_defect_29_late_response_after_disconnect_makes_no_session),
        RUN(known_defect_32_tunnel_may_be_removed_from_a_callback),
        RUN(known_defect_33_the_netif_state_pointer_is_not_used),
        RUN(known_defect_34_without_randomness_no_handshake),
        RUN(known_defect_35_calls_before_the_start_are_refused),
        RUN(known_defect_36_the_port_we_listen_on_is_our_own),
        RUN(known_defect_38_idle_tunnel_does_not_tick),
        RUN(known_defect_38_session_ticks_only_as_often_as_it_must),
        RUN(known_defect_39_all_memory_is_returned_to_its_allocator),
        RUN(known_defect_40_one_buffer_out_and_none_in),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Packets from outside the tunnel: a neighbour on the LAN can neither impersonate a peer nor reach
 * the tunnel's own addresses, while all other traffic still passes.
 */
#define SET_UP    bench_setup_socket
#define TEAR_DOWN bench_teardown_socket
#include "bench.h"

#include "lwip/prot/iana.h"
#include "lwip/prot/icmp6.h"
#include "lwip/prot/nd6.h"

#include <stdlib.h>

static void allow_all(bool strict)
{
    static const struct wyrm_prefix all[] = {{4, 0, {0}}, {6, 0, {0}}};
    struct wyrm_lwip_config config = bench_config();

    config.strict = strict;
    bench_restart(&config);
    for (int i = 0; i < 2; i++)
        assert_int_equal(BENCH_CORE(wyrm_route_add, bench.peer, &all[i]), WYRM_IDLE);
}

/* A datagram that arrives on out[0], for port 7 unless told; true: our socket got it. */
static bool arrives_at(const char *src, const char *dst, uint16_t port)
{
    const struct bench_udp udp = {.src = src, .dst = dst, .sport = 9, .dport = port, .len = 30};
    uint8_t ip[BENCH_PACKET_MAX];

    bench_socket.received = 0;
    bench_inject(0, ip, bench_build(ip, &udp));
    return bench_socket.received == 1;
}

static bool arrives(const char *src, const char *dst)
{
    return arrives_at(src, dst, 7);
}

/* Puts an ICMP message in place of a UDP header and fixes nothing: checksums are off. */
static size_t build_icmp(uint8_t *ip, const char *src, const char *dst, uint8_t type, size_t len)
{
    const struct bench_udp udp = {.src = src, .dst = dst, .len = len - 8};
    size_t total = bench_build(ip, &udp);
    uint8_t *icmp = ip + total - len;

    ip[ip[0] >> 4 == 6 ? 6 : 9] = ip[0] >> 4 == 6 ? 58 : 1;
    memset(icmp, 0, len);
    icmp[0] = type;
    bench.out[0].chksum_flags = 0;
    return total;
}

/* How many packets answer a ping that arrives on out[0]. */
static unsigned answers_to_ping(const char *src, const char *dst)
{
    uint8_t ip[BENCH_PACKET_MAX];

    bench.n_wire = bench.n_plain = 0;
    bench_inject(0, ip, build_icmp(ip, src, dst, strchr(src, ':') ? ICMP6_TYPE_EREQ : 8, 32));
    netif_poll_all();
    return bench.n_wire + bench.n_plain;
}

TEST(known_defect_68_packet_for_the_tunnels_address_is_dropped_outside)
{
    bench_connect();
    assert_false(arrives("10.7.0.2", "10.7.0.1")); /* as a peer would write */
    assert_false(arrives("192.0.2.9", "10.7.0.1"));
    assert_false(arrives("fd07::2", "fd07::1"));
    assert_false(arrives("fd01::9", "fd07::1"));
    assert_false(arrives("fe80::9", "fd07::1"));
    assert_int_equal(bench_counters()->spoofed, 5);
    assert_int_equal(answers_to_ping("192.0.2.9", "10.7.0.1"), 0);
    assert_int_equal(answers_to_ping("fd01::9", "fd07::1"), 0);
}

TEST(known_defect_69_source_behind_the_tunnel_is_dropped_outside)
{
    bench_connect();
    assert_false(arrives("10.7.0.2", "192.0.2.1"));  /* an allowed address */
    assert_false(arrives("10.8.0.77", "192.0.2.1")); /* one of an allowed network */
    assert_false(arrives("10.7.0.1", "192.0.2.1"));  /* the tunnel's own */
    assert_false(arrives("fd07::2", "fd01::1"));
    assert_false(arrives("fd08::77", "fd01::1"));
    assert_int_equal(bench_counters()->spoofed, 5);
    assert_int_equal(answers_to_ping("10.7.0.2", "192.0.2.1"), 0);
    assert_int_equal(answers_to_ping("fd07::2", "fd01::1"), 0);
}

TEST(packets_from_elsewhere_arrive)
{
    bench_connect();
    assert_true(arrives("192.0.2.9", "192.0.2.1"));
    assert_true(arrives("8.8.8.8", "192.0.2.1"));
    assert_true(arrives("8.8.8.8", "198.51.100.1"));
    assert_true(arrives("fd01::9", "fd01::1"));
    assert_true(arrives("2001:db8::1", "fd01::1"));
    assert_int_equal(answers_to_ping("192.0.2.9", "192.0.2.1"), 1);
    assert_int_equal(answers_to_ping("fd01::9", "fd01::1"), 1);
    assert_int_equal(bench_counters()->spoofed, 0);
}

TEST(packets_of_a_peer_arrive_through_the_tunnel)
{
    const struct bench_udp four = {
        .src = "10.7.0.2", .dst = "10.7.0.1", .sport = 9, .dport = 7, .len = 30};
    const struct bench_udp six = {
        .src = "fd07::2", .dst = "fd07::1", .sport = 9, .dport = 7, .len = 30};
    uint8_t ip[BENCH_PACKET_MAX];

    bench_connect();
    bench_far_send(ip, bench_build(ip, &four));
    bench_far_send(ip, bench_build(ip, &six));
    assert_int_equal(bench_socket.received, 2);
    assert_int_equal(bench_counters()->spoofed, 0);
}

TEST(own_packets_to_own_addresses_arrive)
{
    static const char *const own[] = {"10.7.0.1", "192.0.2.1", "fd07::1", "fd01::1"};

    allow_all(true);
    for (int i = 0; i < 4; i++) {
        bench_socket.received = 0;
        assert_int_equal(bench_send(&bench_socket, own[i], 7, 30), ERR_OK);
        netif_poll_all();
        assert_int_equal(bench_socket.received, 1);
    }
    assert_int_equal(bench_counters()->spoofed, 0);
}

TEST(default_route_leaves_neighbours_and_the_endpoint_outside)
{
    allow_all(false);
    bench_connect();
    assert_true(arrives("192.0.2.9", "192.0.2.1"));
    assert_true(arrives("fd01::9", "fd01::1"));
    assert_int_equal(answers_to_ping("192.0.2.9", "192.0.2.1"), 1);
    assert_int_equal(bench_counters()->spoofed, 0);
    assert_false(arrives("8.8.8.8", "192.0.2.1")); /* the answer would go through the tunnel */
    assert_false(arrives("2001:db8::1", "fd01::1"));
    assert_int_equal(answers_to_ping("8.8.8.8", "192.0.2.1"), 0);
    assert_int_equal(answers_to_ping("2001:db8::1", "fd01::1"), 0);
    assert_int_equal(bench_counters()->spoofed, 4);
}

/* A session with an endpoint whose address is itself routed into the tunnel. */
static void reach_endpoint_at(const char *address, bool strict)
{
    struct wyrm_endpoint at = {.family = 4, .port = BENCH_PORT};
    ip_addr_t addr;

    assert_true(ipaddr_aton(address, &addr));
    at.family = IP_IS_V6_VAL(addr) ? 6 : 4;
    memcpy(at.addr, &addr, at.family == 6 ? 16 : 4);
    allow_all(strict);
    bench.from = address;
    bench.six = at.family == 6;
    assert_int_equal(BENCH_CORE(wyrm_peer_set_endpoint, bench.peer, &at), WYRM_IDLE);
    bench_connect();
    assert_int_equal(bench_counters()->spoofed, 0);
}

TEST(far_endpoint_gets_through_with_a_default_route)
{
    reach_endpoint_at("203.0.113.5", false);
}

TEST(far_endpoint_gets_through_under_the_strict_policy)
{
    reach_endpoint_at("203.0.113.5", true);
}

TEST(far_ipv6_endpoint_gets_through_under_the_strict_policy)
{
    reach_endpoint_at("2001:db8::5", true);
}

TEST(the_strict_policy_drops_packets_from_neighbours)
{
    allow_all(true);
    bench_connect();
    assert_false(arrives("192.0.2.9", "192.0.2.1"));
    assert_false(arrives("fd01::9", "fd01::1"));
    assert_int_equal(answers_to_ping("192.0.2.9", "192.0.2.1"), 0);
    assert_int_equal(answers_to_ping("fd01::9", "fd01::1"), 0);
    assert_int_equal(answers_to_ping("fe80::9", "fd01::1"), 0);
    assert_int_equal(bench_counters()->spoofed, 5);
}

/* A neighbour asks for fd01::1; how many packets answer. */
static unsigned solicited_by(const char *src)
{
    uint8_t ip[BENCH_PACKET_MAX];
    size_t len = build_icmp(ip, src, "fd01::1", ICMP6_TYPE_NS, 32);

    ip[7] = 255;
    memcpy(ip + 48, ip + 24, 16); /* the target */
    ip[64] = ND6_OPTION_TYPE_SOURCE_LLADDR;
    ip[65] = 1;
    bench.out[0].hwaddr_len = 6;
    bench.n_wire = 0;
    bench_inject(0, ip, len);
    return bench.n_wire;
}

TEST(neighbour_discovery_works_under_the_strict_policy)
{
    allow_all(true);
    assert_int_equal(solicited_by("fd01::9"), 1);
    assert_int_equal(bench_counters()->spoofed, 0);
    assert_int_equal(solicited_by("2001:db8::9"), 0); /* nobody on this link */
    assert_int_equal(solicited_by("fd07::2"), 0);
    assert_int_equal(bench_counters()->spoofed, 2);
}

TEST(the_strict_policy_accepts_dhcp_and_sockets_bound_to_an_interface)
{
    struct bench_socket dhcp;

    allow_all(true);
    bench_open(&dhcp, LWIP_IANA_PORT_DHCP_CLIENT);
    (void)arrives_at("8.8.8.8", "192.0.2.1", LWIP_IANA_PORT_DHCP_CLIENT);
    assert_int_equal(dhcp.received, 1);
    bench_close(&dhcp);
    udp_bind_netif(bench_socket.pcb, &bench.out[0]);
    assert_true(arrives("8.8.8.8", "192.0.2.1"));
    assert_true(arrives("2001:db8::1", "fd01::1"));
    udp_bind_netif(bench_socket.pcb, &bench.out[1]);
    assert_false(arrives("8.8.8.8", "192.0.2.1"));
}

/* Injects `ip` with all its bytes after the header in two fragments, the last one first. */
static void inject_fragments4(const uint8_t *ip, size_t len)
{
    for (int last = 1; last >= 0; last--) {
        uint8_t part[BENCH_PACKET_MAX];
        size_t n = last ? len - 20 - 16 : 16;

        memcpy(part, ip, 20);
        memcpy(part + 20, ip + 20 + (last ? 16 : 0), n);
        part[3] = (uint8_t)(20 + n);
        part[6] = last ? 0 : 0x20;
        part[7] = last ? 2 : 0;
        bench_inject(0, part, 20 + n);
    }
}

/* The same for IPv6; `next` is what the fragment that comes first says it holds. */
static void inject_fragments6(const uint8_t *ip, size_t len, uint8_t next)
{
    static uint8_t id;

    id++;
    for (int last = 1; last >= 0; last--) {
        uint8_t part[BENCH_PACKET_MAX] = {0};
        size_t n = last ? len - 40 - 16 : 16;

        memcpy(part, ip, 40);
        part[5] = (uint8_t)(8 + n);
        part[6] = 44;
        part[40] = last ? next : ip[6];
        part[43] = last ? 16 : 1;
        part[47] = id;
        memcpy(part + 48, ip + 40 + (last ? 16 : 0), n);
        bench_inject(0, part, 48 + n);
    }
}

TEST(fragments_neither_help_an_attacker_nor_hurt_an_endpoint)
{
    const struct bench_udp four = {
        .src = "8.8.8.8", .dst = "192.0.2.1", .sport = 9, .dport = 7, .len = 56};
    const struct bench_udp six = {
        .src = "2001:db8::1", .dst = "fd01::1", .sport = 9, .dport = 7, .len = 56};
    uint8_t ip[BENCH_PACKET_MAX];

    allow_all(true);
    bench.out[0].chksum_flags = 0;
    udp_bind_netif(bench_socket.pcb, &bench.out[0]); /* as good an exception as the tunnel's port */
    inject_fragments4(ip, bench_build(ip, &four));
    assert_int_equal(bench_socket.received, 1);
    inject_fragments6(ip, bench_build(ip, &six), IP6_NEXTH_UDP);
    assert_int_equal(bench_socket.received, 2);
    assert_int_equal(bench_counters()->spoofed, 0);

    udp_bind_netif(bench_socket.pcb, NULL);
    inject_fragments6(ip, bench_build(ip, &six), IP6_NEXTH_UDP);
    inject_fragments4(ip, bench_build(ip, &four));
    assert_int_equal(bench_counters()->spoofed, 2); /* the first of each */
    /* an echo request disguised as UDP: lwIP trusts the fragment that arrives first */
    udp_bind_netif(bench_socket.pcb, &bench.out[0]);
    size_t len = build_icmp(ip, "2001:db8::1", "fd01::1", ICMP6_TYPE_EREQ, 64);
    ip[6] = IP6_NEXTH_UDP;
    ip[42] = 0;
    ip[43] = 7;
    inject_fragments6(ip, len, IP6_NEXTH_ICMP6);
    netif_poll_all();
    assert_int_equal(bench_counters()->spoofed, 3);
    assert_int_equal(bench_socket.received, 2);
    assert_int_equal(bench.n_wire + bench.n_plain, 0);
    bench_advance(70000); /* lwIP drops incomplete packets */
    netif_poll_all();
    assert_int_equal(bench.n_wire + bench.n_plain, 0);
}

TEST(extension_headers_do_not_hide_a_destination)
{
    const struct bench_udp udp = {.src = "fd07::2", .dst = "fd01::1", .len = 16};
    uint8_t ip[BENCH_PACKET_MAX];

    for (int twice = 0; twice < 2; twice++) {
        size_t len = bench_build(ip, &udp);

        bench.out[0].chksum_flags = 0;
        memset(ip + 40, 0, 24);
        ip[6] = IP6_NEXTH_DESTOPTS;
        ip[40] = twice ? IP6_NEXTH_DESTOPTS : IP6_NEXTH_ICMP6;
        ip[42] = 1; /* padding */
        ip[43] = 4;
        if (twice) {
            memcpy(ip + 48, ip + 40, 8);
            ip[48] = IP6_NEXTH_ICMP6;
        }
        ip[twice ? 56 : 48] = ICMP6_TYPE_EREQ;
        bench_inject(0, ip, len);
    }
    assert_int_equal(bench.n_wire, 0);
    assert_int_equal(bench_counters()->spoofed, 2);
}

TEST(packets_cut_short_are_survived)
{
    uint8_t ip[BENCH_PACKET_MAX];
    const struct bench_udp four = {.src = "10.7.0.2", .dst = "192.0.2.1", .len = 8};
    const struct bench_udp six = {.src = "fd07::2", .dst = "fd01::1", .len = 8};

    for (int family = 0; family < 2; family++) {
        size_t whole = bench_build(ip, family ? &six : &four);

        for (size_t len = 1; len <= whole; len++) {
            size_t header = family ? 40 : 20; /* which lwIP itself reads in any case */
            uint8_t *exact = malloc(LWIP_MAX(len, header)); /* the sanitizer sees a byte too many */

            memcpy(exact, ip, LWIP_MAX(len, header));
            bench_inject_pbuf(0, pbuf_alloc_reference(exact, (u16_t)len, PBUF_ROM));
            free(exact);
        }
    }
    assert_int_equal(bench.n_wire, 0);
}

TEST(stopped_tunnel_still_guards_its_addresses)
{
    wyrm_lwip_stop(bench.tunnel);
    assert_false(arrives("192.0.2.9", "10.7.0.1"));
    assert_false(arrives("10.7.0.2", "192.0.2.1"));
    assert_int_equal(bench_counters()->spoofed, 2);
    wyrm_lwip_remove(bench.tunnel);
    assert_true(arrives("10.7.0.2", "192.0.2.1"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(known_defect_68_packet_for_the_tunnels_address_is_dropped_outside),
        RUN(known_defect_69_source_behind_the_tunnel_is_dropped_outside),
        RUN(packets_from_elsewhere_arrive),
        RUN(packets_of_a_peer_arrive_through_the_tunnel),
        RUN(own_packets_to_own_addresses_arrive),
        RUN(default_route_leaves_neighbours_and_the_endpoint_outside),
        RUN(far_endpoint_gets_through_with_a_default_route),
        RUN(far_endpoint_gets_through_under_the_strict_policy),
        RUN(far_ipv6_endpoint_gets_through_under_the_strict_policy),
        RUN(the_strict_policy_drops_packets_from_neighbours),
        RUN(neighbour_discovery_works_under_the_strict_policy),
        RUN(the_strict_policy_accepts_dhcp_and_sockets_bound_to_an_interface),
        RUN(fragments_neither_help_an_attacker_nor_hurt_an_endpoint),
        RUN(extension_headers_do_not_hide_a_destination),
        RUN(packets_cut_short_are_survived),
        RUN(stopped_tunnel_still_guards_its_addresses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

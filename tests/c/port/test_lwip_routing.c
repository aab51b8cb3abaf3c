/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Routing by allowed prefixes, with the hooks in place: traffic of the tunnel goes into the tunnel
 * or nowhere.
 */
#define SET_UP    setup
#define TEAR_DOWN bench_teardown_socket
#include "bench.h"

#include "lwip/prot/icmp6.h"
#include "lwip/prot/nd6.h"

FIXTURE(setup)
{
    static const struct wyrm_prefix all[] = {{4, 0, {0}}, {6, 0, {0}}};
    int result = bench_setup_socket(state);

    for (int i = 0; i < 2; i++)
        assert_int_equal(BENCH_CORE(wyrm_route_add, bench.peer, &all[i]), WYRM_IDLE);
    return result;
}

TEST(everything_goes_through_the_tunnel)
{
    bench_connect(); /* whose own datagrams do not */
    assert_int_equal(bench_send(&bench_socket, "8.8.8.8", 9, 50), ERR_OK);
    assert_int_equal(bench_send(&bench_socket, "2001:db8::1", 9, 50), ERR_OK);
    bench_settle();
    assert_int_equal(bench.n_plain, 2);
    assert_int_equal(bench.n_wire, 0);
    assert_int_equal(bench_counters()->loops, 0);
}

TEST(attached_networks_keep_precedence)
{
    bench_connect();
    assert_int_equal(bench_send(&bench_socket, "192.0.2.77", 9, 50), ERR_OK);
    assert_int_equal(bench_send(&bench_socket, "198.51.100.77", 9, 50), ERR_OK);
    assert_int_equal(bench_send(&bench_socket, "fd01::77", 9, 50), ERR_OK);
    assert_int_equal(bench.n_wire, 3);
    assert_int_equal(bench.wire[1].where, 1);
}

TEST(an_interface_without_link_attaches_no_network)
{
    ip6_addr_t other;

    bench_connect();
    assert_true(ip6addr_aton("fd03::1", &other));
    netif_ip6_addr_set(&bench.out[1], 1, &other);
    netif_ip6_addr_set_state(&bench.out[1], 1, IP6_ADDR_PREFERRED);
    netif_set_default(&bench.out[1]);
    netif_set_link_down(&bench.out[0]);
    assert_int_equal(bench_send(&bench_socket, "192.0.2.77", 9, 50), ERR_OK);
    assert_int_equal(bench_send(&bench_socket, "fd01::77", 9, 50), ERR_OK);
    bench_settle();
    assert_int_equal(bench.n_plain, 2);
    assert_int_equal(bench.n_wire, 0);
}

/* As a DHCP server would, on out[0]. */
static void lease(const char *address, const char *netmask)
{
    ip4_addr_t addr, mask;

    assert_true(ip4addr_aton(address, &addr) && ip4addr_aton(netmask, &mask));
    netif_set_addr(&bench.out[0], &addr, &mask, NULL);
}

static void allow(uint8_t family, uint8_t bits, uint8_t first, uint8_t second)
{
    const struct wyrm_prefix prefix = {family, bits, {first, second}};

    assert_int_equal(BENCH_CORE(wyrm_route_add, bench.peer, &prefix), WYRM_IDLE);
}

static unsigned sent_to(const char *to)
{
    bench.n_plain = bench.n_wire = 0;
    assert_int_equal(bench_send(&bench_socket, to, 9, 50), ERR_OK);
    bench_settle();
    assert_int_equal(bench.n_plain + bench.n_wire, 1);
    return bench.n_plain; /* 1: through the tunnel, 0: past it */
}

static void strictly(void)
{
    struct wyrm_lwip_config config = bench_config();

    config.strict = true;
    bench_restart(&config);
    allow(4, 0, 0, 0);
    allow(6, 0, 0, 0);
}

TEST(known_defect_66_a_short_netmask_takes_no_address_from_the_tunnel)
{
    bench_connect();
    allow(4, 32, 8, 0); /* 8.0.0.0/32 */
    lease("10.1.2.3", "128.0.0.0");
    assert_int_equal(sent_to("10.7.0.2"), 1);    /* /32 against /1 */
    assert_int_equal(sent_to("10.8.0.9"), 1);    /* /24 */
    assert_int_equal(sent_to("11.1.1.1"), 0);    /* /0 */
    assert_int_equal(sent_to("203.0.113.9"), 1); /* not in that half */
    lease("10.1.2.3", "0.0.0.0");
    assert_int_equal(sent_to("8.0.0.0"), 1);
    assert_int_equal(sent_to("11.1.1.1"), 1); /* a tie */
}

TEST(tunnel_wins_ties)
{
    bench_connect();
    allow(4, 24, 198, 51);
    lease("198.51.0.1", "255.255.255.0");
    assert_int_equal(sent_to("198.51.0.9"), 1);
    lease("198.51.0.1", "255.255.255.128");
    assert_int_equal(sent_to("198.51.0.9"), 0);
    allow(6, 64, 0xfd, 1);
    assert_int_equal(sent_to("fd01::77"), 1);
}

TEST(netmask_with_holes_is_as_long_as_its_leading_ones)
{
    bench_connect();
    allow(4, 8, 10, 0);
    lease("10.1.2.3", "254.255.255.1"); /* 31 ones, but only seven leading ones */
    assert_int_equal(sent_to("11.1.2.5"), 0);
    assert_int_equal(sent_to("10.1.2.5"), 1);
}

TEST(own_addresses_are_never_sent_into_the_tunnel)
{
    ip4_addr_t own;

    strictly();
    allow(4, 32, 192, 0);
    lease("192.0.0.0", "255.255.255.0");
    assert_true(ip4addr_aton("192.0.0.0", &own));
    assert_ptr_equal(ip4_route_src(&own, &own), &bench.out[0]);
}

TEST(most_specific_attached_network_wins)
{
    lease("198.51.0.1", "255.255.0.0"); /* the other one is 198.51.100.1/24 */
    assert_int_equal(bench_send(&bench_socket, "198.51.100.9", 9, 50), ERR_OK);
    assert_int_equal(bench.wire[0].where, 1);
    assert_int_equal(bench_send(&bench_socket, "198.51.7.9", 9, 50), ERR_OK);
    assert_int_equal(bench.wire[1].where, 0);
}

TEST(under_the_strict_policy_only_the_endpoint_is_reachable_outside_the_tunnel)
{
    static const char *const everybody[] = {"192.0.2.77",  "198.51.100.77",   "8.8.8.8",
                                            "224.0.0.251", "255.255.255.255", "fd01::77",
                                            "2001:db8::1", "ff05::1"};

    strictly();
    bench_connect(); /* with 192.0.2.2 */
    ip_set_option(bench_socket.pcb, SOF_BROADCAST);
    for (size_t i = 0; i < sizeof(everybody) / sizeof(everybody[0]); i++) {
        bench.n_plain = 0;
        (void)bench_send(&bench_socket, everybody[i], 9, 50); /* refused or sent to the peer */
        bench_settle();
        assert_int_equal(bench.n_wire, 0);
    }
    wyrm_lwip_stop(bench.tunnel);
    assert_int_equal(bench_send(&bench_socket, "192.0.2.77", 9, 50), ERR_RTE);
    assert_int_equal(bench.n_wire, 0);
}

TEST(strict_policy_lets_the_application_name_an_interface)
{
    strictly();
    udp_bind_netif(bench_socket.pcb, &bench.out[0]);
    assert_int_equal(bench_send(&bench_socket, "8.8.8.8", 9, 50), ERR_OK);
    assert_int_equal(bench.n_wire, 1);
}

/* An advertisement of a prefix, on the link and for addresses, with a router that stays. */
static void advertise(const char *prefix)
{
    const struct bench_udp udp = {.src = "fe80::9", .dst = "ff02::1", .len = 40};
    uint8_t ip[BENCH_PACKET_MAX], *ra = ip + 40;
    ip6_addr_t addr;

    assert_true(ip6addr_aton(prefix, &addr));
    size_t len = bench_build(ip, &udp);
    memset(ra, 0, len - 40);
    ip[6] = 58;
    ip[7] = 255;
    ra[0] = ICMP6_TYPE_RA;
    ra[6] = 0x70; /* router lifetime */
    ra[16] = ND6_OPTION_TYPE_PREFIX_INFO;
    ra[17] = 4;
    ra[18] = 64;
    ra[19] = ND6_PREFIX_FLAG_ON_LINK | ND6_PREFIX_FLAG_AUTONOMOUS;
    ra[22] = ra[26] = 0x70; /* lifetimes */
    memcpy(ra + 32, addr.addr, 16);
    bench.out[0].chksum_flags = 0; /* we did not fill in the checksum */
    bench.out[0].ip6_autoconfig_enabled = 1;
    netif_create_ip6_linklocal_address(&bench.out[0], 1);
    netif_ip6_addr_set_state(&bench.out[0], 0, IP6_ADDR_PREFERRED);
    bench_inject(0, ip, len);
    bench_advance(5000); /* duplicate address detection */
}

static bool has_address_in(const char *prefix)
{
    ip6_addr_t addr;

    assert_true(ip6addr_aton(prefix, &addr));
    for (s8_t i = 1; i < LWIP_IPV6_NUM_ADDRESSES; i++)
        if (ip6_addr_isvalid(netif_ip6_addr_state(&bench.out[0], i)) &&
            ip6_addr_net_eq(&addr, netif_ip6_addr(&bench.out[0], i)))
            return true;
    return false;
}

TEST(known_defect_67_router_advertisement_takes_no_address_from_the_tunnel)
{
    bench_connect();
    advertise("fd08::"); /* which is an allowed /64 */
    assert_true(has_address_in("fd08::"));
    assert_int_equal(sent_to("fd08::9"), 1);
    advertise("2001:db8::"); /* and this is in ::/0 only */
    assert_true(has_address_in("2001:db8::"));
    assert_int_equal(sent_to("2001:db8::9"), 0);
}

TEST(strict_policy_ignores_advertised_prefixes)
{
    strictly();
    bench_connect();
    advertise("2001:db8::");
    assert_true(has_address_in("2001:db8::"));
    assert_int_equal(sent_to("2001:db8::9"), 1);
    assert_int_equal(sent_to("fd01::9"), 1);
}

TEST(endpoint_in_a_far_network_is_not_reached_through_itself)
{
    const struct wyrm_endpoint far = {.family = 4, .port = BENCH_PORT, .addr = {203, 0, 113, 5}};
    static struct wyrm_job job;

    assert_int_equal(BENCH_CORE(wyrm_peer_set_endpoint, bench.peer, &far), WYRM_IDLE);
    assert_int_equal(bench_send(&bench_socket, "8.8.8.8", 9, 50), ERR_OK);
    wyrm_lwip_work(bench.tunnel, &job);
    assert_int_equal(bench.n_wire, 1);
    assert_int_equal(bench.wire[0].bytes[16], 203);
    assert_int_equal(bench_counters()->loops, 0);
}

TEST(no_packet_leaks_after_stop)
{
    bench_connect();
    wyrm_lwip_stop(bench.tunnel);
    assert_int_equal(bench_send(&bench_socket, "8.8.8.8", 9, 50), ERR_RTE);
    assert_int_equal(bench_send(&bench_socket, "2001:db8::1", 9, 50), ERR_RTE);
    assert_int_equal(bench.n_wire, 0);
}

TEST(short_netmask_takes_nothing_after_stop)
{
    lease("10.1.2.3", "128.0.0.0");
    wyrm_lwip_stop(bench.tunnel);
    assert_int_equal(bench_send(&bench_socket, "10.7.0.2", 9, 50), ERR_RTE);
    assert_int_equal(bench_send(&bench_socket, "10.8.0.9", 9, 50), ERR_RTE);
    assert_int_equal(bench.n_wire, 0);
}

TEST(failed_restart_keeps_the_routes)
{
    struct wyrm_lwip_config config = bench_config();
    struct bench_socket thief;

    wyrm_lwip_stop(bench.tunnel);
    bench_open(&thief, BENCH_PORT);
    assert_int_equal(wyrm_lwip_start(bench.tunnel, &config), ERR_USE);
    assert_int_equal(bench_send(&bench_socket, "8.8.8.8", 9, 50), ERR_RTE);
    assert_int_equal(bench.n_wire, 0);
    bench_close(&thief);
}

TEST(removed_tunnel_gives_the_routes_back)
{
    wyrm_lwip_remove(bench.tunnel);
    assert_int_equal(bench_send(&bench_socket, "8.8.8.8", 9, 50), ERR_OK);
    assert_int_equal(bench.n_wire, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(everything_goes_through_the_tunnel),
        RUN(attached_networks_keep_precedence),
        RUN(known_defect_66_a_short_netmask_takes_no_address_from_the_tunnel),
        RUN(tunnel_wins_ties),
        RUN(netmask_with_holes_is_as_long_as_its_leading_ones),
        RUN(own_addresses_are_never_sent_into_the_tunnel),
        RUN(most_specific_attached_network_wins),
        RUN(under_the_strict_policy_only_the_endpoint_is_reachable_outside_the_tunnel),
        RUN(strict_policy_lets_the_application_name_an_interface),
        RUN(known_defect_67_router_advertisement_takes_no_address_from_the_tunnel),
        RUN(strict_policy_ignores_advertised_prefixes),
        RUN(an_interface_without_link_attaches_no_network),
        RUN(endpoint_in_a_far_network_is_not_reached_through_itself),
        RUN(no_packet_leaks_after_stop),
        RUN(short_netmask_takes_nothing_after_stop),
        RUN(failed_restart_keeps_the_routes),
        RUN(removed_tunnel_gives_the_routes_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Routing by allowed addresses, with the hooks in place: what belongs to the tunnel goes into the
 * tunnel or nowhere.
 */
#include "bench.h"

static struct bench_socket s;

static int setup(void **state)
{
    static const struct wyrm_prefix all[] = {{4, 0, {0}}, {6, 0, {0}}};
    int result = bench_setup(state);

    bench_open(&s, 7);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(wyrm_lwip_route_add(bench.tunnel, bench.peer, &all[i]), WYRM_IDLE);
    }
    return result;
}

static int teardown(void **state)
{
    bench_close(&s);
    return bench_teardown(state);
}

static void everything_goes_through_the_tunnel(void **state)
{
    (void)state;
    bench_connect(); /* whose own datagrams do not */
    assert_int_equal(bench_send(&s, "8.8.8.8", 9, 50), ERR_OK);
    assert_int_equal(bench_send(&s, "2001:db8::1", 9, 50), ERR_OK);
    bench_settle();
    assert_int_equal(bench.n_plain, 2);
    assert_int_equal(bench.n_wire, 0);
    assert_int_equal(bench_counters()->loops, 0);
}

static void attached_networks_keep_precedence(void **state)
{
    (void)state;
    bench_connect();
    assert_int_equal(bench_send(&s, "192.0.2.77", 9, 50), ERR_OK);
    assert_int_equal(bench_send(&s, "198.51.100.77", 9, 50), ERR_OK);
    assert_int_equal(bench_send(&s, "fd01::77", 9, 50), ERR_OK);
    assert_int_equal(bench.n_wire, 3);
    assert_int_equal(bench.wire[1].where, 1);
}

static void cable_that_is_out_attaches_no_network(void **state)
{
    ip6_addr_t other;

    (void)state;
    bench_connect();
    assert_true(ip6addr_aton("fd03::1", &other));
    netif_ip6_addr_set(&bench.out[1], 1, &other);
    netif_ip6_addr_set_state(&bench.out[1], 1, IP6_ADDR_PREFERRED);
    netif_set_default(&bench.out[1]);
    netif_set_link_down(&bench.out[0]);
    assert_int_equal(bench_send(&s, "192.0.2.77", 9, 50), ERR_OK);
    assert_int_equal(bench_send(&s, "fd01::77", 9, 50), ERR_OK);
    bench_settle();
    assert_int_equal(bench.n_plain, 2);
    assert_int_equal(bench.n_wire, 0);
}

static void endpoint_in_a_far_network_is_not_reached_through_itself(void **state)
{
    const struct wyrm_endpoint far = {.family = 4, .port = BENCH_PORT, .addr = {203, 0, 113, 5}};
    static struct wyrm_job job;

    (void)state;
    assert_int_equal(wyrm_lwip_peer_set_endpoint(bench.tunnel, bench.peer, &far), WYRM_IDLE);
    assert_int_equal(bench_send(&s, "8.8.8.8", 9, 50), ERR_OK);
    wyrm_lwip_work(bench.tunnel, &job);
    assert_int_equal(bench.n_wire, 1);
    assert_int_equal(bench.wire[0].bytes[16], 203);
    assert_int_equal(bench_counters()->loops, 0);
}

static void nothing_slips_out_after_stop(void **state)
{
    (void)state;
    bench_connect();
    wyrm_lwip_stop(bench.tunnel);
    assert_int_equal(bench_send(&s, "8.8.8.8", 9, 50), ERR_RTE);
    assert_int_equal(bench_send(&s, "2001:db8::1", 9, 50), ERR_RTE);
    assert_int_equal(bench.n_wire, 0);
}

static void failed_restart_keeps_the_routes(void **state)
{
    struct wyrm_lwip_config config = bench_config();
    struct bench_socket thief;

    (void)state;
    wyrm_lwip_stop(bench.tunnel);
    bench_open(&thief, BENCH_PORT);
    assert_int_equal(wyrm_lwip_start(bench.tunnel, &config), ERR_USE);
    assert_int_equal(bench_send(&s, "8.8.8.8", 9, 50), ERR_RTE);
    assert_int_equal(bench.n_wire, 0);
    bench_close(&thief);
}

static void removed_tunnel_gives_the_routes_back(void **state)
{
    (void)state;
    wyrm_lwip_remove(bench.tunnel);
    assert_int_equal(bench_send(&s, "8.8.8.8", 9, 50), ERR_OK);
    assert_int_equal(bench.n_wire, 1);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(everything_goes_through_the_tunnel),
        TEST(attached_networks_keep_precedence),
        TEST(cable_that_is_out_attaches_no_network),
        TEST(endpoint_in_a_far_network_is_not_reached_through_itself),
        TEST(nothing_slips_out_after_stop),
        TEST(failed_restart_keeps_the_routes),
        TEST(removed_tunnel_gives_the_routes_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

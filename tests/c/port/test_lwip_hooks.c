/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * wyrm_lwip_hooks.h in front of an application that has all four hooks itself: the tunnel takes
 * allowed prefixes and drops forged packets, the application decides about the rest.
 */
#define SET_UP    setup
#define TEAR_DOWN bench_teardown_socket
#include "bench.h"

static struct netif *chosen; /* the application's answer to every route */
static unsigned asked, seen;
static bool consume;

struct netif *app_route4(const ip4_addr_t *src, const ip4_addr_t *dest);
struct netif *app_route6(const ip6_addr_t *src, const ip6_addr_t *dest);
int app_input(struct pbuf *p, struct netif *inp);

struct netif *app_route4(const ip4_addr_t *src, const ip4_addr_t *dest)
{
    (void)src;
    (void)dest;
    asked++;
    return chosen;
}

struct netif *app_route6(const ip6_addr_t *src, const ip6_addr_t *dest)
{
    (void)src;
    (void)dest;
    asked++;
    return chosen;
}

int app_input(struct pbuf *p, struct netif *inp)
{
    (void)inp;
    seen++;
    if (consume)
        pbuf_free(p);
    return consume;
}

static void lease(unsigned where, const char *address)
{
    ip6_addr_t addr;

    assert_true(ip6addr_aton(address, &addr));
    netif_ip6_addr_set(&bench.out[where], 1, &addr);
    netif_ip6_addr_set_state(&bench.out[where], 1, IP6_ADDR_PREFERRED);
}

FIXTURE(setup)
{
    int result = bench_setup_socket(state);

    lease(1, "fd03::1");
    chosen = NULL;
    consume = false;
    bench_connect();
    asked = seen = 0;
    return result;
}

/* Where a datagram leaves: 0 and 1 are outside, 2 is the tunnel. */
static unsigned leaves(const char *to)
{
    bench.n_plain = bench.n_wire = 0;
    assert_int_equal(bench_send(&bench_socket, to, 9, 50), ERR_OK);
    bench_settle();
    assert_int_equal(bench.n_plain + bench.n_wire, 1);
    return bench.n_plain == 1 ? 2 : bench.wire[0].where;
}

static bool arrives(unsigned where, const char *src, const char *dst)
{
    const struct bench_udp udp = {.src = src, .dst = dst, .sport = 9, .dport = 7, .len = 30};
    uint8_t ip[BENCH_PACKET_MAX];

    bench_socket.received = 0;
    bench_inject(where, ip, bench_build(ip, &udp));
    return bench_socket.received == 1;
}

TEST(allowed_prefixes_enter_the_tunnel_whatever_the_application_answers)
{
    chosen = &bench.out[1];
    assert_int_equal(leaves("10.7.0.2"), 2);
    assert_int_equal(leaves("fd07::2"), 2);
}

TEST(applications_route_hook_decides_about_everything_else)
{
    chosen = &bench.out[1];
    assert_int_equal(leaves("192.0.2.77"), 1); /* attached to out[0] */
    assert_int_equal(leaves("fd01::77"), 1);
    assert_int_equal(asked, 2);
}

TEST(without_an_answer_of_the_application_the_longest_prefix_wins)
{
    assert_int_equal(leaves("192.0.2.77"), 0);
    assert_int_equal(leaves("198.51.100.77"), 1);
    assert_int_equal(leaves("fd01::77"), 0);
    assert_int_equal(asked, 3);
}

TEST(forged_packets_are_dropped_before_the_application_sees_them)
{
    assert_false(arrives(0, "10.7.0.2", "192.0.2.1"));
    assert_false(arrives(0, "fd07::2", "fd01::1"));
    assert_int_equal(bench_counters()->spoofed, 2);
    assert_int_equal(seen, 0);
}

TEST(applications_input_hook_sees_every_other_packet)
{
    assert_true(arrives(0, "192.0.2.9", "192.0.2.1"));
    assert_true(arrives(0, "fd01::9", "fd01::1"));
    assert_int_equal(seen, 2);
}

TEST(applications_input_hook_may_consume_a_packet)
{
    consume = true;
    assert_false(arrives(0, "192.0.2.9", "192.0.2.1"));
    assert_false(arrives(0, "fd01::9", "fd01::1"));
    assert_int_equal(seen, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(allowed_prefixes_enter_the_tunnel_whatever_the_application_answers),
        RUN(applications_route_hook_decides_about_everything_else),
        RUN(without_an_answer_of_the_application_the_longest_prefix_wins),
        RUN(forged_packets_are_dropped_before_the_application_sees_them),
        RUN(applications_input_hook_sees_every_other_packet),
        RUN(applications_input_hook_may_consume_a_packet),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

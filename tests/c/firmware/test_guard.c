/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The guard of the firmware in front of an outer interface of the bench: it keeps its latest
 * verdicts, and none of them outlives the routing that it came from.
 */
#define SET_UP    set_up
#define TEAR_DOWN bench_teardown_socket
#include "bench.h"

#include "guard.h"
#include "neighbors.h"
#include "tunnel_device.h"

#define FAR4 "203.0.113.5"
#define FAR6 "2001:db8::5"

/* ---- What the guard asks of the firmware ---- */

struct wyrm_lwip *tunnel_lwip(void)
{
    return bench.tunnel;
}

bool neighbors_may_ask(struct netif *netif, const ip4_addr_t *dest)
{
    (void)netif;
    (void)dest;
    return true;
}

bool neighbors_may_ask6(struct netif *netif, const ip6_addr_t *dest)
{
    (void)netif;
    (void)dest;
    return true;
}

/* ---- Help ---- */

FIXTURE(set_up)
{
    int result = bench_setup_socket(state);

    guard_set_strict(false);
    guard_release();
    guard_install(&bench.out[0]);
    return result;
}

/* A datagram that is sent by out[0] whatever routing says; true: it left. */
static bool leaves(const char *dest)
{
    struct pbuf *p = pbuf_alloc(PBUF_TRANSPORT, 20, PBUF_RAM);
    unsigned before = bench.n_wire;
    ip_addr_t to;

    assert_non_null(p);
    assert_true(ipaddr_aton(dest, &to));
    memset(p->payload, 0, p->len);
    (void)udp_sendto_if(bench_socket.pcb, p, &to, 9, &bench.out[0]);
    pbuf_free(p);
    return bench.n_wire > before;
}

static const struct wyrm_prefix far4 = {4, 24, {203, 0, 113}};
static const struct wyrm_prefix far6 = {6, 32, {0x20, 0x01, 0x0d, 0xb8}};

static void route_into_tunnel(void)
{
    assert_int_equal(BENCH_CORE(wyrm_route_add, bench.peer, &far4), WYRM_IDLE);
    assert_int_equal(BENCH_CORE(wyrm_route_add, bench.peer, &far6), WYRM_IDLE);
    guard_reconsider();
}

static void expect_open(void)
{
    for (int i = 0; i < 3; i++) { /* the second time from memory */
        assert_true(leaves(FAR4));
        assert_true(leaves(FAR6));
    }
}

static void expect_closed(void)
{
    for (int i = 0; i < 3; i++) {
        assert_false(leaves(FAR4));
        assert_false(leaves(FAR6));
    }
}

/* ---- Tests ---- */

TEST(verdict_ends_when_a_peer_gets_the_prefix)
{
    expect_open();
    route_into_tunnel();
    expect_closed();
}

TEST(verdict_ends_when_prefixes_are_held_and_released)
{
    const struct wyrm_prefix held[] = {far4, far6};

    expect_open();
    guard_hold(held, 2);
    expect_closed();
    guard_release();
    expect_open();
}

TEST(verdict_ends_when_an_address_changes)
{
    const ip4_addr_t wide = {PP_HTONL(0xcb007101u)}, home = {PP_HTONL(0xc0000201u)};
    const ip4_addr_t mask = {PP_HTONL(0xffffff80u)}, none = {0};
    ip_addr_t near;

    route_into_tunnel();
    netif_set_addr(&bench.out[0], &wide, &mask, &none); /* longer than the tunnel's prefix */
    assert_true(leaves(FAR4));
    assert_true(leaves(FAR4));
    netif_set_addr(&bench.out[0], &home, &mask, &none);
    assert_false(leaves(FAR4));

    assert_true(ipaddr_aton("2001:db8::9", &near));
    netif_ip6_addr_set(&bench.out[0], 2, ip_2_ip6(&near));
    netif_ip6_addr_set_state(&bench.out[0], 2, IP6_ADDR_PREFERRED);
    assert_true(leaves(FAR6));
    assert_true(leaves(FAR6));
    netif_ip6_addr_set_state(&bench.out[0], 2, IP6_ADDR_INVALID);
    assert_false(leaves(FAR6));
}

TEST(verdict_ends_when_the_policy_becomes_strict)
{
    static const struct wyrm_prefix near = {4, 8, {192}};

    assert_int_equal(BENCH_CORE(wyrm_route_add, bench.peer, &near), WYRM_IDLE);
    guard_reconsider();
    assert_true(leaves("192.0.2.2"));
    assert_true(leaves("192.0.2.2"));
    wyrm_lwip_set_strict_locked(bench.tunnel, true);
    guard_set_strict(true);
    assert_false(leaves("192.0.2.2"));
}

TEST(many_destinations_do_not_confuse_the_guard)
{
    char inside[sizeof "203.0.113.255"], out[sizeof "198.18.0.255"];

    route_into_tunnel();
    for (int i = 1; i < 255; i++) {
        (void)snprintf(inside, sizeof inside, "203.0.113.%d", i);
        (void)snprintf(out, sizeof out, "198.18.0.%d", i);
        bench.n_wire = 0;
        assert_true(leaves(out));
        assert_false(leaves(inside));
        assert_true(leaves(out));
    }
    assert_false(leaves("203.0.113.0"));
}

/* The address of all zeros marks no place that is free. */
TEST(verdict_about_the_unspecified_address_is_not_assumed)
{
    static const struct wyrm_prefix all4 = {4, 0, {0}};
    struct pbuf *p = pbuf_alloc(PBUF_LINK, 28, PBUF_RAM);
    const ip4_addr_t none = {0};

    assert_int_equal(BENCH_CORE(wyrm_route_add, bench.peer, &all4), WYRM_IDLE);
    guard_set_strict(true);
    wyrm_lwip_set_strict_locked(bench.tunnel, true);
    memset(p->payload, 0, p->len);
    ((uint8_t *)p->payload)[0] = 0x45;
    assert_int_equal(bench.out[0].output(&bench.out[0], p, &none), ERR_RTE);
    pbuf_free(p);
}

TEST(datagrams_of_the_tunnel_leave_while_others_for_that_address_do_not)
{
    static const struct wyrm_prefix all4 = {4, 0, {0}};

    bench_connect();
    assert_int_equal(BENCH_CORE(wyrm_route_add, bench.peer, &all4), WYRM_IDLE);
    wyrm_lwip_set_strict_locked(bench.tunnel, true);
    guard_set_strict(true);
    bench.n_wire = 0;
    assert_int_equal(bench_send(&bench_socket, "10.7.0.2", 9, 30), ERR_OK);
    assert_int_equal(bench.n_wire, 1);
    assert_false(leaves("192.0.2.2"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(verdict_ends_when_a_peer_gets_the_prefix),
        RUN(verdict_ends_when_prefixes_are_held_and_released),
        RUN(verdict_ends_when_an_address_changes),
        RUN(verdict_ends_when_the_policy_becomes_strict),
        RUN(many_destinations_do_not_confuse_the_guard),
        RUN(verdict_about_the_unspecified_address_is_not_assumed),
        RUN(datagrams_of_the_tunnel_leave_while_others_for_that_address_do_not),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

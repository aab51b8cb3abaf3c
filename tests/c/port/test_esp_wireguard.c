/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * compat/esp_wireguard beside the bench's own tunnel: what its functions refuse, and the default
 * interface. ESPHome's program (tests/e2e/esphome) carries packets through it.
 */
#define SET_UP    set_up
#define TEAR_DOWN tear_down
#include "bench.h"

#include "esp_wireguard.h"
#include "wyrm_tunnel_platform.h"

#include "lwip/dns.h"

#define KEY      "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAUE="
#define PEER_KEY "CQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

enum { LONGEST_RESOLUTION_MS = 60000, ROUTES = 8 };

static wireguard_config_t config;
static wireguard_ctx_t ctx;
static bool has_platform;

static bool draw(void *unused, void *out, size_t len)
{
    static uint8_t next;
    uint8_t *bytes = out;

    (void)unused;
    for (size_t i = 0; i < len; i++)
        bytes[i] = next += 0x35;
    next++;
    return true;
}

static bool stamp(void *unused, uint8_t out[12])
{
    (void)unused;
    memset(out, 0x40, 12);
    return true;
}

const struct wyrm_platform *wyrm_tunnel_platform(void)
{
    static const struct wyrm_platform platform = {.random = draw, .tai64n = stamp};

    return has_platform ? &platform : NULL;
}

FIXTURE(set_up)
{
    has_platform = true;
    config = (wireguard_config_t)ESP_WIREGUARD_CONFIG_DEFAULT();
    config.private_key = KEY;
    config.public_key = PEER_KEY;
    config.address = "10.9.0.1";
    config.netmask = "255.255.255.0";
    config.endpoint = "203.0.113.9"; /* behind the default interface */
    ctx = (wireguard_ctx_t)ESP_WIREGUARD_CONTEXT_DEFAULT();
    return bench_setup(state);
}

FIXTURE(tear_down)
{
    (void)esp_wireguard_disconnect(&ctx);
    netif_poll_all(); /* lwIP's own messages to groups that it is in itself */
    return bench_teardown(state);
}

static void connect(void)
{
    assert_int_equal(esp_wireguard_init(&config, &ctx), ESP_OK);
    assert_int_equal(esp_wireguard_connect(&ctx), ESP_OK);
    assert_non_null(ctx.netif);
}

static void assert_connected_only_works_as(esp_err_t expected, const wireguard_ctx_t *of)
{
    time_t latest;

    assert_int_equal(esp_wireguard_set_default(of), expected);
    assert_int_equal(esp_wireguard_latest_handshake(of, &latest), expected);
    assert_int_equal(esp_wireguard_add_allowed_ip(of, "10.9.0.0", "24"), expected);
}

TEST(null_is_an_invalid_argument)
{
    time_t latest;

    assert_int_equal(esp_wireguard_init(NULL, &ctx), ESP_ERR_INVALID_ARG);
    assert_int_equal(esp_wireguard_init(&config, NULL), ESP_ERR_INVALID_ARG);
    assert_int_equal(esp_wireguard_connect(NULL), ESP_ERR_INVALID_ARG);
    assert_int_equal(esp_wireguard_disconnect(NULL), ESP_ERR_INVALID_ARG);
    assert_int_equal(esp_wireguard_restore_default(NULL), ESP_ERR_INVALID_ARG);
    assert_int_equal(esp_wireguard_peer_is_up(NULL), ESP_ERR_INVALID_ARG);
    assert_connected_only_works_as(ESP_ERR_INVALID_ARG, NULL);
    connect();
    assert_int_equal(esp_wireguard_latest_handshake(&ctx, NULL), ESP_ERR_INVALID_ARG);
    assert_int_equal(esp_wireguard_latest_handshake(NULL, &latest), ESP_ERR_INVALID_ARG);
    assert_int_equal(esp_wireguard_add_allowed_ip(&ctx, NULL, "24"), ESP_ERR_INVALID_ARG);
    assert_int_equal(esp_wireguard_add_allowed_ip(&ctx, "10.9.0.0", NULL), ESP_ERR_INVALID_ARG);
}

TEST(calls_out_of_order_are_an_invalid_state)
{
    assert_int_equal(esp_wireguard_connect(&ctx), ESP_ERR_INVALID_STATE);
    assert_int_equal(esp_wireguard_restore_default(&ctx), ESP_ERR_INVALID_STATE);
    assert_int_equal(esp_wireguard_init(&config, &ctx), ESP_OK);
    assert_int_equal(esp_wireguard_disconnect(&ctx), ESP_ERR_INVALID_STATE);
    assert_int_equal(esp_wireguard_peer_is_up(&ctx), ESP_FAIL);
    assert_connected_only_works_as(ESP_ERR_INVALID_STATE, &ctx);
}

TEST(malformed_configuration_is_refused_and_not_connected)
{
    const wireguard_config_t good = config;
    const struct {
        const char **field;
        const char *text;
    } bad[] = {
        {&config.private_key, NULL},
        {&config.private_key, "AQEB"},
        {&config.public_key, NULL},
        {&config.public_key, KEY "="},
        {&config.preshared_key, "secret"},
        {&config.address, "10.9.0"},
        {&config.address, "10.9.0.1/24"},
        {&config.address, "fd09::1"},
        {&config.netmask, "255.0.255.0"},
        {&config.netmask, "33"},
        {&config.netmask, "ffff::"},
        {&config.endpoint, NULL},
        {&config.endpoint, ""},
        {&config.endpoint, "203.0.113.9/32"},
        {&config.endpoint, "no host"},
        {&config.address, NULL},
    };

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        config = good;
        *bad[i].field = bad[i].text;
        assert_int_equal(esp_wireguard_init(&config, &ctx), ESP_ERR_INVALID_ARG);
        assert_int_equal(esp_wireguard_connect(&ctx), ESP_ERR_INVALID_STATE);
    }
    config = good;
    config.port = 0;
    assert_int_equal(esp_wireguard_init(&config, &ctx), ESP_ERR_INVALID_ARG);
}

TEST(mask_may_be_a_length_or_missing)
{
    static const char *const masks[] = {"255.255.0.0", "16", NULL};
    static const uint8_t second[] = {255, 255, 255};

    for (size_t i = 0; i < 3; i++) {
        config.netmask = masks[i];
        connect();
        const uint8_t *mask = (const uint8_t *)netif_ip4_netmask(ctx.netif);

        assert_int_equal(mask[1], second[i]);
        assert_int_equal(mask[2], masks[i] == NULL ? 255 : 0);
    }
}

TEST(nothing_connects_without_a_platform)
{
    has_platform = false;
    assert_int_equal(esp_wireguard_init(&config, &ctx), ESP_OK);
    assert_int_equal(esp_wireguard_connect(&ctx), ESP_ERR_INVALID_STATE);
    assert_null(ctx.netif);
}

TEST(connect_without_memory_fails_and_succeeds_later)
{
    unsigned before = bench_alive();

    assert_int_equal(esp_wireguard_init(&config, &ctx), ESP_OK);
    bench_fail_at = 1;
    assert_int_equal(esp_wireguard_connect(&ctx), ESP_FAIL);
    assert_null(ctx.netif);
    assert_int_equal(bench_alive(), before);
    assert_int_equal(esp_wireguard_connect(&ctx), ESP_OK);
}

TEST(connect_and_disconnect_may_be_repeated)
{
    connect();
    assert_int_equal(esp_wireguard_connect(&ctx), ESP_OK);
    assert_int_equal(esp_wireguard_disconnect(&ctx), ESP_OK);
    assert_null(ctx.netif);
    assert_int_equal(esp_wireguard_disconnect(&ctx), ESP_ERR_INVALID_STATE);
    assert_int_equal(esp_wireguard_connect(&ctx), ESP_OK);
    connect(); /* init ends the connection first */
}

TEST(second_context_cannot_take_the_tunnel_from_a_connected_one)
{
    wireguard_ctx_t second = ESP_WIREGUARD_CONTEXT_DEFAULT();

    connect();
    assert_int_equal(esp_wireguard_init(&config, &second), ESP_ERR_INVALID_STATE);
    assert_int_equal(esp_wireguard_connect(&second), ESP_ERR_INVALID_STATE);
    assert_int_equal(esp_wireguard_disconnect(&ctx), ESP_OK);
    assert_int_equal(esp_wireguard_init(&config, &second), ESP_OK);
    assert_int_equal(esp_wireguard_connect(&ctx), ESP_ERR_INVALID_STATE);
    assert_int_equal(esp_wireguard_connect(&second), ESP_OK);
    assert_int_equal(esp_wireguard_disconnect(&second), ESP_OK);
}

TEST(default_interface_is_taken_and_given_back)
{
    connect();
    assert_ptr_equal(ctx.netif_default, &bench.out[0]);
    assert_ptr_equal(netif_default, &bench.out[0]); /* not taken unasked */
    assert_int_equal(esp_wireguard_set_default(&ctx), ESP_OK);
    assert_ptr_equal(netif_default, ctx.netif);
    assert_int_equal(esp_wireguard_restore_default(&ctx), ESP_OK);
    assert_ptr_equal(netif_default, &bench.out[0]);

    assert_int_equal(esp_wireguard_set_default(&ctx), ESP_OK);
    assert_int_equal(esp_wireguard_disconnect(&ctx), ESP_OK);
    assert_ptr_equal(netif_default, &bench.out[0]);
    assert_int_equal(esp_wireguard_set_default(&ctx), ESP_ERR_INVALID_STATE);
    assert_int_equal(esp_wireguard_restore_default(&ctx), ESP_OK);
}

TEST(handshakes_leave_by_the_former_default_interface)
{
    config.address = NULL;
    config.allowed_ip = "10.9.0.1"; /* trombik's names: the peer may have all addresses */
    connect();
    assert_int_equal(esp_wireguard_set_default(&ctx), ESP_OK);
    bench_advance(100);
    assert_int_equal(bench.n_wire, 1);
    assert_int_equal(bench.wire[0].where, 0);
    assert_int_equal(bench.wire[0].len, 20 + 8 + 148); /* an initiation */
}

TEST(peer_that_never_answered_is_down_and_has_no_latest_handshake)
{
    time_t latest = 1;

    connect();
    bench_advance(1000);
    assert_int_equal(esp_wireguard_peer_is_up(&ctx), ESP_FAIL);
    assert_int_equal(esp_wireguard_latest_handshake(&ctx, &latest), ESP_FAIL);
    assert_int_equal(latest, 1);
}

TEST(malformed_or_too_many_allowed_addresses_are_refused)
{
    char address[] = "10.1.0.0";

    connect();
    assert_int_equal(esp_wireguard_add_allowed_ip(&ctx, "10.1", "24"), ESP_ERR_INVALID_ARG);
    assert_int_equal(esp_wireguard_add_allowed_ip(&ctx, address, "0.255.0.0"), ESP_ERR_INVALID_ARG);
    for (unsigned i = 0; i < ROUTES; i++) {
        address[3] = (char)('1' + i);
        assert_int_equal(esp_wireguard_add_allowed_ip(&ctx, address, "255.255.0.0"), ESP_OK);
        assert_int_equal(esp_wireguard_add_allowed_ip(&ctx, address, "16"), ESP_OK); /* the same */
    }
    assert_int_equal(esp_wireguard_add_allowed_ip(&ctx, "10.100.0.0", "16"), ESP_FAIL);
}

TEST(unresolved_name_is_reported_once_and_asked_for_again)
{
    const ip_addr_t none = {0};

    config.endpoint = "peer.example";
    assert_int_equal(esp_wireguard_init(&config, &ctx), ESP_OK);
    assert_int_equal(esp_wireguard_connect(&ctx), ESP_FAIL); /* there is no name server */
    dns_setserver(0, netif_ip_addr4(&bench.out[1]));
    assert_int_equal(esp_wireguard_connect(&ctx), ESP_ERR_RETRY);
    assert_int_equal(esp_wireguard_connect(&ctx), ESP_ERR_RETRY);
    bench_advance(LONGEST_RESOLUTION_MS);
    assert_int_equal(esp_wireguard_connect(&ctx), ESP_ERR_INVALID_IP);
    assert_int_equal(esp_wireguard_connect(&ctx), ESP_ERR_RETRY);
    assert_null(ctx.netif);
    bench_advance(LONGEST_RESOLUTION_MS);
    dns_setserver(0, &none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(null_is_an_invalid_argument),
        RUN(calls_out_of_order_are_an_invalid_state),
        RUN(malformed_configuration_is_refused_and_not_connected),
        RUN(mask_may_be_a_length_or_missing),
        RUN(nothing_connects_without_a_platform),
        RUN(connect_without_memory_fails_and_succeeds_later),
        RUN(connect_and_disconnect_may_be_repeated),
        RUN(second_context_cannot_take_the_tunnel_from_a_connected_one),
        RUN(default_interface_is_taken_and_given_back),
        RUN(handshakes_leave_by_the_former_default_interface),
        RUN(peer_that_never_answered_is_down_and_has_no_latest_handshake),
        RUN(malformed_or_too_many_allowed_addresses_are_refused),
        RUN(unresolved_name_is_reported_once_and_asked_for_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

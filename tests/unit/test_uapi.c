/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The configuration protocol: every key, every mistake, the order of lines, what is told and what
 * is hidden, and that nothing but a change changes anything.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "node.h"
#include "wyrm_uapi.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define PRIV "a8dac1d8a70a751f0f699fb14ba1cff7b79cf4fbd8f09f44c6e6a90d0369604f"
#define PUB1 "b85996fecc9c7f1fc6d2572a76eda11d59bcd20be8e543b15ce4bd85a8e75a33"
#define PUB2 "58402e695ba1772b1cc9309755f043251ea77fdcf10fbe63989ceb7e19321376"
#define PSK  "188515093e952f5f22e865cef3012e72f8b5f0b598ac0309d5dacce3b70fcf52"
#define ZERO "0000000000000000000000000000000000000000000000000000000000000000"
#define PEER "public_key=" PUB1 "\n"

static struct node node;
static struct wyrm_uapi uapi;
static struct wyrm_uapi_host host;
static char answer[16384];
static size_t answer_len, longest_piece;
static int port_error;
static unsigned port_calls;
static wyrm_ms now;

static void write_answer(void *ctx, const char *text, size_t len)
{
    (void)ctx;
    assert_true(answer_len + len < sizeof(answer));
    memcpy(answer + answer_len, text, len);
    answer_len += len;
    answer[answer_len] = '\0';
}

static int set_port(void *ctx, uint16_t port)
{
    (void)ctx;
    port_calls++;
    if (port_error == 0)
        host.listen_port = port;
    return port_error;
}

static int set_mark(void *ctx, uint32_t mark)
{
    (void)ctx;
    host.fwmark = mark;
    return 0;
}

static uint32_t find_zone(void *ctx, const char *name, size_t len)
{
    (void)ctx;
    return len == 4 && memcmp(name, "eth7", 4) == 0 ? 7 : 0;
}

static wyrm_ms get_now(void *ctx)
{
    (void)ctx;
    return now;
}

static int boot(void **state)
{
    (void)state;
    node_boot(&node, 0, 1);
    (void)wyrm_set_private_key(&node.dev, NULL);
    memset(&uapi, 0, sizeof(uapi));
    host = (struct wyrm_uapi_host){.dev = &node.dev,
                                   .write = write_answer,
                                   .set_listen_port = set_port,
                                   .set_fwmark = set_mark,
                                   .find_zone = find_zone,
                                   .now = get_now,
                                   .epoch_ms = UINT64_C(1700000000000),
                                   .show_secrets = true};
    port_error = 0;
    port_calls = 0;
    now = 5000;
    return 0;
}

/* Gives the text line by line; the verdict of the last line. */
static enum wyrm_uapi_verdict give(const char *text)
{
    enum wyrm_uapi_verdict verdict = WYRM_UAPI_MORE;

    answer_len = 0;
    answer[0] = '\0';
    while (*text != '\0') {
        const char *end = strchr(text, '\n');
        size_t len = (size_t)(end - text);
        char *exact = malloc(len > 0 ? len : 1); /* so that reading beyond is noticed */

        assert_non_null(exact);
        memcpy(exact, text, len);
        do {
            size_t before = answer_len;

            verdict = wyrm_uapi_line(&uapi, &host, exact, len);
            if (answer_len - before > longest_piece)
                longest_piece = answer_len - before;
        } while (verdict == WYRM_UAPI_AGAIN);
        free(exact);
        text = end + 1;
    }
    return verdict;
}

static void assert_set(const char *lines, const char *expected)
{
    char text[4096];

    snprintf(text, sizeof(text), "set=1\n%s\n", lines);
    assert_int_equal(give(text), WYRM_UAPI_DONE);
    assert_string_equal(answer, expected);
}

#define OK(lines)           assert_set(lines, "errno=0\n\n")
#define FAILS(number, text) assert_set(text, "errno=-" #number "\n\n")

static void assert_get(const char *expected)
{
    assert_int_equal(give("get=1\n\n"), WYRM_UAPI_DONE);
    assert_string_equal(answer, expected);
}

static bool told(const char *line)
{
    assert_int_equal(give("get=1\n\n"), WYRM_UAPI_DONE);
    return strstr(answer, line) != NULL;
}

#define PEER_TELLS(psk, between, keepalive)                                                        \
    "preshared_key=" psk "\nprotocol_version=1\n" between                                          \
    "last_handshake_time_sec=0\nlast_handshake_time_nsec=0\n"                                      \
    "tx_bytes=0\nrx_bytes=0\npersistent_keepalive_interval=" keepalive "\n"

/* ---- What is asked ------------------------------------------------------- */

static void an_empty_device_tells_nothing(void **state)
{
    (void)state;
    assert_get("errno=0\n\n");
}

static void everything_set_is_told_back(void **state)
{
    (void)state;
    OK("private_key=" PRIV "\nlisten_port=51820\nfwmark=4294967295\nreplace_peers=true\n" PEER
       "preshared_key=" PSK "\nendpoint=192.0.2.1:51820\npersistent_keepalive_interval=65535\n"
       "replace_allowed_ips=true\nallowed_ip=10.0.0.1/8\nallowed_ip=fd00::1/64\n"
       "protocol_version=1\npublic_key=" PUB2 "\nendpoint=[2001:db8::1]:1\n");
    assert_get("private_key=" PRIV "\nlisten_port=51820\nfwmark=4294967295\n" PEER PEER_TELLS(
        PSK, "endpoint=192.0.2.1:51820\n",
        "65535") "allowed_ip=10.0.0.0/8\nallowed_ip=fd00::/64\n"
                 "public_key=" PUB2
                 "\n" PEER_TELLS(ZERO, "endpoint=[2001:db8::1]:1\n", "0") "errno=0\n\n");
}

static void a_private_key_is_told_as_it_is_used(void **state)
{
    char other[sizeof(PRIV)] = PRIV, text[128];

    (void)state;
    other[1] = 'f'; /* a8 and af, 4f and 8f: the bits that X25519 fixes do not count */
    other[62] = '8';
    snprintf(text, sizeof(text), "private_key=%s\n", other);
    OK(text);
    assert_get("private_key=" PRIV "\nerrno=0\n\n");
}

static void what_is_told_can_be_set_again(void **state)
{
    static char told_first[4096];

    (void)state;
    OK("private_key=" PRIV "\nlisten_port=7\n" PEER "preshared_key=" PSK
       "\nallowed_ip=0.0.0.0/0\nallowed_ip=::/0\n");
    (void)give("get=1\n\n");
    strcpy(told_first, answer);
    OK("replace_peers=true\n");
    OK("private_key=" PRIV "\nlisten_port=7\n" PEER "preshared_key=" PSK
       "\nprotocol_version=1\npersistent_keepalive_interval=0\nallowed_ip=0.0.0.0/0\n"
       "allowed_ip=::/0\n");
    assert_get(told_first);
}

static void secrets_are_hidden_where_they_are_to_be(void **state)
{
    (void)state;
    OK("private_key=" PRIV "\n" PEER "preshared_key=" PSK "\n");
    host.show_secrets = false;
    (void)give("get=1\n\n");
    assert_null(strstr(answer, "private_key"));
    assert_null(strstr(answer, "preshared_key"));
    assert_null(strstr(answer, PRIV));
    assert_null(strstr(answer, PSK));
    assert_non_null(strstr(answer, PUB1));
}

static void handshakes_are_told_in_absolute_time(void **state)
{
    (void)state;
    OK(PEER);
    node.peers[0].last_handshake = 1234;
    assert_true(told("last_handshake_time_sec=1700000001\nlast_handshake_time_nsec=234000000\n"));
    assert_false(told("handshake_age_sec"));
}

static void without_a_calendar_ages_are_told(void **state)
{
    (void)state;
    OK(PEER);
    host.epoch_ms = 0;
    assert_false(told("handshake_age_sec"));
    node.peers[0].last_handshake = 1234;
    assert_true(told("handshake_age_sec=3\nlast_handshake_time_sec=0\n"));
}

static void counters_are_told_in_full(void **state)
{
    (void)state;
    OK(PEER);
    node.peers[0].tx_bytes = UINT64_MAX;
    node.peers[0].rx_bytes = UINT64_C(1) << 40;
    assert_true(told("tx_bytes=18446744073709551615\nrx_bytes=1099511627776\n"));
}

/* Every number at its longest, secrets shown, and more peers and addresses than a piece holds. */
static void no_piece_of_an_answer_is_too_long(void **state)
{
    static const char endpoint[] =
        "endpoint=[2001:db8:1111:2222:3333:4444:5555:6666%4294967295]:65535\n";
    char text[512];

    (void)state;
    longest_piece = 0;
    host.listen_port = UINT16_MAX;
    host.fwmark = UINT32_MAX;
    OK("private_key=" PRIV "\n");
    for (unsigned i = 0; i < NODE_PEERS; i++) {
        sprintf(text, "public_key=%064x\npreshared_key=" PSK "\n%sallowed_ip=fd00:%x::/128\n",
                i + 1, endpoint, i);
        OK(text);
        node.peers[i].tx_bytes = node.peers[i].rx_bytes = UINT64_MAX;
        node.peers[i].last_handshake = 0;
        node.peers[i].persistent_s = UINT16_MAX;
    }
    now = UINT64_MAX - 1;
    host.epoch_ms = 0;
    assert_true(told(endpoint));
    assert_true(told("handshake_age_sec=18446744073709551\n"));
    assert_in_range(longest_piece, 300, WYRM_UAPI_PIECE_MAX);
}

static void an_answer_that_is_interrupted_by_a_line_ends_with_an_error(void **state)
{
    (void)state;
    OK(PEER "allowed_ip=10.0.0.0/8\n");
    answer_len = 0;
    assert_int_equal(wyrm_uapi_line(&uapi, &host, "get=1", 5), WYRM_UAPI_MORE);
    assert_int_equal(wyrm_uapi_line(&uapi, &host, "", 0), WYRM_UAPI_AGAIN);
    assert_int_equal(wyrm_uapi_line(&uapi, &host, "get=1", 5), WYRM_UAPI_MORE);
    assert_int_equal(wyrm_uapi_line(&uapi, &host, "", 0), WYRM_UAPI_DONE);
    assert_string_equal(answer, "errno=22\n\n");
}

static void without_a_device_every_request_says_that_it_is_down(void **state)
{
    (void)state;
    host.dev = NULL;
    assert_get("errno=100\n\n");
    FAILS(100, "private_key=" PRIV "\nreplace_peers=true\n" PEER "remove=true\n");
    FAILS(100, "nonsense\n");
    assert_int_equal(give("get=2\n"), WYRM_UAPI_CLOSE);
}

static void get_takes_no_settings(void **state)
{
    (void)state;
    assert_int_equal(give("get=1\nprivate_key=" PRIV "\n\n"), WYRM_UAPI_DONE);
    assert_string_equal(answer, "errno=22\n\n"); /* positive: wg(8) reads it so after get */
    assert_false(told("private_key"));
}

/* ---- Requests ------------------------------------------------------------ */

static void anything_but_get_and_set_closes_the_connection(void **state)
{
    static const char *const lines[] = {"get=2\n", "set=0\n", "set=\n",  "foo\n",    "\n",
                                        "=1\n",    "get\n",   "GET=1\n", "get=1\r\n"};

    (void)state;
    for (size_t i = 0; i < COUNT(lines); i++) {
        memset(&uapi, 0, sizeof(uapi));
        assert_int_equal(give(lines[i]), WYRM_UAPI_CLOSE);
        assert_string_equal(answer, "");
    }
}

static void requests_may_follow_each_other(void **state)
{
    (void)state;
    assert_int_equal(give("set=1\nlisten_port=5\n\nget=1\n\n"), WYRM_UAPI_DONE);
    assert_string_equal(answer, "errno=0\n\nlisten_port=5\nerrno=0\n\n");
}

static void an_error_does_not_stay_for_the_next_request(void **state)
{
    (void)state;
    FAILS(22, "nonsense=1\n");
    OK("listen_port=5\n");
}

static void lines_before_an_error_hold_and_those_after_do_not(void **state)
{
    (void)state;
    FAILS(22, "fwmark=1\nlisten_port=x\nfwmark=2\n" PEER);
    assert_get("fwmark=1\nerrno=0\n\n");
}

/* ---- Mistakes ------------------------------------------------------------ */

static void wrong_values_are_invalid(void **state)
{
    static const char *const lines[] = {
        "private_key=\n",
        "private_key=" PRIV "0\n",
        "private_key=g8dac1d8a70a751f0f699fb14ba1cff7b79cf4fbd8f09f44c6e6a90d0369604f\n",
        "private_key=" PRIV "\r\n",
        "listen_port=65536\n",
        "listen_port=-1\n",
        "listen_port=\n",
        "listen_port=1 \n",
        "fwmark=0x10\n",
        "fwmark=4294967296\n",
        "replace_peers=false\n",
        "replace_peers=\n",
        "public_key=" PUB1 "00\n",
        "public_key=\n",
        "unknown=1\n",
        PEER "unknown=1\n",
        PEER "preshared_key=1\n",
        PEER "endpoint=192.0.2.1\n",
        PEER "endpoint=vpn.example.com:51820\n",
        PEER "endpoint=[fe80::1%eth9]:1\n",
        PEER "endpoint=192.0.2.1:65536\n",
        PEER "persistent_keepalive_interval=65536\n",
        PEER "persistent_keepalive_interval=off\n",
        PEER "replace_allowed_ips=false\n",
        PEER "allowed_ip=10.0.0.1\n",
        PEER "allowed_ip=10.0.0.1/33\n",
        PEER "allowed_ip=fd00::/129\n",
        PEER "allowed_ip=/\n",
        PEER "allowed_ip=-\n",
        PEER "allowed_ip=\n",
        PEER "protocol_version=2\n",
        PEER "update_only=false\n",
        PEER "remove=false\n",
        "=\n",
        "=true\n",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(lines); i++)
        FAILS(22, lines[i]);
    assert_false(told("private_key"));
}

static void a_line_without_a_value_breaks_the_protocol(void **state)
{
    (void)state;
    FAILS(71, "private_key\n");
}

static void keys_belong_to_their_scope(void **state)
{
    static const char *const of_peers[] = {"preshared_key=" PSK "\n",
                                           "endpoint=192.0.2.1:1\n",
                                           "persistent_keepalive_interval=1\n",
                                           "replace_allowed_ips=true\n",
                                           "allowed_ip=10.0.0.0/8\n",
                                           "protocol_version=1\n",
                                           "update_only=true\n",
                                           "remove=true\n"};
    static const char *const of_devices[] = {PEER "private_key=" PRIV "\n", PEER "listen_port=1\n",
                                             PEER "fwmark=1\n", PEER "replace_peers=true\n"};

    (void)state;
    for (size_t i = 0; i < COUNT(of_peers); i++)
        FAILS(22, of_peers[i]);
    for (size_t i = 0; i < COUNT(of_devices); i++)
        FAILS(22, of_devices[i]);
}

static void a_port_in_use_is_told_and_changes_nothing(void **state)
{
    (void)state;
    OK("listen_port=1000\n");
    port_error = WYRM_UAPI_IN_USE;
    FAILS(98, "listen_port=2000\n");
    assert_get("listen_port=1000\nerrno=0\n\n");
}

static void where_there_is_nothing_to_mark_only_no_mark_is_taken(void **state)
{
    (void)state;
    host.set_fwmark = NULL;
    host.set_listen_port = NULL;
    OK("fwmark=0\n");
    FAILS(22, "fwmark=1\n");
    FAILS(22, "listen_port=1\n");
}

/* ---- Peers --------------------------------------------------------------- */

static void a_bare_public_key_makes_a_peer(void **state)
{
    (void)state;
    OK(PEER "public_key=" PUB2 "\n");
    assert_true(told(PUB1));
    assert_true(told(PUB2));
}

static void a_peer_that_was_named_stays_when_the_next_line_is_wrong(void **state)
{
    (void)state;
    FAILS(22, PEER "colour=blue\n");
    assert_true(told(PEER));
}

static void capital_hex_digits_are_fine(void **state)
{
    (void)state;
    OK("public_key=B85996FECC9C7F1FC6D2572A76EDA11D59BCD20BE8E543B15CE4BD85A8E75A33\n");
    assert_true(told(PUB1));
}

static void update_only_makes_no_peer_and_leaves_out_the_rest(void **state)
{
    (void)state;
    OK(PEER "update_only=true\nallowed_ip=10.0.0.0/8\nendpoint=192.0.2.1:1\n");
    assert_get("errno=0\n\n");
    OK(PEER);
    OK(PEER "update_only=true\nallowed_ip=10.0.0.0/8\n");
    assert_true(told("allowed_ip=10.0.0.0/8\n"));
}

static void remove_takes_the_peer_away_and_leaves_out_the_rest(void **state)
{
    (void)state;
    OK(PEER "allowed_ip=10.0.0.0/8\n");
    OK(PEER "remove=true\nallowed_ip=11.0.0.0/8\n");
    assert_get("errno=0\n\n");
    OK(PEER "remove=true\n"); /* gone already is fine */
    assert_get("errno=0\n\n");
}

/* Two connections may take turns line by line: what the one removes, the other must not set for
 * whoever has its place now. */
static void a_peer_removed_by_another_connection_passes_nothing_on(void **state)
{
    static const char *const lines[] = {"allowed_ip=10.0.0.0/8\n", "endpoint=192.0.2.1:1\n",
                                        "preshared_key=" PSK "\n", "remove=true\n"};

    for (size_t i = 0; i < COUNT(lines); i++) {
        struct wyrm_uapi first;

        (void)boot(state);
        assert_int_equal(give("set=1\n" PEER "persistent_keepalive_interval=9\n"), WYRM_UAPI_MORE);
        first = uapi;
        memset(&uapi, 0, sizeof(uapi));
        OK("replace_peers=true\npublic_key=" PUB2 "\n");
        uapi = first;
        assert_int_equal(give(lines[i]), WYRM_UAPI_MORE);
        assert_int_equal(give("\n"), WYRM_UAPI_DONE);
        assert_string_equal(answer, "errno=0\n\n");
        assert_false(told(PUB1));
        assert_true(told(PUB2));
        assert_false(told("allowed_ip") || told("endpoint") || told(PSK));
    }
}

static void our_own_key_is_passed_over(void **state)
{
    uint8_t pub[WYRM_KEY_LEN];
    char text[256], *at;

    (void)state;
    OK("private_key=" PRIV "\n");
    assert_int_equal(wyrm_public_key(&node.dev, pub), WYRM_IDLE);
    at = text + sprintf(text, "public_key=");
    for (size_t i = 0; i < sizeof(pub); i++)
        at += sprintf(at, "%02x", pub[i]);
    strcpy(at, "\nallowed_ip=10.0.0.0/8\nendpoint=192.0.2.1:1\n");
    OK(text);
    assert_get("private_key=" PRIV "\nerrno=0\n\n");

    OK("private_key=" ZERO "\n"); /* without our key it is a peer like any other ... */
    OK(text);
    assert_true(told("allowed_ip=10.0.0.0/8\n"));
    OK("private_key=" PRIV "\n"); /* ... until the key is ours */
    assert_get("private_key=" PRIV "\nerrno=0\n\n");
}

static void full_pools_are_told_but_updates_go_on(void **state)
{
    char text[128];

    (void)state;
    for (unsigned i = 0; i < NODE_PEERS; i++) {
        sprintf(text, "public_key=%064x\n", i + 1);
        OK(text);
    }
    FAILS(12, PEER);
    OK(PEER "update_only=true\n");
    OK(PEER "remove=true\n");
    sprintf(text, "public_key=%064x\nupdate_only=true\nendpoint=192.0.2.9:9\n", 3);
    OK(text);
    assert_true(told("endpoint=192.0.2.9:9\n"));

    for (unsigned i = 0; i < NODE_ROUTES; i++) {
        sprintf(text, "public_key=%064x\nallowed_ip=10.0.%u.0/24\n", 1, i);
        OK(text);
    }
    sprintf(text, "public_key=%064x\nallowed_ip=10.1.0.0/24\n", 1);
    FAILS(12, text);
    sprintf(text, "public_key=%064x\nallowed_ip=10.0.5.0/24\n", 2); /* moves: no room needed */
    OK(text);
}

static void replace_peers_empties_the_list(void **state)
{
    (void)state;
    OK(PEER);
    OK("replace_peers=true\npublic_key=" PUB2 "\n");
    assert_false(told(PUB1));
    assert_true(told(PUB2));
}

static void replace_allowed_ips_empties_only_this_peers(void **state)
{
    (void)state;
    OK(PEER "allowed_ip=10.0.0.0/8\npublic_key=" PUB2 "\nallowed_ip=11.0.0.0/8\n");
    OK(PEER "replace_allowed_ips=true\nallowed_ip=12.0.0.0/8\n");
    assert_false(told("allowed_ip=10."));
    assert_true(told("allowed_ip=11.0.0.0/8\n"));
    assert_true(told("allowed_ip=12.0.0.0/8\n"));
}

static void an_allowed_ip_moves_from_one_peer_to_the_other(void **state)
{
    (void)state;
    OK(PEER "allowed_ip=10.0.0.0/8\n");
    OK("public_key=" PUB2 "\nallowed_ip=10.9.9.9/8\n");
    (void)give("get=1\n\n");
    assert_true(strstr(answer, "allowed_ip") > strstr(answer, PUB2));
}

static void a_minus_takes_an_allowed_ip_away_from_its_owner_only(void **state)
{
    (void)state;
    OK(PEER "allowed_ip=10.0.0.0/8\nallowed_ip=fd00::/8\n");
    OK("public_key=" PUB2 "\nallowed_ip=-10.0.0.0/8\n");
    assert_true(told("allowed_ip=10.0.0.0/8\n"));
    OK(PEER "allowed_ip=-10.0.0.0/8\n");
    assert_false(told("allowed_ip=10.0.0.0/8\n"));
    assert_true(told("allowed_ip=fd00::/8\n"));
}

static void zones_of_endpoints_may_be_names(void **state)
{
    (void)state;
    OK(PEER "endpoint=[fe80::1%eth7]:51820\n");
    assert_true(told("endpoint=[fe80::1%7]:51820\n"));
    OK(PEER "endpoint=[fe80::1%9]:51820\n");
    assert_true(told("endpoint=[fe80::1%9]:51820\n"));
    host.find_zone = NULL;
    FAILS(22, PEER "endpoint=[fe80::1%eth7]:51820\n");
}

static void zeros_clear_keys(void **state)
{
    (void)state;
    OK("private_key=" PRIV "\n" PEER "preshared_key=" PSK "\n");
    OK("private_key=" ZERO "\n" PEER "preshared_key=" ZERO "\n");
    assert_false(told("private_key"));
    assert_true(told("preshared_key=" ZERO "\n"));
}

static void a_device_with_a_key_of_its_own_goes_back_to_it(void **state)
{
    static const uint8_t own[WYRM_KEY_LEN] = {8, [31] = 64};
    uint8_t key[WYRM_KEY_LEN];

    (void)state;
    host.own_key = own;
    OK("private_key=" PRIV "\n" PEER);
    OK("private_key=" ZERO "\n");
    assert_int_equal(wyrm_get_private_key(&node.dev, key), WYRM_IDLE);
    assert_memory_equal(key, own, sizeof(own));
    uint32_t generation = node.peers[0].generation;
    OK("private_key=" ZERO "\n");
    assert_int_equal(node.peers[0].generation, generation); /* sessions live on */
}

static void keepalive_from_nothing_asks_for_one_at_once(void **state)
{
    (void)state;
    OK("private_key=" PRIV "\n" PEER "endpoint=192.0.2.1:1\n");
    assert_false(node.dev.pending);
    OK(PEER "persistent_keepalive_interval=25\n");
    assert_true(node.dev.pending);
    node.dev.pending = false;
    OK(PEER "persistent_keepalive_interval=30\n");
    assert_false(node.dev.pending);
}

static void setting_what_is_set_changes_nothing(void **state)
{
    uint64_t before;
    struct wyrm_peer peer;

    (void)state;
    OK("private_key=" PRIV "\n" PEER "preshared_key=" PSK "\nallowed_ip=10.0.0.0/8\n");
    before = node_hash(&node);
    peer = node.peers[0];
    OK("private_key=" PRIV "\n" PEER "preshared_key=" PSK
       "\nreplace_allowed_ips=true\nallowed_ip=10.0.0.0/8\n");
    assert_int_equal(node_hash(&node), before);
    assert_int_equal(node.peers[0].generation, peer.generation); /* sessions live on */
}

static void no_line_whatever_does_harm(void **state)
{
    static const char letters[] = "=\r\t -/:[]%.0123456789abcdefgetspublic_key";
    uint64_t seed = 7;
    char line[WYRM_UAPI_LINE_MAX];

    (void)state;
    for (unsigned i = 0; i < 20000; i++) {
        size_t len = test_random(&seed) % sizeof(line);
        char *exact = malloc(len > 0 ? len : 1);

        assert_non_null(exact);
        for (size_t at = 0; at < len; at++)
            exact[at] = letters[test_random(&seed) % (sizeof(letters) - 1)];
        answer_len = 0;
        if (i % 8 == 0)
            (void)wyrm_uapi_line(&uapi, &host, "set=1", 5);
        if (i % 8 == 1)
            (void)wyrm_uapi_line(&uapi, &host, "public_key=" PUB1, 75);
        (void)wyrm_uapi_line(&uapi, &host, exact, len);
        free(exact);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, boot)
    const struct CMUnitTest tests[] = {
        TEST(an_empty_device_tells_nothing),
        TEST(everything_set_is_told_back),
        TEST(a_private_key_is_told_as_it_is_used),
        TEST(what_is_told_can_be_set_again),
        TEST(secrets_are_hidden_where_they_are_to_be),
        TEST(handshakes_are_told_in_absolute_time),
        TEST(without_a_calendar_ages_are_told),
        TEST(counters_are_told_in_full),
        TEST(no_piece_of_an_answer_is_too_long),
        TEST(an_answer_that_is_interrupted_by_a_line_ends_with_an_error),
        TEST(without_a_device_every_request_says_that_it_is_down),
        TEST(get_takes_no_settings),
        TEST(anything_but_get_and_set_closes_the_connection),
        TEST(requests_may_follow_each_other),
        TEST(an_error_does_not_stay_for_the_next_request),
        TEST(lines_before_an_error_hold_and_those_after_do_not),
        TEST(wrong_values_are_invalid),
        TEST(a_line_without_a_value_breaks_the_protocol),
        TEST(keys_belong_to_their_scope),
        TEST(a_port_in_use_is_told_and_changes_nothing),
        TEST(where_there_is_nothing_to_mark_only_no_mark_is_taken),
        TEST(a_bare_public_key_makes_a_peer),
        TEST(a_peer_that_was_named_stays_when_the_next_line_is_wrong),
        TEST(capital_hex_digits_are_fine),
        TEST(update_only_makes_no_peer_and_leaves_out_the_rest),
        TEST(remove_takes_the_peer_away_and_leaves_out_the_rest),
        TEST(a_peer_removed_by_another_connection_passes_nothing_on),
        TEST(our_own_key_is_passed_over),
        TEST(full_pools_are_told_but_updates_go_on),
        TEST(replace_peers_empties_the_list),
        TEST(replace_allowed_ips_empties_only_this_peers),
        TEST(an_allowed_ip_moves_from_one_peer_to_the_other),
        TEST(a_minus_takes_an_allowed_ip_away_from_its_owner_only),
        TEST(zones_of_endpoints_may_be_names),
        TEST(zeros_clear_keys),
        TEST(a_device_with_a_key_of_its_own_goes_back_to_it),
        TEST(keepalive_from_nothing_asks_for_one_at_once),
        TEST(setting_what_is_set_changes_nothing),
        TEST(no_line_whatever_does_harm),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

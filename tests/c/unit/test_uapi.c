/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The configuration protocol: every key, every error, the order of lines, reported and hidden
 * values, and that requests have no side effects.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SET_UP boot
#include "test.h"

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
static char answer[24576];
static size_t answer_len, longest_piece;
static int port_error;
static unsigned port_calls;
static wyrm_ms now;
static uint64_t scratch[1024];

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

static uint64_t handshake_time(void *ctx, wyrm_peer_id peer, wyrm_ms at)
{
    (void)ctx;
    return UINT64_C(1700000000000) + 1000000u * peer + at;
}

FIXTURE(boot)
{
    node_boot(&node, 0, 1);
    (void)wyrm_set_private_key(&node.dev, NULL);
    memset(&uapi, 0, sizeof(uapi));
    host = (struct wyrm_uapi_host){.dev = &node.dev,
                                   .write = write_answer,
                                   .set_listen_port = set_port,
                                   .set_fwmark = set_mark,
                                   .find_zone = find_zone,
                                   .now = get_now,
                                   .handshake_time = handshake_time,
                                   .show_secrets = true,
                                   .scratch = scratch,
                                   .scratch_size = sizeof(scratch)};
    port_error = 0;
    port_calls = 0;
    now = 5000;
    return 0;
}

/* Returns the length of the first request in the text. */
static size_t request_len(const char *text)
{
    const char *end = *text == '\n' ? text : strstr(text, "\n\n");

    return end != NULL ? (size_t)(end - text) + (*text == '\n' ? 1 : 2) : strlen(text);
}

/* Passes the requests of the text one by one; returns the last verdict. */
static enum wyrm_uapi_verdict give(const char *text)
{
    enum wyrm_uapi_verdict verdict = WYRM_UAPI_CLOSE;

    answer_len = 0;
    answer[0] = '\0';
    while (*text != '\0') {
        size_t len = request_len(text), before = answer_len;
        char *exact = malloc(len); /* so that reading beyond is noticed */

        assert_non_null(exact);
        memcpy(exact, text, len);
        verdict = wyrm_uapi_request(&uapi, &host, exact, len);
        free(exact);
        for (;; verdict = wyrm_uapi_more(&uapi, &host)) {
            if (answer_len - before > longest_piece)
                longest_piece = answer_len - before;
            before = answer_len;
            if (verdict != WYRM_UAPI_AGAIN)
                break;
        }
        text += len;
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

TEST(a_device_without_settings_reports_none)
{
    assert_get("errno=0\n\n");
}

TEST(everything_set_is_reported_back)
{
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

TEST(a_private_key_is_reported_clamped_as_it_is_used)
{
    char other[sizeof(PRIV)] = PRIV, text[128];

    other[1] = 'f'; /* a8 and af, 4f and 8f: the bits that X25519 fixes do not count */
    other[62] = '8';
    snprintf(text, sizeof(text), "private_key=%s\n", other);
    OK(text);
    assert_get("private_key=" PRIV "\nerrno=0\n\n");
}

TEST(a_reported_configuration_can_be_set_again)
{
    static char told_first[4096];

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

TEST(secrets_are_hidden_unless_requested)
{
    OK("private_key=" PRIV "\n" PEER "preshared_key=" PSK "\n");
    host.show_secrets = false;
    (void)give("get=1\n\n");
    assert_null(strstr(answer, "private_key"));
    assert_null(strstr(answer, "preshared_key"));
    assert_null(strstr(answer, PRIV));
    assert_null(strstr(answer, PSK));
    assert_non_null(strstr(answer, PUB1));
}

TEST(handshakes_are_reported_in_absolute_time)
{
    OK(PEER);
    node.peers[0].last_handshake = 1234;
    assert_true(told("last_handshake_time_sec=1700000001\nlast_handshake_time_nsec=234000000\n"));
    assert_false(told("handshake_age_sec"));
}

TEST(without_a_wall_clock_ages_are_reported)
{
    OK(PEER);
    host.handshake_time = NULL;
    assert_false(told("handshake_age_sec"));
    node.peers[0].last_handshake = 1234;
    assert_true(told("handshake_age_sec=3\nlast_handshake_time_sec=0\n"));
}

TEST(counters_are_reported_in_full)
{
    OK(PEER);
    node.peers[0].tx_bytes = UINT64_MAX;
    node.peers[0].rx_bytes = UINT64_C(1) << 40;
    assert_true(told("tx_bytes=18446744073709551615\nrx_bytes=1099511627776\n"));
}

/* Every number at its longest, secrets shown, and more peers and addresses than a piece holds. */
TEST(no_piece_of_an_answer_is_too_long)
{
    static const char endpoint[] =
        "endpoint=[2001:db8:1111:2222:3333:4444:5555:6666%4294967295]:65535\n";
    char text[512];

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
    host.handshake_time = NULL;
    assert_true(told(endpoint));
    assert_true(told("handshake_age_sec=18446744073709551\n"));
    assert_in_range(longest_piece, 300, WYRM_UAPI_PIECE_MAX);
}

TEST(without_a_device_every_request_says_that_it_is_down)
{
    host.dev = NULL;
    assert_get("errno=100\n\n");
    FAILS(100, "private_key=" PRIV "\nreplace_peers=true\n" PEER "remove=true\n");
    FAILS(100, "nonsense\n");
    assert_int_equal(give("get=2\n"), WYRM_UAPI_CLOSE);
}

TEST(get_takes_no_settings)
{
    assert_int_equal(give("get=1\nprivate_key=" PRIV "\n\n"), WYRM_UAPI_DONE);
    assert_string_equal(answer, "errno=22\n\n"); /* positive: wg(8) reads it so after get */
    assert_false(told("private_key"));
}

/* ---- Requests ------------------------------------------------------------ */

TEST(anything_but_get_and_set_closes_the_connection)
{
    static const char *const lines[] = {"get=2\n", "set=0\n", "set=\n",  "foo\n",    "\n",
                                        "=1\n",    "get\n",   "GET=1\n", "get=1\r\n"};

    for (size_t i = 0; i < COUNT(lines); i++) {
        memset(&uapi, 0, sizeof(uapi));
        assert_int_equal(give(lines[i]), WYRM_UAPI_CLOSE);
        assert_string_equal(answer, "");
    }
}

TEST(requests_may_follow_each_other)
{
    assert_int_equal(give("set=1\nlisten_port=5\n\nget=1\n\n"), WYRM_UAPI_DONE);
    assert_string_equal(answer, "errno=0\n\nlisten_port=5\nerrno=0\n\n");
}

TEST(an_error_does_not_affect_the_next_request)
{
    FAILS(22, "nonsense=1\n");
    OK("listen_port=5\n");
}

/* ---- Mistakes ------------------------------------------------------------ */

TEST(wrong_values_are_invalid)
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

    for (size_t i = 0; i < COUNT(lines); i++)
        FAILS(22, lines[i]);
    assert_false(told("private_key"));
}

TEST(a_line_without_a_value_breaks_the_protocol)
{
    FAILS(71, "private_key\n");
}

TEST(keys_belong_to_their_scope)
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

    for (size_t i = 0; i < COUNT(of_peers); i++)
        FAILS(22, of_peers[i]);
    for (size_t i = 0; i < COUNT(of_devices); i++)
        FAILS(22, of_devices[i]);
}

TEST(a_port_in_use_is_reported_and_changes_nothing)
{
    OK("listen_port=1000\n");
    port_error = WYRM_UAPI_IN_USE;
    FAILS(98, "listen_port=2000\n");
    assert_get("listen_port=1000\nerrno=0\n\n");
}

TEST(without_marks_only_fwmark_0_is_accepted)
{
    host.set_fwmark = NULL;
    host.set_listen_port = NULL;
    OK("fwmark=0\n");
    FAILS(22, "fwmark=1\n");
    FAILS(22, "listen_port=1\n");
}

/* ---- Peers --------------------------------------------------------------- */

TEST(a_public_key_alone_adds_a_peer)
{
    OK(PEER "public_key=" PUB2 "\n");
    assert_true(told(PUB1));
    assert_true(told(PUB2));
}

TEST(capital_hex_digits_are_fine)
{
    OK("public_key=B85996FECC9C7F1FC6D2572A76EDA11D59BCD20BE8E543B15CE4BD85A8E75A33\n");
    assert_true(told(PUB1));
}

TEST(update_only_makes_no_peer_and_leaves_out_the_rest)
{
    OK(PEER "update_only=true\nallowed_ip=10.0.0.0/8\nendpoint=192.0.2.1:1\n");
    assert_get("errno=0\n\n");
    OK(PEER);
    OK(PEER "update_only=true\nallowed_ip=10.0.0.0/8\n");
    assert_true(told("allowed_ip=10.0.0.0/8\n"));
}

TEST(remove_takes_the_peer_away_and_leaves_out_the_rest)
{
    OK(PEER "allowed_ip=10.0.0.0/8\n");
    OK(PEER "remove=true\nallowed_ip=11.0.0.0/8\n");
    assert_get("errno=0\n\n");
    OK(PEER "remove=true\n"); /* gone already is fine */
    assert_get("errno=0\n\n");
}

TEST(our_own_public_key_is_skipped)
{
    uint8_t pub[WYRM_KEY_LEN];
    char text[256], *at;

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

TEST(full_pools_are_reported_and_updates_still_work)
{
    char text[128];

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

TEST(replace_peers_empties_the_list)
{
    OK(PEER);
    OK("replace_peers=true\npublic_key=" PUB2 "\n");
    assert_false(told(PUB1));
    assert_true(told(PUB2));
}

TEST(replace_allowed_ips_empties_only_this_peers)
{
    OK(PEER "allowed_ip=10.0.0.0/8\npublic_key=" PUB2 "\nallowed_ip=11.0.0.0/8\n");
    OK(PEER "replace_allowed_ips=true\nallowed_ip=12.0.0.0/8\n");
    assert_false(told("allowed_ip=10."));
    assert_true(told("allowed_ip=11.0.0.0/8\n"));
    assert_true(told("allowed_ip=12.0.0.0/8\n"));
}

TEST(an_allowed_ip_moves_from_one_peer_to_the_other)
{
    OK(PEER "allowed_ip=10.0.0.0/8\n");
    OK("public_key=" PUB2 "\nallowed_ip=10.9.9.9/8\n");
    (void)give("get=1\n\n");
    assert_true(strstr(answer, "allowed_ip") > strstr(answer, PUB2));
}

TEST(a_minus_removes_an_allowed_ip_of_that_peer_only)
{
    OK(PEER "allowed_ip=10.0.0.0/8\nallowed_ip=fd00::/8\n");
    OK("public_key=" PUB2 "\nallowed_ip=-10.0.0.0/8\n");
    assert_true(told("allowed_ip=10.0.0.0/8\n"));
    OK(PEER "allowed_ip=-10.0.0.0/8\n");
    assert_false(told("allowed_ip=10.0.0.0/8\n"));
    assert_true(told("allowed_ip=fd00::/8\n"));
}

TEST(zones_of_endpoints_may_be_names)
{
    OK(PEER "endpoint=[fe80::1%eth7]:51820\n");
    assert_true(told("endpoint=[fe80::1%7]:51820\n"));
    OK(PEER "endpoint=[fe80::1%9]:51820\n");
    assert_true(told("endpoint=[fe80::1%9]:51820\n"));
    host.find_zone = NULL;
    FAILS(22, PEER "endpoint=[fe80::1%eth7]:51820\n");
}

TEST(zeros_clear_keys)
{
    OK("private_key=" PRIV "\n" PEER "preshared_key=" PSK "\n");
    OK("private_key=" ZERO "\n" PEER "preshared_key=" ZERO "\n");
    assert_false(told("private_key"));
    assert_true(told("preshared_key=" ZERO "\n"));
}

TEST(removing_the_key_restores_the_devices_own_key)
{
    static const uint8_t own[WYRM_KEY_LEN] = {8, [31] = 64};
    uint8_t key[WYRM_KEY_LEN];

    host.own_key = own;
    OK("private_key=" PRIV "\n" PEER);
    OK("private_key=" ZERO "\n");
    assert_int_equal(wyrm_get_private_key(&node.dev, key), WYRM_IDLE);
    assert_memory_equal(key, own, sizeof(own));
    uint32_t generation = node.peers[0].generation;
    OK("private_key=" ZERO "\n");
    assert_int_equal(node.peers[0].generation, generation); /* sessions live on */
}

TEST(enabling_keepalives_sends_one_at_once)
{
    OK("private_key=" PRIV "\n" PEER "endpoint=192.0.2.1:1\n");
    assert_false(node.dev.pending);
    OK(PEER "persistent_keepalive_interval=25\n");
    assert_true(node.dev.pending);
    node.dev.pending = false;
    OK(PEER "persistent_keepalive_interval=30\n");
    assert_false(node.dev.pending);
}

TEST(setting_the_current_value_changes_nothing)
{
    uint64_t before;
    struct wyrm_peer peer;

    OK("private_key=" PRIV "\n" PEER "preshared_key=" PSK "\nallowed_ip=10.0.0.0/8\n");
    before = node_hash(&node);
    peer = node.peers[0];
    OK("private_key=" PRIV "\n" PEER "preshared_key=" PSK
       "\nreplace_allowed_ips=true\nallowed_ip=10.0.0.0/8\n");
    assert_int_equal(node_hash(&node), before);
    assert_int_equal(node.peers[0].generation, peer.generation); /* sessions live on */
}

TEST(random_lines_do_no_harm)
{
    static const char letters[] = "=\r\t -/:[]%.0123456789abcdefgetspublic_key";
    static const char *const begins[] = {"", "set=1\n", "set=1\n" PEER, "get=1\n"};
    uint64_t seed = 7;

    for (unsigned i = 0; i < 20000; i++) {
        const char *begin = begins[i % COUNT(begins)];
        size_t at = strlen(begin), len = at + test_random(&seed) % WYRM_UAPI_LINE_MAX;
        char *exact = malloc(len > 0 ? len : 1);

        assert_non_null(exact);
        memcpy(exact, begin, at);
        for (; at < len; at++)
            exact[at] = letters[test_random(&seed) % (sizeof(letters) - 1)];
        answer_len = 0;
        (void)wyrm_uapi_request(&uapi, &host, exact, len);
        free(exact);
    }
}

/* ---- As a whole or not at all --------------------------------------------- */

/* The peers that requests below change, remove or replace. */
static void set_up_two_peers(void)
{
    OK("private_key=" PRIV "\nlisten_port=1\nfwmark=1\n" PEER
       "endpoint=192.0.2.1:1\npreshared_key=" PSK
       "\npersistent_keepalive_interval=5\nallowed_ip=10.0.0.0/8\n"
       "public_key=" PUB2 "\nallowed_ip=11.0.0.0/8\n");
    port_calls = 0;
}

TEST(known_defect_89_a_request_with_a_mistake_changes_nothing)
{
    static const char *const lines[] = {"private_key=" ZERO "\n",
                                        "listen_port=2\n",
                                        "fwmark=2\n",
                                        "replace_peers=true\n",
                                        PEER "remove=true\n",
                                        PEER "preshared_key=" ZERO "\n",
                                        PEER "endpoint=192.0.2.2:2\n",
                                        PEER "persistent_keepalive_interval=6\n",
                                        PEER "replace_allowed_ips=true\n",
                                        PEER "allowed_ip=-10.0.0.0/8\n",
                                        PEER "allowed_ip=11.0.0.0/8\n",
                                        "public_key=" ZERO
                                        "\nallowed_ip=11.0.0.0/8\npublic_key=00" ZERO "\n"};
    static const char *const mistakes[] = {"colour=blue\n", "allowed_ip=10.0.0.0/33\n",
                                           "endpoint=nowhere.example:1\n"};
    char text[512];
    uint64_t before;

    set_up_two_peers();
    before = node_hash(&node);
    for (size_t i = 0; i < COUNT(lines); i++) {
        for (size_t j = 0; j < COUNT(mistakes); j++) {
            sprintf(text, "%spublic_key=" PUB2 "\n%s", lines[i], mistakes[j]);
            FAILS(22, text);
            assert_int_equal(node_hash(&node), before);
        }
    }
    assert_int_equal(port_calls, 0);
    assert_int_equal(host.fwmark, 1);
}

TEST(settings_of_a_removed_peer_are_checked_too)
{
    set_up_two_peers();
    FAILS(22, PEER "remove=true\nallowed_ip=10.0.0.0/33\n");
    assert_true(told(PEER));
    FAILS(22, "public_key=" PSK "\nupdate_only=true\nendpoint=nowhere\n");
}

/* Otherwise the prefix would belong to no peer, and its packets would be sent outside the tunnel.
 */
TEST(known_defect_89_a_prefix_stays_where_it_is_when_the_request_does_not_fit)
{
    static char text[4096], more[8192];
    uint64_t before;

    set_up_two_peers();
    node.pools.n_routes = 8;
    before = node_hash(&node);
    strcpy(text, PEER "replace_allowed_ips=true\n");
    for (unsigned i = 0; i < 8; i++) /* one too many: the other peer has one of the eight places */
        sprintf(text + strlen(text), "allowed_ip=10.%u.0.0/16\n", i);
    sprintf(more, "%sallowed_ip=10.0.0.0/8\n", text);
    FAILS(12, text);
    FAILS(12, more);
    assert_int_equal(node_hash(&node), before);
    assert_true(
        told(PEER PEER_TELLS(PSK, "endpoint=192.0.2.1:1\n", "5") "allowed_ip=10.0.0.0/8\n"));

    sprintf(more, "public_key=" PUB2 "\nreplace_allowed_ips=true\n%s", text);
    OK(more);
    assert_int_equal(node.dev.routes_used, 8);
}

TEST(a_full_configuration_can_replace_another)
{
    static char text[8192];

    for (unsigned round = 0; round < 3; round++) {
        strcpy(text, "set=1\nreplace_peers=true\n");
        for (unsigned i = 0; i < NODE_PEERS; i++) {
            sprintf(text + strlen(text), "public_key=%064x\n", 1 + i + round * 1000);
            for (unsigned j = 0; j < NODE_ROUTES / NODE_PEERS; j++)
                sprintf(text + strlen(text), "allowed_ip=10.%u.%u.%u/32\n", round, i, j);
        }
        strcat(text, "\n");
        assert_int_equal(give(text), WYRM_UAPI_DONE);
        assert_string_equal(answer, "errno=0\n\n");
        assert_int_equal(node.dev.routes_used, NODE_ROUTES);
    }
}

TEST(without_scratch_memory_a_request_that_may_not_fit_is_refused)
{
    uint64_t before;

    set_up_two_peers();
    node.pools.n_routes = 3;
    before = node_hash(&node);
    host.scratch_size = wyrm_uapi_scratch_size(&node.dev) - 1;
    OK(PEER "replace_allowed_ips=true\nallowed_ip=10.0.0.0/8\n");
    assert_int_equal(node_hash(&node), before);
    FAILS(12, PEER "replace_allowed_ips=true\nallowed_ip=12.0.0.0/8\nallowed_ip=13.0.0.0/8\n");
    host.scratch = NULL;
    FAILS(12, PEER "replace_allowed_ips=true\nallowed_ip=12.0.0.0/8\nallowed_ip=13.0.0.0/8\n");
    assert_int_equal(node_hash(&node), before);
    host.scratch = (uint8_t *)scratch + 1; /* any address will do */
    host.scratch_size = wyrm_uapi_scratch_size(&node.dev);
    OK(PEER "replace_allowed_ips=true\nallowed_ip=12.0.0.0/8\nallowed_ip=13.0.0.0/8\n");
}

TEST(a_port_in_use_undoes_the_mark_and_stops_the_rest)
{
    uint64_t before;

    set_up_two_peers();
    before = node_hash(&node);
    port_error = WYRM_UAPI_IN_USE;
    FAILS(98, "private_key=" PSK "\nlisten_port=2\nfwmark=2\nreplace_peers=true\n");
    assert_int_equal(node_hash(&node), before);
    assert_int_equal(host.fwmark, 1);
    assert_int_equal(host.listen_port, 1);
}

/* A request for one peer: settings, removal, both, with keys and prefixes that soon repeat. */
static size_t random_block(char *text, uint64_t *seed)
{
    static const char *const first[] = {
        "", "", "", "", "update_only=true\n", "remove=true\n", "replace_allowed_ips=true\n"};
    char *at = text;

    at += sprintf(at, "public_key=%064x\n%s", (unsigned)(test_random(seed) % 7),
                  first[test_random(seed) % COUNT(first)]);
    for (uint64_t n = test_random(seed) % 5; n > 0; n--) {
        const char *sign = test_random(seed) % 4 == 0 ? "-" : "";

        at += sprintf(at, "allowed_ip=%s10.%u.0.0/16\n", sign, (unsigned)(test_random(seed) % 14));
    }
    return (size_t)(at - text);
}

/* Passes each request to one device as a whole, and to another peer by peer: the first must fail,
 * and remain unchanged, if and only if any part fails. */
TEST(requests_fail_whole_exactly_if_a_part_would_fail)
{
    static char text[8192], block[1024], request[2048];
    static struct node whole;
    unsigned failures = 0;
    uint64_t seed = 11;

    OK("private_key=" PRIV "\n");
    node.pools.n_peers = 4;
    node.pools.n_routes = 9;
    for (unsigned round = 0; round < 5000; round++) {
        uint64_t before = node_hash(&node), expected;
        bool fails = false;
        size_t len = 0;

        whole = node;
        if (test_random(&seed) % 16 == 0) {
            len = (size_t)sprintf(text, "replace_peers=true\n");
            OK(text);
        }
        for (uint64_t n = test_random(&seed) % 6; n > 0; n--) {
            size_t more = random_block(block, &seed);

            memcpy(text + len, block, more + 1);
            len += more;
            if (fails)
                continue;
            sprintf(request, "set=1\n%s\n", block);
            (void)give(request);
            fails = strcmp(answer, "errno=0\n\n") != 0;
        }
        text[len] = '\0';
        expected = fails ? before : node_hash(&node);
        node = whole;
        if (fails)
            FAILS(12, text);
        else
            OK(text);
        assert_int_equal(node_hash(&node), expected);
        failures += fails;
    }
    assert_in_range(failures, 500, 4500);
}

/* ---- Answers in pieces ----------------------------------------------------- */

/* Begins a `get` and goes on until the text is there. */
static void get_until(const char *text)
{
    enum wyrm_uapi_verdict verdict;

    answer_len = 0;
    verdict = wyrm_uapi_request(&uapi, &host, "get=1\n", 6);
    while (strstr(answer, text) == NULL) {
        assert_int_equal(verdict, WYRM_UAPI_AGAIN);
        verdict = wyrm_uapi_more(&uapi, &host);
    }
}

static void finish_get(void)
{
    while (wyrm_uapi_more(&uapi, &host) == WYRM_UAPI_AGAIN)
        continue;
}

static void set_meanwhile(const char *lines)
{
    struct wyrm_uapi first = uapi;
    size_t len = answer_len;
    static char saved[sizeof(answer)];

    memcpy(saved, answer, sizeof(answer));
    OK(lines);
    memcpy(answer, saved, sizeof(answer));
    answer_len = len;
    uapi = first;
}

TEST(known_defect_90_a_listing_never_shows_prefixes_under_another_peer)
{
    OK(PEER "allowed_ip=10.0.0.0/8\n");
    get_until("persistent_keepalive_interval");
    set_meanwhile("replace_peers=true\npublic_key=" PUB2 "\nallowed_ip=11.0.0.0/8\n");
    finish_get();
    assert_null(strstr(answer, "allowed_ip"));
    assert_true(told("allowed_ip=11.0.0.0/8\n"));
}

TEST(listing_goes_on_where_it_was_when_routes_change)
{
    static char text[4096];

    strcpy(text, PEER);
    for (unsigned i = 0; i < 30; i++)
        sprintf(text + strlen(text), "allowed_ip=10.0.%u.0/24\n", 2 * i);
    OK(text);
    get_until("allowed_ip");
    /* Prefixes are added and removed before and after the current position of the listing. */
    set_meanwhile(PEER "allowed_ip=9.0.0.0/8\nallowed_ip=-10.0.0.0/24\nallowed_ip=-10.0.14.0/24\n"
                       "allowed_ip=10.0.57.0/24\npublic_key=" PUB2
                       "\nallowed_ip=8.0.0.0/8\nallowed_ip=10.0.17.0/24\n");
    finish_get();
    for (unsigned i = 0; i < 30; i++) {
        sprintf(text, "allowed_ip=10.0.%u.0/24\n", 2 * i);
        char *at = strstr(answer, text);
        assert_non_null(at);
        assert_null(strstr(at + 1, text));
    }
    assert_non_null(strstr(answer, "allowed_ip=10.0.57.0/24\n"));
    assert_null(strstr(answer, "allowed_ip=9."));
    assert_true(strstr(answer, "allowed_ip=10.0.17.") > strstr(answer, PUB2));
}

TEST(nested_routes_are_listed_like_any_others)
{
    static uint32_t first[NODE_PEERS], next[NODE_ROUTES];
    static char plain[sizeof(answer)];

    for (unsigned i = 0; i < 60; i++) {
        char text[256];

        sprintf(text, "public_key=%064x\nallowed_ip=10.0.%u.0/24\n", 1 + i * 7 % 5, i);
        OK(text);
    }
    (void)give("get=1\n\n");
    strcpy(plain, answer);
    wyrm_route_chain(&node.dev, first, next);
    host.first_route = first;
    host.next_route = next;
    assert_get(plain);
}

TEST(an_answer_ends_when_the_device_goes_down)
{
    OK(PEER);
    get_until(PUB1);
    host.dev = NULL;
    answer_len = 0;
    assert_int_equal(wyrm_uapi_more(&uapi, &host), WYRM_UAPI_DONE);
    assert_string_equal(answer, "errno=100\n\n");
}

TEST(an_invalid_first_line_is_refused_at_once)
{
    for (size_t len = 0; len <= 6; len++) {
        assert_true(wyrm_uapi_may_begin("get=1\n", len));
        assert_true(wyrm_uapi_may_begin("set=1\n", len));
    }
    assert_true(wyrm_uapi_may_begin("set=1\nanything", 14));
    assert_false(wyrm_uapi_may_begin("f", 1));
    assert_false(wyrm_uapi_may_begin("\n", 1));
    assert_false(wyrm_uapi_may_begin("get=2", 5));
}

TEST(an_overlong_request_is_refused_with_its_own_error)
{
    answer_len = 0;
    assert_int_equal(wyrm_uapi_refuse(&host, "set=1\nlis", 9, WYRM_UAPI_NO_MEMORY), WYRM_UAPI_DONE);
    assert_string_equal(answer, "errno=-12\n\n");
    answer_len = 0;
    assert_int_equal(wyrm_uapi_refuse(&host, "get=1\nlis", 9, WYRM_UAPI_NO_MEMORY), WYRM_UAPI_DONE);
    assert_string_equal(answer, "errno=12\n\n");
    assert_int_equal(wyrm_uapi_refuse(&host, "foo=1\nlis", 9, WYRM_UAPI_NO_MEMORY),
                     WYRM_UAPI_CLOSE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(a_device_without_settings_reports_none),
        RUN(everything_set_is_reported_back),
        RUN(a_private_key_is_reported_clamped_as_it_is_used),
        RUN(a_reported_configuration_can_be_set_again),
        RUN(secrets_are_hidden_unless_requested),
        RUN(handshakes_are_reported_in_absolute_time),
        RUN(without_a_wall_clock_ages_are_reported),
        RUN(counters_are_reported_in_full),
        RUN(no_piece_of_an_answer_is_too_long),
        RUN(without_a_device_every_request_says_that_it_is_down),
        RUN(get_takes_no_settings),
        RUN(anything_but_get_and_set_closes_the_connection),
        RUN(requests_may_follow_each_other),
        RUN(an_error_does_not_affect_the_next_request),
        RUN(wrong_values_are_invalid),
        RUN(a_line_without_a_value_breaks_the_protocol),
        RUN(keys_belong_to_their_scope),
        RUN(a_port_in_use_is_reported_and_changes_nothing),
        RUN(without_marks_only_fwmark_0_is_accepted),
        RUN(a_public_key_alone_adds_a_peer),
        RUN(capital_hex_digits_are_fine),
        RUN(update_only_makes_no_peer_and_leaves_out_the_rest),
        RUN(remove_takes_the_peer_away_and_leaves_out_the_rest),
        RUN(our_own_public_key_is_skipped),
        RUN(full_pools_are_reported_and_updates_still_work),
        RUN(replace_peers_empties_the_list),
        RUN(replace_allowed_ips_empties_only_this_peers),
        RUN(an_allowed_ip_moves_from_one_peer_to_the_other),
        RUN(a_minus_removes_an_allowed_ip_of_that_peer_only),
        RUN(zones_of_endpoints_may_be_names),
        RUN(zeros_clear_keys),
        RUN(removing_the_key_restores_the_devices_own_key),
        RUN(enabling_keepalives_sends_one_at_once),
        RUN(setting_the_current_value_changes_nothing),
        RUN(random_lines_do_no_harm),
        RUN(known_defect_89_a_request_with_a_mistake_changes_nothing),
        RUN(settings_of_a_removed_peer_are_checked_too),
        RUN(known_defect_89_a_prefix_stays_where_it_is_when_the_request_does_not_fit),
        RUN(a_full_configuration_can_replace_another),
        RUN(without_scratch_memory_a_request_that_may_not_fit_is_refused),
        RUN(a_port_in_use_undoes_the_mark_and_stops_the_rest),
        RUN(requests_fail_whole_exactly_if_a_part_would_fail),
        RUN(known_defect_90_a_listing_never_shows_prefixes_under_another_peer),
        RUN(listing_goes_on_where_it_was_when_routes_change),
        RUN(nested_routes_are_listed_like_any_others),
        RUN(an_answer_ends_when_the_device_goes_down),
        RUN(an_invalid_first_line_is_refused_at_once),
        RUN(an_overlong_request_is_refused_with_its_own_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

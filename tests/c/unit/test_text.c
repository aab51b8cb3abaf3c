/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Values as text: keys, addresses, endpoints, figures. Every text is parsed from a heap block of
 * exactly its length, so that the address sanitizer sees any read past it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

#include "wyrm_text.h"

#include "ip6_table.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static char *exact(const char *text)
{
    size_t len = strlen(text);
    char *copy = malloc(len);

    assert_non_null(copy);
    memcpy(copy, text, len);
    return copy;
}

static wyrm_status parse_key(const char *text, uint8_t out[WYRM_KEY_LEN])
{
    char *copy = exact(text);
    wyrm_status status = wyrm_key_parse(copy, strlen(text), out);

    free(copy);
    return status;
}

static wyrm_status parse_prefix(const char *text, struct wyrm_prefix *out)
{
    char *copy = exact(text);
    wyrm_status status = wyrm_prefix_parse(copy, strlen(text), out);

    free(copy);
    return status;
}

/* ---- Keys ----------------------------------------------------------------- */

TEST(key_survives_the_round_trip)
{
    uint8_t key[WYRM_KEY_LEN], back[WYRM_KEY_LEN];
    char text[WYRM_KEY_TEXT_MAX];
    uint32_t random = 1;

    for (unsigned round = 0; round < 2000; round++) {
        for (unsigned i = 0; i < WYRM_KEY_LEN; i++) {
            random = random * 1664525 + 1013904223;
            key[i] = (uint8_t)(random >> 24);
        }
        assert_int_equal(wyrm_key_print(key, text), WYRM_KEY_TEXT_LEN);
        assert_int_equal(strlen(text), WYRM_KEY_TEXT_LEN);
        assert_int_equal(parse_key(text, back), WYRM_IDLE);
        assert_memory_equal(key, back, WYRM_KEY_LEN);
    }
}

TEST(key_text_is_that_of_base64)
{
    static const char text[] = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
    uint8_t key[WYRM_KEY_LEN];
    char out[WYRM_KEY_TEXT_MAX];

    assert_int_equal(parse_key(text, key), WYRM_IDLE);
    for (unsigned i = 0; i < WYRM_KEY_LEN; i++)
        assert_int_equal(key[i], i);
    assert_int_equal(parse_key("++++++++++////////////////////AAAAAAAAAAAAA=", key), WYRM_IDLE);
    wyrm_key_print(key, out);
    assert_string_equal(out, "++++++++++////////////////////AAAAAAAAAAAAA=");
}

TEST(key_with_any_wrong_character_is_refused_and_wiped)
{
    static const char alphabet[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    static const uint8_t zero[WYRM_KEY_LEN];
    uint8_t key[WYRM_KEY_LEN];

    for (unsigned at = 0; at < WYRM_KEY_TEXT_LEN; at++) {
        for (unsigned c = 0; c < 256; c++) {
            char text[] = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
            text[at] = (char)c;
            bool good = c != 0 && strchr(alphabet, (int)c) != NULL;
            if (at == 43)
                good = c == '=';
            if (at == 42) /* canonical: its last two bits are zero */
                good = c != 0 && strchr("AEIMQUYcgkosw048", (int)c) != NULL;
            memset(key, 0xaa, sizeof(key));
            assert_int_equal(wyrm_key_parse(text, WYRM_KEY_TEXT_LEN, key),
                             good ? WYRM_IDLE : WYRM_E_TEXT);
            if (!good)
                assert_memory_equal(key, zero, WYRM_KEY_LEN);
        }
    }
}

TEST(key_of_any_other_length_is_refused)
{
    static const char text[] = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=====";
    uint8_t key[WYRM_KEY_LEN];

    for (size_t len = 0; len < sizeof(text) - 1; len++)
        assert_int_equal(wyrm_key_parse(text, len, key),
                         len == WYRM_KEY_TEXT_LEN ? WYRM_IDLE : WYRM_E_TEXT);
}

/* ---- Numbers ---------------------------------------------------------------- */

TEST(a_number_is_decimal_digits_within_its_limit)
{
    static const struct {
        const char *text;
        unsigned base;
        uint32_t max;
        bool good;
        uint32_t value;
    } cases[] = {
        {"0", 10, 0, true, 0},
        {"65535", 10, 65535, true, 65535},
        {"65536", 10, 65535, false, 0},
        {"4294967295", 10, UINT32_MAX, true, UINT32_MAX},
        {"4294967296", 10, UINT32_MAX, false, 0},
        {"4294967300", 10, UINT32_MAX, false, 0},
        {"42949672950", 10, UINT32_MAX, false, 0},
        {"18446744073709551617", 10, UINT32_MAX, false, 0},
        {"", 10, 9, false, 0},
        {"01", 10, 9, false, 0},
        {"00", 10, 9, false, 0},
        {"-1", 10, 9, false, 0},
        {"+1", 10, 9, false, 0},
        {" 1", 10, 9, false, 0},
        {"1 ", 10, 9, false, 0},
        {"0x1", 10, 9, false, 0},
        {"1a", 10, 99, false, 0},
        {"ffffffff", 16, UINT32_MAX, true, UINT32_MAX},
        {"FfFf", 16, UINT32_MAX, true, 65535},
        {"100000000", 16, UINT32_MAX, false, 0},
        {"g", 16, UINT32_MAX, false, 0},
        {"@", 16, UINT32_MAX, false, 0},
        {"`", 16, UINT32_MAX, false, 0},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        uint32_t value = 0;
        char *copy = exact(cases[i].text);
        assert_int_equal(
            wyrm_number_parse(copy, strlen(cases[i].text), cases[i].base, cases[i].max, &value),
            cases[i].good ? WYRM_IDLE : WYRM_E_TEXT);
        if (cases[i].good)
            assert_int_equal(value, cases[i].value);
        free(copy);
    }
}

TEST(output_is_truncated_to_the_buffer_and_always_terminated)
{
    char out[8];
    struct wyrm_pen pen;

    wyrm_pen_init(&pen, out, 5);
    wyrm_pen_text(&pen, "abc");
    wyrm_pen_number(&pen, 4294967295);
    assert_string_equal(out, "abc4");
    wyrm_pen_init(&pen, out, 1);
    wyrm_pen_text(&pen, "abc");
    assert_string_equal(out, "");
}

/* ---- Addresses ---------------------------------------------------------------- */

TEST(ip6_addresses_parse_and_print_as_in_the_c_library)
{
    for (size_t i = 0; i < COUNT(ip6_table); i++) {
        struct wyrm_prefix prefix;
        char text[WYRM_PREFIX_TEXT_MAX], expected[WYRM_PREFIX_TEXT_MAX];
        wyrm_status status = parse_prefix(ip6_table[i].text, &prefix);
        if (ip6_table[i].canonical == NULL) {
            assert_true(status == WYRM_E_TEXT || prefix.family == 4);
            continue;
        }
        assert_int_equal(status, WYRM_IDLE);
        assert_int_equal(prefix.family, 6);
        assert_int_equal(prefix.bits, 128);
        assert_memory_equal(prefix.addr, ip6_table[i].bytes, 16);
        size_t len = wyrm_prefix_print(&prefix, text);
        snprintf(expected, sizeof(expected), "%s/128", ip6_table[i].canonical);
        assert_string_equal(text, expected);
        assert_int_equal(len, strlen(expected));
    }
}

TEST(prefix_keeps_its_host_bits_and_needs_no_length)
{
    struct wyrm_prefix prefix;
    char text[WYRM_PREFIX_TEXT_MAX];

    assert_int_equal(parse_prefix("10.9.0.2/24", &prefix), WYRM_IDLE);
    assert_true(prefix.family == 4 && prefix.bits == 24 && prefix.addr[3] == 2);
    assert_int_equal(parse_prefix("10.9.0.2", &prefix), WYRM_IDLE);
    assert_int_equal(prefix.bits, 32);
    assert_int_equal(parse_prefix("fd09::2/64", &prefix), WYRM_IDLE);
    assert_true(prefix.family == 6 && prefix.bits == 64 && prefix.addr[15] == 2);
    wyrm_prefix_print(&prefix, text);
    assert_string_equal(text, "fd09::2/64");
    assert_int_equal(parse_prefix("0.0.0.0/0", &prefix), WYRM_IDLE);
    wyrm_prefix_print(&prefix, text);
    assert_string_equal(text, "0.0.0.0/0");
    assert_int_equal(parse_prefix("::/0", &prefix), WYRM_IDLE);
    wyrm_prefix_print(&prefix, text);
    assert_string_equal(text, "::/0");
}

TEST(prefix_that_is_not_exact_is_refused)
{
    static const char *const wrong[] = {
        "",
        "/",
        "/24",
        "1.2.3.4/",
        "1.2.3.4/33",
        "1.2.3.4/-1",
        "1.2.3.4/a",
        "1.2.3/24",
        "1.2.3.4.5",
        "256.1.1.1",
        "1.2.3.04",
        "1..3.4",
        ".1.2.3",
        "1.2.3.",
        "1.2.3.4 ",
        " 1.2.3.4",
        "1.2.3.4/24/24",
        "::1/129",
        "::1/",
        "::1/0128",
        "fe80::1%1/64",
        "name",
        "1.2.3.4/032",
        "0x1.2.3.4",
        "1.2.3.4/24 ",
        "1.2.3.4/255.255.255.0",
    };
    struct wyrm_prefix prefix;

    for (size_t i = 0; i < COUNT(wrong); i++)
        assert_int_equal(parse_prefix(wrong[i], &prefix), WYRM_E_TEXT);
}

/* ---- Endpoints ------------------------------------------------------------------ */

TEST(numeric_endpoints_survive_the_round_trip)
{
    static const char *const texts[] = {
        "192.0.2.1:51820",       "0.0.0.0:1",
        "[2001:db8::1]:51820",   "[::]:65535",
        "[fe80::1%2]:51820",     "[fe80::1%4294967295]:51820",
        "[::ffff:192.0.2.1]:53", "[ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff%4294967295]:65535",
    };

    for (size_t i = 0; i < COUNT(texts); i++) {
        struct wyrm_host host;
        char text[WYRM_ENDPOINT_TEXT_MAX];
        char *copy = exact(texts[i]);
        assert_int_equal(wyrm_host_parse(copy, strlen(texts[i]), &host), WYRM_IDLE);
        free(copy);
        assert_int_equal(host.name_len, 0);
        assert_int_equal(wyrm_endpoint_print(&host.address, text), strlen(texts[i]));
        assert_string_equal(text, texts[i]);
    }
}

TEST(names_of_hosts_and_zones_are_kept_for_the_port)
{
    static const char name[] = "vpn-1.example.com:51820", zone[] = "[fe80::1%eth0]:51820";
    struct wyrm_host host;

    assert_int_equal(wyrm_host_parse(name, strlen(name), &host), WYRM_IDLE);
    assert_int_equal(host.address.family, 0);
    assert_int_equal(host.address.port, 51820);
    assert_ptr_equal(host.name, name);
    assert_int_equal(host.name_len, strlen("vpn-1.example.com"));

    assert_int_equal(wyrm_host_parse(zone, strlen(zone), &host), WYRM_IDLE);
    assert_int_equal(host.address.family, 6);
    assert_int_equal(host.address.scope, 0);
    assert_ptr_equal(host.name, zone + 9);
    assert_int_equal(host.name_len, 4);
}

TEST(endpoint_that_is_not_exact_is_refused)
{
    static const char *const wrong[] = {
        "",
        ":",
        ":51820",
        "1.2.3.4",
        "1.2.3.4:",
        "1.2.3.4:0",
        "1.2.3.4:65536",
        "1.2.3.4:05182",
        "1.2.3.4:http",
        "1.2.3:51820",
        "256.1.1.1:51820",
        "12345:51820",
        "fe80::1:51820",
        "[fe80::1]",
        "[fe80::1]51820",
        "[fe80::1:51820",
        "fe80::1]:51820",
        "[]:51820",
        "[:51820",
        "]:51820",
        "[1.2.3.4]:51820",
        "[fe80::1%]:51820",
        "[fe80::1%a b]:51820",
        "[fe80::1%%]:51820",
        "[name]:51820",
        "a b:51820",
        "a/b:51820",
        "-a:51820",
        ".a:51820",
        "a\tb:51820",
        "http://a:51820",
    };

    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct wyrm_host host;
        char *copy = exact(wrong[i]);
        assert_int_equal(wyrm_host_parse(copy, strlen(wrong[i]), &host), WYRM_E_TEXT);
        free(copy);
    }
}

TEST(host_name_may_have_253_characters_and_no_more)
{
    char text[254 + 7];
    struct wyrm_host host;

    memset(text, 'a', sizeof(text));
    memcpy(text + 253, ":51820", 6);
    assert_int_equal(wyrm_host_parse(text, 253 + 6, &host), WYRM_IDLE);
    assert_int_equal(host.name_len, 253);
    text[253] = 'a';
    memcpy(text + 254, ":51820", 6);
    assert_int_equal(wyrm_host_parse(text, 254 + 6, &host), WYRM_E_TEXT);
}

TEST(unknown_endpoint_prints_as_none)
{
    const struct wyrm_endpoint none = {0};
    char text[WYRM_ENDPOINT_TEXT_MAX];

    wyrm_endpoint_print(&none, text);
    assert_string_equal(text, "(none)");
}

/* ---- Figures ---------------------------------------------------------------------- */

TEST(ages_print_as_in_wg)
{
    static const struct {
        uint32_t seconds;
        const char *ago;
    } cases[] = {
        {0, "Now"},
        {1, "1 second ago"},
        {59, "59 seconds ago"},
        {60, "1 minute ago"},
        {63, "1 minute, 3 seconds ago"},
        {3600, "1 hour ago"},
        {7325, "2 hours, 2 minutes, 5 seconds ago"},
        {86400, "1 day ago"},
        {31536000, "1 year ago"},
        {UINT32_MAX, "136 years, 70 days, 6 hours, 28 minutes, 15 seconds ago"},
        {31536000u * 135 + 364u * 86400 + 86399,
         "135 years, 364 days, 23 hours, 59 minutes, 59 seconds ago"},
    };
    char text[WYRM_AGO_TEXT_MAX];

    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_int_equal(wyrm_text_ago(cases[i].seconds, text), strlen(cases[i].ago));
        assert_string_equal(text, cases[i].ago);
    }
    wyrm_text_duration(25, text);
    assert_string_equal(text, "25 seconds");
    wyrm_text_duration(0, text);
    assert_string_equal(text, "0 seconds");
}

TEST(byte_counts_print_as_in_wg)
{
    static const uint64_t edges[] = {0, 1, 148, 1023, 1024, 1152, 1239, 1280, 1034, 1044, 1536};
    static const char units[] = "KMGT";
    char text[WYRM_BYTES_TEXT_MAX], expected[32];
    uint64_t random = 88172645463325252u;

    for (unsigned i = 0; i < 20000; i++) {
        uint64_t bytes = i < COUNT(edges) ? edges[i] : random >> (14 + random % 50);
        unsigned unit = 0;
        double scaled = (double)bytes;
        for (; scaled >= 1024; unit++)
            scaled /= 1024;
        if (unit == 0)
            snprintf(expected, sizeof(expected), "%u B", (unsigned)bytes);
        else
            snprintf(expected, sizeof(expected), "%.2f %ciB", scaled, units[unit - 1]);
        size_t len = wyrm_text_bytes(bytes, text);
        assert_int_equal(len, strlen(text));
        /* From GiB on, truncated digits may break a tie: the next hundredth is correct. */
        if (unit <= 2)
            assert_string_equal(text, expected);
        else
            assert_true(strtod(text, NULL) - strtod(expected, NULL) < 0.011 &&
                        strtod(expected, NULL) - strtod(text, NULL) < 0.011);
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
    }
    wyrm_text_bytes(UINT64_MAX, text);
    assert_string_equal(text, "16.00 EiB");
    wyrm_text_bytes(1239, text);
    assert_string_equal(text, "1.21 KiB");
    wyrm_text_bytes(1048575, text);
    assert_string_equal(text, "1024.00 KiB");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(key_survives_the_round_trip),
        RUN(key_text_is_that_of_base64),
        RUN(key_with_any_wrong_character_is_refused_and_wiped),
        RUN(key_of_any_other_length_is_refused),
        RUN(a_number_is_decimal_digits_within_its_limit),
        RUN(output_is_truncated_to_the_buffer_and_always_terminated),
        RUN(ip6_addresses_parse_and_print_as_in_the_c_library),
        RUN(prefix_keeps_its_host_bits_and_needs_no_length),
        RUN(prefix_that_is_not_exact_is_refused),
        RUN(numeric_endpoints_survive_the_round_trip),
        RUN(names_of_hosts_and_zones_are_kept_for_the_port),
        RUN(endpoint_that_is_not_exact_is_refused),
        RUN(host_name_may_have_253_characters_and_no_more),
        RUN(unknown_endpoint_prints_as_none),
        RUN(ages_print_as_in_wg),
        RUN(byte_counts_print_as_in_wg),
    };
    return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}

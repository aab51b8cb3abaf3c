/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Values as text: numbers, keys, addresses, times, byte counts. Called by wyrm_conf.c, consoles and
 * host programs. Avoids division, which small cores do not have.
 */
#include "wyrm_text.h"

#include "crypto/wyrm_ct.h"
#include "wyrm_crypto.h"

#include <string.h>

#define IP6_LEN      16
#define NAME_LEN_MAX 253 /* RFC 1035, as text */

/* ---- Pen ------------------------------------------------------------------ */

void wyrm_pen_init(struct wyrm_pen *pen, char *out, size_t cap)
{
    pen->out = out;
    pen->cap = cap;
    pen->len = 0;
    out[0] = '\0';
}

void wyrm_pen_char(struct wyrm_pen *pen, char c)
{
    if (pen->len + 1 >= pen->cap)
        return;
    pen->out[pen->len++] = c;
    pen->out[pen->len] = '\0';
}

void wyrm_pen_text(struct wyrm_pen *pen, const char *text)
{
    while (*text != '\0')
        wyrm_pen_char(pen, *text++);
}

/* Takes `unit` off `number` as often as it goes. */
static unsigned take(uint32_t *number, uint32_t unit)
{
    unsigned count = 0;

    for (; *number >= unit; count++)
        *number -= unit;
    return count;
}

void wyrm_pen_number(struct wyrm_pen *pen, uint32_t number)
{
    static const uint32_t powers[] = {1000000000, 100000000, 10000000, 1000000, 100000,
                                      10000,      1000,      100,      10,      1};
    size_t i = 0;

    while (powers[i] > 1 && number < powers[i])
        i++;
    for (; i < sizeof(powers) / sizeof(powers[0]); i++)
        wyrm_pen_char(pen, (char)('0' + take(&number, powers[i])));
}

/* ---- Numbers -------------------------------------------------------------- */

/* 0..15, or 255 for anything else. */
static unsigned hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return (unsigned)(c - '0');
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10) : 255;
}

wyrm_status wyrm_number_parse(const char *text, size_t len, unsigned base, uint32_t max,
                              uint32_t *out)
{
    uint32_t number = 0;

    if (len == 0 || (base == 10 && len > 1 && text[0] == '0'))
        return WYRM_E_TEXT;
    for (size_t i = 0; i < len; i++) {
        unsigned digit = hex_digit(text[i]);
        if (digit >= base || number > (base == 10 ? UINT32_MAX / 10 : UINT32_MAX / 16))
            return WYRM_E_TEXT;
        number *= base;
        if (number > UINT32_MAX - digit)
            return WYRM_E_TEXT;
        number += digit;
    }
    *out = number;
    return number <= max ? WYRM_IDLE : WYRM_E_TEXT;
}

/* Position of the first `c`, or len. */
static size_t find(const char *text, size_t len, char c)
{
    size_t at = 0;

    while (at < len && text[at] != c)
        at++;
    return at;
}

/* ---- Keys ------------------------------------------------------------------ */

/* All ones if `number` is negative as a signed one, else 0. */
static uint32_t mask_of_sign(uint32_t number)
{
    return wyrm_opaque(0u - (wyrm_opaque(number) >> 31));
}

/* All ones if low <= c <= high, else 0; for numbers far below 2^31. */
static uint32_t in_range(uint32_t c, uint32_t low, uint32_t high)
{
    return ~mask_of_sign((c - low) | (high - c));
}

static char sextet_encode(uint32_t v)
{
    uint32_t c = v + 'A';

    c += in_range(v, 26, 63) & ('a' - 'Z' - 1);
    c -= in_range(v, 52, 63) & ('z' - '0' + 1);
    c -= in_range(v, 62, 63) & ('9' - '+' + 1);
    c += in_range(v, 63, 63) & ('/' - '+' - 1);
    return (char)c;
}

/* 1 + the value of a base64 character, 0 if it is none: looks at all 64. */
static uint32_t sextet_decode(char c)
{
    uint32_t found = 0;

    for (uint32_t v = 0; v < 64; v++) {
        uint32_t differs = (uint8_t)(c ^ sextet_encode(v));
        found |= mask_of_sign(differs - 1) & (v + 1);
    }
    return found;
}

/* Returns 0 if all characters before the '=' are good. This function and print_key are not inlined
 * so that the stack they used can be cleared after them. */
__attribute__((noinline)) static uint32_t parse_key(const char *text, uint8_t out[WYRM_KEY_LEN])
{
    uint32_t bits = 0, wrong = 0;
    unsigned waiting = 0;
    size_t n = 0;

    for (size_t i = 0; i < WYRM_KEY_TEXT_LEN - 1; i++) {
        uint32_t value = sextet_decode(text[i]) - 1;
        wrong |= value >> 31;
        bits = bits << 6 | (value & 63);
        waiting += 6;
        if (waiting >= 8) {
            waiting -= 8;
            out[n++] = (uint8_t)(bits >> waiting);
        }
    }
    return wrong | (bits & 3); /* 43 characters hold two bits more than a key */
}

wyrm_status wyrm_key_parse(const char *text, size_t len, uint8_t out[WYRM_KEY_LEN])
{
    uint32_t wrong = 1;

    if (len == WYRM_KEY_TEXT_LEN && text[len - 1] == '=') {
        wrong = parse_key(text, out);
        wyrm_scrub_stack();
    }
    if (wrong == 0)
        return WYRM_IDLE;
    wyrm_wipe(out, WYRM_KEY_LEN);
    return WYRM_E_TEXT;
}

__attribute__((noinline)) static void print_key(const uint8_t key[WYRM_KEY_LEN],
                                                char out[WYRM_KEY_TEXT_LEN])
{
    uint32_t bits = 0;
    unsigned waiting = 0;
    size_t n = 0;

    for (size_t i = 0; i < WYRM_KEY_TEXT_LEN - 1; i++) {
        if (waiting < 6) {
            bits = bits << 8 | (n < WYRM_KEY_LEN ? key[n] : 0u);
            n++;
            waiting += 8;
        }
        waiting -= 6;
        out[i] = sextet_encode(bits >> waiting & 63);
    }
}

size_t wyrm_key_print(const uint8_t key[WYRM_KEY_LEN], char out[WYRM_KEY_TEXT_MAX])
{
    print_key(key, out);
    wyrm_scrub_stack();
    out[WYRM_KEY_TEXT_LEN - 1] = '=';
    out[WYRM_KEY_TEXT_LEN] = '\0';
    return WYRM_KEY_TEXT_LEN;
}

/* ---- Addresses -------------------------------------------------------------- */

static bool parse_ip4(const char *text, size_t len, uint8_t out[4])
{
    for (unsigned i = 0; i < 4; i++) {
        size_t digits = i < 3 ? find(text, len, '.') : len;
        uint32_t byte = 0;
        if (wyrm_number_parse(text, digits, 10, 255, &byte) < 0)
            return false;
        if (i < 3 && digits == len)
            return false;
        out[i] = (uint8_t)byte;
        text += digits + 1;
        len -= digits + (i < 3);
    }
    return true;
}

/* RFC 4291 section 2.2: eight groups, one run of zeros as "::", the last two as IPv4. */
static bool parse_ip6(const char *text, size_t len, uint8_t out[IP6_LEN])
{
    size_t at = 0, filled = 0, gap = IP6_LEN + 1; /* gap: bytes before the "::" */

    if (len >= 2 && text[0] == ':' && text[1] == ':') {
        gap = 0;
        at = 2;
    }
    while (at < len) {
        size_t group = find(text + at, len - at, ':');
        uint32_t value = 0;
        if (filled <= IP6_LEN - 4 && at + group == len &&
            parse_ip4(text + at, group, out + filled)) {
            filled += 4;
            break;
        }
        if (group > 4 || filled == IP6_LEN ||
            wyrm_number_parse(text + at, group, 16, UINT16_MAX, &value) < 0)
            return false;
        out[filled++] = (uint8_t)(value >> 8);
        out[filled++] = (uint8_t)value;
        at += group;
        if (at == len)
            break;
        if (++at == len)
            return false; /* ends in a single colon */
        if (text[at] == ':') {
            if (gap <= IP6_LEN)
                return false;
            gap = filled;
            at++;
        }
    }
    if (gap > IP6_LEN)
        return filled == IP6_LEN;
    if (filled > IP6_LEN - 2)
        return false; /* "::" stands for one group at least */
    memmove(out + IP6_LEN - (filled - gap), out + gap, filled - gap);
    memset(out + gap, 0, IP6_LEN - filled);
    return true;
}

/* The family, 0 if it is no address of this build. */
static uint8_t parse_address(const char *text, size_t len, uint8_t out[WYRM_ADDR_LEN])
{
    uint8_t bytes[IP6_LEN] = {0};
    uint8_t family = 0;

    if (parse_ip4(text, len, bytes))
        family = 4;
    else if (WYRM_IPV6 && parse_ip6(text, len, bytes))
        family = 6;
    memcpy(out, bytes, WYRM_ADDR_LEN);
    return family;
}

static void print_ip4(struct wyrm_pen *pen, const uint8_t *addr)
{
    for (unsigned i = 0; i < 4; i++) {
        if (i > 0)
            wyrm_pen_char(pen, '.');
        wyrm_pen_number(pen, addr[i]);
    }
}

static void print_group(struct wyrm_pen *pen, unsigned group)
{
    unsigned shift = 12;

    while (shift > 0 && group >> shift == 0)
        shift -= 4;
    for (;; shift -= 4) {
        wyrm_pen_char(pen, "0123456789abcdef"[group >> shift & 15]);
        if (shift == 0)
            return;
    }
}

/* RFC 5952: lower case, no leading zeros, the first longest run of two or more zero groups as
 * "::", the last four bytes as IPv4 where the prefix says that they are (::ffff:0:0/96). */
static void print_ip6(struct wyrm_pen *pen, const uint8_t *addr)
{
    static const uint8_t mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    unsigned gap = 8, gap_len = 1;

    for (unsigned i = 0; i < 8; i++) {
        unsigned run = 0;
        while (i + run < 8 && (addr[2 * (i + run)] | addr[2 * (i + run) + 1]) == 0)
            run++;
        if (run > gap_len) {
            gap = i;
            gap_len = run;
        }
    }
    for (unsigned i = 0; i < 8; i++) {
        if (i == gap) {
            wyrm_pen_text(pen, "::");
            i += gap_len - 1;
            continue;
        }
        if (i > 0 && i != gap + gap_len)
            wyrm_pen_char(pen, ':');
        if (i == 6 && memcmp(addr, mapped, sizeof(mapped)) == 0) {
            print_ip4(pen, addr + 12);
            return;
        }
        print_group(pen, (unsigned)addr[2 * i] << 8 | addr[2 * i + 1]);
    }
}

static void print_address(struct wyrm_pen *pen, uint8_t family, const uint8_t *addr)
{
    if (WYRM_IPV6 && family == 6)
        print_ip6(pen, addr);
    else
        print_ip4(pen, addr);
}

wyrm_status wyrm_prefix_parse(const char *text, size_t len, struct wyrm_prefix *out)
{
    size_t slash = find(text, len, '/');

    out->family = parse_address(text, slash, out->addr);
    if (out->family == 0)
        return WYRM_E_TEXT;
    uint32_t bits = out->family == 4 ? 32 : 128;
    if (slash < len && wyrm_number_parse(text + slash + 1, len - slash - 1, 10, bits, &bits) < 0)
        return WYRM_E_TEXT;
    out->bits = (uint8_t)bits;
    return WYRM_IDLE;
}

size_t wyrm_prefix_print(const struct wyrm_prefix *prefix, char out[WYRM_PREFIX_TEXT_MAX])
{
    struct wyrm_pen pen;

    wyrm_pen_init(&pen, out, WYRM_PREFIX_TEXT_MAX);
    print_address(&pen, prefix->family, prefix->addr);
    wyrm_pen_char(&pen, '/');
    wyrm_pen_number(&pen, prefix->bits);
    return pen.len;
}

/* ---- Endpoints ---------------------------------------------------------------- */

bool wyrm_is_host_name(const char *text, size_t len)
{
    bool letter = false;

    if (len == 0 || len > NAME_LEN_MAX || text[0] == '.' || text[0] == '-')
        return false;
    for (size_t i = 0; i < len; i++) {
        char lower = (char)(text[i] | 0x20);
        if (lower >= 'a' && lower <= 'z')
            letter = true;
        else if (hex_digit(text[i]) > 9 && text[i] != '-' && text[i] != '_' && text[i] != '.')
            return false;
    }
    return letter;
}

/* What stands in brackets: an IPv6 address, perhaps with a zone. */
static bool parse_bracketed(const char *text, size_t len, struct wyrm_host *out)
{
#if WYRM_IPV6
    size_t percent = find(text, len, '%');

    if (!parse_ip6(text, percent, out->address.addr))
        return false;
    out->address.family = 6;
    if (percent == len)
        return true;
    text += percent + 1;
    len -= percent + 1;
    if (wyrm_number_parse(text, len, 10, UINT32_MAX, &out->address.scope) == WYRM_IDLE)
        return true;
    out->name = text;
    out->name_len = (uint8_t)len;
    return wyrm_is_host_name(text, len);
#else
    (void)text, (void)len, (void)out;
    return false;
#endif
}

wyrm_status wyrm_host_parse(const char *text, size_t len, struct wyrm_host *out)
{
    size_t colon = len;
    uint32_t port = 0;

    memset(out, 0, sizeof(*out));
    while (colon > 0 && text[colon - 1] != ':')
        colon--;
    if (colon < 2 || wyrm_number_parse(text + colon, len - colon, 10, UINT16_MAX, &port) < 0 ||
        port == 0)
        return WYRM_E_TEXT;
    out->address.port = (uint16_t)port;
    len = colon - 1;

    if (text[0] == '[') {
        if (text[len - 1] != ']' || !parse_bracketed(text + 1, len - 2, out))
            return WYRM_E_TEXT;
        return WYRM_IDLE;
    }
    if (parse_ip4(text, len, out->address.addr)) {
        out->address.family = 4;
        return WYRM_IDLE;
    }
    out->name = text;
    out->name_len = (uint8_t)len;
    return wyrm_is_host_name(text, len) ? WYRM_IDLE : WYRM_E_TEXT;
}

size_t wyrm_endpoint_print(const struct wyrm_endpoint *endpoint, char out[WYRM_ENDPOINT_TEXT_MAX])
{
    struct wyrm_pen pen;

    wyrm_pen_init(&pen, out, WYRM_ENDPOINT_TEXT_MAX);
    if (endpoint->family == 0) {
        wyrm_pen_text(&pen, "(none)");
        return pen.len;
    }
    if (endpoint->family == 6)
        wyrm_pen_char(&pen, '[');
    print_address(&pen, endpoint->family, endpoint->addr);
#if WYRM_IPV6
    if (endpoint->family == 6 && endpoint->scope != 0) {
        wyrm_pen_char(&pen, '%');
        wyrm_pen_number(&pen, endpoint->scope);
    }
#endif
    if (endpoint->family == 6)
        wyrm_pen_char(&pen, ']');
    wyrm_pen_char(&pen, ':');
    wyrm_pen_number(&pen, endpoint->port);
    return pen.len;
}

/* ---- Figures -------------------------------------------------------------------- */

static void print_duration(struct wyrm_pen *pen, uint32_t seconds)
{
    static const struct {
        uint32_t seconds;
        char name[8];
    } units[] = {
        {31536000, " year"}, {86400, " day"}, {3600, " hour"}, {60, " minute"}, {1, " second"}};

    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        unsigned count = take(&seconds, units[i].seconds);
        if (count == 0)
            continue;
        if (pen->len > 0)
            wyrm_pen_text(pen, ", ");
        wyrm_pen_number(pen, count);
        wyrm_pen_text(pen, units[i].name);
        if (count > 1)
            wyrm_pen_char(pen, 's');
    }
}

size_t wyrm_text_duration(uint32_t seconds, char out[WYRM_AGO_TEXT_MAX])
{
    struct wyrm_pen pen;

    wyrm_pen_init(&pen, out, WYRM_AGO_TEXT_MAX);
    print_duration(&pen, seconds);
    if (seconds == 0)
        wyrm_pen_text(&pen, "0 seconds");
    return pen.len;
}

size_t wyrm_text_ago(uint32_t seconds, char out[WYRM_AGO_TEXT_MAX])
{
    struct wyrm_pen pen;

    wyrm_pen_init(&pen, out, WYRM_AGO_TEXT_MAX);
    print_duration(&pen, seconds);
    wyrm_pen_text(&pen, seconds == 0 ? "Now" : " ago");
    return pen.len;
}

size_t wyrm_text_bytes(uint64_t bytes, char out[WYRM_BYTES_TEXT_MAX])
{
    struct wyrm_pen pen;
    unsigned unit = 0;

    wyrm_pen_init(&pen, out, WYRM_BYTES_TEXT_MAX);
    for (; bytes >> 30 != 0; unit++)
        bytes >>= 10; /* what falls off is less than a millionth */
    uint32_t rest = (uint32_t)bytes;
    if (unit == 0 && rest < 1024) {
        wyrm_pen_number(&pen, rest);
        wyrm_pen_text(&pen, " B");
        return pen.len;
    }
    if (unit == 0 && rest < 1u << 20)
        rest <<= 10;
    else
        unit++;
    uint32_t whole = rest >> 20;

    /* Hundredths, rounded half to even as printf("%.2f") does. */
    rest = (rest & 0xfffff) * 100;
    uint32_t hundredths = rest >> 20;
    rest &= 0xfffff;
    hundredths += rest > 0x80000 || (rest == 0x80000 && (hundredths & 1) != 0);
    whole += take(&hundredths, 100);
    wyrm_pen_number(&pen, whole);
    wyrm_pen_char(&pen, '.');
    wyrm_pen_char(&pen, (char)('0' + take(&hundredths, 10)));
    wyrm_pen_char(&pen, (char)('0' + hundredths));
    wyrm_pen_char(&pen, ' ');
    wyrm_pen_char(&pen, "KMGTPE"[unit]);
    wyrm_pen_text(&pen, "iB");
    return pen.len;
}

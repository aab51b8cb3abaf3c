/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 */
#include "text.h"

#include <string.h>

#include "lwip/tcpip.h"

struct field {
    unsigned width;
    unsigned precision;
    char pad;
    bool left;
    int longs; /* 2: long long */
};

struct sink {
    char *out;
    size_t cap, len;
};

static void put(struct sink *sink, char c)
{
    if (sink->len + 1 < sink->cap)
        sink->out[sink->len++] = c;
}

static void put_field(struct sink *sink, const struct field *field, const char *text, size_t len)
{
    size_t fill = field->width > len ? field->width - len : 0;

    if (!field->left)
        for (; fill; fill--)
            put(sink, field->pad);
    for (size_t i = 0; i < len; i++)
        put(sink, text[i]);
    for (; fill; fill--)
        put(sink, ' ');
}

static void put_number(struct sink *sink, struct field *field, uint64_t value, unsigned base,
                       bool negative)
{
    char digits[24];
    char *p = digits + sizeof digits;

    do {
        *--p = "0123456789abcdef"[value % base];
        value /= base;
    } while (value);
    if (negative) {
        if (field->pad == '0' && field->width > 0) {
            put(sink, '-');
            field->width--;
        } else {
            *--p = '-';
        }
    }
    put_field(sink, field, p, (size_t)(digits + sizeof digits - p));
}

static const char *parse_field(const char *p, struct field *field)
{
    *field = (struct field){.pad = ' ', .precision = UINT32_MAX};
    for (; *p == '-' || *p == '0'; p++)
        if (*p == '-')
            field->left = true;
        else
            field->pad = '0';
    for (; *p >= '0' && *p <= '9'; p++)
        field->width = field->width * 10 + (unsigned)(*p - '0');
    if (*p == '.') {
        field->precision = 0;
        for (p++; *p >= '0' && *p <= '9'; p++)
            field->precision = field->precision * 10 + (unsigned)(*p - '0');
    }
    for (; *p == 'l' || *p == 'z'; p++)
        field->longs += *p == 'l';
    return p;
}

size_t text_vformat(char *out, size_t cap, const char *format, va_list args)
{
    struct sink sink = {out, cap, 0};
    struct field field;

    _Static_assert(sizeof(long) == sizeof(int) && sizeof(size_t) == sizeof(int),
                   "l and z read as int");
    for (const char *p = format; *p; p++) {
        if (*p != '%') {
            put(&sink, *p);
            continue;
        }
        p = parse_field(p + 1, &field);
        switch (*p) {
        case 'c':
            put(&sink, (char)va_arg(args, int));
            break;
        case 's': {
            const char *text = va_arg(args, const char *);
            size_t len = strlen(text);

            put_field(&sink, &field, text, len < field.precision ? len : field.precision);
            break;
        }
        case 'd': {
            int64_t value = field.longs > 1 ? va_arg(args, long long) : va_arg(args, int);

            put_number(&sink, &field, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, 10,
                       value < 0);
            break;
        }
        case 'u':
        case 'x': {
            uint64_t value =
                field.longs > 1 ? va_arg(args, unsigned long long) : va_arg(args, unsigned);

            put_number(&sink, &field, value, *p == 'x' ? 16 : 10, false);
            break;
        }
        default:
            put(&sink, *p);
            break;
        }
    }
    if (cap)
        out[sink.len] = '\0';
    return sink.len;
}

size_t text_format(char *out, size_t cap, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    size_t len = text_vformat(out, cap, format, args);
    va_end(args);
    return len;
}

const char *text_transfer(char out[TEXT_TRANSFER_MAX], const char *direction, uint64_t bytes,
                          uint64_t microseconds)
{
    uint64_t hundredths = microseconds ? bytes * 800 / microseconds : 0; /* of a Mbit/s */

    (void)text_format(out, TEXT_TRANSFER_MAX,
                      "%s %llu bytes in %llu.%03u ms, %llu.%02u Mbit/s (device clock)", direction,
                      (unsigned long long)bytes, (unsigned long long)(microseconds / 1000),
                      (unsigned)(microseconds % 1000), (unsigned long long)(hundredths / 100),
                      (unsigned)(hundredths % 100));
    return out;
}

const char *text_interval(char out[TEXT_INTERVAL_MAX], const char *direction, uint64_t from,
                          uint64_t to, uint64_t bytes)
{
    uint64_t hundredths = to > from ? bytes * 800 / (to - from) : 0; /* of a Mbit/s */

    (void)text_format(out, TEXT_INTERVAL_MAX, "%s %u.%03u-%u.%03u s: %llu bytes, %llu.%02u Mbit/s",
                      direction, (unsigned)(from / 1000000), (unsigned)(from / 1000 % 1000),
                      (unsigned)(to / 1000000), (unsigned)(to / 1000 % 1000),
                      (unsigned long long)bytes, (unsigned long long)(hundredths / 100),
                      (unsigned)(hundredths % 100));
    return out;
}

bool text_to_u64(const char *word, uint64_t max, uint64_t *out)
{
    uint64_t value = 0;

    if (!*word)
        return false;
    for (; *word; word++) {
        if (*word < '0' || *word > '9')
            return false;

        unsigned digit = (unsigned)(*word - '0');

        if (value > (max - digit) / 10 || digit > max)
            return false;
        value = value * 10 + digit;
    }
    *out = value;
    return true;
}

bool text_to_size(const char *word, uint64_t max, uint64_t *out)
{
    static const struct {
        char suffix;
        uint32_t unit;
    } units[] = {{'k', 1000}, {'K', 1024}, {'m', 1000000}, {'M', 1024 * 1024}};
    char digits[24];
    size_t len = strlen(word);
    uint32_t unit = 1;

    for (size_t i = 0; i < sizeof units / sizeof units[0] && len > 0; i++)
        if (word[len - 1] == units[i].suffix)
            unit = units[i].unit;
    len -= unit > 1;
    if (len >= sizeof digits)
        return false;
    memcpy(digits, word, len);
    digits[len] = '\0';
    if (!text_to_u64(digits, max / unit, out))
        return false;
    *out *= unit;
    return true;
}

bool text_to_u32(const char *word, uint32_t min, uint32_t max, uint32_t *out)
{
    uint64_t value;

    if (!text_to_u64(word, max, &value) || value < min)
        return false;
    *out = (uint32_t)value;
    return true;
}

bool text_to_milli(const char *word, uint32_t max, uint32_t *out)
{
    char digits[24];
    size_t len = 0;
    unsigned places = 0;
    bool point = false;
    uint64_t value;

    for (; *word && len < sizeof digits - 4 && places < 3; word++) {
        if (*word == '.' && !point) {
            point = true;
            continue;
        }
        digits[len++] = *word;
        places += point;
    }
    if (*word || len == 0)
        return false;
    for (; places < 3; places++)
        digits[len++] = '0';
    digits[len] = '\0';
    if (!text_to_u64(digits, max, &value))
        return false;
    *out = (uint32_t)value;
    return true;
}

/* The zone of a link-local address is the name of an interface, which lwIP looks up under its lock
 * (a recursive one). */
static bool parse_address(const char *word, ip_addr_t *out)
{
    LOCK_TCPIP_CORE();
    bool good = ipaddr_aton(word, out);
    UNLOCK_TCPIP_CORE();
    return good;
}

bool text_to_address(const char *word, ip_addr_t *out)
{
    unsigned dots = 0;

    for (const char *p = word; *p; p++)
        dots += *p == '.';
    return parse_address(word, out) && (IP_IS_V6(out) || dots == 3);
}

bool text_to_prefix(const char *word, ip_addr_t *address, uint8_t *bits)
{
    char host[IPADDR_STRLEN_MAX];
    const char *slash = strchr(word, '/');
    uint32_t value;

    if (!slash || (size_t)(slash - word) >= sizeof host)
        return false;
    memcpy(host, word, (size_t)(slash - word));
    host[slash - word] = '\0';
    if (!text_to_address(host, address) ||
        !text_to_u32(slash + 1, 0, IP_IS_V6(address) ? 128 : 32, &value))
        return false;
    *bits = (uint8_t)value;
    return true;
}

const char *text_address(const ip_addr_t *address, char out[IPADDR_STRLEN_MAX])
{
    LOCK_TCPIP_CORE();
    (void)ipaddr_ntoa_r(address, out, IPADDR_STRLEN_MAX);
    UNLOCK_TCPIP_CORE();
    for (char *p = out; *p; p++)
        if (*p >= 'A' && *p <= 'F')
            *p = (char)(*p - 'A' + 'a');
    return out;
}

/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Text without the C library's stdio: formatting into a buffer and reading of numbers and
 * addresses.
 */
#ifndef TEXT_H
#define TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lwip/ip_addr.h"

/**
 * Like vsnprintf for %c %s %d %u %x and %%, lengths l ll z, flags - and 0, width, and precision
 * of %s. Always terminates; returns the length written, which is less than cap.
 */
size_t text_vformat(char *out, size_t cap, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));
size_t text_format(char *out, size_t cap, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Describes a finished transfer: "DIRECTION N bytes in M ms, R Mbit/s (device clock)". */
#define TEXT_TRANSFER_MAX 96
const char *text_transfer(char out[TEXT_TRANSFER_MAX], const char *direction, uint64_t bytes,
                          uint64_t microseconds);

/* A part of one: "DIRECTION A-B s: N bytes, R Mbit/s"; times in microseconds since its start. */
#define TEXT_INTERVAL_MAX 80
const char *text_interval(char out[TEXT_INTERVAL_MAX], const char *direction, uint64_t from,
                          uint64_t to, uint64_t bytes);

/** Parses a decimal word, at most max. */
bool text_to_u64(const char *word, uint64_t max, uint64_t *out);

/** The same with a suffix as in iperf: k or m for thousands or millions, K or M for 2^10 or
 * 2^20. */
bool text_to_size(const char *word, uint64_t max, uint64_t *out);

/** As text_to_u64() for 32 bits, with a minimum. */
bool text_to_u32(const char *word, uint32_t min, uint32_t max, uint32_t *out);

/** Reads a decimal number with up to three places ("0.25") as thousandths, no larger than max. */
bool text_to_milli(const char *word, uint32_t max, uint32_t *out);

/** Parses an address of either family. IPv4 needs four numbers; inet_aton's short forms are
 * rejected. */
bool text_to_address(const char *word, ip_addr_t *out);

/** Reads "ADDRESS/BITS" of either family. */
bool text_to_prefix(const char *word, ip_addr_t *address, uint8_t *bits);

/** Writes an address of either family, IPv6 in lower case (RFC 5952), and returns out. */
const char *text_address(const ip_addr_t *address, char out[IPADDR_STRLEN_MAX]);

#endif

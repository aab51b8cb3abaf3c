/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The Internet checksum (RFC 1071), in the byte order of the packet.
 */
#ifndef WYRMD_CHECKSUM_H
#define WYRMD_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* Adds `len` bytes to a sum; only the last of several parts may have an odd length. */
uint64_t wyrmd_sum(uint64_t sum, const void *bytes, size_t len);
/* Adds the pseudo header of TCP or UDP for a packet with `len` bytes after its IP header. */
uint64_t wyrmd_sum_pseudo(uint64_t sum, const uint8_t *ip, uint8_t protocol, size_t len);
/* Folds a sum to 16 bits, without complementing it. */
uint16_t wyrmd_fold(uint64_t sum);

#endif /* WYRMD_CHECKSUM_H */

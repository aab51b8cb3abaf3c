/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * lwIP's view of compiler and platform.
 */
#ifndef ARCH_CC_H
#define ARCH_CC_H

#include <stdint.h>

#define LWIP_NO_UNISTD_H     1
#define LWIP_TIMEVAL_PRIVATE 0
#define BYTE_ORDER           LITTLE_ENDIAN

_Noreturn void board_panic(const char *reason, const char *detail, uint32_t value);
uint32_t net_random(void);
uint16_t net_checksum(const void *data, int len);

/* File and line only: the texts would cost 9 KB of flash. */
#define LWIP_PLATFORM_ASSERT(text) board_panic("lwIP assertion", __FILE__, __LINE__)
#define LWIP_PLATFORM_DIAG(text)   ((void)0)
#define LWIP_RAND()                net_random()
#define LWIP_CHKSUM                net_checksum

#endif

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * lwIP on the host, for the tests.
 */
#ifndef ARCH_CC_H
#define ARCH_CC_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

extern bool bench_no_assertions; /* as on a device that is built without */

#define LWIP_RAND() ((unsigned)rand())
#define LWIP_PLATFORM_DIAG(x)                                                                      \
    do {                                                                                           \
        printf x;                                                                                  \
    } while (0)
#define LWIP_PLATFORM_ASSERT(x)                                                                    \
    do {                                                                                           \
        if (!bench_no_assertions) {                                                                \
            fprintf(stderr, "lwIP: %s (%s:%d)\n", x, __FILE__, __LINE__);                          \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

#endif

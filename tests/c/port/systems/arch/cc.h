/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 */
#ifndef ARCH_CC_H
#define ARCH_CC_H

#include <stdio.h>
#include <stdlib.h>

#define LWIP_RAND() ((unsigned)rand())
#define LWIP_PLATFORM_DIAG(x)                                                                      \
    do {                                                                                           \
        printf x;                                                                                  \
    } while (0)
#define LWIP_PLATFORM_ASSERT(x) abort()

#endif

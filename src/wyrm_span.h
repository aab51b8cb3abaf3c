/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 */
#ifndef WYRM_SPAN_H
#define WYRM_SPAN_H

#include <stddef.h>
#include <stdint.h>

/* One piece of a packet that is scattered in memory; never owns what it points to. */
struct wyrm_span {
    const uint8_t *data;
    size_t len;
};

#endif /* WYRM_SPAN_H */

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * For ciphers that take their plaintext in one piece: the copy that our own does without.
 */
#ifndef WYRM_GATHER_H
#define WYRM_GATHER_H

#include "../../wyrm_span.h"

#include <string.h>

/* Puts `n` spans and `pad` zeros one behind the other; returns their length. A single span may
 * start at `out`. */
static inline size_t wyrm_gather(uint8_t *out, const struct wyrm_span *spans, unsigned n,
                                 size_t pad)
{
    size_t len = 0;

    for (unsigned i = 0; i < n; i++) {
        if (spans[i].len > 0)
            memmove(out + len, spans[i].data, spans[i].len);
        len += spans[i].len;
    }
    memset(out + len, 0, pad);
    return len + pad;
}

#endif /* WYRM_GATHER_H */

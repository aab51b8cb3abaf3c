/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Copies scattered plaintext into one buffer, for ciphers that need it contiguous. Our own cipher
 * does not.
 */
#ifndef WYRM_GATHER_H
#define WYRM_GATHER_H

#include "../../wyrm_span.h"

#include <string.h>

/* Returns a contiguous copy of `n` spans followed by `pad` zeros, and its length in *len. A single
 * span without padding is returned in place; anything else is copied to `out`. */
static inline const uint8_t *wyrm_gather(uint8_t *out, const struct wyrm_span *spans, unsigned n,
                                         size_t pad, size_t *len)
{
    size_t at = 0;

    if (n == 1 && pad == 0 && spans->len > 0) {
        *len = spans->len;
        return spans->data;
    }
    for (unsigned i = 0; i < n; i++) {
        if (spans[i].len > 0)
            memmove(out + at, spans[i].data, spans[i].len);
        at += spans[i].len;
    }
    memset(out + at, 0, pad);
    *len = at + pad;
    return out;
}

#endif /* WYRM_GATHER_H */

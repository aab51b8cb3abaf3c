/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Poly1305 (RFC 8439 section 2.5): polynomial evaluation at r modulo p = 2^130 - 5.
 */
#include "../wyrm_poly1305.h"
#include "../wyrm_bytes.h"
#include "../wyrm_ct.h"

#include "../../wyrm_crypto.h"

#include WYRM_POLY1305_HEADER

#include <string.h>

void wyrm_poly1305_init(struct wyrm_poly1305 *state, const uint8_t key[32])
{
    uint32_t r[4];

    r[0] = wyrm_load_le32(key) & 0x0fffffff;
    for (unsigned i = 1; i < 4; i++)
        r[i] = wyrm_load_le32(key + 4 * i) & 0x0ffffffc;
    load_key(state, r);
    for (unsigned i = 0; i < 4; i++)
        state->pad[i] = wyrm_load_le32(key + 16 + 4 * i);
}

void wyrm_poly1305_padded(struct wyrm_poly1305 *state, const uint8_t *in, size_t len)
{
    size_t rest = len % WYRM_POLY1305_BLOCK, whole = len - rest;

    if (whole > 0)
        wyrm_poly1305_blocks(state, in, whole / WYRM_POLY1305_BLOCK, 1);
    if (rest > 0) {
        uint8_t last[WYRM_POLY1305_BLOCK] = {0};

        memcpy(last, in + whole, rest);
        wyrm_poly1305_blocks(state, last, 1, 1);
    }
}

void wyrm_poly1305_finish(struct wyrm_poly1305 *state, uint8_t tag[16])
{
    uint32_t sum[5];
    uint64_t carry = 5;

    store_sum(sum, state);
    /* sum >= p exactly if sum + 5 reaches bit 130; then sum - p = sum + 5 without that bit. */
    for (unsigned i = 0; i < 4; i++)
        carry = (carry + sum[i]) >> 32;
    carry = 5 * (((uint32_t)carry + sum[4]) >> 2);
    for (unsigned i = 0; i < 4; i++) {
        carry += (uint64_t)sum[i] + state->pad[i];
        wyrm_store_le32(tag + 4 * i, (uint32_t)carry);
        carry >>= 32;
    }
}

void wyrm_poly1305(uint8_t tag[WYRM_AEAD_TAG_LEN], const uint8_t *in, size_t len,
                   const uint8_t key[32])
{
    struct wyrm_poly1305 state;
    size_t rest = len % WYRM_POLY1305_BLOCK, whole = len - rest;

    wyrm_poly1305_init(&state, key);
    if (whole > 0)
        wyrm_poly1305_blocks(&state, in, whole / WYRM_POLY1305_BLOCK, 1);
    if (rest > 0) {
        uint8_t last[WYRM_POLY1305_BLOCK] = {0};

        memcpy(last, in + whole, rest);
        last[rest] = 1;
        wyrm_poly1305_blocks(&state, last, 1, 0);
    }
    wyrm_poly1305_finish(&state, tag);
    wyrm_wipe(&state, sizeof(state));
    wyrm_scrub_stack();
}

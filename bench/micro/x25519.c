/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * X25519, the same for every scalar and point.
 */
#include "bench.h"

#include "wyrm_crypto.h"

static uint8_t scalar[WYRM_X25519_LEN] = {1, 2, 3}, point[WYRM_X25519_LEN] = {9};
static uint8_t product[WYRM_X25519_LEN];

PRIMITIVE(x25519)
{
    (void)wyrm_x25519(product, scalar, point);
}

const struct primitive x25519_primitives[] = {
    {"x25519", NULL, bench_x25519},
};
const size_t x25519_primitive_count = sizeof(x25519_primitives) / sizeof(struct primitive);

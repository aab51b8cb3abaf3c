/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Primitives to measure: each is a function without arguments that does its work once, on data that
 * prepare() has set up.
 */
#ifndef BENCH_H
#define BENCH_H

#include <stddef.h>

struct primitive {
    const char *name;
    void (*prepare)(void); /* may be NULL; not measured */
    void (*run)(void);
};

extern const struct primitive symmetric_primitives[];
extern const size_t symmetric_primitive_count;
extern const struct primitive x25519_primitives[];
extern const size_t x25519_primitive_count;

#endif /* BENCH_H */

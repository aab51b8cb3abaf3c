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

/* Begins the function of a primitive. It has a name of its own for the linker: an image that calls
 * this one alone shows how much code it needs. */
#define PRIMITIVE(name)                                                                            \
    void bench_##name(void);                                                                       \
    void bench_##name(void)

extern const struct primitive symmetric_primitives[];
extern const size_t symmetric_primitive_count;
extern const struct primitive x25519_primitives[];
extern const size_t x25519_primitive_count;
extern const struct primitive handshake_primitives[];
extern const size_t handshake_primitive_count;

#endif /* BENCH_H */

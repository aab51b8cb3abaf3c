/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * What `./wyrm vectors` needs beside the library itself, which it calls from Python: a device with
 * pools, randomness and clock in one block of memory, so that a test can copy, compare and restore
 * all of it, and the layout of the visible structs, so that a test can read and set fields by name.
 * Statuses are those of wyrm.h. The Python side is lab/src/wyrmlab/vectors/.
 */
#ifndef WYRM_VECTORS_SHIM_H
#define WYRM_VECTORS_SHIM_H

#include "wyrm.h"

struct vec_bench;

struct vec_address { /* struct wyrm_endpoint, whatever the configuration */
    uint16_t port;
    uint8_t family;
    uint8_t addr[16];
};

struct vec_field {
    const char *name; /* "type.member" */
    size_t offset, size;
};

bool vec_feed_random(struct vec_bench *bench, const uint8_t *bytes, size_t len);

/* Number of provided bytes that were not used; discards them. */
size_t vec_random_left(struct vec_bench *bench);

void vec_set_timestamp(struct vec_bench *bench, const uint8_t timestamp[12]);

void vec_bench_free(struct vec_bench *bench);

struct vec_bench *vec_bench_new(void);

/* The whole state, for saving and restoring in place. */
size_t vec_bench_size(void);

/* Size of the leading part that belongs to the device and its pools. */
size_t vec_state_size(void);

/* Copies that state but for what is a mere trace: drop counters, and the bytes that a message
 * which waited in a slot leaves behind when it has been taken. */
void vec_state(const struct vec_bench *bench, uint8_t *out);

const struct vec_field *vec_fields(void);

void *vec_job(struct vec_bench *bench);

void *vec_peer(struct vec_bench *bench, unsigned peer);

void *vec_keypair(struct vec_bench *bench, unsigned peer, unsigned place);

void *vec_slot(struct vec_bench *bench, unsigned slot);

int vec_peer_add(struct vec_bench *bench, const uint8_t *pub, const uint8_t *psk,
                 const struct vec_address *endpoint);

int vec_route_add(struct vec_bench *bench, unsigned peer, uint8_t family, uint8_t bits,
                  const uint8_t *addr);

int vec_input(struct vec_bench *bench, uint64_t now, const struct vec_address *from, uint8_t *buf,
              size_t len);

/* Passes the packet in up to three pieces that end at the two cuts. */
int vec_output(struct vec_bench *bench, uint64_t now, const uint8_t *ip, size_t len, size_t cut1,
               size_t cut2, uint8_t *buf, size_t cap);

int vec_poll(struct vec_bench *bench, uint64_t now, uint8_t *buf, size_t cap);

int vec_job_take(struct vec_bench *bench, uint64_t now);

int vec_job_commit(struct vec_bench *bench, uint64_t now);

/* The output of the last call. */
const uint8_t *vec_out(const struct vec_bench *bench, size_t *len, unsigned *peer,
                       struct vec_address *to);

/* True if this cipher clears a packet that it refuses to open; ours leaves it unchanged. */
bool vec_refusal_clears(void);

/* RFC 7748 section 5.2: k, u = X25519(k, u), k. */
void vec_x25519_iterate(uint8_t k[32], uint8_t u[32], unsigned times);

/* Runs a schedule of counters through a window of `words` * 32 - 32; false without memory. */
bool vec_replay(unsigned words, const uint64_t *counters, size_t n, uint8_t *accepted);

/* The first timestamp of a new store with a wall clock. */
bool vec_tai64n(uint64_t unix_s, uint32_t nanoseconds, uint8_t label[12]);

#endif /* WYRM_VECTORS_SHIM_H */

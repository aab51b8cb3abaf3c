/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The high-water mark of TAI64N labels. Called by the handshake worker (wyrm_job_run) and by
 * whoever learns the wall clock; all state is under the store's own lock.
 *
 * A time is one number here: Unix seconds times 256 plus units of 2^24 ns (0..59), so that the
 * order of numbers is the order of labels. The mark is one of those, of a whole second: labels
 * below it may have been handed out, those from it on were not. It grows with every write, so it is
 * its own sequence number, and 64 bits never wrap: the greater of two valid slots is the newer, and
 * the other one is written next.
 *
 * A record, big endian: "WTM", format version 1, mark (8 bytes), CRC-32 of those (4 bytes).
 */
#include "wyrm_store.h"

#include <string.h>

/* TAI64 label of the Unix epoch: 2^62, and the 10 leap seconds that WireGuard's labels all have. */
#define TAI64_EPOCH      (((uint64_t)1 << 62) + 10)
#define FORMAT           0x57544d01u /* "WTM", version 1 */
#define TICKS_PER_SECOND 60          /* multiples of 2^24 ns below 10^9 */
#define TICK_BITS        8
#define TICK_MASK        (((uint64_t)1 << TICK_BITS) - 1)
#define SECONDS(s)       ((uint64_t)(s) << TICK_BITS)
#define CLOCK_MAX_S      ((uint64_t)1 << 40) /* 34,000 years: no clock says so */

static uint32_t crc32(const uint8_t *p, size_t len)
{
    uint32_t crc = UINT32_MAX;

    while (len-- > 0) {
        crc ^= *p++;
        for (unsigned bit = 0; bit < 8; bit++)
            crc = (crc >> 1) ^ (0xedb88320u & (0u - (crc & 1u)));
    }
    return ~crc;
}

static void store_be32(uint8_t *out, uint32_t value)
{
    for (unsigned i = 4; i-- > 0; value >>= 8)
        out[i] = (uint8_t)value;
}

static uint32_t load_be32(const uint8_t *in)
{
    uint32_t value = 0;

    for (unsigned i = 0; i < 4; i++)
        value = value << 8 | in[i];
    return value;
}

static void store_be64(uint8_t *out, uint64_t value)
{
    store_be32(out, (uint32_t)(value >> 32));
    store_be32(out + 4, (uint32_t)value);
}

static void encode(uint8_t record[WYRM_STORE_RECORD_LEN], uint64_t mark)
{
    store_be32(record, FORMAT);
    store_be64(record + 4, mark);
    store_be32(record + 12, crc32(record, 12));
}

/* Every byte equals the next, and they are those of erased or never written storage. */
static bool is_blank(const uint8_t record[WYRM_STORE_RECORD_LEN])
{
    return memcmp(record, record + 1, WYRM_STORE_RECORD_LEN - 1) == 0 &&
           (record[0] == 0xff || record[0] == 0);
}

/* The mark in a slot, 0 if there is none; what was found is or-ed into `state`. */
static uint64_t read_slot(const struct wyrm_store_io *io, unsigned slot, unsigned *state)
{
    uint8_t record[WYRM_STORE_RECORD_LEN], expected[WYRM_STORE_RECORD_LEN];

    if (!io->load(io->ctx, slot, record, sizeof(record)) || is_blank(record))
        return 0;
    uint64_t mark = (uint64_t)load_be32(record + 4) << 32 | load_be32(record + 8);
    encode(expected, mark);
    if (memcmp(record, expected, sizeof(record)) != 0) {
        *state |= WYRM_STORE_LOST;
        return 0;
    }
    *state |= WYRM_STORE_GOOD;
    return mark;
}

static void lock(const struct wyrm_store_io *io)
{
    if (io->lock != NULL)
        io->lock(io->ctx);
}

static void unlock(const struct wyrm_store_io *io)
{
    if (io->unlock != NULL)
        io->unlock(io->ctx);
}

enum wyrm_store_state wyrm_store_init(struct wyrm_store *store, const struct wyrm_store_io *io,
                                      uint64_t build_unix_s)
{
    unsigned state = WYRM_STORE_FRESH;
    uint64_t start = SECONDS(build_unix_s);

    memset(store, 0, sizeof(*store));
    store->io = io;
    uint64_t mark = read_slot(io, 0, &state);
    uint64_t other = read_slot(io, 1, &state);
    if (other > mark) {
        mark = other;
        store->newest = 1;
    }

    /* A write that was cut short handed out nothing, but one that rotted later did. */
    if (state == WYRM_STORE_TORN)
        mark += SECONDS(WYRM_STORE_BLOCK_S);
    if (mark > start)
        start = mark;
    store->next = start;
    store->reserved = start;
    store->state = (enum wyrm_store_state)state;
    return store->state;
}

void wyrm_store_set_clock(struct wyrm_store *store, uint64_t unix_s, uint32_t nanoseconds)
{
    uint64_t now = SECONDS(unix_s) | nanoseconds >> 24;

    if (unix_s > CLOCK_MAX_S || nanoseconds > 999999999)
        return;
    lock(store->io);
    if (now > store->next)
        store->next = now;
    store->clock = now;
    unlock(store->io);
}

/* Moves the mark in flash past the next label, and reads it back before believing it. */
static bool reserve(struct wyrm_store *store)
{
    const struct wyrm_store_io *io = store->io;
    bool clock_drives = store->next <= store->clock;
    uint32_t block_s = clock_drives ? WYRM_STORE_CLOCK_BLOCK_S : WYRM_STORE_BLOCK_S;
    uint64_t mark = (store->next & ~TICK_MASK) + SECONDS(block_s);
    unsigned slot = store->newest ^ 1u;
    uint8_t record[WYRM_STORE_RECORD_LEN];
    unsigned unused = 0;

    encode(record, mark);
    if (!io->save(io->ctx, slot, record, sizeof(record)) || read_slot(io, slot, &unused) != mark)
        return false;
    store->newest = (uint8_t)slot;
    store->reserved = mark;
    return true;
}

bool wyrm_store_tai64n(void *ctx, uint8_t out[12])
{
    struct wyrm_store *store = ctx;

    lock(store->io);
    bool reserved = store->next < store->reserved || reserve(store);
    if (reserved) {
        store_be64(out, TAI64_EPOCH + (store->next >> TICK_BITS));
        store_be32(out + 8, (uint32_t)store->next << 24); /* nanoseconds */
        store->next++;
        if ((store->next & TICK_MASK) == TICKS_PER_SECOND)
            store->next += SECONDS(1) - TICKS_PER_SECOND;
    }
    unlock(store->io);
    return reserved;
}

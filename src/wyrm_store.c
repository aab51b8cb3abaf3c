/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The high-water mark of TAI64N timestamps. Called by the handshake worker (wyrm_job_run) and by
 * the task that sets the wall clock; all state is under the store's own lock.
 *
 * A time is one number here: Unix seconds times 256 plus units of 2^24 ns (0..59), so numbers sort
 * as labels do. The mark is such a number, always a whole second: labels below it may have been
 * issued, labels at or above it have not. It increases with every record, so it is also the
 * sequence number, and 64 bits never wrap: the greatest valid mark is the newest.
 *
 * A record, big endian: "WTM", format version 1, mark (8 bytes), CRC-32 of those (4 bytes).
 *
 * Two sectors of records form a log: it fills one, then erases and fills the other. Two slots that
 * are overwritten in turn are the same log with one record per sector. Labels remain in order even
 * if the newest record is lost, because they are issued only while the newest mark is at most one
 * block above the previous one, or is stored twice. So a reader that finds damaged records after
 * the newest good one may safely skip one block for each.
 */
#include "wyrm_store.h"

#include <string.h>

/* TAI64 label of the Unix epoch: 2^62, plus the 10 leap seconds that WireGuard always adds. */
#define TAI64_EPOCH      (((uint64_t)1 << 62) + 10)
#define FORMAT           0x57544d01u /* "WTM", version 1 */
#define TICKS_PER_SECOND 60          /* multiples of 2^24 ns below 10^9 */
#define TICK_BITS        8
#define TICK_MASK        (((uint64_t)1 << TICK_BITS) - 1)
#define SECONDS(s)       ((uint64_t)(s) << TICK_BITS)
#define BLOCK            SECONDS(WYRM_STORE_BLOCK_S)
#define YEAR_2026_S      UINT64_C(1767225600)
#define CLOCK_AHEAD_S    (UINT64_C(31556952) * WYRM_STORE_CLOCK_YEARS) /* Gregorian years */

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

/* True if all bytes are 0xff or all are 0: erased or never written storage. */
static bool is_blank(const uint8_t record[WYRM_STORE_RECORD_LEN])
{
    return memcmp(record, record + 1, WYRM_STORE_RECORD_LEN - 1) == 0 &&
           (record[0] == 0xff || record[0] == 0);
}

static unsigned per_sector(const struct wyrm_store_io *io)
{
    return io->per_sector > 1 ? io->per_sector : 1;
}

/* FRESH: blank; GOOD: *mark is its mark; LOST: damaged. */
static enum wyrm_store_state read_place(const struct wyrm_store_io *io, unsigned place,
                                        uint64_t *mark)
{
    uint8_t record[WYRM_STORE_RECORD_LEN], expected[WYRM_STORE_RECORD_LEN];

    if (!io->load(io->ctx, place, record, sizeof(record)))
        return per_sector(io) > 1 ? WYRM_STORE_LOST : WYRM_STORE_FRESH;
    if (is_blank(record))
        return WYRM_STORE_FRESH;
    uint64_t found = (uint64_t)load_be32(record + 4) << 32 | load_be32(record + 8);
    encode(expected, found);
    if (memcmp(record, expected, sizeof(record)) != 0)
        return WYRM_STORE_LOST;
    *mark = found;
    return WYRM_STORE_GOOD;
}

/* ---- The log ---------------------------------------------------------------- */

/* A sector, read from its end back to the newest good record. */
struct sector {
    uint64_t mark;    /* of that record; 0 if there is none */
    unsigned newest;  /* its place within the sector */
    unsigned end;     /* place after the last one that is not blank */
    unsigned damaged; /* places after the newest good one that are neither blank nor good */
};

static void read_sector(const struct wyrm_store_io *io, unsigned first, struct sector *s)
{
    s->mark = 0;
    s->end = 0;
    s->damaged = 0;
    s->newest = per_sector(io);
    while (s->mark == 0 && s->newest > 0) {
        enum wyrm_store_state found = read_place(io, first + --s->newest, &s->mark);

        if (found != WYRM_STORE_FRESH && s->end == 0)
            s->end = s->newest + 1;
        s->damaged += found == WYRM_STORE_LOST;
    }
}

/* Damaged records that may be newer than the newest good one: those after it. The log continues in
 * the other sector once this one is full. The two-slot layout used only the first place of each
 * sector, so if that is the newest, the other sector may have newer ones too. */
static unsigned count_suspects(const struct sector *newer, const struct sector *older,
                               unsigned full)
{
    bool may_go_on = newer->end == full || newer->newest == 0;

    return newer->damaged + (may_go_on ? older->damaged : 0);
}

/* Writes one record and reads it back. A place that fails is skipped, except the first of a sector,
 * where the next attempt must erase again: so the log never advances into a sector, towards erasing
 * the newest mark, before that sector contains a newer one. */
static bool append(struct wyrm_store *store, uint64_t mark)
{
    const struct wyrm_store_io *io = store->io;
    unsigned place = store->end < WYRM_STORE_SECTORS * per_sector(io) ? store->end : 0;
    bool erases = place == 0 || place == per_sector(io);
    uint8_t record[WYRM_STORE_RECORD_LEN];
    uint64_t found = 0;

    encode(record, mark);
    bool good = io->save(io->ctx, place, record, sizeof(record)) &&
                read_place(io, place, &found) == WYRM_STORE_GOOD && found == mark;
    if (good || !erases)
        store->end = (uint16_t)(place + 1);
    return good;
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
    const unsigned full = per_sector(io);
    struct sector sectors[WYRM_STORE_SECTORS];

    read_sector(io, 0, &sectors[0]);
    read_sector(io, full, &sectors[1]);
    unsigned second = sectors[1].mark > sectors[0].mark;
    const struct sector *newer = &sectors[second], *older = &sectors[second ^ 1u];
    unsigned suspects = count_suspects(newer, older, full);

    memset(store, 0, sizeof(*store));
    store->io = io;
    if (newer->mark > 0) {
        store->state = suspects > 0 ? WYRM_STORE_TORN : WYRM_STORE_GOOD;
        store->mark = newer->mark;
        store->next = newer->mark + suspects * BLOCK;
        store->end = (uint16_t)((second ? full : 0) + newer->end);
    } else if (newer->damaged + older->damaged > 0) {
        store->state = WYRM_STORE_LOST;
    }
    if (store->next < SECONDS(build_unix_s))
        store->next = SECONDS(build_unix_s);
    uint64_t base_s = build_unix_s > YEAR_2026_S ? build_unix_s : YEAR_2026_S;
    store->clock_max = SECONDS(base_s + CLOCK_AHEAD_S);
    return store->state;
}

void wyrm_store_set_clock(struct wyrm_store *store, uint64_t unix_s, uint32_t nanoseconds)
{
    uint64_t now = SECONDS(unix_s) | nanoseconds >> 24;

    if (unix_s > store->clock_max >> TICK_BITS || nanoseconds > 999999999)
        return;
    lock(store->io);
    if (now > store->next)
        store->next = now;
    store->clock = now;
    unlock(store->io);
}

/* Moves the mark in flash past the next label. A mark more than one block above the previous one is
 * written twice, so that either record may be lost. */
static bool reserve(struct wyrm_store *store)
{
    bool clock_drives = store->next <= store->clock;
    uint32_t block_s = clock_drives ? WYRM_STORE_CLOCK_BLOCK_S : WYRM_STORE_BLOCK_S;
    uint64_t mark = (store->next & ~TICK_MASK) + SECONDS(block_s);

    if (!append(store, mark) || (mark - store->mark > BLOCK && !append(store, mark)))
        return false;
    store->mark = mark;
    return true;
}

bool wyrm_store_tai64n(void *ctx, uint8_t out[12])
{
    struct wyrm_store *store = ctx;

    lock(store->io);
    bool reserved = store->next < store->mark || reserve(store);
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

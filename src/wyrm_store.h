/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Timestamps for a device without a clock. A peer accepts an initiation only if its TAI64N label is
 * greater than the last one (paper section 5.1), so a device must never repeat a label or go back,
 * not even over a reboot. This store keeps a high-water mark in flash: every label handed out so
 * far is below it. A block of labels is reserved ahead: written first, handed out after.
 *
 * One store belongs to one private key. Copying a device's flash to a second unit with the same key
 * breaks the order: the peer then refuses whichever of the two is behind.
 */
#ifndef WYRM_STORE_H
#define WYRM_STORE_H

#include "wyrm_config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Labels count in units of 2^24 ns, the coarseness with which WireGuard hides the exact time: 60 of
 * them begin in each second. Without a clock each label is one unit after the last.
 *
 * Seconds of labels one record reserves while no clock drives them: 64 s are 3,840 labels.
 * - Wear: one record per boot that initiates, and one per block: an initiator takes a label every
 *   120 s per peer, 720 a day, 69 blocks a year; a peer that never answers costs a label every 5 s,
 *   1,643 blocks a year. A device that wakes every 5 minutes writes 105,120 records a year: in a
 * log of 256 records per sector 411 sector erases, 205 of each sector, so flash good for 10,000
 *   outlasts 48 years (with one record per sector it would be 69 days).
 * - Running ahead: each boot skips what it did not use, at most 64 s. The labels pull ahead of real
 *   time only while the device boots more often than every 64 s. */
#ifndef WYRM_STORE_BLOCK_S
#define WYRM_STORE_BLOCK_S 64
#endif

/* The same while a wall clock drives them; labels then follow real time, so that a block must be
 * long: two records a day (see wyrm_store_tai64n), and one per boot. The mark is at most this far
 * ahead of the clock (and one WYRM_STORE_BLOCK_S per boot). */
#ifndef WYRM_STORE_CLOCK_BLOCK_S
#define WYRM_STORE_CLOCK_BLOCK_S 86400
#endif

#if WYRM_STORE_BLOCK_S < 1 || WYRM_STORE_CLOCK_BLOCK_S < WYRM_STORE_BLOCK_S
#error "WYRM_STORE_BLOCK_S must be at least 1 and WYRM_STORE_CLOCK_BLOCK_S not below it"
#endif

/* A wall clock is believed up to this many years past the build date, or past 2026 where that is
 * later. What lies beyond is ignored, so that a spoofed clock cannot push the labels centuries
 * ahead, not even in many boots: an identity whose labels lie that far ahead is lost with its
 * store. A device that outlives the bound goes on as one without a clock. */
#ifndef WYRM_STORE_CLOCK_YEARS
#define WYRM_STORE_CLOCK_YEARS 20
#endif

#define WYRM_STORE_SECTORS    2
#define WYRM_STORE_SLOTS      2 /* with one record per sector */
#define WYRM_STORE_RECORD_LEN 16

/* What the platform lends: 2 * per_sector places of WYRM_STORE_RECORD_LEN bytes that keep their
 * content without power, numbered from 0; the first per_sector of them share one erase sector, the
 * others a second one. `len` is always WYRM_STORE_RECORD_LEN.
 *
 * - Raw flash, per_sector > 1 (sector size / 16 as a rule): a log. Place p is at p * 16. If p is 0
 *   or per_sector, save first erases the sector that begins there; then it programs the record.
 *   Other places are blank when they are written, and each is written once per erase. Where flash
 *   is programmed in units of more than 16 bytes, put places that far apart.
 * - EEPROM, NVS or another key-value store, two files: per_sector 0 or 1. There are two slots, 0
 *   and 1, and save replaces one.
 *
 * The power-loss contract: power may fail at any moment of `save` and leave anything at all in that
 * place, and, where save erases, in that sector; everything else keeps its content. So two slots
 * must not share what is erased together.
 *
 * Records are those of format 1, which had two slots and no log. A log continues from them,
 * provided that each slot was at the beginning of what is a sector now; no label goes back. Earlier
 * versions of this store do not read a log: after a downgrade labels may repeat. */
struct wyrm_store_io {
    void *ctx;
    /* Reads a place. False: nothing was ever stored there, or it cannot be read. A slot then counts
     * as never written: if the newer one is refused for once at the start, labels repeat, so try
     * again before you say no. A place in a log counts as damaged: blank flash can be read. */
    bool (*load)(void *ctx, unsigned place, void *buf, size_t len);
    /* Writes a place. True only once the bytes would survive a power cut (after fsync). */
    bool (*save)(void *ctx, unsigned place, const void *buf, size_t len);
    /* A mutex, held while a label is made, flash write included; not the network's lock. Both may
     * be NULL if one thread makes every call. */
    void (*lock)(void *ctx);
    void (*unlock)(void *ctx);
    uint16_t per_sector; /* places in a sector, up to 32,767; never changed for a device in use */
};

/* What wyrm_store_init found. */
enum wyrm_store_state {
    WYRM_STORE_FRESH = 0, /* everything is blank: a new device */
    WYRM_STORE_GOOD = 1,  /* the mark is known */
    WYRM_STORE_LOST = 2,  /* there are records but none can be read: labels start at the build date
                             or wall clock, and peers that have seen later ones refuse us until the
                             clock is set */
    WYRM_STORE_TORN = 3   /* damaged records follow the newest good one, by a power cut as a rule: a
                             block was skipped for each, as it may have reserved one */
};

/* Yours, opaque but for `state`. Times are Unix seconds times 256 plus units of 2^24 ns. */
struct wyrm_store {
    const struct wyrm_store_io *io;
    uint64_t next;      /* the next label */
    uint64_t mark;      /* the greatest mark in flash; labels from here on are not reserved */
    uint64_t clock;     /* the wall clock we were told last, 0: none */
    uint64_t clock_max; /* a clock beyond this is not believed */
    enum wyrm_store_state state; /* what init found */
    uint16_t end;                /* the place to write next, if there is one */
};

/* Reads places from the end of each sector back to its newest good record; writes nothing.
 * `build_unix_s` is a date that is surely past, such as that of the build (or SOURCE_DATE_EPOCH), 0
 * if you have none: the first label is the greatest of stored mark, build date and wall clock. `io`
 * must outlive the store. */
enum wyrm_store_state wyrm_store_init(struct wyrm_store *store, const struct wyrm_store_io *io,
                                      uint64_t build_unix_s);

/* Tells the wall clock, when it is first known and again at each synchronization. It only moves
 * labels forward; a clock set back, or one beyond the bound (WYRM_STORE_CLOCK_YEARS), changes
 * nothing. Writes nothing: the next label does, at most once a day. Waits for the lock while a
 * label is being written. */
void wyrm_store_set_clock(struct wyrm_store *store, uint64_t unix_s, uint32_t nanoseconds);

/* The next label; `store` is a struct wyrm_store (this is wyrm_platform.tai64n with the store as
 * its ctx). Writes flash once per block, the first time with the first label after init, so a
 * device that never initiates never writes. A mark that is more than a block above the one before
 * (of a new device, or driven by a clock) is written twice: so one damaged record, at any time,
 * costs a block and never the order. False, with `out` untouched, if the write failed: no label is
 * ever handed out unreserved; the next call tries again, at the next place of a log. */
bool wyrm_store_tai64n(void *store, uint8_t out[12]);

#ifdef __cplusplus
}
#endif

#endif /* WYRM_STORE_H */

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Time stamps for a device without a clock. A peer accepts an initiation only if its TAI64N label
 * is greater than the last one (paper section 5.1), so a device must never repeat or go back, not
 * even over a reboot. This store keeps a high-water mark in flash: every label handed out so far is
 * below it. A block of labels is reserved ahead: written first, handed out after.
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
 * Seconds of labels one write reserves while no clock drives them: 64 s are 3,840 labels.
 * - Wear: an initiator takes a label every 120 s per peer, 720 a day: 69 writes a year, and one per
 *   boot that initiates. A peer that never answers costs a label every 5 s: 1,643 writes a year,
 *   half in each slot, so flash good for 10,000 erasures outlasts 12 years of that.
 * - Running ahead: each boot skips what it did not use, at most 64 s. The labels pull ahead of real
 *   time only while the device boots more often than every 64 s. */
#ifndef WYRM_STORE_BLOCK_S
#define WYRM_STORE_BLOCK_S 64
#endif

/* The same while a wall clock drives them; labels then follow real time, so that a block must be
 * long: one write a day, and one per boot. The mark is at most this far ahead of the clock (and
 * one WYRM_STORE_BLOCK_S per boot). */
#ifndef WYRM_STORE_CLOCK_BLOCK_S
#define WYRM_STORE_CLOCK_BLOCK_S 86400
#endif

#if WYRM_STORE_BLOCK_S < 1 || WYRM_STORE_CLOCK_BLOCK_S < WYRM_STORE_BLOCK_S
#error "WYRM_STORE_BLOCK_S must be at least 1 and WYRM_STORE_CLOCK_BLOCK_S not below it"
#endif

#define WYRM_STORE_SLOTS      2
#define WYRM_STORE_RECORD_LEN 16

/* What the platform lends: two places of WYRM_STORE_RECORD_LEN bytes (slot 0 and 1) that keep
 * their content without power. `len` is always WYRM_STORE_RECORD_LEN.
 *
 * The power-loss contract: power may fail at any moment of `save` and leave anything at all in that
 * slot, but the other slot keeps its content. So two slots must not share what is erased together:
 * - raw flash: two erase sectors; save = erase the sector, program the record;
 * - EEPROM: two pages; NVS or another key-value store: two keys; Linux: two files. */
struct wyrm_store_io {
    void *ctx;
    /* Reads a slot. False if nothing was ever stored there or it cannot be read, which is taken for
     * the same: if the newer slot is refused for once at the start, labels repeat. So try again
     * before you say no. */
    bool (*load)(void *ctx, unsigned slot, void *buf, size_t len);
    /* Replaces a slot. True only once the bytes would survive a power cut (after fsync). */
    bool (*save)(void *ctx, unsigned slot, const void *buf, size_t len);
    /* A mutex, held while a label is made, flash write included; not the network's lock. Both may
     * be NULL if one thread makes every call. */
    void (*lock)(void *ctx);
    void (*unlock)(void *ctx);
};

/* What wyrm_store_init found; a blank and a good slot are GOOD, a blank and a damaged one LOST. */
enum wyrm_store_state {
    WYRM_STORE_FRESH = 0, /* both slots are blank: a new device */
    WYRM_STORE_GOOD = 1,  /* the mark is known */
    WYRM_STORE_LOST = 2,  /* no slot can be read: labels start at the build date or wall clock, and
                             peers that have seen later ones refuse us until the clock is set */
    WYRM_STORE_TORN = 3   /* one slot is damaged, by a power cut as a rule: the other one served,
                             and one block was skipped in case the damaged one was the newer */
};

/* Yours, opaque but for `state`. Times are Unix seconds times 256 plus units of 2^24 ns. */
struct wyrm_store {
    const struct wyrm_store_io *io;
    uint64_t next;               /* the next label */
    uint64_t reserved;           /* the mark in flash: labels from here on are not reserved yet */
    uint64_t clock;              /* the wall clock we were told last, 0: none */
    enum wyrm_store_state state; /* what init found */
    uint8_t newest;              /* the slot that holds the mark */
};

/* Reads both slots; writes nothing. `build_unix_s` is a date that is surely past, such as that of
 * the build (or SOURCE_DATE_EPOCH), 0 if you have none: the first label is the greatest of stored
 * mark, build date and wall clock. `io` must outlive the store. */
enum wyrm_store_state wyrm_store_init(struct wyrm_store *store, const struct wyrm_store_io *io,
                                      uint64_t build_unix_s);

/* Tells the wall clock, when it is first known and again at each synchronisation. It only moves
 * labels forward; a clock set back, or one of an impossible date, changes nothing. Writes nothing:
 * the next label does, at most once a day. Waits for the lock while a label is being written. */
void wyrm_store_set_clock(struct wyrm_store *store, uint64_t unix_s, uint32_t nanoseconds);

/* The next label; `store` is a struct wyrm_store (this is wyrm_platform.tai64n with the store as
 * its ctx). Writes flash once per block, the first time with the first label after init, so a
 * device that never initiates never writes. False, with `out` untouched, if the write failed: no
 * label is ever handed out unreserved; the next call tries again. */
bool wyrm_store_tai64n(void *store, uint8_t out[12]);

#ifdef __cplusplus
}
#endif

#endif /* WYRM_STORE_H */

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The TAI64N mark on simulated flash whose power can be cut at any byte. The peer is modelled by
 * the greatest timestamp it has seen: one that is not greater is a lost tunnel.
 */
#include <string.h>

#include "test.h"

#include "wyrm_store.h"

#define BUILD_S    1767225600u /* 2026-01-01 */
#define NO_CUT     UINT32_MAX
#define SLOT_SIZE  32 /* a sector of its own for each slot: larger than the record */
#define SECTOR_MAX 4096
#define SHORT_LOG  4 /* places per sector: its end is near */
#define LONG_LOG   (SECTOR_MAX / WYRM_STORE_RECORD_LEN)
#define PER_BLOCK  (60u * WYRM_STORE_BLOCK_S)
#define YEAR_S     31556952u

/* ---- Fake flash --------------------------------------------------------- */

enum model {
    FLASH,  /* erase to 0xff, then programming only clears bits */
    EEPROM, /* bytes are replaced one by one, in order */
    MIXED,  /* bytes are replaced in any order, the one being written is garbage: a torn page */
    LOG,    /* flash again, with several records to a sector */
    MODELS
};

struct flash {
    enum model model;
    unsigned per_sector;
    size_t sector_size;
    uint8_t slot[WYRM_STORE_SECTORS][SECTOR_MAX];
    unsigned erased[WYRM_STORE_SECTORS];
    uint32_t random;
    uint32_t cut; /* steps until the power fails */
    bool dead;    /* power has failed: nothing works until the reboot */
    bool fails;   /* save reports an error and does nothing */
    bool lies;    /* save reports success and does nothing */
    bool absent;  /* load finds nothing */
    unsigned saves, loads, locked, lock_calls;
    bool checks_lock;
};

static uint32_t next_random(uint32_t *state) /* xorshift32 */
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static bool powered(struct flash *f)
{
    if (f->cut == 0)
        f->dead = true;
    else if (f->cut != NO_CUT)
        f->cut--;
    return !f->dead;
}

/* The cells of a place. */
static uint8_t *cells(struct flash *f, unsigned place)
{
    return &f->slot[place / f->per_sector][place % f->per_sector * WYRM_STORE_RECORD_LEN];
}

static bool flash_load(void *ctx, unsigned place, void *buf, size_t len)
{
    struct flash *f = ctx;

    assert_true(place < WYRM_STORE_SECTORS * f->per_sector && len == WYRM_STORE_RECORD_LEN);
    f->loads++;
    if (f->dead || f->absent)
        return false;
    memcpy(buf, cells(f, place), len);
    return true;
}

static bool is_flash(const struct flash *f)
{
    return f->model == FLASH || f->model == LOG;
}

static bool program(struct flash *f, uint8_t *cell, uint8_t byte)
{
    if (!powered(f)) {
        uint8_t garbage = (uint8_t)next_random(&f->random);
        if (is_flash(f))
            *cell &= byte | garbage;
        if (f->model == MIXED)
            *cell = garbage;
        return false;
    }
    *cell = is_flash(f) ? (uint8_t)(*cell & byte) : byte;
    return true;
}

static bool erase(struct flash *f, unsigned sector)
{
    f->erased[sector]++;
    for (size_t i = 0; i < f->sector_size; i++) {
        if (!powered(f)) {
            f->slot[sector][i] |= (uint8_t)next_random(&f->random);
            return false;
        }
        f->slot[sector][i] = 0xff;
    }
    return true;
}

static bool flash_save(void *ctx, unsigned place, const void *buf, size_t len)
{
    struct flash *f = ctx;
    const uint8_t *bytes = buf;

    assert_true(place < WYRM_STORE_SECTORS * f->per_sector && len == WYRM_STORE_RECORD_LEN);
    if (f->checks_lock)
        assert_int_equal(f->locked, 1);
    f->saves++;
    if (f->fails)
        return false;
    if (f->lies)
        return true;
    if (is_flash(f) && place % f->per_sector == 0 && !erase(f, place / f->per_sector))
        return false;
    for (size_t i = 0; i < len && is_flash(f); i++)
        assert_int_equal(cells(f, place)[i], 0xff); /* once per erase */
    size_t start = f->model == MIXED ? next_random(&f->random) % len : 0;
    for (size_t i = 0; i < len; i++) {
        size_t at = (start + i * (f->model == MIXED ? 7 : 1)) % len; /* 7 and 16 are coprime */
        if (!program(f, cells(f, place) + at, bytes[at]))
            return false;
    }
    return powered(f); /* the last moment: written, but the call does not return */
}

static void flash_lock(void *ctx)
{
    struct flash *f = ctx;

    assert_int_equal(f->locked, 0);
    f->locked++;
    f->lock_calls++;
}

static void flash_unlock(void *ctx)
{
    struct flash *f = ctx;

    assert_int_equal(f->locked, 1);
    f->locked--;
}

/* ---- A device and its peer ---------------------------------------------- */

struct world {
    struct flash flash;
    struct wyrm_store_io io;
    struct wyrm_store store;
    uint64_t build_s;
    uint8_t seen[12]; /* the greatest label the peer has accepted */
    unsigned labels;
};

static void reboot(struct world *w)
{
    w->flash.dead = false;
    w->flash.cut = NO_CUT;
    memset(&w->store, 0xa5, sizeof(w->store)); /* RAM after reset is anything */
    wyrm_store_init(&w->store, &w->io, w->build_s);
}

static void world_with(struct world *w, enum model model, unsigned per_sector)
{
    memset(w, 0, sizeof(*w));
    w->flash.model = model;
    w->flash.random = 0x57595231;
    w->flash.per_sector = per_sector;
    w->flash.sector_size = model == LOG ? per_sector * WYRM_STORE_RECORD_LEN : SLOT_SIZE;
    memset(w->flash.slot, 0xff, sizeof(w->flash.slot));
    w->io = (struct wyrm_store_io){&w->flash, flash_load, flash_save, NULL, NULL, 0};
    if (model == LOG)
        w->io.per_sector = (uint16_t)per_sector;
    w->build_s = BUILD_S;
    reboot(w);
}

static void world_new(struct world *w, enum model model)
{
    world_with(w, model, model == LOG ? SHORT_LOG : 1);
}

static bool initiate(struct world *w)
{
    uint8_t label[12];

    if (!wyrm_store_tai64n(&w->store, label))
        return false;
    if (!w->flash.dead) { /* with the power gone it never left the device */
        assert_true(memcmp(label, w->seen, 12) > 0);
        memcpy(w->seen, label, 12);
        w->labels++;
    }
    return true;
}

/* The place written last. */
static unsigned newest(const struct world *w)
{
    return w->store.end - 1u;
}

static uint64_t seen_s(const struct world *w)
{
    uint64_t seconds = 0;

    for (unsigned i = 0; i < 8; i++)
        seconds = seconds << 8 | w->seen[i];
    return seconds - ((uint64_t)1 << 62) - 10;
}

static void burn_block(struct world *w)
{
    for (unsigned i = 0; i < PER_BLOCK; i++)
        assert_true(initiate(w));
}

/* ---- Layout -------------------------------------------------------------- */

/* Values generated by an independent implementation of the whitened label. */
TEST(timestamps_have_the_layout_and_whitening_of_wireguard)
{
    static const struct {
        uint64_t unix_s;
        uint32_t nanoseconds;
        uint8_t label[12];
    } known[] = {
        {2147483647, 999999999, {0x40, 0, 0, 0, 0x80, 0, 0, 0x09, 0x3b, 0, 0, 0}},
        {2147483648, 0, {0x40, 0, 0, 0, 0x80, 0, 0, 0x0a, 0, 0, 0, 0}},
        {2337446730, 159097619, {0x40, 0, 0, 0, 0x8b, 0x52, 0x9b, 0x54, 0x09, 0, 0, 0}},
        {3280387012, 156411172, {0x40, 0, 0, 0, 0xc3, 0x86, 0xbb, 0xce, 0x09, 0, 0, 0}},
        {4102444800, 500000000, {0x40, 0, 0, 0, 0xf4, 0x86, 0x57, 0x0a, 0x1d, 0, 0, 0}},
        {4294967295, 1, {0x40, 0, 0, 0x01, 0, 0, 0, 0x09, 0, 0, 0, 0}},
        {4294967296, 0, {0x40, 0, 0, 0x01, 0, 0, 0, 0x0a, 0, 0, 0, 0}},
        {7921731533, 433768154, {0x40, 0, 0, 0x01, 0xd8, 0x2c, 0x07, 0xd7, 0x19, 0, 0, 0}},
    };
    struct world w;

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        world_new(&w, EEPROM);
        w.build_s = known[i].unix_s - YEAR_S;
        reboot(&w);
        wyrm_store_set_clock(&w.store, known[i].unix_s, known[i].nanoseconds);
        assert_true(initiate(&w));
        assert_memory_equal(w.seen, known[i].label, 12);
    }
}

TEST(without_a_clock_each_timestamp_is_one_unit_later)
{
    struct world w;

    world_new(&w, FLASH);
    for (unsigned i = 0; i < 61; i++) {
        assert_true(initiate(&w));
        assert_int_equal(seen_s(&w), BUILD_S + i / 60);
        assert_int_equal(w.seen[8], i % 60);
        assert_true(w.seen[9] == 0 && w.seen[10] == 0 && w.seen[11] == 0);
    }
}

TEST(timestamps_continue_past_2038_and_2106)
{
    static const uint64_t edges[] = {INT32_MAX, UINT32_MAX, (uint64_t)UINT32_MAX * 256};
    struct world w;

    for (size_t i = 0; i < sizeof(edges) / sizeof(edges[0]); i++) {
        world_new(&w, FLASH);
        w.build_s = edges[i] - YEAR_S;
        reboot(&w);
        wyrm_store_set_clock(&w.store, edges[i] - 1, 0);
        for (unsigned n = 0; n < 300; n++)
            assert_true(initiate(&w));
        assert_true(seen_s(&w) > edges[i]);
        reboot(&w);
        assert_true(initiate(&w));
    }
}

/* ---- Reboots --------------------------------------------------------------- */

TEST(known_defect_37_rebooted_device_without_a_clock_is_accepted_at_once)
{
    struct world w;

    world_new(&w, FLASH);
    for (unsigned boot = 0; boot < 100; boot++) {
        assert_true(initiate(&w)); /* initiate() fails the test if the peer would refuse */
        reboot(&w);
        assert_int_equal(w.store.state, WYRM_STORE_GOOD);
    }
}

TEST(known_defect_37_clock_restarting_at_1970_changes_nothing)
{
    struct world w;

    world_new(&w, FLASH);
    wyrm_store_set_clock(&w.store, BUILD_S + 1000000, 0);
    assert_true(initiate(&w));
    reboot(&w);
    wyrm_store_set_clock(&w.store, 3, 500000000); /* uptime, or an RTC without its battery */
    assert_true(initiate(&w));
    assert_true(seen_s(&w) > BUILD_S + 1000000);
}

TEST(timestamps_increase_over_reboots_after_each_one)
{
    struct world w;

    for (unsigned n = 1; n < 2 * PER_BLOCK + 3; n += 61) {
        world_new(&w, EEPROM);
        for (unsigned i = 0; i < n; i++)
            assert_true(initiate(&w));
        reboot(&w);
        assert_true(initiate(&w));
    }
}

/* ---- Flash writes ------------------------------------------------------------ */

TEST(device_that_never_initiates_never_writes)
{
    struct world w;

    world_new(&w, FLASH);
    for (unsigned boot = 0; boot < 10; boot++) {
        wyrm_store_set_clock(&w.store, BUILD_S + 1000 * boot, 0);
        reboot(&w);
    }
    assert_int_equal(w.flash.saves, 0);
    assert_int_equal(w.store.state, WYRM_STORE_FRESH);
}

TEST(one_record_is_written_per_boot_and_per_block)
{
    for (unsigned model = 0; model < MODELS; model++) {
        struct world w;
        world_new(&w, (enum model)model);
        for (unsigned block = 1; block <= 5; block++) {
            burn_block(&w);
            assert_int_equal(w.flash.saves, block + 1); /* the first mark of all is kept twice */
        }
        for (unsigned boot = 1; boot <= 5; boot++) {
            reboot(&w);
            burn_block(&w);
            assert_int_equal(w.flash.saves, 6 + boot);
        }
    }
}

TEST(synchronized_clock_costs_two_writes_a_day)
{
    struct world w;

    world_new(&w, FLASH);
    for (uint32_t t = 0; t < 30 * 86400u; t += 120) { /* NTP and a rekey every two minutes */
        wyrm_store_set_clock(&w.store, BUILD_S + t, 0);
        assert_true(initiate(&w));
        assert_int_equal(seen_s(&w), BUILD_S + t);
    }
    assert_int_equal(w.flash.saves, 60);
}

/* A tenth of a year. */
TEST(known_defect_60_waking_every_5_minutes_wears_a_sector_205_times_a_year)
{
    const unsigned boots = 365 * 24 * 12 / 10;
    struct world w;

    world_with(&w, LOG, LONG_LOG);
    for (unsigned boot = 0; boot < boots; boot++) {
        assert_true(initiate(&w));
        reboot(&w);
        assert_int_equal(w.store.state, WYRM_STORE_GOOD);
    }
    unsigned erases = w.flash.erased[0] + w.flash.erased[1];
    assert_int_equal(w.flash.saves, boots + 1);
    assert_int_equal(erases, (boots + 1 + LONG_LOG - 1) / LONG_LOG); /* 42 */
    assert_in_range(w.flash.erased[1], erases / 2, w.flash.erased[0]);
    assert_true(10000 / (w.flash.erased[0] * 10) >= 47); /* years that 10,000 erases last */

    world_new(&w, FLASH); /* one record per sector, for comparison */
    for (unsigned boot = 0; boot < boots; boot++) {
        assert_true(initiate(&w));
        reboot(&w);
    }
    assert_int_equal(w.flash.erased[0] + w.flash.erased[1], boots + 1);
}

TEST(log_writes_each_place_in_turn_and_erases_only_what_is_full)
{
    struct world w;

    world_new(&w, LOG);
    for (unsigned boot = 1; boot < 100; boot++) {
        assert_true(initiate(&w)); /* the first one writes two records */
        assert_int_equal(newest(&w), boot % (2 * SHORT_LOG));
        assert_int_equal(w.flash.erased[0] + w.flash.erased[1], boot / SHORT_LOG + 1);
        reboot(&w);
    }
}

TEST(mark_runs_ahead_of_a_clock_by_a_day_and_a_block_per_boot)
{
    struct world w;

    world_new(&w, FLASH);
    for (unsigned boot = 0; boot < 50; boot++) {
        wyrm_store_set_clock(&w.store, BUILD_S + 5000, 0);
        assert_true(initiate(&w));
        assert_true(seen_s(&w) <= BUILD_S + 5000 + WYRM_STORE_CLOCK_BLOCK_S +
                                      (uint64_t)boot * WYRM_STORE_BLOCK_S);
        reboot(&w);
    }
}

TEST(writes_alternate_between_the_slots)
{
    struct world w;
    uint8_t before[WYRM_STORE_SECTORS][SECTOR_MAX];

    world_new(&w, FLASH);
    assert_true(initiate(&w)); /* the first mark of all goes into both */
    reboot(&w);
    unsigned last = 2;
    for (unsigned i = 0; i < 10; i++) {
        memcpy(before, w.flash.slot, sizeof(before));
        assert_true(initiate(&w));
        unsigned changed = memcmp(before[0], w.flash.slot[0], SLOT_SIZE) != 0 ? 0 : 1;
        assert_memory_equal(before[changed ^ 1], w.flash.slot[changed ^ 1], SLOT_SIZE);
        assert_int_not_equal(changed, last);
        last = changed;
        reboot(&w);
    }
}

/* ---- Power cuts ---------------------------------------------------------------- */

TEST(timestamps_increase_after_a_power_cut_at_any_byte)
{
    for (unsigned model = 0; model < MODELS; model++) {
        for (unsigned writes = 0; writes < 3 * SHORT_LOG; writes++) {
            bool survived = false;
            for (uint32_t cut = 0; !survived; cut++) {
                struct world w;
                world_new(&w, (enum model)model);
                w.flash.random += cut;
                for (unsigned i = 0; i < writes; i++) {
                    assert_true(initiate(&w));
                    reboot(&w);
                }
                w.flash.cut = cut;
                survived = initiate(&w) && !w.flash.dead;
                reboot(&w);
                assert_true(writes == 0 || w.store.state != WYRM_STORE_LOST);
                assert_true(initiate(&w));
                reboot(&w);
                assert_int_equal(w.store.state, WYRM_STORE_GOOD);
                assert_true(initiate(&w));
                assert_true(cut < 400);
            }
        }
    }
}

TEST(timestamps_increase_after_power_cuts_in_two_boots)
{
    for (unsigned model = 0; model < MODELS; model++) {
        for (unsigned writes = 2; writes < (model == LOG ? 2 * SHORT_LOG + 2 : 4); writes++) {
            for (uint32_t first = 0; first < 84; first++) {
                for (uint32_t second = 0; second < 170; second++) {
                    struct world w;
                    world_new(&w, (enum model)model);
                    for (unsigned i = 0; i < writes; i++) {
                        assert_true(initiate(&w));
                        reboot(&w);
                    }
                    w.flash.cut = first;
                    initiate(&w);
                    reboot(&w);
                    w.flash.cut = second;
                    initiate(&w);
                    reboot(&w);
                    assert_true(initiate(&w));
                }
            }
        }
    }
}

TEST(timestamps_increase_over_ten_thousand_random_faults)
{
    for (unsigned model = 0; model < MODELS; model++) {
        struct world w;
        uint32_t random = 20260101 + model;
        world_new(&w, (enum model)model);
        for (unsigned step = 0; step < 10000; step++) {
            uint32_t dice = next_random(&random);
            if (dice % 8 == 0)
                w.flash.cut = next_random(&random) % 120;
            if (dice % 16 == 1) /* steps of up to two days, back as often as forth */
                wyrm_store_set_clock(&w.store, seen_s(&w) + next_random(&random) % 345600 - 172800,
                                     next_random(&random) % 1000000000);
            for (uint32_t n = next_random(&random) % 90; n > 0 && !w.flash.dead; n--)
                assert_true(initiate(&w) || w.flash.dead);
            reboot(&w);
            assert_int_not_equal(w.store.state, WYRM_STORE_LOST);
            assert_true(initiate(&w));
        }
        assert_true(w.labels > 10000);
    }
}

TEST(torn_slot_is_reported_and_healed_by_the_next_write)
{
    struct world w;

    world_new(&w, EEPROM);
    assert_true(initiate(&w));
    reboot(&w);
    assert_true(initiate(&w));
    w.flash.slot[newest(&w)][5] ^= 1;
    reboot(&w);
    assert_int_equal(w.store.state, WYRM_STORE_TORN);
    assert_true(initiate(&w));
    reboot(&w);
    assert_int_equal(w.store.state, WYRM_STORE_GOOD);
}

TEST(losing_the_newest_slot_later_repeats_no_timestamp)
{
    struct world w;

    for (unsigned slot = 0; slot < WYRM_STORE_SECTORS; slot++) {
        for (unsigned byte = 0; byte < WYRM_STORE_RECORD_LEN; byte++) {
            world_new(&w, EEPROM);
            burn_block(&w);
            burn_block(&w);
            w.flash.slot[slot][byte] ^= 0x10;
            reboot(&w);
            assert_int_equal(w.store.state, WYRM_STORE_TORN);
            assert_true(initiate(&w));
        }
    }
}

/* Ten boots; at every third one a clock has moved on by three days. */
static void live(struct world *w, unsigned boots)
{
    for (unsigned boot = 0; boot < boots; boot++) {
        if (boot % 3 == 1)
            wyrm_store_set_clock(&w->store, BUILD_S + boot * 86400, 0);
        assert_true(initiate(w));
        assert_true(initiate(w));
        reboot(w);
    }
}

/* Flips each bit of each place, one after the other, and boots three times. */
static void rot_each_bit(const struct world *before, unsigned blocks_ahead)
{
    const unsigned places = WYRM_STORE_SECTORS * before->flash.per_sector;

    for (unsigned bit = 0; bit < 8 * WYRM_STORE_RECORD_LEN * places; bit++) {
        struct world w = *before;
        uint64_t last_s = seen_s(&w);
        w.io.ctx = &w.flash;
        cells(&w.flash, bit / (8 * WYRM_STORE_RECORD_LEN))[bit / 8 % WYRM_STORE_RECORD_LEN] ^=
            (uint8_t)(1u << bit % 8);
        reboot(&w);
        assert_int_not_equal(w.store.state, WYRM_STORE_LOST);
        assert_true(initiate(&w)); /* which fails the test if the peer would refuse */
        assert_in_range(seen_s(&w), last_s,
                        last_s + WYRM_STORE_CLOCK_BLOCK_S + blocks_ahead * WYRM_STORE_BLOCK_S);
        for (unsigned boot = 0; boot < 2; boot++) {
            reboot(&w);
            assert_true(initiate(&w));
        }
    }
}

TEST(known_defect_61_a_flipped_bit_anywhere_repeats_no_timestamp)
{
    for (unsigned model = 0; model < MODELS; model++) {
        for (unsigned boots = 1; boots < 3 * SHORT_LOG; boots++) {
            struct world w;
            world_new(&w, (enum model)model);
            live(&w, boots);
            rot_each_bit(&w, 2 + boots);
        }
    }
}

TEST(each_damaged_record_at_the_end_of_a_log_skips_one_block)
{
    for (unsigned damaged = 1; damaged < SHORT_LOG; damaged++) {
        for (unsigned boots = 8; boots < 8 + 2 * SHORT_LOG; boots++) {
            struct world w;
            world_new(&w, LOG);
            for (unsigned boot = 0; boot < boots; boot++) {
                reboot(&w);
                burn_block(&w);
            }
            for (unsigned i = 0; i < damaged; i++)
                cells(&w.flash, (newest(&w) + 2 * SHORT_LOG - i) % (2 * SHORT_LOG))[10] ^= 1;
            reboot(&w);
            assert_int_equal(w.store.state, WYRM_STORE_TORN);
            assert_true(initiate(&w));
        }
    }
}

/* A log survives two faults: an interrupted write, followed by a flipped bit. */
TEST(a_flipped_bit_after_a_power_cut_repeats_no_timestamp)
{
    for (unsigned boots = 1; boots < 3 * SHORT_LOG; boots++) {
        for (unsigned clock_s = 0; clock_s <= 20 * 86400u; clock_s += 20 * 86400u) {
            bool survived = false;
            for (uint32_t cut = 0; !survived; cut += 3) {
                struct world w;
                world_new(&w, LOG);
                live(&w, boots);
                wyrm_store_set_clock(&w.store, BUILD_S + clock_s, 0);
                w.flash.cut = cut;
                survived = initiate(&w) && !w.flash.dead;
                rot_each_bit(&w, boots + 2 * SHORT_LOG + 20 * 86400 / WYRM_STORE_BLOCK_S);
            }
        }
    }
}

/* ---- Marks of earlier versions ------------------------------------------------------ */

TEST(marks_of_two_slots_are_honoured_by_a_log_at_the_same_place)
{
    /* Of a mark of 2026-07-01 and one a block later, made by another program. */
    static const uint8_t records[2][WYRM_STORE_RECORD_LEN] = {
        {0x57, 0x54, 0x4d, 0x01, 0x00, 0x00, 0x00, 0x6a, 0x44, 0x58, 0x80, 0x00, 0x19, 0xb6, 0x04,
         0xdc},
        {0x57, 0x54, 0x4d, 0x01, 0x00, 0x00, 0x00, 0x6a, 0x44, 0x58, 0xc0, 0x00, 0xe9, 0xcf, 0x4b,
         0xd9}};

    for (unsigned newer = 0; newer < 2; newer++) {
        for (unsigned damaged = 0; damaged < 3; damaged++) {
            struct world w;
            world_with(&w, LOG, LONG_LOG);
            memcpy(w.flash.slot[newer], records[1], sizeof(records[1]));
            memcpy(w.flash.slot[newer ^ 1], records[0], sizeof(records[0]));
            if (damaged < 2)
                w.flash.slot[damaged][9] ^= 0x40;
            reboot(&w);
            assert_int_equal(w.store.state, damaged < 2 ? WYRM_STORE_TORN : WYRM_STORE_GOOD);
            assert_true(initiate(&w));
            assert_in_range(seen_s(&w), 1782864000u + 64, 1782864000u + 64 + WYRM_STORE_BLOCK_S);
            live(&w, 10);
            reboot(&w);
            assert_int_equal(w.store.state, WYRM_STORE_GOOD);
        }
    }
}

/* ---- Failures -------------------------------------------------------------------- */

TEST(a_failed_save_yields_no_timestamp_and_is_retried)
{
    static const uint8_t untouched[12] = {1, 2, 3};
    struct world w;
    uint8_t label[12] = {1, 2, 3};

    world_new(&w, FLASH);
    w.flash.fails = true;
    for (unsigned i = 1; i <= 3; i++) {
        assert_false(wyrm_store_tai64n(&w.store, label));
        assert_memory_equal(label, untouched, 12);
        assert_int_equal(w.flash.saves, i);
    }
    w.flash.fails = false;
    assert_true(initiate(&w));
}

TEST(timestamps_increase_even_if_one_save_fails)
{
    struct world w;

    for (unsigned n = 0; n < 6; n++) {
        world_new(&w, MIXED);
        for (unsigned i = 0; i < 6; i++) {
            w.flash.fails = i == n;
            assert_int_equal(initiate(&w), i != n);
            reboot(&w);
        }
    }
}

TEST(a_save_that_did_not_store_yields_no_timestamp)
{
    struct world w;

    for (unsigned model = 0; model < MODELS; model++) {
        world_new(&w, (enum model)model);
        w.flash.lies = true;
        assert_false(initiate(&w));
        w.flash.lies = false;
        burn_block(&w);
        burn_block(&w);
        w.flash.lies = true;
        assert_false(initiate(&w));
    }
}

/* However long the flash fails, the current record is never erased. */
TEST(failing_records_are_skipped_and_the_newest_mark_is_kept)
{
    for (unsigned failures = 1; failures < 5 * SHORT_LOG; failures++) {
        for (unsigned boots = 0; boots < 2 * SHORT_LOG; boots++) {
            struct world w;
            world_new(&w, LOG);
            live(&w, boots);
            for (unsigned i = 0; i < failures; i++) {
                w.flash.cut = 1 + 5 * (i % 4); /* within a record, or within an erase */
                assert_false(initiate(&w));
                w.flash.dead = false; /* a brown-out that affected only the flash */
                w.flash.cut = NO_CUT;
            }
            if (boots > 0) {
                struct world rebooted = w;
                rebooted.io.ctx = &rebooted.flash;
                reboot(&rebooted);
                assert_int_not_equal(rebooted.store.state, WYRM_STORE_LOST);
                assert_true(initiate(&rebooted));
            }
            assert_true(initiate(&w));
            reboot(&w);
            assert_true(initiate(&w));
        }
    }
}

TEST(two_corrupt_slots_fall_back_to_the_build_date_and_report_it)
{
    struct world w;

    world_new(&w, FLASH);
    burn_block(&w);
    burn_block(&w);
    w.flash.slot[0][9] ^= 4;
    w.flash.slot[1][12] ^= 4;
    reboot(&w);
    assert_int_equal(w.store.state, WYRM_STORE_LOST);
    memset(w.seen, 0, 12); /* the peer would refuse this one, as LOST says */
    assert_true(initiate(&w));
    assert_int_equal(seen_s(&w), BUILD_S);
    wyrm_store_set_clock(&w.store, BUILD_S + 777, 0);
    assert_true(initiate(&w));
    assert_int_equal(seen_s(&w), BUILD_S + 777);
}

TEST(every_flipped_bit_of_a_record_is_noticed)
{
    struct world w;

    world_new(&w, EEPROM);
    assert_true(initiate(&w));
    reboot(&w);
    assert_true(initiate(&w));
    for (unsigned bit = 0; bit < 8 * WYRM_STORE_RECORD_LEN; bit++) {
        w.flash.slot[newest(&w)][bit / 8] ^= (uint8_t)(1u << bit % 8);
        unsigned rotten = newest(&w);
        reboot(&w);
        assert_int_equal(w.store.state, WYRM_STORE_TORN);
        w.flash.slot[rotten][bit / 8] ^= (uint8_t)(1u << bit % 8);
        reboot(&w);
    }
}

TEST(unreadable_and_zeroed_storage_count_as_blank)
{
    struct world w;

    world_new(&w, EEPROM);
    memset(w.flash.slot, 0, sizeof(w.flash.slot));
    reboot(&w);
    assert_int_equal(w.store.state, WYRM_STORE_FRESH);
    w.flash.absent = true;
    reboot(&w);
    assert_int_equal(w.store.state, WYRM_STORE_FRESH);
    assert_false(initiate(&w)); /* what cannot be read back is not reserved */
}

TEST(unreadable_records_of_a_log_count_as_damaged)
{
    struct world w;

    world_new(&w, LOG);
    w.flash.absent = true;
    reboot(&w);
    assert_int_equal(w.store.state, WYRM_STORE_LOST);
    assert_false(initiate(&w));
}

TEST(a_record_of_a_later_format_is_not_misread)
{
    struct world w;

    world_new(&w, EEPROM);
    assert_true(initiate(&w));
    w.flash.slot[0][3] = w.flash.slot[1][3] = 2;
    reboot(&w);
    assert_int_equal(w.store.state, WYRM_STORE_LOST);
}

/* ---- Clock ------------------------------------------------------------------------- */

TEST(first_mark_is_the_greatest_of_stored_mark_clock_and_build_date)
{
    struct world w;

    world_new(&w, FLASH);
    assert_true(initiate(&w));
    assert_int_equal(seen_s(&w), BUILD_S);
    reboot(&w);
    assert_true(initiate(&w));
    assert_int_equal(seen_s(&w), BUILD_S + WYRM_STORE_BLOCK_S);
    reboot(&w);
    wyrm_store_set_clock(&w.store, BUILD_S + 10000, 0);
    assert_true(initiate(&w));
    assert_int_equal(seen_s(&w), BUILD_S + 10000);

    w.build_s = BUILD_S + 1000000; /* newer firmware */
    reboot(&w);
    assert_true(initiate(&w));
    assert_int_equal(seen_s(&w), BUILD_S + 1000000);
}

TEST(clock_going_backwards_changes_nothing)
{
    struct world w;

    world_new(&w, FLASH);
    for (uint32_t back = 0; back < 1000; back += 10) {
        wyrm_store_set_clock(&w.store, BUILD_S + 1000 - back, 0);
        assert_true(initiate(&w));
        assert_int_equal(seen_s(&w), BUILD_S + 1000 + w.labels / 61);
    }
    assert_int_equal(w.flash.saves, 2);
}

TEST(impossible_clocks_are_ignored)
{
    struct world w;

    world_new(&w, FLASH);
    wyrm_store_set_clock(&w.store, UINT64_MAX, 0);
    wyrm_store_set_clock(&w.store, (uint64_t)1 << 56, 0);
    wyrm_store_set_clock(&w.store, BUILD_S + 5, 1000000000);
    wyrm_store_set_clock(&w.store, BUILD_S + 5, UINT32_MAX);
    assert_true(initiate(&w));
    assert_int_equal(seen_s(&w), BUILD_S);
}

TEST(known_defect_62_a_spoofed_clock_moves_timestamps_by_20_years_at_most)
{
    const uint64_t last_s = BUILD_S + (uint64_t)WYRM_STORE_CLOCK_YEARS * YEAR_S;
    struct world w;

    for (unsigned build = 0; build < 2; build++) { /* without a build date 2026 stands for it */
        world_new(&w, LOG);
        w.build_s = build ? BUILD_S : 0;
        for (unsigned boot = 0; boot < 50; boot++) {
            reboot(&w);
            wyrm_store_set_clock(&w.store, last_s + 1, 0);
            wyrm_store_set_clock(&w.store, BUILD_S + boot * (uint64_t)100 * YEAR_S + YEAR_S, 0);
            assert_true(initiate(&w));
            assert_true(seen_s(&w) <= BUILD_S + 2 * YEAR_S);
        }
        for (unsigned boot = 0; boot < 50; boot++) {
            reboot(&w);
            wyrm_store_set_clock(&w.store, last_s, 999999999);
            assert_true(initiate(&w));
            assert_in_range(seen_s(&w), last_s,
                            last_s + WYRM_STORE_CLOCK_BLOCK_S + boot * WYRM_STORE_BLOCK_S);
        }
    }
}

/* ---- Lock ---------------------------------------------------------------------------- */

TEST(timestamps_and_clock_are_locked_on_every_path)
{
    struct world w;

    world_new(&w, FLASH);
    w.io.lock = flash_lock;
    w.io.unlock = flash_unlock;
    w.flash.checks_lock = true;
    reboot(&w);
    assert_true(initiate(&w));
    wyrm_store_set_clock(&w.store, BUILD_S + 1000000, 0);
    w.flash.fails = true;
    assert_false(initiate(&w));
    assert_int_equal(w.flash.lock_calls, 3);
    assert_int_equal(w.flash.locked, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(timestamps_have_the_layout_and_whitening_of_wireguard),
        RUN(without_a_clock_each_timestamp_is_one_unit_later),
        RUN(timestamps_continue_past_2038_and_2106),
        RUN(known_defect_37_rebooted_device_without_a_clock_is_accepted_at_once),
        RUN(known_defect_37_clock_restarting_at_1970_changes_nothing),
        RUN(timestamps_increase_over_reboots_after_each_one),
        RUN(device_that_never_initiates_never_writes),
        RUN(one_record_is_written_per_boot_and_per_block),
        RUN(synchronized_clock_costs_two_writes_a_day),
        RUN(known_defect_60_waking_every_5_minutes_wears_a_sector_205_times_a_year),
        RUN(log_writes_each_place_in_turn_and_erases_only_what_is_full),
        RUN(mark_runs_ahead_of_a_clock_by_a_day_and_a_block_per_boot),
        RUN(writes_alternate_between_the_slots),
        RUN(timestamps_increase_after_a_power_cut_at_any_byte),
        RUN(timestamps_increase_after_power_cuts_in_two_boots),
        RUN(timestamps_increase_over_ten_thousand_random_faults),
        RUN(torn_slot_is_reported_and_healed_by_the_next_write),
        RUN(losing_the_newest_slot_later_repeats_no_timestamp),
        RUN(known_defect_61_a_flipped_bit_anywhere_repeats_no_timestamp),
        RUN(each_damaged_record_at_the_end_of_a_log_skips_one_block),
        RUN(a_flipped_bit_after_a_power_cut_repeats_no_timestamp),
        RUN(marks_of_two_slots_are_honoured_by_a_log_at_the_same_place),
        RUN(a_failed_save_yields_no_timestamp_and_is_retried),
        RUN(timestamps_increase_even_if_one_save_fails),
        RUN(a_save_that_did_not_store_yields_no_timestamp),
        RUN(failing_records_are_skipped_and_the_newest_mark_is_kept),
        RUN(two_corrupt_slots_fall_back_to_the_build_date_and_report_it),
        RUN(every_flipped_bit_of_a_record_is_noticed),
        RUN(unreadable_and_zeroed_storage_count_as_blank),
        RUN(unreadable_records_of_a_log_count_as_damaged),
        RUN(a_record_of_a_later_format_is_not_misread),
        RUN(first_mark_is_the_greatest_of_stored_mark_clock_and_build_date),
        RUN(clock_going_backwards_changes_nothing),
        RUN(impossible_clocks_are_ignored),
        RUN(known_defect_62_a_spoofed_clock_moves_timestamps_by_20_years_at_most),
        RUN(timestamps_and_clock_are_locked_on_every_path),
    };
    return cmocka_run_group_tests_name("store", tests, NULL, NULL);
}

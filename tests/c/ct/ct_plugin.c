/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * A QEMU plugin that reduces what a program does between two marker addresses to two numbers: the
 * hash of the executed program counters, and the hash of (program counter, address, size,
 * direction) of every data access. Runs that differ in a secret only must give the same numbers.
 *
 *   -plugin ct_plugin.so,begin=0x...,end=0x...,out=FILE[,low=0x...,high=0x...][,dump=N,trace=FILE]
 *
 * Writes one line to `out` each time `end` is reached after `begin`:
 *
 *   PCS ACCESSES INSTRUCTIONS IN_RANGE MISALIGNED FIRST_MISALIGNED_PC
 *
 * INSTRUCTIONS counts all, IN_RANGE those from `low` up to, not including, `high`. `dump` names a
 * line, counted from 0, whose whole trace goes to `trace`: blocks ("b PC") and accesses ("a PC
 * ADDRESS"). An instruction that faults half-way through a block counts as if the block had ended;
 * with QEMU's -singlestep every block is one instruction and this cannot happen.
 *
 * Debian ships QEMU's plugins without their header: the part of version 1 used here is declared
 * below.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- QEMU's plugin interface, version 1 -------------------------------- */

typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_info_t;

enum { QEMU_PLUGIN_CB_NO_REGS = 0, QEMU_PLUGIN_MEM_RW = 3 };

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
                                           void (*cb)(qemu_plugin_id_t, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, void (*cb)(unsigned, void *),
                                          int flags, void *userdata);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn,
                                      void (*cb)(unsigned, qemu_plugin_meminfo_t, uint64_t, void *),
                                      int flags, int rw, void *userdata);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, void (*cb)(qemu_plugin_id_t, void *),
                                    void *userdata);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t i);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
unsigned qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info);

extern int qemu_plugin_version;
int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info_t *info, int argc, char **argv);

int qemu_plugin_version = 1;

/* ---- Hash --------------------------------------------------------------- */

/* A polynomial over the prime field 2^61 - 1: a block of n program counters moves it on by one
 * multiplication with BASE^n, and how QEMU cuts the code into blocks makes no difference. */
#define PRIME ((UINT64_C(1) << 61) - 1)
#define BASE  UINT64_C(0x123456789abcdef)

static uint64_t times(uint64_t a, uint64_t b)
{
    __extension__ unsigned __int128 product = (unsigned __int128)a * b;
    uint64_t sum = (uint64_t)(product & PRIME) + (uint64_t)(product >> 61);

    return sum >= PRIME ? sum - PRIME : sum;
}

static uint64_t plus(uint64_t a, uint64_t b)
{
    return (a + b) % PRIME;
}

/* ---- State -------------------------------------------------------------- */

enum mark { MARK_NONE, MARK_BEGIN, MARK_END };

/* What executing a block does to the sums. */
struct block {
    uint64_t pc, power, sum;
    uint32_t instructions, in_range;
    enum mark mark;
};

static struct {
    uint64_t begin, end, low, high;
    FILE *out, *trace;
    uint64_t dump;
} options = {.dump = UINT64_MAX};

static bool active;
static uint64_t runs, pcs, accesses, instructions, in_range, misaligned, first_misaligned;

static bool dumping(void)
{
    return options.trace && runs == options.dump;
}

/* ---- Callbacks ---------------------------------------------------------- */

static void begin(void)
{
    active = true;
    pcs = accesses = 1;
    instructions = in_range = misaligned = first_misaligned = 0;
}

static void end(void)
{
    if (!active)
        return;
    active = false;
    fprintf(options.out,
            "%016" PRIx64 " %016" PRIx64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIx64 "\n", pcs,
            accesses, instructions, in_range, misaligned, first_misaligned);
    runs++;
}

static void on_block(unsigned vcpu, void *userdata)
{
    const struct block *block = userdata;

    (void)vcpu;
    if (block->mark == MARK_BEGIN) {
        begin();
    } else if (block->mark == MARK_END) {
        end();
    } else if (active) {
        pcs = plus(times(pcs, block->power), block->sum);
        instructions += block->instructions;
        in_range += block->in_range;
        if (dumping())
            fprintf(options.trace, "b %" PRIx64 "\n", block->pc);
    }
}

static void on_access(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *userdata)
{
    uint64_t pc = (uintptr_t)userdata;
    unsigned shift = qemu_plugin_mem_size_shift(info);

    (void)vcpu;
    if (!active)
        return;
    accesses = plus(times(accesses, BASE), pc);
    accesses = plus(times(accesses, BASE),
                    (address << 4 | shift << 1 | qemu_plugin_mem_is_store(info)) % PRIME);
    if (address & ((UINT64_C(1) << shift) - 1)) {
        if (misaligned++ == 0)
            first_misaligned = pc;
    }
    if (dumping())
        fprintf(options.trace, "a %" PRIx64 " %" PRIx64 "\n", pc, address);
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    size_t n = qemu_plugin_tb_n_insns(tb);
    struct block *block = calloc(1, sizeof(*block)); /* as long-lived as the translated code */

    (void)id;
    if (block == NULL)
        abort();
    block->pc = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, 0));
    block->power = 1;
    block->instructions = (uint32_t)n;
    if (block->pc == options.begin)
        block->mark = MARK_BEGIN;
    else if (block->pc == options.end)
        block->mark = MARK_END;
    for (size_t i = 0; i < n; i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        uint64_t pc = qemu_plugin_insn_vaddr(insn);

        block->power = times(block->power, BASE);
        block->sum = plus(times(block->sum, BASE), pc % PRIME);
        block->in_range += pc >= options.low && pc < options.high;
        qemu_plugin_register_vcpu_mem_cb(insn, on_access, QEMU_PLUGIN_CB_NO_REGS,
                                         QEMU_PLUGIN_MEM_RW, (void *)(uintptr_t)pc);
    }
    qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, QEMU_PLUGIN_CB_NO_REGS, block);
}

static void at_exit(qemu_plugin_id_t id, void *userdata)
{
    (void)id;
    (void)userdata;
    fclose(options.out);
    if (options.trace)
        fclose(options.trace);
}

/* ---- Options ------------------------------------------------------------ */

static FILE *create(const char *path)
{
    FILE *file = fopen(path, "w");

    if (file == NULL)
        fprintf(stderr, "ct_plugin: cannot write %s\n", path);
    return file;
}

static bool take_option(const char *text)
{
    const char *value = strchr(text, '=');
    size_t len;

    if (value == NULL)
        return false;
    len = (size_t)(value - text);
    value++;
    if (strncmp(text, "begin", len) == 0)
        options.begin = strtoull(value, NULL, 0);
    else if (strncmp(text, "end", len) == 0)
        options.end = strtoull(value, NULL, 0);
    else if (strncmp(text, "low", len) == 0)
        options.low = strtoull(value, NULL, 0);
    else if (strncmp(text, "high", len) == 0)
        options.high = strtoull(value, NULL, 0);
    else if (strncmp(text, "dump", len) == 0)
        options.dump = strtoull(value, NULL, 0);
    else if (strncmp(text, "out", len) == 0)
        return (options.out = create(value)) != NULL;
    else if (strncmp(text, "trace", len) == 0)
        return (options.trace = create(value)) != NULL;
    else
        return false;
    return true;
}

int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info_t *info, int argc, char **argv)
{
    (void)info;
    for (int i = 0; i < argc; i++) {
        if (!take_option(argv[i])) {
            fprintf(stderr, "ct_plugin: what is `%s`?\n", argv[i]);
            return 1;
        }
    }
    if (options.out == NULL || options.begin == 0 || options.end == 0) {
        fprintf(stderr, "ct_plugin: begin, end and out are needed\n");
        return 1;
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
    qemu_plugin_register_atexit_cb(id, at_exit, NULL);
    return 0;
}

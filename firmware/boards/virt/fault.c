/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Processor faults, including semihosting calls without a host, and reset.
 */
#include <stddef.h>

#include "board_api.h"
#include "panic.h"
#include "semihost.h"
#include "virt.h"

#define TEST_RESET 0x7777u

#define CAUSE_BREAKPOINT 3u
#define INSIDE           4u /* the call's ebreak, the second of its three instructions */

enum { PC = 0, A0 = 10 };

void fault_entry(void);

_Noreturn void board_reboot(void)
{
    REG32(VIRT_TEST_BASE) = TEST_RESET;
    for (;;)
        continue;
}

static const char *fault_name(uint32_t cause)
{
    static const char *const names[] = {
        [0] = "instruction misaligned", [1] = "instruction access fault",
        [2] = "illegal instruction",    [3] = "breakpoint",
        [4] = "load misaligned",        [5] = "load access fault",
        [6] = "store misaligned",       [7] = "store access fault",
    };

    return cause < sizeof names / sizeof names[0] ? names[cause] : "unexpected trap";
}

static bool is_semihosting(uint32_t cause)
{
    return cause == CAUSE_BREAKPOINT &&
           fault_registers[PC] == (uint32_t)(uintptr_t)semihost_trap + INSIDE;
}

/* Returns only to skip a call. */
__attribute__((used)) void fault_entry(void)
{
    static const char *const names[] = {"pc", "ra", "sp", "gp", "tp", "t0", "t1", "t2",
                                        "s0", "s1", "a0", "a1", "a2", "a3", "a4", "a5",
                                        "a6", "a7", "s2", "s3", "s4", "s5", "s6", "s7",
                                        "s8", "s9", "sA", "sB", "t3", "t4", "t5", "t6"};
    static bool entered;
    uint32_t cause = CSR_READ("mcause");

    if (is_semihosting(cause)) {
        semihost_refused();
        fault_registers[A0] = UINT32_MAX;
        fault_registers[PC] += sizeof(uint32_t);
        return;
    }
    if (entered)
        board_reboot();

    entered = true;
    panic_begin(fault_name(cause));
    for (unsigned i = 0; i < 32; i++) {
        panic_register(names[i], fault_registers[i]);
        if (i % 4 == 3)
            panic_end_line();
    }
    panic_register("mcause", cause);
    panic_register("mtval", CSR_READ("mtval"));
    panic_register("mstatus", CSR_READ("mstatus"));
    panic_end_line();
    panic_stop();
}

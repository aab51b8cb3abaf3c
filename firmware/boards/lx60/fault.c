/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Exceptions other than interrupts and emulated multiplications.
 */
#include "lx60_private.h"
#include "panic.h"

_Noreturn void lx60_fault_entry(const struct lx60_fault *fault);

static const char *cause_name(uint32_t cause)
{
    switch (cause) {
    case 0:
        return "illegal instruction";
    case 2:
    case 12:
    case 14:
    case 20:
        return "instruction fetch error";
    case 3:
    case 13:
    case 15:
        return "load or store error";
    case 6:
        return "division by zero";
    case 9:
        return "unaligned load or store";
    case 28:
        return "load prohibited";
    case 29:
        return "store prohibited";
    default:
        return "unexpected exception";
    }
}

/* Called on a separate stack; the interrupted windows are discarded. */
_Noreturn void lx60_fault_entry(const struct lx60_fault *fault)
{
    static const char *const names[] = {"a0 ", "a1 ", "a2 ", "a3 ", "a4 ", "a5 ", "a6 ", "a7 ",
                                        "a8 ", "a9 ", "a10", "a11", "a12", "a13", "a14", "a15"};

    panic_begin(fault->is_double ? "fault within an exception" : cause_name(fault->cause));
    for (unsigned i = 0; i < 16; i++) {
        panic_register(names[i], fault->a[i]);
        if (i % 4 == 3)
            panic_end_line();
    }
    panic_register("pc ", fault->pc);
    panic_register("ps ", fault->ps);
    panic_register("cause", fault->cause);
    panic_register("address", fault->address);
    panic_end_line();
    panic_stop();
}

/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Processor faults, including semihosting calls without a host, and reset.
 */
#include <stdbool.h>
#include <stdint.h>

#include "board_api.h"
#include "cortexm.h"
#include "panic.h"
#include "semihost.h"

#define BKPT_SEMIHOSTING 0xbeabu
#define FRAME_SIZE       32u /* eight stacked registers */

extern uint8_t ram_start[], ram_end[], flash_end[];

void fault_entry(uint32_t *frame, const uint32_t *saved);

_Noreturn void board_reboot(void)
{
    __asm volatile("dsb" : : : "memory");
    SCB_AIRCR = SCB_AIRCR_SYSRESETREQ;
    __asm volatile("dsb" : : : "memory");
    for (;;)
        continue;
}

int32_t semihost_trap(uint32_t operation, const void *block)
{
    register uint32_t r0 __asm("r0") = operation;
    register const void *r1 __asm("r1") = block;

    __asm volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return (int32_t)r0;
}

/* Only semihosting uses this instruction. The pc is checked before it is dereferenced. */
static bool is_semihosting(const uint32_t *frame)
{
    uint32_t pc = frame[6];

    return pc < (uint32_t)(uintptr_t)flash_end &&
           *(const uint16_t *)(uintptr_t)pc == BKPT_SEMIHOSTING;
}

static const char *fault_name(uint32_t exception)
{
    static const char *const names[] = {"NMI", "HardFault", "MemManage", "BusFault", "UsageFault"};

    if (exception < 2 || exception > 6)
        return "unexpected exception";
    return names[exception - 2];
}

static bool in_ram(const uint32_t *frame)
{
    uintptr_t at = (uintptr_t)frame;

    return at >= (uintptr_t)ram_start && at <= (uintptr_t)ram_end - FRAME_SIZE;
}

/* frame: r0-r3, r12, lr, pc, xpsr, stacked by the processor; saved: r4-r11. */
__attribute__((used)) void fault_entry(uint32_t *frame, const uint32_t *saved)
{
    static const char *const stacked[] = {"r0 ", "r1 ", "r2 ", "r3 ", "r12", "lr ", "pc ", "psr"};
    static const char *const kept[] = {"r4 ", "r5 ", "r6 ", "r7 ", "r8 ", "r9 ", "r10", "r11"};

    if (in_ram(frame) && is_semihosting(frame)) {
        semihost_refused();
        frame[0] = UINT32_MAX;
        frame[6] += 2;
        return;
    }

    panic_begin(fault_name(SCB_ICSR & 0xffu));
    for (unsigned i = 0; i < 8; i++) {
        if (in_ram(frame))
            panic_register(stacked[i], frame[i]);
        panic_register(kept[i], saved[i]);
        panic_end_line();
    }
    panic_register("sp  ", (uint32_t)(uintptr_t)frame);
    panic_register("cfsr", SCB_CFSR);
    panic_register("hfsr", SCB_HFSR);
    panic_register("mmfar", SCB_MMFAR);
    panic_register("bfar", SCB_BFAR);
    panic_end_line();
    panic_stop();
}

/* Passes the exception frame, on whichever stack it is, and the remaining registers. */
__attribute__((naked)) void fault_handler(void)
{
    __asm volatile("tst lr, #4\n"
                   "ite eq\n"
                   "mrseq r0, msp\n"
                   "mrsne r0, psp\n"
                   "push {r4-r11, lr}\n"
                   "mov r1, sp\n"
                   "sub sp, #4\n"
                   "bl fault_entry\n"
                   "add sp, #4\n"
                   "pop {r4-r11, pc}\n");
}

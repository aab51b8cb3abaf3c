/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Processor faults and software panics: print the state on the UART by polling, then reset the
 * board, halt it (panic=halt) or end the emulator with exit code 70 (panic=exit).
 */
#include "board_api.h"

#include <string.h>

#include "FreeRTOS.h"
#include "task.h"

#include "board.h"
#include "cortexm.h"
#include "mps2_private.h"
#include "semihost.h"

#define EXIT_PANIC 70u
#define FRAME_SIZE 32u /* eight stacked registers */

extern uint8_t ram_start[], ram_end[];

void fault_entry(uint32_t *frame, const uint32_t *saved);

static void put_hex(uint32_t value)
{
    char digits[9];

    for (int i = 0; i < 8; i++)
        digits[i] = "0123456789abcdef"[value >> (28 - 4 * i) & 15];
    digits[8] = '\0';
    uart_write_polled(digits);
}

static void put_decimal(uint32_t value)
{
    char digits[11];
    char *p = &digits[10];

    *p = '\0';
    do {
        *--p = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    uart_write_polled(p);
}

static void put_register(const char *name, uint32_t value)
{
    uart_write_polled("  ");
    uart_write_polled(name);
    uart_write_polled(" ");
    put_hex(value);
}

static void put_head(const char *reason)
{
    uart_write_polled("\r\npanic: ");
    uart_write_polled(reason);
    uart_write_polled("\r\npanic: task ");
    if (xTaskGetSchedulerState() == taskSCHEDULER_NOT_STARTED)
        uart_write_polled("(before the scheduler)");
    else
        uart_write_polled(pcTaskGetName(NULL));
    uart_write_polled("\r\n");
}

static _Noreturn void stop(void)
{
    const char *what = board_argument("panic");

    if (what && strcmp(what, "exit") == 0)
        semihost_exit(EXIT_PANIC);
    if (what && strcmp(what, "halt") == 0) {
        uart_write_polled("panic: halted\r\n");
        for (;;)
            wait_for_interrupt();
    }
    uart_write_polled("panic: resetting\r\n");
    board_reboot();
}

_Noreturn void board_reboot(void)
{
    __asm volatile("dsb" : : : "memory");
    SCB_AIRCR = SCB_AIRCR_SYSRESETREQ;
    __asm volatile("dsb" : : : "memory");
    for (;;)
        continue;
}

_Noreturn void board_panic(const char *reason, const char *detail, uint32_t value)
{
    (void)irq_save();
    put_head(reason);
    uart_write_polled("panic: ");
    uart_write_polled(detail);
    uart_write_polled(" ");
    put_decimal(value);
    put_register("caller", (uint32_t)(uintptr_t)__builtin_return_address(0));
    uart_write_polled("\r\n");
    stop();
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

    if (in_ram(frame) && semihost_was_refused(frame))
        return;

    (void)irq_save();
    put_head(fault_name(SCB_ICSR & 0xffu));
    for (unsigned i = 0; i < 8; i++) {
        if (in_ram(frame))
            put_register(stacked[i], frame[i]);
        put_register(kept[i], saved[i]);
        uart_write_polled("\r\n");
    }
    put_register("sp  ", (uint32_t)(uintptr_t)frame);
    put_register("cfsr", SCB_CFSR);
    put_register("hfsr", SCB_HFSR);
    put_register("mmfar", SCB_MMFAR);
    put_register("bfar", SCB_BFAR);
    uart_write_polled("\r\n");
    stop();
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

/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Prints the reason and state of a panic on the UART by polling, then resets the board, halts it
 * (panic=halt) or ends the emulator with exit code 70 (panic=exit).
 */
#include "panic.h"

#include <string.h>

#include "FreeRTOS.h"
#include "task.h"

#include "board_api.h"
#include "host.h"
#include "uart.h"

#define EXIT_PANIC 70u

void uart_write_polled(const char *text)
{
    for (; *text; text++) {
        while (uart_is_full())
            continue;
        uart_send((uint8_t)*text);
    }
}

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

void panic_register(const char *name, uint32_t value)
{
    uart_write_polled("  ");
    uart_write_polled(name);
    uart_write_polled(" ");
    put_hex(value);
}

void panic_end_line(void)
{
    uart_write_polled("\r\n");
}

void panic_begin(const char *reason)
{
    portDISABLE_INTERRUPTS();
    uart_write_polled("\r\npanic: ");
    uart_write_polled(reason);
    uart_write_polled("\r\npanic: task ");
    if (xTaskGetSchedulerState() == taskSCHEDULER_NOT_STARTED)
        uart_write_polled("(before the scheduler)");
    else
        uart_write_polled(pcTaskGetName(NULL));
    panic_end_line();
}

_Noreturn void panic_stop(void)
{
    const char *what = board_argument("panic");

    if (what && strcmp(what, "exit") == 0)
        host_exit(EXIT_PANIC);
    if (what && strcmp(what, "halt") == 0) {
        uart_write_polled("panic: halted\r\n");
        for (;;)
            board_idle();
    }
    uart_write_polled("panic: resetting\r\n");
    board_reboot();
}

_Noreturn void board_panic(const char *reason, const char *detail, uint32_t value)
{
    panic_begin(reason);
    uart_write_polled("panic: ");
    uart_write_polled(detail);
    uart_write_polled(" ");
    put_decimal(value);
    panic_register("caller", (uint32_t)(uintptr_t)__builtin_return_address(0));
    panic_end_line();
    panic_stop();
}

/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The serial port of the console.
 */
#include "uart.h"

#include "FreeRTOS.h"
#include "task.h"

#include "template.h"

/* 115,200 baud, 8 bits, the receive interrupt at BOARD_IRQ_PRIORITY. */
void uart_start(void)
{
    uart_listen(true);
}

/* While the interrupt is masked the sender should wait: use hardware flow control if available. */
void uart_listen(bool on)
{
    (void)on;
}

bool uart_is_full(void)
{
    return false;
}

void uart_send(uint8_t byte)
{
    (void)byte;
}

bool uart_has_byte(void)
{
    return false;
}

uint8_t uart_take(void)
{
    return 0;
}

/* Clear the interrupt first. */
void uart_isr(void)
{
    portYIELD_FROM_ISR(console_receive_from_isr());
}

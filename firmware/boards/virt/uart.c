/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * A UART like the 16550.
 */
#include "uart.h"

#include "FreeRTOS.h"
#include "task.h"

#include "virt.h"

#define REG8(offset) (*(volatile uint8_t *)(uintptr_t)(VIRT_UART_BASE + (offset)))

#define UART_DATA        REG8(0)
#define UART_INTERRUPTS  REG8(1)
#define UART_FIFO        REG8(2)
#define UART_LINE_CTRL   REG8(3)
#define UART_LINE_STATUS REG8(5)

#define INTERRUPT_RX   1u
#define FIFO_ON        1u
#define LINE_8_BITS    3u
#define STATUS_RX      0x01u
#define STATUS_TX_ROOM 0x20u

void uart_start(void)
{
    UART_LINE_CTRL = LINE_8_BITS;
    UART_FIFO = FIFO_ON;
    uart_listen(true);
    irq_enable(VIRT_IRQ_UART);
}

void uart_listen(bool on)
{
    UART_INTERRUPTS = on ? INTERRUPT_RX : 0;
}

bool uart_is_full(void)
{
    return !(UART_LINE_STATUS & STATUS_TX_ROOM);
}

void uart_send(uint8_t byte)
{
    UART_DATA = byte;
}

bool uart_has_byte(void)
{
    return UART_LINE_STATUS & STATUS_RX;
}

uint8_t uart_take(void)
{
    return UART_DATA;
}

void uart_isr(void)
{
    portYIELD_FROM_ISR(console_receive_from_isr());
}

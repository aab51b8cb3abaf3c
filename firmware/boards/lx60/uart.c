/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The serial port, a 16550 with its registers in words.
 */
#include "uart.h"

#include "FreeRTOS.h"
#include "task.h"

#include "lx60_private.h"

#define UART_DATA           REG32(LX60_UART_BASE + 0x00)
#define UART_INTERRUPTS     REG32(LX60_UART_BASE + 0x04)
#define UART_IDENTIFICATION REG32(LX60_UART_BASE + 0x08) /* read */
#define UART_FIFO           REG32(LX60_UART_BASE + 0x08) /* write */
#define UART_LINE_CONTROL   REG32(LX60_UART_BASE + 0x0c)
#define UART_MODEM_CONTROL  REG32(LX60_UART_BASE + 0x10)
#define UART_LINE_STATUS    REG32(LX60_UART_BASE + 0x14)

#define INTERRUPT_RECEIVED 1u
#define FIFO_ON            1u
#define LINE_8N1           3u
#define MODEM_READY        3u /* DTR, RTS */
#define STATUS_RECEIVED    0x01u
#define STATUS_CAN_SEND    0x20u

void uart_start(void)
{
    UART_LINE_CONTROL = LINE_8N1;
    UART_FIFO = FIFO_ON;
    UART_MODEM_CONTROL = MODEM_READY;
    uart_listen(true);
    interrupt_enable(LX60_IRQ_UART);
}

void uart_listen(bool on)
{
    UART_INTERRUPTS = on ? INTERRUPT_RECEIVED : 0;
}

bool uart_is_full(void)
{
    return !(UART_LINE_STATUS & STATUS_CAN_SEND);
}

void uart_send(uint8_t byte)
{
    UART_DATA = byte;
}

bool uart_has_byte(void)
{
    return UART_LINE_STATUS & STATUS_RECEIVED;
}

uint8_t uart_take(void)
{
    return (uint8_t)UART_DATA;
}

void uart_isr(void)
{
    (void)UART_IDENTIFICATION;
    portYIELD_FROM_ISR(console_receive_from_isr());
}

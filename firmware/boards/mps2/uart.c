/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * UART0, a CMSDK APB UART.
 */
#include "uart.h"

#include "FreeRTOS.h"
#include "task.h"

#include "board.h"
#include "cortexm.h"
#include "mps2_private.h"

#define UART_DATA    REG32(MPS2_UART0_BASE + 0x00u)
#define UART_STATE   REG32(MPS2_UART0_BASE + 0x04u)
#define UART_CTRL    REG32(MPS2_UART0_BASE + 0x08u)
#define UART_INTCLR  REG32(MPS2_UART0_BASE + 0x0cu)
#define UART_BAUDDIV REG32(MPS2_UART0_BASE + 0x10u)

#define STATE_TX_FULL 1u
#define STATE_RX_FULL 2u
#define CTRL_TX       1u
#define CTRL_RX       2u
#define CTRL_RX_IRQ   8u
#define INT_RX        2u

#define BAUD 115200u

void uart_start(void)
{
    UART_BAUDDIV = BOARD_CPU_HZ / BAUD;
    uart_listen(true);
    nvic_set_priority(MPS2_IRQ_UART0_RX, BOARD_IRQ_PRIORITY, BOARD_PRIO_BITS);
    nvic_enable(MPS2_IRQ_UART0_RX);
}

void uart_listen(bool on)
{
    UART_CTRL = CTRL_TX | CTRL_RX | (on ? CTRL_RX_IRQ : 0);
}

bool uart_is_full(void)
{
    return UART_STATE & STATE_TX_FULL;
}

void uart_send(uint8_t byte)
{
    UART_DATA = byte;
}

bool uart_has_byte(void)
{
    return UART_STATE & STATE_RX_FULL;
}

uint8_t uart_take(void)
{
    return (uint8_t)UART_DATA;
}

void uart_rx_isr(void)
{
    UART_INTCLR = INT_RX;
    portYIELD_FROM_ISR(console_receive_from_isr());
}

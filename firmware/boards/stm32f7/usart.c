/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * USART3, which the debugger exposes as a serial port.
 */
#include "uart.h"

#include "FreeRTOS.h"

#include "board.h"
#include "stm32f7.h"

#define USART(offset) REG32(0x40004800u + (offset))
#define USART_CR1     USART(0x00)
#define USART_CR3     USART(0x08)
#define USART_BRR     USART(0x0c)
#define USART_ISR     USART(0x1c)
#define USART_RDR     USART(0x24)
#define USART_TDR     USART(0x28)

#define CR1_ON           (1u << 3 | 1u << 2 | 1u << 0)
#define CR1_RX_INTERRUPT (1u << 5)
#define CR3_NO_OVERRUN   (1u << 12)
#define ISR_RX           (1u << 5)
#define ISR_TX_ROOM      (1u << 7)

#define BAUD      115200u
#define AF_USART3 7u
#define PIN_TX    8u
#define PIN_RX    9u

void uart_start(void)
{
    pin_use(PORT_D, PIN_TX, AF_USART3);
    pin_use(PORT_D, PIN_RX, AF_USART3);
    USART_BRR = (BOARD_APB1_HZ + BAUD / 2) / BAUD;
    USART_CR3 = CR3_NO_OVERRUN;
    uart_listen(true);
    nvic_set_priority(IRQ_USART3, BOARD_IRQ_PRIORITY, BOARD_PRIO_BITS);
    nvic_enable(IRQ_USART3);
}

void uart_listen(bool on)
{
    USART_CR1 = CR1_ON | (on ? CR1_RX_INTERRUPT : 0);
}

bool uart_is_full(void)
{
    return !(USART_ISR & ISR_TX_ROOM);
}

void uart_send(uint8_t byte)
{
    USART_TDR = byte;
}

bool uart_has_byte(void)
{
    return USART_ISR & ISR_RX;
}

uint8_t uart_take(void)
{
    return (uint8_t)USART_RDR;
}

void usart3_isr(void)
{
    portYIELD_FROM_ISR(console_receive_from_isr());
}

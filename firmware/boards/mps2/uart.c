/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Console on UART0 (CMSDK APB UART). Bytes are received by interrupt into a ring; when the ring is
 * full the interrupt is masked until the reader catches up, so that a long paste is slowed down
 * rather than cut. Ctrl-C is noticed on arrival and throws away what was typed before it.
 * Transmission polls: the console prints little and a panic must print the same way.
 */
#include "board_api.h"

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

#define BAUD   115200u
#define CTRL_C 0x03
#define RING   1024u /* a power of two */

static uint8_t ring[RING];
static volatile uint32_t ring_head, ring_tail; /* free-running; the reader owns the tail */
static volatile bool interrupted;
static TaskHandle_t listener;

void uart_start(void)
{
    UART_BAUDDIV = BOARD_CPU_HZ / BAUD;
    UART_CTRL = CTRL_TX | CTRL_RX | CTRL_RX_IRQ;
    nvic_set_priority(MPS2_IRQ_UART0_RX, BOARD_IRQ_PRIORITY, BOARD_PRIO_BITS);
    nvic_enable(MPS2_IRQ_UART0_RX);
}

static void receive(uint8_t byte)
{
    if (byte == CTRL_C) {
        interrupted = true;
        ring_head = ring_tail;
    }
    ring[ring_head % RING] = byte;
    ring_head++;
}

void uart_rx_isr(void)
{
    BaseType_t woken = pdFALSE;

    UART_INTCLR = INT_RX;
    while (UART_STATE & STATE_RX_FULL) {
        if (ring_head - ring_tail == RING) {
            UART_CTRL = CTRL_TX | CTRL_RX;
            break;
        }
        receive((uint8_t)UART_DATA);
    }
    if (listener)
        vTaskNotifyGiveFromISR(listener, &woken);
    portYIELD_FROM_ISR(woken);
}

int board_console_read(void)
{
    int byte = -1;
    uint32_t state = irq_save();

    if (ring_head != ring_tail) {
        byte = ring[ring_tail % RING];
        ring_tail++;
    }
    UART_CTRL = CTRL_TX | CTRL_RX | CTRL_RX_IRQ;
    if ((UART_STATE & STATE_RX_FULL) && ring_head - ring_tail < RING)
        receive((uint8_t)UART_DATA); /* came while masked: it raises no interrupt any more */
    irq_restore(state);
    return byte;
}

bool board_console_interrupted(void)
{
    return interrupted;
}

void board_console_clear_interrupt(void)
{
    interrupted = false;
}

void board_console_set_listener(void *task_handle)
{
    listener = task_handle;
}

void board_console_write(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        while (UART_STATE & STATE_TX_FULL) {
            if (xTaskGetSchedulerState() == taskSCHEDULER_RUNNING)
                vTaskDelay(1);
        }
        UART_DATA = (uint8_t)text[i];
    }
}

void uart_write_polled(const char *text)
{
    for (; *text; text++) {
        while (UART_STATE & STATE_TX_FULL)
            continue;
        UART_DATA = (uint8_t)*text;
    }
}

/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Console on UART0 (CMSDK APB UART). An interrupt receives bytes into a ring. If the ring is full
 * while a task is reading, the interrupt is masked until the reader catches up, so that a long
 * paste is slowed down rather than truncated. If it is full while no task is reading, it is emptied
 * and further bytes are dropped. Ctrl-C is always detected on arrival and discards the bytes before
 * it. Transmission polls: the console prints little, and a panic has to print the same way.
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
static bool hold;      /* when the ring is full, hold back the sender */
static bool dropping;  /* from a full ring until a task reads or Ctrl-C arrives */
static bool in_a_line; /* the last byte dropped did not end a line */
static uint32_t dropped;
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
        dropping = in_a_line = false;
    } else if (!hold && (dropping || ring_head - ring_tail == RING)) {
        dropping = true;
        dropped += ring_head - ring_tail + 1;
        ring_head = ring_tail;
        in_a_line = byte != '\r' && byte != '\n';
        return;
    }
    ring[ring_head % RING] = byte;
    ring_head++;
}

static bool is_full(void)
{
    return hold && ring_head - ring_tail == RING;
}

void uart_rx_isr(void)
{
    BaseType_t woken = pdFALSE;

    UART_INTCLR = INT_RX;
    while (UART_STATE & STATE_RX_FULL) {
        if (is_full()) {
            UART_CTRL = CTRL_TX | CTRL_RX;
            break;
        }
        receive((uint8_t)UART_DATA);
    }
    if (listener)
        vTaskNotifyGiveFromISR(listener, &woken);
    portYIELD_FROM_ISR(woken);
}

/* Called with interrupts masked. A byte received while the UART's interrupt was masked raises no
 * interrupt later, so fetch it here. */
static void resume(void)
{
    UART_CTRL = CTRL_TX | CTRL_RX | CTRL_RX_IRQ;
    if ((UART_STATE & STATE_RX_FULL) && !is_full())
        receive((uint8_t)UART_DATA);
}

int board_console_read(void)
{
    int byte = -1;
    uint32_t state = irq_save();

    if (ring_head != ring_tail) {
        byte = ring[ring_tail % RING];
        ring_tail++;
    }
    resume();
    irq_restore(state);
    return byte;
}

void board_console_hold_sender(bool on)
{
    uint32_t state = irq_save();

    hold = on;
    resume();
    irq_restore(state);
}

uint32_t board_console_dropped(bool *headless)
{
    uint32_t state = irq_save();
    uint32_t count = dropped;

    *headless = in_a_line;
    dropping = in_a_line = false;
    dropped = 0;
    irq_restore(state);
    return count;
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

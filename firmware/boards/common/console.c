/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The console on a serial port. An interrupt receives bytes into a ring. If the ring is full
 * while a task is reading, the interrupt is masked until the reader catches up, so that a long
 * paste is slowed down rather than truncated. If it is full while no task is reading, it is emptied
 * and further bytes are dropped. Ctrl-C is always detected on arrival and discards the bytes before
 * it. Transmission polls: the console prints little, and a panic has to print the same way.
 */
#include "board_api.h"

#include "FreeRTOS.h"
#include "task.h"

#include "uart.h"

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

long console_receive_from_isr(void)
{
    BaseType_t woken = pdFALSE;

    while (uart_has_byte()) {
        if (is_full()) {
            uart_listen(false);
            break;
        }
        receive(uart_take());
    }
    if (listener)
        vTaskNotifyGiveFromISR(listener, &woken);
    return woken;
}

/* Called with interrupts masked. A byte received while the UART's interrupt was masked raises no
 * interrupt later, so fetch it here. On other UARTs fetching it clears the interrupt, so the reader
 * would not be woken: call this before checking the ring. */
static void resume(void)
{
    uart_listen(true);
    if (uart_has_byte() && !is_full())
        receive(uart_take());
}

int board_console_read(void)
{
    int byte = -1;

    taskENTER_CRITICAL();
    resume();
    if (ring_head != ring_tail) {
        byte = ring[ring_tail % RING];
        ring_tail++;
    }
    taskEXIT_CRITICAL();
    return byte;
}

void board_console_hold_sender(bool on)
{
    taskENTER_CRITICAL();
    hold = on;
    resume();
    taskEXIT_CRITICAL();
}

uint32_t board_console_dropped(bool *headless)
{
    uint32_t count;

    taskENTER_CRITICAL();
    count = dropped;
    *headless = in_a_line;
    dropping = in_a_line = false;
    dropped = 0;
    taskEXIT_CRITICAL();
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
        while (uart_is_full())
            if (xTaskGetSchedulerState() == taskSCHEDULER_RUNNING)
                vTaskDelay(1);
        uart_send((uint8_t)text[i]);
    }
}

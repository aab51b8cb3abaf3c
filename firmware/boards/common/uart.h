/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The functions that a driver of a serial port supplies to console.c and panic.c, and the one that
 * its interrupt handler calls.
 */
#ifndef UART_H
#define UART_H

#include <stdbool.h>
#include <stdint.h>

/** Whether the transmitter is full. */
bool uart_is_full(void);
void uart_send(uint8_t byte);

/** Whether a received byte is available; that byte. */
bool uart_has_byte(void);
uint8_t uart_take(void);

/** Enables or masks the receive interrupt. */
void uart_listen(bool on);

/** Takes all received bytes; the interrupt handler passes the result to portYIELD_FROM_ISR(). */
long console_receive_from_isr(void);

/** Sends text by polling: for panics, with interrupts masked. */
void uart_write_polled(const char *text);

#endif

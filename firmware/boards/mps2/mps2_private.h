/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Internal interfaces between the files of this family.
 */
#ifndef MPS2_PRIVATE_H
#define MPS2_PRIVATE_H

#include <stdint.h>

void protect_memory(void);
void timer_start(void);
void uart_start(void);
void flash_start(void);

/** Sends text by polling, for panics. */
void uart_write_polled(const char *text);

/* Interrupt and fault entries of the vector table */
void uart_rx_isr(void);
void ethernet_isr(void);
void fault_handler(void);

#endif

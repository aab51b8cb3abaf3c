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
void sleep_start(void);
void uart_start(void);

/* Interrupt entries of the vector table */
void uart_rx_isr(void);
void ethernet_isr(void);
void timer1_isr(void);

#endif

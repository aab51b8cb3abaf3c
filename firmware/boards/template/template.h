/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Registers used by several files of this family, and shared declarations.
 */
#ifndef TEMPLATE_H
#define TEMPLATE_H

void uart_start(void);

/* Interrupt entries of the vector table */
void uart_isr(void);
void ethernet_isr(void);

#endif

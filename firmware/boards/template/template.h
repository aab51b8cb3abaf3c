/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Registers that several files use, and what the files of this family share.
 */
#ifndef TEMPLATE_H
#define TEMPLATE_H

void uart_start(void);

/* Interrupt entries of the vector table */
void uart_isr(void);
void ethernet_isr(void);

#endif

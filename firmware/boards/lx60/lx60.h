/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The Avnet LX60 board as emulated by QEMU without MMU: the memory map. Assembly includes this too.
 */
#ifndef LX60_H
#define LX60_H

#define LX60_RESET         0x7d020010
#define LX60_ETHERNET_BASE 0x7d030000
#define LX60_UART_BASE     0x7d050020

/* Lines of the core's interrupt controller, all of level 1 */
#define LX60_IRQ_UART     0
#define LX60_IRQ_ETHERNET 1
#define LX60_IRQ_TIMER    6 /* CCOMPARE0 */

/* Physical registers: an ESP32 has 64, this core 32. */
#define LX60_REGISTERS 32

#endif

/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * MPS2 with the AN505 image: Cortex-M33, all in the secure state, so everything is at its secure
 * address (application note AN505).
 */
#ifndef BOARD_H
#define BOARD_H

#define BOARD_NAME         "m33"
#define BOARD_DESCRIPTION  "MPS2 AN505, Cortex-M33"
#define BOARD_LAN9118_BASE 0x52000000u
#define BOARD_PSRAM_BASE   0x80000000u

#define BOARD_CPU_HZ      20000000u
#define MPS2_TIMER0_BASE  0x50000000u
#define MPS2_UART0_BASE   0x50200000u
#define MPS2_IRQ_UART0_RX 32u
#define MPS2_IRQ_ETHERNET 48u
#define MPS2_IRQ_COUNT    64u

#define MPS2_SECURE_ONLY 1

#include "../mps2.h"

#endif

/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * MPS2 with the AN385 image: Cortex-M3.
 */
#ifndef BOARD_H
#define BOARD_H

#define BOARD_NAME         "m3"
#define BOARD_DESCRIPTION  "MPS2 AN385, Cortex-M3"
#define BOARD_LAN9118_BASE 0x40200000u
#define BOARD_PSRAM_BASE   0x21000000u

#include "../mps2.h"

#endif

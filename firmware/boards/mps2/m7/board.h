/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * MPS2 with the AN500 image: Cortex-M7, standing in for an STM32F767.
 */
#ifndef BOARD_H
#define BOARD_H

#define BOARD_NAME         "m7"
#define BOARD_DESCRIPTION  "MPS2 AN500, Cortex-M7"
#define BOARD_LAN9118_BASE 0xa0000000u
#define BOARD_PSRAM_BASE   0x60000000u

#include "../mps2.h"

#endif

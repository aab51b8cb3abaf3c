/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * MPS2 with the AN386 image: Cortex-M4F.
 */
#ifndef BOARD_H
#define BOARD_H

#define BOARD_NAME         "m4"
#define BOARD_DESCRIPTION  "MPS2 AN386, Cortex-M4F"
#define BOARD_LAN9118_BASE 0x40200000u
#define BOARD_PSRAM_BASE   0x21000000u

#include "../mps2.h"

#endif

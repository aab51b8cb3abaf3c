/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * QEMU's LX60 board with a core like that of an ESP32.
 */
#ifndef BOARD_H
#define BOARD_H

#define BOARD_NAME        "lx6"
#define BOARD_DESCRIPTION "LX60, Xtensa LX6 with register windows"

#define BOARD_CPU_HZ      40000000u /* of CCOUNT, whatever the emulated core executes */
#define BOARD_CLOCK_HZ    40000000u /* of the device clock */
#define BOARD_SHELL_STACK 6144u     /* bytes */

#define BOARD_CFI_BASE      0x78000000u
#define BOARD_CFI_WORD      uint16_t
#define BOARD_CFI_FIRST     0u
#define BOARD_FLASH_SECTOR  0x10000u
#define BOARD_STORE_SECTORS 2u
#define BOARD_CONF_SECTORS  2u

#endif

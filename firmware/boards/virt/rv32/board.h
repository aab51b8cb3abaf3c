/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * QEMU's RISC-V machine "virt" with one 32-bit core.
 */
#ifndef BOARD_H
#define BOARD_H

#define BOARD_NAME        "rv32"
#define BOARD_DESCRIPTION "QEMU virt, RV32IMC"

#define BOARD_CLOCK_HZ    10000000u /* of mtime, the device clock and tick timer */
#define BOARD_SHELL_STACK 4096u     /* bytes */

/* Two chips of 16 bits side by side. The machine starts in the first sector. */
#define BOARD_CFI_BASE      0x20000000u
#define BOARD_CFI_WORD      uint32_t
#define BOARD_CFI_FIRST     1u
#define BOARD_FLASH_SECTOR  0x40000u
#define BOARD_STORE_SECTORS 2u
#define BOARD_CONF_SECTORS  2u

#endif

/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The numbers of the board. The first six are for the application, the others for this family only.
 */
#ifndef BOARD_H
#define BOARD_H

#define BOARD_NAME        "blank"
#define BOARD_DESCRIPTION "Skeleton for a new board"

#define BOARD_CLOCK_HZ     1000000u /* of the device clock; at least 1 MHz is best */
#define BOARD_FLASH_SECTOR 4096u    /* the smallest erasable unit */
#define BOARD_SHELL_STACK  4096u    /* bytes; `tasks` shows the use */

/* Sectors per partition: at least two, and enough for two configurations of 4,156 bytes. */
#define BOARD_STORE_SECTORS 2u
#define BOARD_CONF_SECTORS  4u

#define BOARD_CPU_HZ       100000000u
#define BOARD_PRIO_BITS    4u
#define BOARD_IRQ_PRIORITY 12u /* of peripherals: below what FreeRTOS masks, above the kernel */

#endif

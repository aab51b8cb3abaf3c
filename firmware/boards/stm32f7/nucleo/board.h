/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * ST's board NUCLEO-F767ZI (STM32F767ZI, PHY LAN8742A). Written from the reference manual RM0410
 * and the board's manual UM1974; it compiles, but has never been run.
 */
#ifndef BOARD_H
#define BOARD_H

#define BOARD_NAME        "nucleo"
#define BOARD_DESCRIPTION "NUCLEO-F767ZI, Cortex-M7"

#define BOARD_CPU_HZ       216000000u
#define BOARD_APB1_HZ      54000000u /* its timers run at twice that */
#define BOARD_CLOCK_HZ     1000000u  /* of the device clock */
#define BOARD_PRIO_BITS    4u
#define BOARD_IRQ_PRIORITY 12u /* of peripherals: below what FreeRTOS masks, above the kernel */

/* Sectors 7 to 11; the firmware uses the ones before. */
#define BOARD_FLASH_SECTOR  0x40000u
#define BOARD_STORE_SECTORS 2u
#define BOARD_CONF_SECTORS  2u
#define BOARD_SHELL_STACK   4096u /* bytes */

#endif

/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Shared by all boards of the family: clock, peripheral addresses, interrupt lines. The numbers are
 * from ARM's application notes AN385, AN386 and AN500.
 */
#ifndef MPS2_H
#define MPS2_H

#ifndef BOARD_CPU_HZ
#define BOARD_CPU_HZ 25000000u /* of SysTick, whatever the emulated core executes */
#endif
#define BOARD_CLOCK_HZ  BOARD_CPU_HZ /* of the device clock */
#define BOARD_PRIO_BITS 3u
#define BOARD_IRQ_PRIORITY                                                                         \
    6u /* of peripherals: may call FreeRTOS, but preempt the kernel's own                          \
        */

#define BOARD_FLASH_SECTOR  4096u
#define BOARD_STORE_SECTORS 4u
#define BOARD_CONF_SECTORS  4u
#define BOARD_SHELL_STACK   4096u /* bytes */

#ifndef MPS2_UART0_BASE
#define MPS2_TIMER0_BASE 0x40000000u
#define MPS2_TIMER1_BASE 0x40001000u
#define MPS2_UART0_BASE  0x40004000u

#define MPS2_IRQ_UART0_RX 0u
#define MPS2_IRQ_TIMER1   9u
#define MPS2_IRQ_ETHERNET 13u
#define MPS2_IRQ_COUNT    32u
#endif

#endif

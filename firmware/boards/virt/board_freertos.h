/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * FreeRTOS on this family: the tick comes from the CLINT.
 */
#ifndef BOARD_FREERTOS_H
#define BOARD_FREERTOS_H

#define configCPU_CLOCK_HZ                      BOARD_CLOCK_HZ
#define configMTIME_BASE_ADDRESS                0x0200bff8u
#define configMTIMECMP_BASE_ADDRESS             0x02004000u
#define configUSE_PORT_OPTIMISED_TASK_SELECTION 1

#define configMINIMAL_STACK_SIZE 160         /* words: the idle task */
#define configTOTAL_HEAP_SIZE    (32 * 1024) /* tcpip's stack and lwIP's queues */

#endif

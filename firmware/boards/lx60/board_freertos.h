/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * FreeRTOS on this board.
 */
#ifndef BOARD_FREERTOS_H
#define BOARD_FREERTOS_H

#define configCPU_CLOCK_HZ                      BOARD_CPU_HZ
#define configUSE_PORT_OPTIMISED_TASK_SELECTION 1

#define configMINIMAL_STACK_SIZE 192         /* words: the idle task */
#define configTOTAL_HEAP_SIZE    (32 * 1024) /* tcpip's stack and lwIP's queues */

#endif

/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * FreeRTOS on this family: parameters of its port, and sizes. Interrupt priorities are values of
 * the priority registers, so shifted to the implemented bits.
 */
#ifndef BOARD_FREERTOS_H
#define BOARD_FREERTOS_H

#define configCPU_CLOCK_HZ                      BOARD_CPU_HZ
#define configUSE_PORT_OPTIMISED_TASK_SELECTION 1
#define configPRIO_BITS                         BOARD_PRIO_BITS
#define configKERNEL_INTERRUPT_PRIORITY         (15 << (8 - BOARD_PRIO_BITS))
#define configMAX_SYSCALL_INTERRUPT_PRIORITY    (10 << (8 - BOARD_PRIO_BITS))
#define vPortSVCHandler                         svc_handler
#define xPortPendSVHandler                      pendsv_handler
#define xPortSysTickHandler                     systick_handler

#define configMINIMAL_STACK_SIZE 128         /* words: the idle task */
#define configTOTAL_HEAP_SIZE    (24 * 1024) /* tcpip's stack and lwIP's queues */

#endif

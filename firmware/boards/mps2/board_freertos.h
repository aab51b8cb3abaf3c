/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * FreeRTOS on this family. Interrupt priorities are values of the priority registers, so shifted to
 * the implemented bits.
 */
#ifndef BOARD_FREERTOS_H
#define BOARD_FREERTOS_H

#define configCPU_CLOCK_HZ                      BOARD_CPU_HZ
#define configUSE_PORT_OPTIMISED_TASK_SELECTION 1
#define configPRIO_BITS                         BOARD_PRIO_BITS
#define configKERNEL_INTERRUPT_PRIORITY         (7 << (8 - BOARD_PRIO_BITS))
#define configMAX_SYSCALL_INTERRUPT_PRIORITY    (5 << (8 - BOARD_PRIO_BITS))
#ifdef MPS2_SECURE_ONLY /* the names of ARMv8-M's port */
#define configRUN_FREERTOS_SECURE_ONLY 1
#define configENABLE_TRUSTZONE         0
#define configENABLE_FPU               0
#define configENABLE_MPU               0 /* protection is the same for all tasks (protect_v8m.c) */
#define SVC_Handler                    svc_handler
#define PendSV_Handler                 pendsv_handler
#define SysTick_Handler                systick_handler
#endif
#define vPortSVCHandler     svc_handler
#define xPortPendSVHandler  pendsv_handler
#define xPortSysTickHandler systick_handler

#ifdef MPS2_TIMER1_BASE
/* sleep.c sleeps until the next deadline, with a timer of up to 171 s. */
#define configUSE_TICKLESS_IDLE             2
#define portSUPPRESS_TICKS_AND_SLEEP(ticks) sleep_for(ticks)
#ifndef __ASSEMBLER__
void sleep_for(uint32_t ticks);
#endif
#endif

#define configMINIMAL_STACK_SIZE 128         /* words: the idle task */
#define configTOTAL_HEAP_SIZE    (26 * 1024) /* tcpip's stack and lwIP's queues take 7 KB */

#endif

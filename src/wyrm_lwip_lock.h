/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Records which FreeRTOS task holds lwIP's core lock. Include it in lwipopts.h where FreeRTOS
 * cannot tell: with INCLUDE_xSemaphoreGetMutexHolder 0 and CMSIS-RTOS version 1, as in ST's
 * projects, or with LWIP_COMPAT_MUTEX 1. Works with plain and recursive mutexes. All code that
 * takes the lock must be compiled with these macros, lwIP included.
 */
#ifndef WYRM_LWIP_LOCK_H
#define WYRM_LWIP_LOCK_H

#ifdef __cplusplus
extern "C" {
#endif

/* port/freertos/wyrm_freertos.c */
void wyrm_freertos_lwip_lock(void);
void wyrm_freertos_lwip_unlock(void);

#define WYRM_LWIP_LOCK_RECORDED 1
#define LOCK_TCPIP_CORE()       wyrm_freertos_lwip_lock()
#define UNLOCK_TCPIP_CORE()     wyrm_freertos_lwip_unlock()

#ifdef __cplusplus
}
#endif

#endif /* WYRM_LWIP_LOCK_H */

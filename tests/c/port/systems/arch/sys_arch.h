/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 */
#ifndef ARCH_SYS_ARCH_H
#define ARCH_SYS_ARCH_H

#include "kernel.h"

#if defined(SYSTEM_CMSIS1) || defined(SYSTEM_CMSIS2)
#include "cmsis_os.h"
typedef osMutexId_t sys_mutex_t;
#define sys_mutex_valid(mutex) (*(mutex) != NULL)
#define SYSTEM_MUTEX(mutex)    ((struct kernel_mutex *)*(mutex))
#elif defined(SYSTEM_IDF)
typedef struct kernel_mutex *sys_mutex_t;
#define sys_mutex_valid(mutex) (*(mutex) != NULL)
#define SYSTEM_MUTEX(mutex)    (*(mutex))
#else
struct sys_mutex {
    void *mut;
};
typedef struct sys_mutex sys_mutex_t;
#define sys_mutex_valid(mutex) ((mutex)->mut != NULL)
#define SYSTEM_MUTEX(mutex)    ((struct kernel_mutex *)(mutex)->mut)
#endif

typedef int sys_sem_t, sys_mbox_t, sys_thread_t;

#endif

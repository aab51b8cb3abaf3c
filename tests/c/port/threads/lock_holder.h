/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The holder of lwIP's core lock on POSIX threads. lwIP's port for POSIX has no query for it, so
 * the linker wraps the calls that lock and unlock (--wrap).
 */
#ifndef LOCK_HOLDER_H
#define LOCK_HOLDER_H

#include <pthread.h>

void __real_sys_lock_tcpip_core(void);
void __wrap_sys_lock_tcpip_core(void);
void __real_sys_unlock_tcpip_core(void);
void __wrap_sys_unlock_tcpip_core(void);

static _Atomic(pthread_t) holder; /* 0: nobody, as Linux has no such thread */

void __wrap_sys_lock_tcpip_core(void)
{
    __real_sys_lock_tcpip_core();
    holder = pthread_self();
}

void __wrap_sys_unlock_tcpip_core(void)
{
    holder = 0;
    __real_sys_unlock_tcpip_core();
}

#endif /* LOCK_HOLDER_H */

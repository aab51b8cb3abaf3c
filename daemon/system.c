/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * What every part needs of the system: a line said, the time, a descriptor watched.
 */
#include "wyrmd.h"

#include <stdarg.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <time.h>

void wyrmd_log(const struct wyrmd *d, const char *format, ...)
{
    va_list args;

    fprintf(stderr, "wyrmd: %s: ", d->name);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

wyrm_ms wyrmd_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_BOOTTIME, &t); /* goes on while the machine sleeps: sessions age */
    return (wyrm_ms)t.tv_sec * 1000 + (wyrm_ms)t.tv_nsec / 1000000;
}

bool wyrmd_watch(struct wyrmd *d, int fd)
{
    struct epoll_event event = {.events = EPOLLIN, .data = {.fd = fd}};

    return epoll_ctl(d->epoll, EPOLL_CTL_ADD, fd, &event) == 0;
}

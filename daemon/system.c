/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 */
#include "system.h"

#include <net/if.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <time.h>

static char prefix[IFNAMSIZ];
static bool verbose;

void wyrmd_log_open(const char *interface, bool also_verbose)
{
    snprintf(prefix, sizeof(prefix), "%s", interface);
    verbose = also_verbose;
}

static void print(const char *format, va_list args)
{
    fprintf(stderr, "wyrmd: %s: ", prefix);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
}

void wyrmd_log(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    print(format, args);
    va_end(args);
}

void wyrmd_log_verbose(const char *format, ...)
{
    va_list args;

    if (!verbose)
        return;
    va_start(args, format);
    print(format, args);
    va_end(args);
}

wyrm_ms wyrmd_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_BOOTTIME, &t);
    return (wyrm_ms)t.tv_sec * 1000 + (wyrm_ms)t.tv_nsec / 1000000;
}

bool wyrmd_watch(int epoll, int fd)
{
    struct epoll_event event = {.events = EPOLLIN, .data = {.fd = fd}};

    return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0;
}

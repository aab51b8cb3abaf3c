/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * What a board would bring to ESPHome's program on this machine: an lwIP with its own thread on a
 * TAP, random bytes, the time; and two UDP services of the application, as a sensor has them.
 *
 *   PRECONFIGURED_TAPIF   the TAP                       (read by lwIP's tapif)
 *   BOARD_ADDRESS         of the board, /24; its gateway and name server is BOARD_GATEWAY
 *   BOARD_REPORTS_TO      an address that gets a datagram to port 9 every second
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "wyrm_tunnel_platform.h"

#include "lwip/dns.h"
#include "lwip/tcpip.h"
#include "lwip/timeouts.h"
#include "lwip/udp.h"
#include "netif/tapif.h"

#include "../../support/udp_services.h"

/* ---- The lock -------------------------------------------------------------------- */

#include "../../../c/port/threads/lock_holder.h"

bool program_holds_lwip(void)
{
    return holder == pthread_self();
}

/* For ESPHome's LwIPLock, see lwip_lock.h. */
void board_lock(void);
void board_unlock(void);

void board_lock(void)
{
    LOCK_TCPIP_CORE();
}

void board_unlock(void)
{
    UNLOCK_TCPIP_CORE();
}

/* ---- Platform ---------------------------------------------------------------------- */

static bool draw(void *ctx, void *out, size_t len)
{
    (void)ctx;
    return getrandom(out, len, 0) == (ssize_t)len;
}

/* The clock of this machine, made strictly increasing; called by the worker only. */
static bool stamp(void *ctx, uint8_t out[12])
{
    static uint64_t last;
    struct timespec now;

    (void)ctx;
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t label = (uint64_t)now.tv_sec << 30 | (uint64_t)now.tv_nsec;

    last = label > last ? label : last + 1;
    uint64_t seconds = (UINT64_C(1) << 62) + 10 + (last >> 30);
    for (int i = 0; i < 8; i++)
        out[i] = (uint8_t)(seconds >> (56 - 8 * i));
    for (int i = 0; i < 4; i++)
        out[8 + i] = (uint8_t)((last & 0x3fffffff) >> (24 - 8 * i));
    return true;
}

const struct wyrm_platform *wyrm_tunnel_platform(void)
{
    static const struct wyrm_platform platform = {.random = draw, .tai64n = stamp};

    return &platform;
}

/* ---- Start --------------------------------------------------------------------------- */

static void on_start(void *started)
{
    static struct netif netif;
    ip_addr_t address = address_from("BOARD_ADDRESS"), gateway = address_from("BOARD_GATEWAY");
    ip4_addr_t mask;

    IP4_ADDR(&mask, 255, 255, 255, 0);
    netif_add(&netif, &address, &mask, &gateway, NULL, tapif_init, tcpip_input);
    netif_set_default(&netif);
    netif_set_up(&netif);
    dns_setserver(0, &gateway);
    services_start();
    sys_sem_signal(started);
}

/* Before ESPHome's main(). */
__attribute__((constructor)) static void start(void)
{
    sys_sem_t started;

    setvbuf(stdout, NULL, _IOLBF, 0);
    if (sys_sem_new(&started, 0) != ERR_OK)
        exit(2);
    tcpip_init(on_start, &started);
    sys_arch_sem_wait(&started, 0);
    sys_sem_free(&started);
}

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Two UDP services of an application on lwIP, as a sensor has them: an echo on port 7, and a
 * datagram to port 9 of an address every second. Included once by a program of the tests.
 */
#ifndef UDP_SERVICES_H
#define UDP_SERVICES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lwip/timeouts.h"
#include "lwip/udp.h"

enum { ECHO_PORT = 7, REPORT_PORT = 9, REPORT_MS = 1000 };

static struct udp_pcb *services_pcb;

static void services_echo(void *arg, struct udp_pcb *from, struct pbuf *p, const ip_addr_t *addr,
                          u16_t port)
{
    (void)arg;
    (void)udp_sendto(from, p, addr, port);
    pbuf_free(p);
}

static void services_report(void *address)
{
    struct pbuf *p = pbuf_alloc(PBUF_TRANSPORT, 32, PBUF_RAM);

    if (p != NULL) {
        memset(p->payload, 0, p->len);
        (void)udp_sendto(services_pcb, p, address, REPORT_PORT);
        pbuf_free(p);
    }
    sys_timeout(REPORT_MS, services_report, address);
}

/* The address in an environment variable; ends the program with a sentence if there is none. */
static ip_addr_t address_from(const char *variable)
{
    const char *text = getenv(variable);
    ip_addr_t address;

    if (text == NULL || !ipaddr_aton(text, &address)) {
        fprintf(stderr, "%s must be an address\n", variable);
        exit(2);
    }
    return address;
}

/* Under lwIP's lock, with the network up. Reports go to the address in BOARD_REPORTS_TO. */
static void services_start(void)
{
    static ip_addr_t reports_to;

    services_pcb = udp_new();
    (void)udp_bind(services_pcb, IP_ADDR_ANY, ECHO_PORT);
    udp_recv(services_pcb, services_echo, NULL);
    reports_to = address_from("BOARD_REPORTS_TO");
    services_report(&reports_to);
}

#endif

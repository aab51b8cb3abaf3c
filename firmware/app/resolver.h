/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Lookups of tunnel endpoints. They ask the name servers of the local network, always through the
 * Ethernet interface: a query for the address of a tunnel's peer cannot go through that tunnel,
 * whatever its prefixes and name servers are. Core lock held.
 */
#ifndef RESOLVER_H
#define RESOLVER_H

#include <stdbool.h>
#include <stdint.h>

#include "lwip/ip_addr.h"

struct udp_pcb;

#define RESOLVER_MESSAGE_MAX 512 /* RFC 1035 section 4.2.1 */

/** `address` is NULL if the name has none or no server answered. */
typedef void (*resolver_done)(const ip_addr_t *address, void *arg);

/** A lookup; zero when idle. Members are private. */
struct resolver {
    struct udp_pcb *pcb; /* NULL: idle */
    resolver_done done;
    void *arg;
    ip_addr_t server;
    uint16_t question_len;
    uint16_t id, type;
    uint8_t tries;
    uint8_t question[256 + 4]; /* question section: name, type and class as sent */
};

/** Looks up an IPv4 address, then an IPv6 one. Returns false, without calling `done`, if the name
 * is invalid, there is no name server or memory is short. */
bool resolver_ask(struct resolver *r, const char *name, resolver_done done, void *arg);

/** Ends a lookup; `done` is not called. */
void resolver_cancel(struct resolver *r);

static inline bool resolver_is_busy(const struct resolver *r)
{
    return r->pcb != NULL;
}

#endif

/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Lookups of tunnel endpoints. They ask the name servers of the network, by its interface alone:
 * the tunnel cannot carry the question where its own peer lives, whatever its prefixes and name
 * servers are. Core lock held.
 */
#ifndef RESOLVER_H
#define RESOLVER_H

#include <stdbool.h>
#include <stdint.h>

#include "lwip/ip_addr.h"

struct udp_pcb;

#define RESOLVER_MESSAGE_MAX 512 /* RFC 1035 section 4.2.1 */

/** `address` NULL: there is none, or nobody answered. */
typedef void (*resolver_done)(const ip_addr_t *address, void *arg);

/** A lookup; zero when idle. Members are private. */
struct resolver {
    struct udp_pcb *pcb; /* NULL: idle */
    resolver_done done;
    void *arg;
    ip_addr_t server;
    uint16_t question_len; /* of the question section */
    uint16_t id, type;
    uint8_t tries;
    uint8_t question[256 + 4]; /* name, type and class as they are sent */
};

/** Asks for an IPv4 address, then for an IPv6 one. False: not a name, no name server or no memory;
 * `done` is then not called. */
bool resolver_ask(struct resolver *r, const char *name, resolver_done done, void *arg);

/** Ends a lookup; `done` is not called. */
void resolver_cancel(struct resolver *r);

static inline bool resolver_is_busy(const struct resolver *r)
{
    return r->pcb != NULL;
}

#endif

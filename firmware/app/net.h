/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The Ethernet interface, its addresses and name servers, and helpers for lwIP's raw API.
 */
#ifndef NET_H
#define NET_H

#include <stdbool.h>
#include <stdint.h>

#include "lwip/err.h"
#include "lwip/ip_addr.h"

struct netif;
struct wyrm_endpoint;

/** Starts lwIP and adds the Ethernet interface, which stays down. Call once, with the scheduler
 * running. With a tunnel, call guard_install() before net_start(). */
void net_init(void);

/**
 * Sets the interface up with the addresses of the start-up arguments (ip=ADDRESS/BITS gw=ADDRESS
 * ip6=ADDRESS/BITS dns=ADDRESS dhcp autoconf) or the default ones. Returns when it is up (with
 * dhcp: when it has an address, or after 10 s). For an invalid argument it prints an error and uses
 * the default.
 */
void net_start(void);

/** The Ethernet interface; never NULL. */
struct netif *net_interface(void);

/** Writes the current addresses, such as "10.9.0.2/24 fd09::2/64". */
void net_describe(char *out, size_t cap);

/**
 * Parses a numeric address, or resolves a name and waits for the answer (Ctrl-C cancels). Console's
 * owner only. On failure prints an error and returns false.
 */
bool net_resolve(const char *host, ip_addr_t *out);

/** Gets the n-th name server of the network, from DHCP or 'ip dns'; n wraps around after the last.
 * False: there is none. Core lock held. */
bool net_lan_dns(unsigned n, ip_addr_t *out);

/** Replaces the name servers of the network by these; a count of 0 restores them. Core lock held.
 */
void net_use_dns(const ip_addr_t *servers, unsigned count);

/** Empties the ARP table and drops the packets queued in it. Core lock held. */
void net_forget_neighbors(void);

/** Converts an lwIP address and a port to an endpoint. */
void net_to_endpoint(const ip_addr_t *address, uint16_t port, struct wyrm_endpoint *out);

/** Converts bytes in network order to an lwIP address; false for an unknown family. */
bool net_address_of(uint8_t family, const uint8_t *bytes, ip_addr_t *out);

/** Describes an lwIP error in a few words. */
const char *net_error(err_t error);

/** True when the calling task holds lwIP's core lock. */
bool net_lock_held(void);

/** 32 random bits: cryptographic where the board has entropy. Core lock held. */
uint32_t net_random(void);

#endif

/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The network interface and what the commands need around lwIP's raw API.
 */
#ifndef NET_H
#define NET_H

#include <stdbool.h>
#include <stdint.h>

#include "lwip/err.h"
#include "lwip/ip_addr.h"

struct netif;
struct wyrm_endpoint;

/** Starts lwIP and adds the Ethernet interface, which stays down. Once, scheduler running. With a
 * tunnel, call guard_install() before net_start(). */
void net_init(void);

/**
 * Sets the interface up with the addresses of the start-up arguments (ip=ADDRESS/BITS gw=ADDRESS
 * ip6=ADDRESS/BITS dns=ADDRESS dhcp autoconf) or the default ones. Returns when it is up (with
 * dhcp: when it has an address, or after 10 s). A mistake in an argument is printed and the default
 * used.
 */
void net_start(void);

/** The Ethernet interface; never NULL. */
struct netif *net_interface(void);

/** "10.9.0.2/24 fd09::2/64": the addresses in force. */
void net_describe(char *out, size_t cap);

/**
 * Turns a numeric address or a name into an address; a name asks the name server and waits for it
 * (console's owner only, Ctrl-C stops). Prints its own error and returns false.
 */
bool net_resolve(const char *host, ip_addr_t *out);

/** The n-th name server of the network, told by DHCP or by 'ip dns'; counts on from the first after
 * the last. False: there is none. Core lock held. */
bool net_lan_dns(unsigned n, ip_addr_t *out);

/** Name servers that replace those of the network until this is called with none. Core lock held.
 */
void net_use_dns(const ip_addr_t *servers, unsigned count);

/** Forgets all neighbors of IPv4, and the packets that wait for them. Core lock held. */
void net_forget_neighbors(void);

/** An address of lwIP as that of a peer. */
void net_to_endpoint(const ip_addr_t *address, uint16_t port, struct wyrm_endpoint *out);

/** Bytes in network order as an address of lwIP; false for an unknown family. */
bool net_address_of(uint8_t family, const uint8_t *bytes, ip_addr_t *out);

/** An error of lwIP in words. */
const char *net_error(err_t error);

/** True when the calling task holds lwIP's core lock. */
bool net_lock_held(void);

/** 32 random bits: cryptographic where the board has entropy. Core lock held. */
uint32_t net_random(void);

#endif

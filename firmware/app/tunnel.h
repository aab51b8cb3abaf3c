/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Controls the board's one tunnel: starting and stopping it, its worker, its timestamps in flash
 * and its entropy. Uses deep_sleep, names, resolver, guard, neighbors and net; none of them
 * includes this header.
 */
#ifndef TUNNEL_H
#define TUNNEL_H

#include <stdbool.h>

#include "wyrm_text.h"

#include "tunnel_device.h"

/** Reads the timestamp mark and the retained RAM. Called once, after net_start(), by the console's
 * owner. */
void tunnel_init(void);

/**
 * Refuses traffic for the AllowedIPs of a configuration until tunnel_up() succeeds or
 * tunnel_forget() is called. NULL stands for a configuration that cannot be read: nearly all
 * traffic is refused (guard.h). Call after net_init().
 */
void tunnel_await(const struct wyrm_conf *conf, bool strict);

/**
 * Starts or restarts the tunnel with a parsed configuration. `key` is its private key or NULL;
 * `strict`: see tunnel_set_strict(). Resolves endpoint names in the background. Copies everything.
 * On failure prints an error and returns false; the tunnel is then down and its traffic refused.
 */
bool tunnel_up(const struct wyrm_conf *conf, const uint8_t key[WYRM_KEY_LEN], bool strict);

/**
 * Under the strict policy AllowedIPs win over attached networks of any size: traffic for them never
 * leaves by Ethernet, except the tunnel's own datagrams, DHCP, neighbor discovery and lookups of
 * endpoint names.
 */
void tunnel_set_strict(bool on);
bool tunnel_is_strict(void);

/** Wipes keys and sessions. The tunnel's traffic is refused until tunnel_forget(). */
void tunnel_down(void);

/** Also removes the interface and the worker. All traffic is routed as usual again, including any
 * that tunnel_await() was refusing. */
void tunnel_forget(void);

/** Call after another module has changed the peers. Core lock held. */
void tunnel_peers_changed(void);

/** Prints what the tunnel dropped, held and copied, for the stats command. */
void tunnel_show_stats(void);

/** Fills a key with random bytes. Prints an error and returns false if the board has no entropy. */
bool tunnel_random_key(uint8_t out[WYRM_KEY_LEN]);

#endif

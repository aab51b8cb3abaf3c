/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Controls the board's one tunnel: start and stop, its worker, its timestamps in flash, its
 * entropy. Uses names, resolver, guard, neighbors and net, none of which includes this header.
 */
#ifndef TUNNEL_H
#define TUNNEL_H

#include <stdbool.h>

#include "wyrm_text.h"

#include "tunnel_device.h"

/** Reads the timestamp mark. Once, after net_start(), console's owner. */
void tunnel_init(void);

/**
 * Refuses traffic for the AllowedIPs of a configuration until tunnel_up() succeeds or
 * tunnel_forget() is called. With NULL, for a configuration that cannot be read, refuses nearly
 * everything (guard.h). After net_init().
 */
void tunnel_await(const struct wyrm_conf *conf, bool strict);

/**
 * Starts or restarts the tunnel with a parsed configuration. `key` is its private key or NULL;
 * `strict`: see tunnel_set_strict(). Looks up endpoints that are names in the background. Copies
 * everything. Prints its own error and returns false; the tunnel is then down and its traffic
 * refused.
 */
bool tunnel_up(const struct wyrm_conf *conf, const uint8_t key[WYRM_KEY_LEN], bool strict);

/**
 * Under the strict policy AllowedIPs win over attached networks of any size: traffic for them never
 * leaves by Ethernet, except the tunnel's own datagrams, DHCP, neighbor discovery and lookups of
 * endpoint names.
 */
void tunnel_set_strict(bool on);
bool tunnel_is_strict(void);

/** Wipes keys and sessions. What is meant for the tunnel is refused until tunnel_forget(). */
void tunnel_down(void);

/** Takes interface and worker away as well: the traffic goes by ordinary routing again, whatever
 * was on hold. */
void tunnel_forget(void);

/** After a change of peers that went past this module. Core lock held. */
void tunnel_peers_changed(void);

/** Prints what the tunnel dropped, held and copied, for the stats command. */
void tunnel_show_stats(void);

/** Fills a key with entropy; prints its own error and returns false when the board has none. */
bool tunnel_random_key(uint8_t out[WYRM_KEY_LEN]);

#endif

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * A tunnel on a device that runs FreeRTOS and lwIP already, from a wg-quick file. Copy this folder
 * and replace what is called my_...
 */
#ifndef TUNNEL_H
#define TUNNEL_H

#include <wyrm_lwip.h>
#include <wyrm_store.h>
#include <wyrm_text.h>

#define TUNNEL_PEERS  3
#define TUNNEL_ROUTES 8 /* allowed prefixes of all peers together */
#define TUNNEL_HELD   4 /* packets that wait for handshakes, of all peers together */

/* Starts the tunnel; from any task but the TCP/IP task, once lwIP runs. The text must stay where it
 * is. False: it does not run, `error` has one sentence, and tunnel_start may be called again. After
 * a failure inside lwIP or the core the interface may be there and refuse all packets, so that none
 * leaves in the clear; tunnel_stop takes it away. */
bool tunnel_start(const char *wg_quick_file, char error[WYRM_CONF_ERROR_MAX]);
/* Ends it and wipes its keys. From now on packets for its peers leave the device in the clear, by
 * lwIP's other interfaces: wyrm_lwip_stop instead of wyrm_lwip_remove would go on refusing them.
 * Same tasks as above. */
void tunnel_stop(void);

/* names.c, all under lwIP's lock: endpoints that are names. */
void names_start(struct wyrm_lwip *lwip, const struct wyrm_conf *conf);
void names_stop(void);

/* flash.c and random.c: what the platform lends. */
extern const struct wyrm_store_io my_flash;
bool my_random(void *ctx, void *out, size_t len);

/* Yours: prints or logs one line; called under lwIP's lock too, so it must not wait. */
void my_log(const char *sentence);

#endif

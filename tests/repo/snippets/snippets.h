/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * What the C fragments of the documents take for granted: add here what yours does.
 */
#ifndef SNIPPETS_H
#define SNIPPETS_H

#include <wyrm_freertos.h>
#include <wyrm_lwip.h>
#include <wyrm_sleep.h>
#include <wyrm_store.h>
#include <wyrm_text.h>
#include <wyrm_tunnel.h>

#include "lwip/timeouts.h"

#include "../../../examples/freertos-lwip/tunnel.h"

/* porting.md: a port of the core */
extern struct wyrm_device *dev;
wyrm_ms now(void);
extern uint8_t buf[WYRM_CONTROL_MAX];
extern struct wyrm_packet out;
void act(wyrm_status status, const struct wyrm_packet *packet);
void arm_timer(wyrm_ms deadline);
void lock(void);
void unlock(void);
void send(const struct wyrm_packet *packet);
void poll_and_arm(void);

/* porting.md: deep sleep */
extern uint8_t image[WYRM_IMAGE_SIZE(1, 2)];
void power_down(void);
wyrm_ms my_rtc_ms_asleep(void);
wyrm_status configure(struct wyrm_lwip *lwip, void *arg);

/* README.md: an application on lwIP */
extern struct wyrm_conf conf;
extern struct wyrm_store store;
extern const char *wg_quick_file;
extern size_t len;
extern char error[WYRM_CONF_ERROR_MAX];
extern uint64_t build_date;
wyrm_status bring_up(struct wyrm_lwip *lwip, void *unused);

/* start/: what an application brings */
extern const char my_wg_quick_file[];
void my_poll_ethernet(void);

/* migrating.md */
#ifdef ESP_PLATFORM
#include <esp_wireguard.h>
#include <wyrm_esp.h>

#include <stdio.h>

/* start/esp-idf.md */
extern const char wg_conf[];

#define PRIVATE_KEY     ""
#define PEER_PUBLIC_KEY ""
#ifndef pdMS_TO_TICKS
#define pdMS_TO_TICKS(ms) (ms)
#endif
#endif

#endif

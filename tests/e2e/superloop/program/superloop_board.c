/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * What examples/superloop takes from its board, on this machine: a TAP as its network, a file as
 * its flash, random bytes; and two UDP services of the application.
 *
 *   PRECONFIGURED_TAPIF   the TAP                       (read by lwIP's tapif)
 *   BOARD_ADDRESS         of the board, /24; its gateway is BOARD_GATEWAY
 *   BOARD_REPORTS_TO      an address that gets a datagram to port 9 every second
 *   BOARD_CONF            the wg-quick file
 *   BOARD_FLASH           the file that holds the timestamps' mark
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "wyrm_store.h"

#include "lwip/netif.h"
#include "lwip/timeouts.h"
#include "lwip/udp.h"
#include "netif/ethernet.h"
#include "netif/tapif.h"

#include "../../support/udp_services.h"

enum { CONF_MAX = 1024 };

char my_wg_quick_file[CONF_MAX];

bool my_random(void *ctx, void *out, size_t len);
void my_start(void);
void my_poll_ethernet(void);
void my_log(const char *sentence);

static struct netif netif;
static int flash = -1;

static const char *setting(const char *variable)
{
    const char *text = getenv(variable);

    if (text == NULL) {
        fprintf(stderr, "%s must be set\n", variable);
        exit(2);
    }
    return text;
}

/* ---- Platform ---------------------------------------------------------------------- */

bool my_random(void *ctx, void *out, size_t len)
{
    (void)ctx;
    return getrandom(out, len, 0) == (ssize_t)len;
}

void my_log(const char *sentence)
{
    puts(sentence);
}

static bool load(void *ctx, unsigned place, void *buf, size_t len)
{
    (void)ctx;
    return pread(flash, buf, len, (off_t)(place * len)) == (ssize_t)len;
}

static bool save(void *ctx, unsigned place, const void *buf, size_t len)
{
    (void)ctx;
    return pwrite(flash, buf, len, (off_t)(place * len)) == (ssize_t)len && fsync(flash) == 0;
}

const struct wyrm_store_io my_flash = {.load = load, .save = save};

/* ---- Start and poll -------------------------------------------------------------------- */

static void read_file(void)
{
    FILE *file = fopen(setting("BOARD_CONF"), "r");

    if (file == NULL) {
        perror("BOARD_CONF");
        exit(2);
    }
    my_wg_quick_file[fread(my_wg_quick_file, 1, CONF_MAX - 1, file)] = '\0';
    (void)fclose(file);
}

void my_start(void)
{
    ip_addr_t address = address_from("BOARD_ADDRESS"), gateway = address_from("BOARD_GATEWAY");
    ip4_addr_t mask;

    setvbuf(stdout, NULL, _IOLBF, 0);
    read_file();
    flash = open(setting("BOARD_FLASH"), O_RDWR | O_CREAT, 0600);
    IP4_ADDR(&mask, 255, 255, 255, 0);
    netif_add(&netif, &address, &mask, &gateway, NULL, tapif_init, ethernet_input);
    netif_set_default(&netif);
    netif_set_up(&netif);
    services_start();
}

void my_poll_ethernet(void)
{
    (void)tapif_select(&netif);
}

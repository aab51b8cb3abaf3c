/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 */
#include "deep_sleep.h"

#include <string.h>

#include "lwip/netif.h"
#include "lwip/tcpip.h"

#include "wyrm_crypto.h"
#include "wyrm_sleep.h"

#include "board_api.h"
#include "commands.h"
#include "console.h"
#include "net.h"
#include "shell.h"
#include "text.h"
#include "tunnel_device.h"

#define LONGEST_MS (24u * 3600u * 1000u)
#define KEPT       UINT32_C(0x7470654b) /* "Kept", little-endian */

/* What the retained RAM holds during a sleep; all zero: nothing was kept. */
struct kept {
    uint32_t magic;
    uint32_t resumed; /* sleeps in a row before this one */
    uint8_t configuration[WYRM_HASH_LEN];
    uint8_t image[WYRM_IMAGE_SIZE(TUNNEL_PEERS, TUNNEL_ROUTES)];
};

enum outcome {
    NOT_ASLEEP,
    PENDING,
    RESUMED,
    EXPIRED,
    CORRUPTED,
    OTHER_FIRMWARE,
    OTHER_CONFIGURATION,
};

static enum outcome outcome;
static uint32_t resumed;
static uint64_t slept_ms;
static uint8_t running[WYRM_HASH_LEN]; /* the configuration that the tunnel was started with */

/* NULL: the board has no retained RAM, or too little. */
static struct kept *retained(void)
{
    size_t size;
    void *memory = board_retained(&size);

    return memory && size >= sizeof(struct kept) ? memory : NULL;
}

/* ---- after the reset ---- */

/* Whether a plain reset, a power cut or a sleep came before, only the board knows. */
void deep_sleep_start(void)
{
    struct kept *kept = retained();
    uint32_t slept = board_slept_ms();

    if (!kept)
        return;
    slept_ms = slept;
    if (slept != UINT32_MAX && kept->magic != 0)
        outcome = PENDING;
    else
        wyrm_wipe(kept, sizeof *kept);
}

static void hash_prefixes(struct wyrm_blake2s *state, const struct wyrm_conf *conf,
                          struct wyrm_conf_range range)
{
    wyrm_blake2s_update(state, &range.count, sizeof range.count);
    wyrm_blake2s_update(state, &conf->prefixes[range.first],
                        range.count * sizeof conf->prefixes[0]);
}

static void hash_peer(struct wyrm_blake2s *state, const struct wyrm_conf *conf,
                      const struct wyrm_conf_peer *peer)
{
    const struct wyrm_endpoint *at = &peer->endpoint.address;

    wyrm_blake2s_update(state, peer->pub, sizeof peer->pub);
    wyrm_blake2s_update(state, peer->psk, sizeof peer->psk);
    wyrm_blake2s_update(state, &peer->keepalive_s, sizeof peer->keepalive_s);
    hash_prefixes(state, conf, peer->allowed);
    wyrm_blake2s_update(state, &at->family, sizeof at->family);
    wyrm_blake2s_update(state, &at->port, sizeof at->port);
    wyrm_blake2s_update(state, at->addr, sizeof at->addr);
    wyrm_blake2s_update(state, &peer->endpoint.name_len, sizeof peer->endpoint.name_len);
    wyrm_blake2s_update(state, peer->endpoint.name, peer->endpoint.name_len);
}

/* A hash of what the device is configured with, field by field: padding may differ. */
static void identify(const struct wyrm_conf *conf, const uint8_t *key, uint8_t out[WYRM_HASH_LEN])
{
    struct wyrm_blake2s state;

    wyrm_blake2s_init(&state, WYRM_HASH_LEN, NULL, 0);
    wyrm_blake2s_update(&state, key, key ? WYRM_KEY_LEN : 0);
    hash_prefixes(&state, conf, conf->addresses);
    wyrm_blake2s_update(&state, &conf->n_peers, sizeof conf->n_peers);
    for (uint16_t i = 0; i < conf->n_peers; i++)
        hash_peer(&state, conf, &conf->peers[i]);
    wyrm_blake2s_final(&state, out);
}

static enum outcome outcome_of(wyrm_status status)
{
    if (status == WYRM_READY)
        return RESUMED;
    if (status >= 0)
        return EXPIRED;
    return status == WYRM_E_ABI ? OTHER_FIRMWARE : CORRUPTED;
}

wyrm_status deep_sleep_resume(const struct wyrm_conf *conf, const uint8_t *key)
{
    struct kept *kept = retained();
    wyrm_status status = WYRM_E_IMAGE;

    identify(conf, key, running);
    if (outcome != PENDING)
        return status;
    slept_ms += board_clock_us() / 1000u + 1u; /* this boot belongs to the time asleep */
    if (memcmp(kept->configuration, running, sizeof running) != 0) {
        outcome = kept->magic == KEPT ? OTHER_CONFIGURATION : CORRUPTED;
    } else {
        resumed = kept->resumed;
        status = wyrm_resume(wyrm_lwip_device(tunnel_lwip()), wyrm_lwip_now_locked(tunnel_lwip()),
                             slept_ms, kept->image, sizeof kept->image);
        outcome = outcome_of(status);
        resumed = outcome == RESUMED ? resumed + 1u : 0;
    }
    wyrm_wipe(kept, sizeof *kept);
    return status;
}

uint32_t deep_sleep_resumed(void)
{
    return resumed;
}

void deep_sleep_report(void)
{
    static const char *const reasons[] = {
        [CORRUPTED] = "it is corrupted",
        [OTHER_FIRMWARE] = "another firmware made it",
        [OTHER_CONFIGURATION] = "the tunnel slept with another configuration",
    };
    const unsigned s = (unsigned)(slept_ms / 1000u), ms = (unsigned)(slept_ms % 1000u);

    if (outcome == NOT_ASLEEP)
        return;
    if (outcome == PENDING) {
        wyrm_wipe(retained(), sizeof(struct kept));
        console_printf("tunnel: retained state discarded: the tunnel did not start\n");
    } else if (outcome == RESUMED) {
        console_printf("tunnel: resumed the session after %u.%03u s asleep\n", s, ms);
    } else if (outcome == EXPIRED) {
        console_printf("tunnel: resumed after %u.%03u s asleep, but the session has expired; a "
                       "handshake follows\n",
                       s, ms);
    } else {
        console_printf("tunnel: retained state refused: %s; a handshake follows\n",
                       reasons[outcome]);
    }
    outcome = NOT_ASLEEP;
}

/* ---- before the sleep ---- */

static wyrm_status suspend(struct wyrm_device *device, wyrm_ms now, void *memory)
{
    struct kept *kept = memory;
    wyrm_status status = wyrm_suspend(device, now, kept->image, sizeof kept->image);

    if (status < 0)
        return status;
    kept->resumed = resumed;
    memcpy(kept->configuration, running, sizeof running);
    kept->magic = KEPT;
    return status;
}

bool command_sleep(int argc, char **argv)
{
    struct kept *kept = retained();
    uint32_t ms;

    if (argc != 2)
        return shell_usage();
    if (!kept)
        return shell_error("this board has no RAM that keeps its content in deep sleep");
    if (!text_to_milli(argv[1], LONGEST_MS, &ms) || ms == 0)
        return shell_error("'%s' is not a number of seconds from 0.001 to 86400", argv[1]);
    console_printf("sleeping for %u.%03u s%s\n", (unsigned)(ms / 1000), (unsigned)(ms % 1000),
                   tunnel_is_up() ? "" : "; the tunnel is down, so there is no session to keep");

    /* The network first: a device without peers has no traffic that must not leave in the clear. */
    LOCK_TCPIP_CORE();
    netif_set_down(net_interface());
    UNLOCK_TCPIP_CORE();
    wyrm_wipe(kept, sizeof *kept);
    (void)wyrm_lwip_call_core(tunnel_lwip(), suspend, kept);
    board_deep_sleep(ms);
}

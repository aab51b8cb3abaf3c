/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 */
#include "core.h"
#include "system.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

enum { SLOTS = 64, SOURCES = 1024, INDEX_HEADS = 4096 };

/* Logs when the kernel stops and when it resumes providing random numbers, not each failure. */
static bool platform_random(void *ctx, void *out, size_t len)
{
    static bool failing;
    bool failed = getrandom(out, len, 0) != (ssize_t)len;

    (void)ctx;
    if (failed && !failing)
        wyrmd_log("no random numbers, so no handshake can succeed (getrandom: %s): allow this "
                  "system call in the service or container that runs wyrmd",
                  strerror(errno));
    else if (!failed && failing)
        wyrmd_log("random numbers are available again");
    failing = failed;
    return !failed;
}

/* The wall clock without its low 24 bits of nanoseconds, which would reveal the machine's load.
 * These bits count timestamps of the same moment instead, so that every timestamp is unique. */
static bool platform_tai64n(void *ctx, uint8_t out[12])
{
    static uint64_t last;
    struct timespec t;
    uint64_t label;

    (void)ctx;
    if (clock_gettime(CLOCK_REALTIME, &t) != 0 || t.tv_sec < 0)
        return false;
    label = (uint64_t)t.tv_sec << 30 | ((uint64_t)t.tv_nsec & ~UINT64_C(0xffffff));
    if (label <= last)
        label = last + 1;
    last = label;
    for (unsigned i = 0; i < 8; i++)
        out[i] = (uint8_t)(((label >> 30) + 0x400000000000000au) >> (56 - 8 * i));
    for (unsigned i = 0; i < 4; i++)
        out[8 + i] = (uint8_t)((label & 0x3fffffff) >> (24 - 8 * i));
    return true;
}

static const struct wyrm_platform platform = {
    .random = platform_random,
    .tai64n = platform_tai64n,
};

bool wyrmd_core_init(struct wyrmd_core *core, uint16_t peers, uint32_t routes)
{
    struct wyrm_pools *pools = &core->pools;

    *pools = (struct wyrm_pools){
        .peers = calloc(peers, sizeof(struct wyrm_peer)),
        .routes = calloc(routes, sizeof(struct wyrm_route)),
        .slots = calloc(SLOTS, sizeof(struct wyrm_slot)),
        .sources = calloc(SOURCES, sizeof(struct wyrm_source)),
        .index = calloc(INDEX_HEADS, sizeof(uint16_t)),
        .n_peers = peers,
        .n_routes = routes,
        .n_slots = SLOTS,
        .n_sources = SOURCES,
        .n_index = INDEX_HEADS,
    };
    if (pools->peers == NULL || pools->routes == NULL || pools->slots == NULL ||
        pools->sources == NULL || pools->index == NULL) {
        wyrmd_log("not enough memory");
        return false;
    }
    if (wyrm_init(&core->dev, pools, &platform) != WYRM_IDLE) {
        wyrmd_log("the library was built with other options than the daemon");
        return false;
    }
    return true;
}

void wyrmd_core_close(struct wyrmd_core *core)
{
    if (core->dev.pools != NULL)
        wyrm_close(&core->dev);
}

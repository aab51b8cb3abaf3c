/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The program that is counted for lwIP without an operating system: one peer with binary keys,
 * handshakes in the main loop.
 */
#include <wyrm_lwip.h>

/* Declared, not linked. */
extern bool my_random(void *ctx, void *out, size_t len);
extern bool my_tai64n(void *ctx, uint8_t out[12]);
extern const uint8_t my_key[WYRM_KEY_LEN], my_peer[WYRM_KEY_LEN];
extern const struct wyrm_endpoint my_endpoint;
extern const struct wyrm_prefix my_prefixes[2];

WYRM_LWIP_DEFINE(tunnel, 1, 1, 4);
static struct wyrm_job job;

bool tunnel_start(void);

bool tunnel_start(void)
{
    static const struct wyrm_platform platform = {NULL, my_random, my_tai64n};
    static const struct wyrm_lwip_config config = {
        .platform = &platform, .addresses = my_prefixes, .n_addresses = 1};
    struct wyrm_device *device = wyrm_lwip_device(&tunnel);
    wyrm_peer_id id;

    if (wyrm_lwip_start(&tunnel, &config) != ERR_OK || wyrm_set_private_key(device, my_key) < 0 ||
        wyrm_peer_add(device, my_peer, &id) < 0 ||
        wyrm_peer_set_endpoint(device, id, &my_endpoint) < 0 ||
        wyrm_route_add(device, id, &my_prefixes[1]) < 0)
        return false;
    wyrm_lwip_service_locked(&tunnel);
    wyrm_lwip_work(&tunnel, &job);
    return true;
}

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The client profile behind an interface, see client.h.
 */
#define CLIENT __attribute__((visibility("default")))

#include "client.h"

#include <string.h>

WYRM_DEVICE_DEFINE(client, 1, 2);
static struct wyrm_job job;

CLIENT void client_boot(const struct wyrm_platform *io, const uint8_t priv[WYRM_KEY_LEN],
                        const uint8_t peer[WYRM_KEY_LEN], const struct wyrm_endpoint *endpoint)
{
    static const struct wyrm_prefix everything[] = {{.family = 4}, {.family = 6}};
    wyrm_peer_id id;

    (void)wyrm_init(&client, &client_pools, io);
    (void)wyrm_set_private_key(&client, priv);
    (void)wyrm_peer_add(&client, peer, &id);
    (void)wyrm_peer_set_endpoint(&client, id, endpoint);
    (void)wyrm_route_add(&client, id, &everything[0]);
    (void)wyrm_route_add(&client, id, &everything[1]);
}

CLIENT void client_set_keepalive(uint16_t seconds)
{
    (void)wyrm_peer_set_keepalive(&client, 0, seconds);
}

CLIENT wyrm_status client_input(wyrm_ms now, const struct wyrm_meta *from, uint8_t *buf, size_t len,
                                struct wyrm_packet *out)
{
    return wyrm_input(&client, now, from, buf, len, out);
}

CLIENT wyrm_status client_output(wyrm_ms now, const struct wyrm_span *ip, uint8_t *buf, size_t cap,
                                 struct wyrm_packet *out)
{
    return wyrm_output(&client, now, ip, 1, buf, cap, out);
}

CLIENT wyrm_status client_poll(wyrm_ms now, uint8_t *buf, size_t cap, struct wyrm_packet *out)
{
    return wyrm_poll(&client, now, buf, cap, out);
}

CLIENT wyrm_ms client_deadline(void)
{
    return wyrm_deadline(&client);
}

CLIENT bool client_work(wyrm_ms now, struct wyrm_packet *out, wyrm_status *committed)
{
    if (wyrm_job_take(&client, now, &job) != WYRM_WORK)
        return false;
    wyrm_job_run(&job);
    *committed = wyrm_job_commit(&client, now, &job, out);
    return true;
}

CLIENT uint32_t client_drops(wyrm_status reason)
{
    return wyrm_drops(&client, reason);
}

CLIENT bool client_unmoved(void)
{
    static struct wyrm_peer before;
    bool same = memcmp(&before, &client_peers[0], sizeof(before)) == 0;

    before = client_peers[0];
    return same;
}

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The besieged device, see besieged.h. Compiled as a client it has its own core, in a shared object
 * that exports only this interface.
 */
#include "besieged.h"

#include <string.h>

#define SHOWN __attribute__((visibility("default")))

WYRM_DEVICE_DEFINE(besieged, 8, 8);
static struct wyrm_job job;

SHOWN const bool besieged_is_client = !WYRM_RESPONDER;

SHOWN void besieged_boot(const struct wyrm_platform *io, const uint8_t priv[WYRM_KEY_LEN])
{
    (void)wyrm_init(&besieged, &besieged_pools, io);
    (void)wyrm_set_private_key(&besieged, priv);
}

SHOWN void besieged_meet(unsigned name, const uint8_t pub[WYRM_KEY_LEN],
                         const struct wyrm_endpoint *endpoint)
{
    struct wyrm_prefix prefix = {.family = 4, .bits = 32, .addr = {10}};
    wyrm_peer_id id;

    prefix.addr[3] = (uint8_t)(name + 1);
    (void)wyrm_peer_add(&besieged, pub, &id);
    (void)wyrm_peer_set_endpoint(&besieged, id, endpoint);
    (void)wyrm_route_add(&besieged, id, &prefix);
}

SHOWN wyrm_status besieged_input(wyrm_ms now, const struct wyrm_meta *from, uint8_t *buf,
                                 size_t len, struct wyrm_packet *out)
{
    return wyrm_input(&besieged, now, from, buf, len, out);
}

SHOWN wyrm_status besieged_output(wyrm_ms now, const struct wyrm_span *ip, uint8_t *buf, size_t cap,
                                  struct wyrm_packet *out)
{
    return wyrm_output(&besieged, now, ip, 1, buf, cap, out);
}

SHOWN wyrm_status besieged_poll(wyrm_ms now, uint8_t *buf, size_t cap, struct wyrm_packet *out)
{
    return wyrm_poll(&besieged, now, buf, cap, out);
}

SHOWN wyrm_ms besieged_deadline(void)
{
    return wyrm_deadline(&besieged);
}

SHOWN bool besieged_take(wyrm_ms now)
{
    wyrm_status status;

    do {
        status = wyrm_job_take(&besieged, now, &job);
    } while (status == WYRM_E_RANDOM);
    return status == WYRM_WORK;
}

/* Runs both steps of a responder's job at once. */
SHOWN wyrm_status besieged_commit(wyrm_ms now, struct wyrm_packet *out)
{
    wyrm_status status;

    do {
        wyrm_job_run(&job);
        status = wyrm_job_commit(&besieged, now, &job, out);
    } while (status == WYRM_WORK);
    return status;
}

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The core and what is around it: packets and datagrams go in, what comes out goes where it
 * belongs. Handshakes are worked off a few at a time, so that under a flood of them data still
 * flows, and the core sees by what waits that it is under load.
 */
#include "wyrmd.h"

#include <stdlib.h>

void wyrmd_send_inner(struct wyrmd *d, const struct wyrm_span *ip, unsigned n)
{
    struct wyrm_packet out;
    wyrm_status status = wyrm_output(&d->dev, d->now, ip, n, wyrmd_udp_room(d), SEALED_MAX, &out);

    if (status == WYRM_SEND)
        wyrmd_udp_commit(d, &out);
    else if (status == WYRM_HOLD)
        wyrmd_hold(d, out.peer, ip, n);
    else if (status == WYRM_D_ROUTE || status == WYRM_D_ENDPOINT)
        wyrmd_unreachable(d, ip, n);
    if (status < 0 && d->verbose)
        wyrmd_log(d, "outgoing packet dropped: %s", wyrm_status_text(status));
}

void wyrmd_input(struct wyrmd *d, const struct wyrm_meta *meta, uint8_t *data, size_t len)
{
    struct wyrm_packet out;
    wyrm_status status = wyrm_input(&d->dev, d->now, meta, data, len, &out);

    if (status == WYRM_DELIVER)
        wyrmd_merge(d, out.data, out.len);
    else if (status == WYRM_SEND)
        wyrmd_udp_queue(d, &out);
    else if (status < 0 && d->verbose)
        wyrmd_log(d, "datagram dropped: %s", wyrm_status_text(status));
}

void wyrmd_run_jobs(struct wyrmd *d)
{
    struct wyrm_packet out;
    wyrm_status status;

    for (unsigned i = 0; i < JOBS; i++) {
        status = wyrm_job_take(&d->dev, d->now, &d->job);
        d->work = status != WYRM_IDLE && status != WYRM_E_RANDOM;
        if (!d->work)
            return;
        while (status == WYRM_WORK) {
            wyrm_job_run(&d->job);
            d->now = wyrmd_now();
            status = wyrm_job_commit(&d->dev, d->now, &d->job, &out);
        }
        if (status == WYRM_SEND)
            wyrmd_udp_queue(d, &out);
        else if (status < 0 && d->verbose)
            wyrmd_log(d, "handshake dropped: %s", wyrm_status_text(status));
    }
}

/* Each packet may be held again: only those that wait now are looked at. */
static void release_held(struct wyrmd *d, wyrm_peer_id peer)
{
    struct held *h;

    for (unsigned n = wyrmd_held(d, peer); n > 0 && (h = wyrmd_unhold(d, peer)) != NULL; n--) {
        struct wyrm_span span = {h->data, h->len};

        wyrmd_send_inner(d, &span, 1);
        free(h);
    }
}

static void use_session(struct wyrmd *d, wyrm_peer_id peer)
{
    wyrmd_note_handshake(d, peer);
    release_held(d, peer);
}

void wyrmd_service(struct wyrmd *d)
{
    uint8_t buf[WYRM_CONTROL_MAX];
    struct wyrm_packet out;
    wyrm_status status;

    while ((status = wyrm_poll(&d->dev, d->now, buf, sizeof(buf), &out)) > WYRM_IDLE) {
        if (status == WYRM_SEND)
            wyrmd_udp_queue(d, &out);
        else if (status == WYRM_READY)
            use_session(d, out.peer);
        else if (status == WYRM_LOST)
            wyrmd_drop_held(d, out.peer);
        else if (status == WYRM_WORK)
            d->work = true;
    }
}

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Only a few handshakes run at a time. So data still flows during a flood of initiations, and the
 * core can tell from those that wait that it is under load.
 */
#include "tunnel.h"
#include "system.h"
#include "unreachable.h"

#include <stdlib.h>
#include <string.h>

enum { JOBS = 4 }; /* handshake jobs before the loop looks for readable sockets again */

void wyrmd_tunnel_send(struct wyrmd_tunnel *tunnel, const struct wyrm_span *ip, unsigned n)
{
    struct wyrmd_core *core = tunnel->core;
    struct wyrm_packet out;
    wyrm_status status = wyrm_output(&core->dev, core->now, ip, n,
                                     wyrmd_outbox_room(tunnel->outbox), SEALED_MAX, &out);

    if (status == WYRM_SEND)
        wyrmd_outbox_commit(tunnel->outbox, &out);
    else if (status == WYRM_HOLD)
        wyrmd_hold_push(tunnel->hold, out.peer, ip, n);
    else if (status == WYRM_D_ROUTE || status == WYRM_D_ENDPOINT)
        wyrmd_unreachable(tunnel->tun, core->now, ip, n);
    if (status < 0)
        wyrmd_log_verbose("outgoing packet dropped: %s", wyrm_status_text(status));
}

void wyrmd_tunnel_receive(struct wyrmd_tunnel *tunnel, const struct wyrm_meta *meta, uint8_t *data,
                          size_t len)
{
    struct wyrmd_core *core = tunnel->core;
    struct wyrm_packet out;
    wyrm_status status = wyrm_input(&core->dev, core->now, meta, data, len, &out);

    if (status == WYRM_DELIVER)
        wyrmd_merge_push(tunnel->merge, out.data, out.len);
    else if (status == WYRM_SEND)
        wyrmd_outbox_push(tunnel->outbox, &out);
    else if (status < 0)
        wyrmd_log_verbose("datagram dropped: %s", wyrm_status_text(status));
}

/* ---- Handshakes ---------------------------------------------------------- */

void wyrmd_tunnel_run_jobs(struct wyrmd_tunnel *tunnel)
{
    struct wyrmd_core *core = tunnel->core;
    struct wyrm_packet out;
    wyrm_status status;

    for (unsigned i = 0; i < JOBS; i++) {
        status = wyrm_job_take(&core->dev, core->now, &tunnel->job);
        tunnel->work = status != WYRM_IDLE && status != WYRM_E_RANDOM;
        if (status == WYRM_E_RANDOM)
            wyrmd_log_verbose("handshake dropped: %s", wyrm_status_text(status));
        if (!tunnel->work)
            return;
        while (status == WYRM_WORK) {
            wyrm_job_run(&tunnel->job);
            core->now = wyrmd_now();
            status = wyrm_job_commit(&core->dev, core->now, &tunnel->job, &out);
        }
        if (status == WYRM_SEND)
            wyrmd_outbox_push(tunnel->outbox, &out);
        else if (status < 0)
            wyrmd_log_verbose("handshake dropped: %s", wyrm_status_text(status));
    }
}

/* Sends only the packets that wait now, as each of them may be held again. */
static void send_held(struct wyrmd_tunnel *tunnel, wyrm_peer_id peer)
{
    struct wyrmd_hold *hold = tunnel->hold;
    struct wyrmd_held *h;

    for (unsigned n = wyrmd_hold_count(hold, peer);
         n > 0 && (h = wyrmd_hold_pop(hold, peer)) != NULL; n--) {
        struct wyrm_span span = {h->data, h->len};

        wyrmd_tunnel_send(tunnel, &span, 1);
        free(h);
    }
}

void wyrmd_tunnel_poll(struct wyrmd_tunnel *tunnel)
{
    struct wyrmd_core *core = tunnel->core;
    uint8_t buf[WYRM_CONTROL_MAX];
    struct wyrm_packet out;
    wyrm_status status;

    while ((status = wyrm_poll(&core->dev, core->now, buf, sizeof(buf), &out)) > WYRM_IDLE) {
        if (status == WYRM_SEND) {
            wyrmd_outbox_push(tunnel->outbox, &out);
        } else if (status == WYRM_READY) {
            wyrmd_handshakes_record(tunnel->handshakes, out.peer);
            send_held(tunnel, out.peer);
        } else if (status == WYRM_LOST) {
            wyrmd_hold_drop(tunnel->hold, out.peer);
        } else if (status == WYRM_WORK) {
            tunnel->work = true;
        }
    }
}

/* ---- State of the interface ---------------------------------------------- */

/* As the kernel's: initiate to peers with a persistent keepalive. */
static void restart_keepalives(struct wyrmd_core *core)
{
    struct wyrm_peer_info info;

    for (wyrm_peer_id id = 0; id < core->pools.n_peers; id++) {
        if (wyrm_peer_get(&core->dev, core->now, id, &info) != WYRM_IDLE || info.keepalive_s == 0)
            continue;
        (void)wyrm_peer_set_keepalive(&core->dev, id, 0);
        (void)wyrm_peer_set_keepalive(&core->dev, id, info.keepalive_s);
    }
}

static void disconnect_all(struct wyrmd_tunnel *tunnel)
{
    struct wyrmd_core *core = tunnel->core;

    for (wyrm_peer_id id = 0; id < core->pools.n_peers; id++)
        (void)wyrm_peer_disconnect(&core->dev, id); /* fails for unused ids */
    wyrmd_hold_drop_all(tunnel->hold);
}

void wyrmd_tunnel_set_up(struct wyrmd_tunnel *tunnel, bool up)
{
    if (up && !tunnel->up)
        restart_keepalives(tunnel->core);
    else if (!up && tunnel->up)
        disconnect_all(tunnel);
    tunnel->up = up;
}

void wyrmd_tunnel_close(struct wyrmd_tunnel *tunnel)
{
    explicit_bzero(&tunnel->job, sizeof(tunnel->job));
    if (tunnel->hold != NULL)
        wyrmd_hold_drop_all(tunnel->hold);
}

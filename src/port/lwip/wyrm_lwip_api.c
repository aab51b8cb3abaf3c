/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The door to a tunnel for any task: each call takes lwIP's core lock, or is run by the TCP/IP task
 * where lwIP has no such lock, unless the caller is allowed in already.
 */
#ifdef WYRM_PORT_LWIP

#include "wyrm_lwip_parts.h"

#include "wyrm_crypto.h"

#if !NO_SYS
#include "lwip/priv/tcpip_priv.h"
#include "lwip/tcpip.h"
#endif

/* True if the caller may call lwIP directly: it holds the core lock, or is the TCP/IP task. */
#ifndef WYRM_LWIP_LOCK_HELD
#if NO_SYS
#define WYRM_LWIP_LOCK_HELD() true
#elif defined(WYRM_PORT_FREERTOS)
#include "wyrm_freertos.h"
#define WYRM_LWIP_LOCK_HELD() wyrm_freertos_lwip_held()
#else
#define WYRM_LWIP_LOCK_HELD() false
#endif
#endif

/* A function to be called under the lock. */
struct call {
#if !NO_SYS
    struct tcpip_api_call_data base; /* first: lwIP hands it back */
#endif
    wyrm_status (*fn)(struct wyrm_lwip *lwip, void *arg);
    struct wyrm_lwip *lwip;
    void *arg;
    wyrm_status status;
};

static void enter(struct call *call)
{
    call->status = call->fn(call->lwip, call->arg);
    wyrm_lwip_service_locked(call->lwip);
}

#if !NO_SYS
static err_t enter_from_lwip(struct tcpip_api_call_data *base)
{
    enter((struct call *)(void *)base);
    return ERR_OK;
}
#endif

wyrm_status wyrm_lwip_call(struct wyrm_lwip *lwip, wyrm_status (*fn)(struct wyrm_lwip *, void *),
                           void *arg)
{
    struct call call;

    call.fn = fn;
    call.lwip = lwip;
    call.arg = arg;
    if (WYRM_LWIP_LOCK_HELD()) {
        enter(&call);
        return call.status;
    }
#if !NO_SYS
    if (tcpip_api_call(enter_from_lwip, &call.base) != ERR_OK) {
        return WYRM_E_FULL; /* no semaphore to wait on */
    }
#endif
    return call.status;
}

/* ---- Life ---------------------------------------------------------------- */

struct start {
    const struct wyrm_lwip_config *config;
    err_t err;
};

static wyrm_status do_start(struct wyrm_lwip *lwip, void *arg)
{
    struct start *start = arg;

    start->err = wyrm_lwip_start_locked(lwip, start->config);
    return WYRM_IDLE;
}

err_t wyrm_lwip_start(struct wyrm_lwip *lwip, const struct wyrm_lwip_config *config)
{
    struct start start = {config, ERR_MEM};

    (void)wyrm_lwip_call(lwip, do_start, &start); /* err says it better */
    return start.err;
}

static wyrm_status do_stop(struct wyrm_lwip *lwip, void *unused)
{
    LWIP_UNUSED_ARG(unused);
    wyrm_lwip_stop_locked(lwip);
    return WYRM_IDLE;
}

void wyrm_lwip_stop(struct wyrm_lwip *lwip)
{
    (void)wyrm_lwip_call(lwip, do_stop, NULL);
}

static wyrm_status do_remove(struct wyrm_lwip *lwip, void *unused)
{
    LWIP_UNUSED_ARG(unused);
    wyrm_lwip_remove_locked(lwip);
    return WYRM_IDLE;
}

void wyrm_lwip_remove(struct wyrm_lwip *lwip)
{
    (void)wyrm_lwip_call(lwip, do_remove, NULL);
}

/* ---- Handshakes ----------------------------------------------------------- */

struct work {
    struct wyrm_job *job;
    uint32_t life; /* in which it was taken */
};

static wyrm_status do_take(struct wyrm_lwip *lwip, void *arg)
{
    struct work *work = arg;

    if (!lwip->running) {
        return WYRM_E_STATE;
    }
    work->life = lwip->life;
    return wyrm_job_take(lwip->device, wyrm_lwip_now_locked(lwip), work->job);
}

static wyrm_status do_commit(struct wyrm_lwip *lwip, void *arg)
{
    struct work *work = arg;
    struct wyrm_packet packet;

    if (work->life != lwip->life) {
        return WYRM_E_STATE; /* stopped meanwhile, perhaps started again: another world */
    }
    wyrm_status status =
        wyrm_job_commit(lwip->device, wyrm_lwip_now_locked(lwip), work->job, &packet);
    if (status == WYRM_SEND) {
        wyrm_lwip_send_control(lwip, &packet);
    }
    return status;
}

void wyrm_lwip_work(struct wyrm_lwip *lwip, struct wyrm_job *job)
{
    struct work work = {.job = job};
    wyrm_status status;

    /* WYRM_E_RANDOM gives up one job, not those behind it. */
    while ((status = wyrm_lwip_call(lwip, do_take, &work)) == WYRM_WORK ||
           status == WYRM_E_RANDOM) {
        while (status == WYRM_WORK) {
            wyrm_job_run(job);
            status = wyrm_lwip_call(lwip, do_commit, &work);
        }
    }
    wyrm_wipe(job, sizeof(*job));
}

/* ---- The core's calls ------------------------------------------------------ */

/* What one of them takes; each knows which members it uses. */
struct core_call {
    wyrm_status (*fn)(struct wyrm_lwip *lwip, const struct core_call *call);
    const void *in;
    void *out;
    wyrm_peer_id peer;
};

static wyrm_status do_core_call(struct wyrm_lwip *lwip, void *arg)
{
    const struct core_call *call = arg;

    return lwip->running ? call->fn(lwip, call) : WYRM_E_STATE;
}

static wyrm_status run(struct wyrm_lwip *lwip,
                       wyrm_status (*fn)(struct wyrm_lwip *, const struct core_call *),
                       wyrm_peer_id peer, const void *in, void *out)
{
    struct core_call call = {fn, in, out, peer};

    return wyrm_lwip_call(lwip, do_core_call, &call);
}

static wyrm_status do_set_private_key(struct wyrm_lwip *lwip, const struct core_call *c)
{
    return wyrm_set_private_key(lwip->device, c->in);
}

wyrm_status wyrm_lwip_set_private_key(struct wyrm_lwip *lwip, const uint8_t key[WYRM_KEY_LEN])
{
    return run(lwip, do_set_private_key, WYRM_NO_PEER, key, NULL);
}

static wyrm_status do_public_key(struct wyrm_lwip *lwip, const struct core_call *c)
{
    return wyrm_public_key(lwip->device, c->out);
}

wyrm_status wyrm_lwip_public_key(struct wyrm_lwip *lwip, uint8_t out[WYRM_KEY_LEN])
{
    return run(lwip, do_public_key, WYRM_NO_PEER, NULL, out);
}

static wyrm_status do_peer_add(struct wyrm_lwip *lwip, const struct core_call *c)
{
    return wyrm_peer_add(lwip->device, c->in, c->out);
}

wyrm_status wyrm_lwip_peer_add(struct wyrm_lwip *lwip, const uint8_t pub[WYRM_KEY_LEN],
                               wyrm_peer_id *out)
{
    return run(lwip, do_peer_add, WYRM_NO_PEER, pub, out);
}

static wyrm_status do_peer_find(struct wyrm_lwip *lwip, const struct core_call *c)
{
    return wyrm_peer_find(lwip->device, c->in, c->out);
}

wyrm_status wyrm_lwip_peer_find(struct wyrm_lwip *lwip, const uint8_t pub[WYRM_KEY_LEN],
                                wyrm_peer_id *out)
{
    return run(lwip, do_peer_find, WYRM_NO_PEER, pub, out);
}

static wyrm_status do_peer_remove(struct wyrm_lwip *lwip, const struct core_call *c)
{
    return wyrm_peer_remove(lwip->device, c->peer);
}

wyrm_status wyrm_lwip_peer_remove(struct wyrm_lwip *lwip, wyrm_peer_id peer)
{
    return run(lwip, do_peer_remove, peer, NULL, NULL);
}

static wyrm_status do_peer_set_psk(struct wyrm_lwip *lwip, const struct core_call *c)
{
    return wyrm_peer_set_psk(lwip->device, c->peer, c->in);
}

wyrm_status wyrm_lwip_peer_set_psk(struct wyrm_lwip *lwip, wyrm_peer_id peer,
                                   const uint8_t psk[WYRM_KEY_LEN])
{
    return run(lwip, do_peer_set_psk, peer, psk, NULL);
}

static wyrm_status do_peer_set_endpoint(struct wyrm_lwip *lwip, const struct core_call *c)
{
    return wyrm_peer_set_endpoint(lwip->device, c->peer, c->in);
}

wyrm_status wyrm_lwip_peer_set_endpoint(struct wyrm_lwip *lwip, wyrm_peer_id peer,
                                        const struct wyrm_endpoint *endpoint)
{
    return run(lwip, do_peer_set_endpoint, peer, endpoint, NULL);
}

static wyrm_status do_peer_set_keepalive(struct wyrm_lwip *lwip, const struct core_call *c)
{
    return wyrm_peer_set_keepalive(lwip->device, c->peer, *(const uint16_t *)c->in);
}

wyrm_status wyrm_lwip_peer_set_keepalive(struct wyrm_lwip *lwip, wyrm_peer_id peer,
                                         uint16_t seconds)
{
    return run(lwip, do_peer_set_keepalive, peer, &seconds, NULL);
}

static wyrm_status do_peer_connect(struct wyrm_lwip *lwip, const struct core_call *c)
{
    return wyrm_peer_connect(lwip->device, wyrm_lwip_now_locked(lwip), c->peer);
}

wyrm_status wyrm_lwip_peer_connect(struct wyrm_lwip *lwip, wyrm_peer_id peer)
{
    return run(lwip, do_peer_connect, peer, NULL, NULL);
}

static wyrm_status do_peer_disconnect(struct wyrm_lwip *lwip, const struct core_call *c)
{
    return wyrm_peer_disconnect(lwip->device, c->peer);
}

wyrm_status wyrm_lwip_peer_disconnect(struct wyrm_lwip *lwip, wyrm_peer_id peer)
{
    return run(lwip, do_peer_disconnect, peer, NULL, NULL);
}

/* Two results of one call. */
struct two {
    void *first, *second;
};

static wyrm_status do_peer_get(struct wyrm_lwip *lwip, const struct core_call *c)
{
    const struct two *out = c->out;
    wyrm_ms now = wyrm_lwip_now_locked(lwip);

    if (out->second != NULL) {
        *(wyrm_ms *)out->second = now;
    }
    return wyrm_peer_get(lwip->device, now, c->peer, out->first);
}

wyrm_status wyrm_lwip_peer_get(struct wyrm_lwip *lwip, wyrm_peer_id peer,
                               struct wyrm_peer_info *out, wyrm_ms *now)
{
    struct two two = {out, now};

    return run(lwip, do_peer_get, peer, NULL, &two);
}

static wyrm_status do_route_add(struct wyrm_lwip *lwip, const struct core_call *c)
{
    return wyrm_route_add(lwip->device, c->peer, c->in);
}

wyrm_status wyrm_lwip_route_add(struct wyrm_lwip *lwip, wyrm_peer_id peer,
                                const struct wyrm_prefix *prefix)
{
    return run(lwip, do_route_add, peer, prefix, NULL);
}

static wyrm_status do_route_remove(struct wyrm_lwip *lwip, const struct core_call *c)
{
    return wyrm_route_remove(lwip->device, c->peer, c->in);
}

wyrm_status wyrm_lwip_route_remove(struct wyrm_lwip *lwip, wyrm_peer_id peer,
                                   const struct wyrm_prefix *prefix)
{
    return run(lwip, do_route_remove, peer, prefix, NULL);
}

static wyrm_status do_route_get(struct wyrm_lwip *lwip, const struct core_call *c)
{
    const struct two *out = c->out;

    return wyrm_route_get(lwip->device, *(const uint32_t *)c->in, out->first, out->second);
}

wyrm_status wyrm_lwip_route_get(struct wyrm_lwip *lwip, uint32_t position,
                                struct wyrm_prefix *prefix, wyrm_peer_id *peer)
{
    struct two two = {prefix, peer};

    return run(lwip, do_route_get, WYRM_NO_PEER, &position, &two);
}

/* ---- Looking ----------------------------------------------------------------- */

static wyrm_status do_count(struct wyrm_lwip *lwip, void *arg)
{
    const struct two *out = arg;
    uint32_t *drops = out->second;

    if (out->first != NULL) {
        *(struct wyrm_lwip_counters *)out->first = lwip->counters;
    }
    for (int i = 0; drops != NULL && i < WYRM_DROP_REASONS; i++) {
        drops[i] = wyrm_drops(lwip->device, (wyrm_status)(WYRM_D_MALFORMED - i));
    }
    return WYRM_IDLE;
}

void wyrm_lwip_count(struct wyrm_lwip *lwip, struct wyrm_lwip_counters *counters,
                     uint32_t drops[WYRM_DROP_REASONS])
{
    struct two two = {counters, drops};

    (void)wyrm_lwip_call(lwip, do_count, &two);
}

static wyrm_status do_port(struct wyrm_lwip *lwip, void *arg)
{
    *(uint16_t *)arg = lwip->running ? lwip->pcb->local_port : 0;
    return WYRM_IDLE;
}

uint16_t wyrm_lwip_port(struct wyrm_lwip *lwip)
{
    uint16_t port = 0;

    (void)wyrm_lwip_call(lwip, do_port, &port);
    return port;
}

#else
typedef int wyrm_lwip_api_is_not_built; /* ISO C wants something in every file */
#endif

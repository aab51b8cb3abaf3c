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

/* One call: a function and what it takes; each function knows which members it uses. */
struct call {
#if !NO_SYS
    struct tcpip_api_call_data base; /* first: lwIP hands it back */
#endif
    wyrm_status (*run)(struct call *call);
    bool any_state; /* or only while the tunnel runs */
    struct wyrm_lwip *lwip;
    const void *in;
    void *out;
    wyrm_peer_id peer;
    wyrm_status status;
};

static void enter(struct call *call)
{
    call->status = call->lwip->running || call->any_state ? call->run(call) : WYRM_E_STATE;
    wyrm_lwip_service_locked(call->lwip);
}

#if !NO_SYS
static err_t enter_from_lwip(struct tcpip_api_call_data *base)
{
    enter((struct call *)(void *)base);
    return ERR_OK;
}
#endif

static wyrm_status run(struct call *call)
{
    if (WYRM_LWIP_LOCK_HELD()) {
        enter(call);
        return call->status;
    }
#if !NO_SYS
    if (tcpip_api_call(enter_from_lwip, &call->base) != ERR_OK) {
        return WYRM_E_FULL; /* no semaphore to wait on */
    }
#endif
    return call->status;
}

/* For the many functions that take no more than this. */
static wyrm_status run_plain(struct wyrm_lwip *lwip, wyrm_status (*fn)(struct call *),
                             wyrm_peer_id peer, const void *in, void *out)
{
    struct call c;

    c.run = fn;
    c.any_state = false;
    c.lwip = lwip;
    c.in = in;
    c.out = out;
    c.peer = peer;
    return run(&c);
}

/* The same for those that make sense while the tunnel is stopped. */
static wyrm_status run_always(struct wyrm_lwip *lwip, wyrm_status (*fn)(struct call *),
                              const void *in, void *out)
{
    struct call c;

    c.run = fn;
    c.any_state = true;
    c.lwip = lwip;
    c.in = in;
    c.out = out;
    return run(&c);
}

/* ---- Life ---------------------------------------------------------------- */

static wyrm_status do_start(struct call *c)
{
    *(err_t *)c->out = wyrm_lwip_start_locked(c->lwip, c->in);
    return WYRM_IDLE;
}

err_t wyrm_lwip_start(struct wyrm_lwip *lwip, const struct wyrm_lwip_config *config)
{
    err_t err = ERR_MEM;

    (void)run_always(lwip, do_start, config, &err); /* err says it better */
    return err;
}

static wyrm_status do_stop(struct call *c)
{
    wyrm_lwip_stop_locked(c->lwip);
    return WYRM_IDLE;
}

void wyrm_lwip_stop(struct wyrm_lwip *lwip)
{
    (void)run_always(lwip, do_stop, NULL, NULL);
}

static wyrm_status do_remove(struct call *c)
{
    wyrm_lwip_remove_locked(c->lwip);
    return WYRM_IDLE;
}

void wyrm_lwip_remove(struct wyrm_lwip *lwip)
{
    (void)run_always(lwip, do_remove, NULL, NULL);
}

/* ---- Handshakes ----------------------------------------------------------- */

struct work {
    struct wyrm_job *job;
    uint32_t life; /* in which it was taken */
};

static wyrm_status do_take(struct call *c)
{
    struct work *work = c->out;

    work->life = c->lwip->life;
    return wyrm_job_take(c->lwip->device, wyrm_lwip_now_locked(c->lwip), work->job);
}

static wyrm_status do_commit(struct call *c)
{
    struct work *work = c->out;
    struct wyrm_packet packet;

    if (work->life != c->lwip->life) {
        return WYRM_E_STATE; /* stopped meanwhile, perhaps started again: another world */
    }
    wyrm_status status =
        wyrm_job_commit(c->lwip->device, wyrm_lwip_now_locked(c->lwip), work->job, &packet);
    if (status == WYRM_SEND) {
        wyrm_lwip_send_control(c->lwip, &packet);
    }
    return status;
}

void wyrm_lwip_work(struct wyrm_lwip *lwip, struct wyrm_job *job)
{
    struct work work = {.job = job};
    wyrm_status status;

    /* WYRM_E_RANDOM gives up one job, not those behind it. */
    while ((status = run_plain(lwip, do_take, WYRM_NO_PEER, NULL, &work)) == WYRM_WORK ||
           status == WYRM_E_RANDOM) {
        while (status == WYRM_WORK) {
            wyrm_job_run(job);
            status = run_plain(lwip, do_commit, WYRM_NO_PEER, NULL, &work);
        }
    }
    wyrm_wipe(job, sizeof(*job));
}

/* ---- The core's calls ------------------------------------------------------ */

static wyrm_status do_set_private_key(struct call *c)
{
    return wyrm_set_private_key(c->lwip->device, c->in);
}

wyrm_status wyrm_lwip_set_private_key(struct wyrm_lwip *lwip, const uint8_t key[WYRM_KEY_LEN])
{
    return run_plain(lwip, do_set_private_key, WYRM_NO_PEER, key, NULL);
}

static wyrm_status do_public_key(struct call *c)
{
    return wyrm_public_key(c->lwip->device, c->out);
}

wyrm_status wyrm_lwip_public_key(struct wyrm_lwip *lwip, uint8_t out[WYRM_KEY_LEN])
{
    return run_plain(lwip, do_public_key, WYRM_NO_PEER, NULL, out);
}

static wyrm_status do_peer_add(struct call *c)
{
    return wyrm_peer_add(c->lwip->device, c->in, c->out);
}

wyrm_status wyrm_lwip_peer_add(struct wyrm_lwip *lwip, const uint8_t pub[WYRM_KEY_LEN],
                               wyrm_peer_id *out)
{
    return run_plain(lwip, do_peer_add, WYRM_NO_PEER, pub, out);
}

static wyrm_status do_peer_find(struct call *c)
{
    return wyrm_peer_find(c->lwip->device, c->in, c->out);
}

wyrm_status wyrm_lwip_peer_find(struct wyrm_lwip *lwip, const uint8_t pub[WYRM_KEY_LEN],
                                wyrm_peer_id *out)
{
    return run_plain(lwip, do_peer_find, WYRM_NO_PEER, pub, out);
}

static wyrm_status do_peer_remove(struct call *c)
{
    return wyrm_peer_remove(c->lwip->device, c->peer);
}

wyrm_status wyrm_lwip_peer_remove(struct wyrm_lwip *lwip, wyrm_peer_id peer)
{
    return run_plain(lwip, do_peer_remove, peer, NULL, NULL);
}

static wyrm_status do_peer_set_psk(struct call *c)
{
    return wyrm_peer_set_psk(c->lwip->device, c->peer, c->in);
}

wyrm_status wyrm_lwip_peer_set_psk(struct wyrm_lwip *lwip, wyrm_peer_id peer,
                                   const uint8_t psk[WYRM_KEY_LEN])
{
    return run_plain(lwip, do_peer_set_psk, peer, psk, NULL);
}

static wyrm_status do_peer_set_endpoint(struct call *c)
{
    return wyrm_peer_set_endpoint(c->lwip->device, c->peer, c->in);
}

wyrm_status wyrm_lwip_peer_set_endpoint(struct wyrm_lwip *lwip, wyrm_peer_id peer,
                                        const struct wyrm_endpoint *endpoint)
{
    return run_plain(lwip, do_peer_set_endpoint, peer, endpoint, NULL);
}

static wyrm_status do_peer_set_keepalive(struct call *c)
{
    return wyrm_peer_set_keepalive(c->lwip->device, c->peer, *(const uint16_t *)c->in);
}

wyrm_status wyrm_lwip_peer_set_keepalive(struct wyrm_lwip *lwip, wyrm_peer_id peer,
                                         uint16_t seconds)
{
    return run_plain(lwip, do_peer_set_keepalive, peer, &seconds, NULL);
}

static wyrm_status do_peer_connect(struct call *c)
{
    return wyrm_peer_connect(c->lwip->device, wyrm_lwip_now_locked(c->lwip), c->peer);
}

wyrm_status wyrm_lwip_peer_connect(struct wyrm_lwip *lwip, wyrm_peer_id peer)
{
    return run_plain(lwip, do_peer_connect, peer, NULL, NULL);
}

static wyrm_status do_peer_disconnect(struct call *c)
{
    return wyrm_peer_disconnect(c->lwip->device, c->peer);
}

wyrm_status wyrm_lwip_peer_disconnect(struct wyrm_lwip *lwip, wyrm_peer_id peer)
{
    return run_plain(lwip, do_peer_disconnect, peer, NULL, NULL);
}

/* Two results of one call. */
struct two {
    void *first, *second;
};

static wyrm_status do_peer_get(struct call *c)
{
    const struct two *out = c->out;
    wyrm_ms now = wyrm_lwip_now_locked(c->lwip);

    if (out->second != NULL) {
        *(wyrm_ms *)out->second = now;
    }
    return wyrm_peer_get(c->lwip->device, now, c->peer, out->first);
}

wyrm_status wyrm_lwip_peer_get(struct wyrm_lwip *lwip, wyrm_peer_id peer,
                               struct wyrm_peer_info *out, wyrm_ms *now)
{
    struct two two = {out, now};

    return run_plain(lwip, do_peer_get, peer, NULL, &two);
}

static wyrm_status do_route_add(struct call *c)
{
    return wyrm_route_add(c->lwip->device, c->peer, c->in);
}

wyrm_status wyrm_lwip_route_add(struct wyrm_lwip *lwip, wyrm_peer_id peer,
                                const struct wyrm_prefix *prefix)
{
    return run_plain(lwip, do_route_add, peer, prefix, NULL);
}

static wyrm_status do_route_remove(struct call *c)
{
    return wyrm_route_remove(c->lwip->device, c->peer, c->in);
}

wyrm_status wyrm_lwip_route_remove(struct wyrm_lwip *lwip, wyrm_peer_id peer,
                                   const struct wyrm_prefix *prefix)
{
    return run_plain(lwip, do_route_remove, peer, prefix, NULL);
}

static wyrm_status do_route_get(struct call *c)
{
    const struct two *out = c->out;

    return wyrm_route_get(c->lwip->device, *(const uint32_t *)c->in, out->first, out->second);
}

wyrm_status wyrm_lwip_route_get(struct wyrm_lwip *lwip, uint32_t position,
                                struct wyrm_prefix *prefix, wyrm_peer_id *peer)
{
    struct two two = {prefix, peer};

    return run_plain(lwip, do_route_get, WYRM_NO_PEER, &position, &two);
}

/* ---- Looking, and everything else ------------------------------------------- */

static wyrm_status do_count(struct call *c)
{
    const struct two *out = c->out;
    uint32_t *drops = out->second;

    if (out->first != NULL) {
        *(struct wyrm_lwip_counters *)out->first = c->lwip->counters;
    }
    for (int i = 0; drops != NULL && i < WYRM_DROP_REASONS; i++) {
        drops[i] = wyrm_drops(c->lwip->device, (wyrm_status)(WYRM_D_MALFORMED - i));
    }
    return WYRM_IDLE;
}

void wyrm_lwip_count(struct wyrm_lwip *lwip, struct wyrm_lwip_counters *counters,
                     uint32_t drops[WYRM_DROP_REASONS])
{
    struct two two = {counters, drops};

    (void)run_always(lwip, do_count, NULL, &two);
}

static wyrm_status do_port(struct call *c)
{
    *(uint16_t *)c->out = c->lwip->pcb->local_port;
    return WYRM_IDLE;
}

uint16_t wyrm_lwip_port(struct wyrm_lwip *lwip)
{
    uint16_t port = 0;

    (void)run_plain(lwip, do_port, WYRM_NO_PEER, NULL, &port); /* WYRM_E_STATE leaves the 0 */
    return port;
}

struct closure {
    wyrm_status (*fn)(struct wyrm_lwip *, void *);
    void *arg;
};

static wyrm_status do_call(struct call *c)
{
    const struct closure *closure = c->in;

    return closure->fn(c->lwip, closure->arg);
}

wyrm_status wyrm_lwip_call(struct wyrm_lwip *lwip, wyrm_status (*fn)(struct wyrm_lwip *, void *),
                           void *arg)
{
    struct closure closure = {fn, arg};

    return run_always(lwip, do_call, &closure, NULL);
}

#else
typedef int wyrm_lwip_api_is_not_built; /* ISO C wants something in every file */
#endif

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

#include "lwip/sys.h"

#if NO_SYS
#define LOCK_TCPIP_CORE()
#define UNLOCK_TCPIP_CORE()
#else
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

/* True if a call of another task needs a semaphore, for which there may be no memory. */
#define CALL_MAY_FAIL (!NO_SYS && !LWIP_TCPIP_CORE_LOCKING)

static wyrm_status call_locked(struct wyrm_lwip *lwip,
                               wyrm_status (*fn)(struct wyrm_lwip *, void *), void *arg)
{
    wyrm_status status = fn(lwip, arg);

    wyrm_lwip_service_locked(lwip);
    return status;
}

#if !CALL_MAY_FAIL

wyrm_status wyrm_lwip_call(struct wyrm_lwip *lwip, wyrm_status (*fn)(struct wyrm_lwip *, void *),
                           void *arg)
{
    bool held = WYRM_LWIP_LOCK_HELD();

    if (!held) {
        LOCK_TCPIP_CORE();
    }
    wyrm_status status = call_locked(lwip, fn, arg);
    if (!held) {
        UNLOCK_TCPIP_CORE();
    }
    return status;
}

#else

/* What the TCP/IP task is to call. */
struct call {
    struct tcpip_api_call_data base; /* first: lwIP hands it back */
    wyrm_status (*fn)(struct wyrm_lwip *lwip, void *arg);
    struct wyrm_lwip *lwip;
    void *arg;
    wyrm_status status;
};

static err_t enter(struct tcpip_api_call_data *given)
{
    struct call *call = (struct call *)(void *)given;

    call->status = call_locked(call->lwip, call->fn, call->arg);
    return ERR_OK;
}

wyrm_status wyrm_lwip_call(struct wyrm_lwip *lwip, wyrm_status (*fn)(struct wyrm_lwip *, void *),
                           void *arg)
{
    struct call call = {.fn = fn, .lwip = lwip, .arg = arg, .status = WYRM_E_FULL};

    if (WYRM_LWIP_LOCK_HELD()) {
        return call_locked(lwip, fn, arg);
    }
    (void)tcpip_api_call(enter, &call.base); /* WYRM_E_FULL: there is no semaphore to wait on */
    return call.status;
}

#endif

/* The same, but waits for a semaphore: nobody would learn that a device was not stopped, and a peer
 * whose job is lost would wait for it for ever. */
static wyrm_status call_surely(struct wyrm_lwip *lwip,
                               wyrm_status (*fn)(struct wyrm_lwip *, void *), void *arg)
{
    wyrm_status status;

    while ((status = wyrm_lwip_call(lwip, fn, arg)) == WYRM_E_FULL && CALL_MAY_FAIL) {
        sys_msleep(10);
    }
    return status;
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
    (void)call_surely(lwip, do_stop, NULL);
}

static wyrm_status do_remove(struct wyrm_lwip *lwip, void *unused)
{
    LWIP_UNUSED_ARG(unused);
    wyrm_lwip_remove_locked(lwip);
    return WYRM_IDLE;
}

void wyrm_lwip_remove(struct wyrm_lwip *lwip)
{
    (void)call_surely(lwip, do_remove, NULL);
}

/* ---- Handshakes ----------------------------------------------------------- */

struct work {
    struct wyrm_job *job;
    uint32_t life;      /* in which the job was taken */
    wyrm_status status; /* WYRM_WORK: the job has been taken and run */
};

/* Commits the job that has been run and takes the next one. */
static wyrm_status do_work(struct wyrm_lwip *lwip, void *arg)
{
    struct work *work = arg;
    struct wyrm_packet packet;
    wyrm_status status;

    /* Stopped meanwhile, perhaps started again: another world. */
    if (work->status == WYRM_WORK && work->life == lwip->life) {
        status = wyrm_job_commit(lwip->device, wyrm_lwip_now_locked(lwip), work->job, &packet);
        if (status == WYRM_WORK) {
            return status;
        }
        (void)wyrm_lwip_obey(lwip, status, &packet);
        wyrm_lwip_service_locked(lwip);
    }
    work->life = lwip->life;
    return lwip->running ? wyrm_job_take(lwip->device, wyrm_lwip_now_locked(lwip), work->job)
                         : WYRM_E_STATE;
}

void wyrm_lwip_work(struct wyrm_lwip *lwip, struct wyrm_job *job)
{
    struct work work = {.job = job, .status = WYRM_IDLE};

    /* WYRM_E_RANDOM gives up one job, not those behind it. */
    while ((work.status = call_surely(lwip, do_work, &work)) == WYRM_WORK ||
           work.status == WYRM_E_RANDOM) {
        if (work.status == WYRM_WORK) {
            wyrm_job_run(job);
        }
    }
    wyrm_wipe(job, sizeof(*job));
}

/* ---- The core's calls ------------------------------------------------------ */

/* What one of them takes or fills in; some do both. */
union argument {
    const void *in;
    void *out;
};
struct both {
    const void *in;
    void *out;
};
struct core_call {
    wyrm_status (*fn)(struct wyrm_lwip *lwip, const struct core_call *call);
    wyrm_peer_id peer;
    union argument arg;
};

static wyrm_status do_core_call(struct wyrm_lwip *lwip, void *arg)
{
    const struct core_call *call = arg;

    return lwip->running ? call->fn(lwip, call) : WYRM_E_STATE;
}

/* Four arguments fit into registers, so that callers pass theirs on where they are. */
static wyrm_status run(struct wyrm_lwip *lwip, wyrm_peer_id peer, union argument arg,
                       wyrm_status (*fn)(struct wyrm_lwip *, const struct core_call *))
{
    struct core_call call = {fn, peer, arg};

    return wyrm_lwip_call(lwip, do_core_call, &call);
}

#define IN(pointer)  ((union argument){.in = (pointer)})
#define OUT(pointer) ((union argument){.out = (pointer)})

static wyrm_status do_set_private_key(struct wyrm_lwip *lwip, const struct core_call *c)
{
    return wyrm_set_private_key(lwip->device, c->arg.in);
}

wyrm_status wyrm_lwip_set_private_key(struct wyrm_lwip *lwip, const uint8_t key[WYRM_KEY_LEN])
{
    return run(lwip, WYRM_NO_PEER, IN(key), do_set_private_key);
}

static wyrm_status do_public_key(struct wyrm_lwip *lwip, const struct core_call *c)
{
    return wyrm_public_key(lwip->device, c->arg.out);
}

wyrm_status wyrm_lwip_public_key(struct wyrm_lwip *lwip, uint8_t out[WYRM_KEY_LEN])
{
    return run(lwip, WYRM_NO_PEER, OUT(out), do_public_key);
}

static wyrm_status do_peer_add(struct wyrm_lwip *lwip, const struct core_call *c)
{
    const struct both *both = c->arg.in;

    return wyrm_peer_add(lwip->device, both->in, both->out);
}

wyrm_status wyrm_lwip_peer_add(struct wyrm_lwip *lwip, const uint8_t pub[WYRM_KEY_LEN],
                               wyrm_peer_id *out)
{
    struct both both = {pub, out};

    return run(lwip, WYRM_NO_PEER, IN(&both), do_peer_add);
}

static wyrm_status do_peer_find(struct wyrm_lwip *lwip, const struct core_call *c)
{
    const struct both *both = c->arg.in;

    return wyrm_peer_find(lwip->device, both->in, both->out);
}

wyrm_status wyrm_lwip_peer_find(struct wyrm_lwip *lwip, const uint8_t pub[WYRM_KEY_LEN],
                                wyrm_peer_id *out)
{
    struct both both = {pub, out};

    return run(lwip, WYRM_NO_PEER, IN(&both), do_peer_find);
}

static wyrm_status do_peer_remove(struct wyrm_lwip *lwip, const struct core_call *c)
{
    return wyrm_peer_remove(lwip->device, c->peer);
}

wyrm_status wyrm_lwip_peer_remove(struct wyrm_lwip *lwip, wyrm_peer_id peer)
{
    return run(lwip, peer, IN(NULL), do_peer_remove);
}

static wyrm_status do_peer_set_psk(struct wyrm_lwip *lwip, const struct core_call *c)
{
    return wyrm_peer_set_psk(lwip->device, c->peer, c->arg.in);
}

wyrm_status wyrm_lwip_peer_set_psk(struct wyrm_lwip *lwip, wyrm_peer_id peer,
                                   const uint8_t psk[WYRM_KEY_LEN])
{
    return run(lwip, peer, IN(psk), do_peer_set_psk);
}

static wyrm_status do_peer_set_endpoint(struct wyrm_lwip *lwip, const struct core_call *c)
{
    return wyrm_peer_set_endpoint(lwip->device, c->peer, c->arg.in);
}

wyrm_status wyrm_lwip_peer_set_endpoint(struct wyrm_lwip *lwip, wyrm_peer_id peer,
                                        const struct wyrm_endpoint *endpoint)
{
    return run(lwip, peer, IN(endpoint), do_peer_set_endpoint);
}

static wyrm_status do_peer_set_keepalive(struct wyrm_lwip *lwip, const struct core_call *c)
{
    return wyrm_peer_set_keepalive(lwip->device, c->peer, *(const uint16_t *)c->arg.in);
}

wyrm_status wyrm_lwip_peer_set_keepalive(struct wyrm_lwip *lwip, wyrm_peer_id peer,
                                         uint16_t seconds)
{
    return run(lwip, peer, IN(&seconds), do_peer_set_keepalive);
}

static wyrm_status do_peer_connect(struct wyrm_lwip *lwip, const struct core_call *c)
{
    return wyrm_peer_connect(lwip->device, wyrm_lwip_now_locked(lwip), c->peer);
}

wyrm_status wyrm_lwip_peer_connect(struct wyrm_lwip *lwip, wyrm_peer_id peer)
{
    return run(lwip, peer, IN(NULL), do_peer_connect);
}

static wyrm_status do_peer_disconnect(struct wyrm_lwip *lwip, const struct core_call *c)
{
    return wyrm_peer_disconnect(lwip->device, c->peer);
}

wyrm_status wyrm_lwip_peer_disconnect(struct wyrm_lwip *lwip, wyrm_peer_id peer)
{
    return run(lwip, peer, IN(NULL), do_peer_disconnect);
}

/* Two results of one call. */
struct two {
    void *first, *second;
};

static wyrm_status do_peer_get(struct wyrm_lwip *lwip, const struct core_call *c)
{
    const struct two *out = c->arg.in;
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

    return run(lwip, peer, IN(&two), do_peer_get);
}

static wyrm_status do_route_add(struct wyrm_lwip *lwip, const struct core_call *c)
{
    return wyrm_route_add(lwip->device, c->peer, c->arg.in);
}

wyrm_status wyrm_lwip_route_add(struct wyrm_lwip *lwip, wyrm_peer_id peer,
                                const struct wyrm_prefix *prefix)
{
    return run(lwip, peer, IN(prefix), do_route_add);
}

static wyrm_status do_route_remove(struct wyrm_lwip *lwip, const struct core_call *c)
{
    return wyrm_route_remove(lwip->device, c->peer, c->arg.in);
}

wyrm_status wyrm_lwip_route_remove(struct wyrm_lwip *lwip, wyrm_peer_id peer,
                                   const struct wyrm_prefix *prefix)
{
    return run(lwip, peer, IN(prefix), do_route_remove);
}

struct route_get {
    uint32_t position;
    struct wyrm_prefix *prefix;
    wyrm_peer_id *peer;
};

static wyrm_status do_route_get(struct wyrm_lwip *lwip, const struct core_call *c)
{
    const struct route_get *get = c->arg.in;

    return wyrm_route_get(lwip->device, get->position, get->prefix, get->peer);
}

wyrm_status wyrm_lwip_route_get(struct wyrm_lwip *lwip, uint32_t position,
                                struct wyrm_prefix *prefix, wyrm_peer_id *peer)
{
    struct route_get get = {position, prefix, peer};

    return run(lwip, WYRM_NO_PEER, IN(&get), do_route_get);
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

    (void)call_surely(lwip, do_count, &two);
}

#else
typedef int wyrm_lwip_api_is_not_built; /* ISO C wants something in every file */
#endif

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Calls from any task: each takes lwIP's core lock unless the caller already holds it. Without core
 * locking, the TCP/IP task executes the call while the caller waits.
 */
#include "wyrm_lwip_private.h"

#if WYRM_PORT_LWIP

#include "wyrm_crypto.h"

#include "lwip/sys.h"

#if NO_SYS && defined(WYRM_LWIP_LOCK_NO_SYS) /* lwIP runs in an interrupt */
#define LOCK_TCPIP_CORE()   WYRM_LWIP_LOCK_NO_SYS()
#define UNLOCK_TCPIP_CORE() WYRM_LWIP_UNLOCK_NO_SYS()
#elif NO_SYS
#define LOCK_TCPIP_CORE()
#define UNLOCK_TCPIP_CORE()
#else
#include "lwip/priv/tcpip_priv.h"
#include "lwip/tcpip.h"
#endif

/* True if the caller may call lwIP directly: it holds the core lock, or is the TCP/IP task. A wrong
 * answer is a deadlock or a data race, so there is no default for unknown systems. */
#ifndef WYRM_LWIP_LOCK_HELD
#if NO_SYS
#define WYRM_LWIP_LOCK_HELD() true
#elif defined(ESP_PLATFORM)
#define WYRM_LWIP_LOCK_HELD() sys_thread_tcpip(LWIP_CORE_LOCK_QUERY_HOLDER)
#elif defined(WYRM_PORT_FREERTOS) && WYRM_PORT_FREERTOS
#include "wyrm_freertos.h"
#define WYRM_LWIP_LOCK_HELD() wyrm_freertos_lwip_held()
#else
#error                                                                                             \
    "define WYRM_LWIP_LOCK_HELD() in lwipopts.h: true if the calling thread may call lwIP directly"
#endif
#endif

/* Without core locking, lwIP allocates a semaphore for each call from another task. */
#define CALL_MAY_FAIL (!NO_SYS && !LWIP_TCPIP_CORE_LOCKING)

/* ---- Calls under the lock ------------------------------------------------ */

static wyrm_status call_locked(struct wyrm_lwip *lwip,
                               wyrm_status (*fn)(struct wyrm_lwip *, void *), void *arg)
{
    wyrm_status status = fn(lwip, arg);

    wyrm_lwip_service_locked(lwip);
    return status;
}

#if !CALL_MAY_FAIL

/* The macros are empty where there is no lock. */
static void lock_core(void)
{
    LOCK_TCPIP_CORE();
}

static void unlock_core(void)
{
    UNLOCK_TCPIP_CORE();
}

wyrm_status wyrm_lwip_call(struct wyrm_lwip *lwip, wyrm_status (*fn)(struct wyrm_lwip *, void *),
                           void *arg)
{
    bool held = WYRM_LWIP_LOCK_HELD();

    if (!held)
        lock_core();
    wyrm_status status = call_locked(lwip, fn, arg);
    if (!held)
        unlock_core();
    return status;
}

#else

/* A call that the TCP/IP task executes. */
struct call {
    struct tcpip_api_call_data base; /* first: lwIP passes its address back */
    wyrm_status (*fn)(struct wyrm_lwip *lwip, void *arg);
    struct wyrm_lwip *lwip;
    void *arg;
    wyrm_status status;
};

static err_t execute(struct tcpip_api_call_data *base)
{
    struct call *call = (struct call *)(void *)base;

    call->status = call_locked(call->lwip, call->fn, call->arg);
    return ERR_OK;
}

wyrm_status wyrm_lwip_call(struct wyrm_lwip *lwip, wyrm_status (*fn)(struct wyrm_lwip *, void *),
                           void *arg)
{
    struct call call = {.fn = fn, .lwip = lwip, .arg = arg, .status = WYRM_E_FULL};

    if (WYRM_LWIP_LOCK_HELD())
        return call_locked(lwip, fn, arg);
    (void)tcpip_api_call(execute, &call.base); /* on failure, call.status stays WYRM_E_FULL */
    return call.status;
}

#endif

/* Retries until lwIP has a semaphore, for calls whose failure the caller cannot handle: a tunnel
 * must stop when told to, and a job that is never committed blocks its peer's handshakes. */
static wyrm_status call_retrying(struct wyrm_lwip *lwip,
                                 wyrm_status (*fn)(struct wyrm_lwip *, void *), void *arg)
{
    wyrm_status status;

    while ((status = wyrm_lwip_call(lwip, fn, arg)) == WYRM_E_FULL && CALL_MAY_FAIL)
        sys_msleep(10);
    return status;
}

struct core_call {
    wyrm_status (*fn)(struct wyrm_device *device, wyrm_ms now, void *arg);
    void *arg;
};

static wyrm_status do_core_call(struct wyrm_lwip *lwip, void *arg)
{
    const struct core_call *call = arg;

    return lwip->running ? call->fn(lwip->device, wyrm_lwip_now_locked(lwip), call->arg)
                         : WYRM_E_STATE;
}

wyrm_status wyrm_lwip_call_core(struct wyrm_lwip *lwip,
                                wyrm_status (*fn)(struct wyrm_device *, wyrm_ms, void *), void *arg)
{
    struct core_call call = {fn, arg};

    return wyrm_lwip_call(lwip, do_core_call, &call);
}

/* ---- Start and stop ------------------------------------------------------- */

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
    struct start start = {config, ERR_MEM}; /* ERR_MEM: the call itself failed */

    (void)wyrm_lwip_call(lwip, do_start, &start);
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
    (void)call_retrying(lwip, do_stop, NULL);
}

static wyrm_status do_remove(struct wyrm_lwip *lwip, void *unused)
{
    LWIP_UNUSED_ARG(unused);
    wyrm_lwip_remove_locked(lwip);
    return WYRM_IDLE;
}

void wyrm_lwip_remove(struct wyrm_lwip *lwip)
{
    (void)call_retrying(lwip, do_remove, NULL);
}

/* ---- Handshakes ----------------------------------------------------------- */

struct work {
    struct wyrm_job *job;
    uint32_t generation; /* of the tunnel when the job was taken */
    wyrm_status status;  /* WYRM_WORK: the job was taken and has run */
};

/* Commits the job that has run and takes the next one. */
static wyrm_status do_work(struct wyrm_lwip *lwip, void *arg)
{
    struct work *work = arg;
    struct wyrm_packet packet;
    wyrm_status status;

    /* A job taken before the tunnel was stopped does not belong to the device as started anew. */
    if (work->status == WYRM_WORK && work->generation == lwip->generation) {
        status = wyrm_job_commit(lwip->device, wyrm_lwip_now_locked(lwip), work->job, &packet);
        if (status == WYRM_WORK)
            return status;
        (void)wyrm_lwip_handle_status(lwip, status, &packet);
        wyrm_lwip_service_locked(lwip);
    }
    work->generation = lwip->generation;
    return lwip->running ? wyrm_job_take(lwip->device, wyrm_lwip_now_locked(lwip), work->job)
                         : WYRM_E_STATE;
}

void wyrm_lwip_work(struct wyrm_lwip *lwip, struct wyrm_job *job)
{
    struct work work = {.job = job, .status = WYRM_IDLE};

    /* WYRM_E_RANDOM ends one job; others may still be waiting. */
    while ((work.status = call_retrying(lwip, do_work, &work)) == WYRM_WORK ||
           work.status == WYRM_E_RANDOM)
        if (work.status == WYRM_WORK)
            wyrm_job_run(job);
    wyrm_wipe(job, sizeof(*job));
}

/* ---- Counters --------------------------------------------------------------- */

struct count {
    struct wyrm_lwip_counters *counters;
    uint32_t *drops;
};

static wyrm_status do_count(struct wyrm_lwip *lwip, void *arg)
{
    const struct count *count = arg;

    if (count->counters != NULL)
        *count->counters = lwip->counters;
    for (int i = 0; count->drops != NULL && i < WYRM_DROP_REASONS; i++)
        count->drops[i] = wyrm_drops(lwip->device, (wyrm_status)(WYRM_D_MALFORMED - i));
    return WYRM_IDLE;
}

void wyrm_lwip_count(struct wyrm_lwip *lwip, struct wyrm_lwip_counters *counters,
                     uint32_t drops[WYRM_DROP_REASONS])
{
    struct count count = {counters, drops};

    (void)call_retrying(lwip, do_count, &count);
}

#endif /* WYRM_PORT_LWIP */

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Two tunnels of one lwIP that talk over its loopback interface, while several threads call
 * whatever they like, with the lock held and without. lwIP itself asserts on every raw call that
 * the lock is held; the mutex is a plain one, so taking it twice would hang.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

#include "wyrm_lwip.h"

#include "lwip/sys.h"
#include "lwip/tcpip.h"

enum { ROUNDS = 300, CALLERS = 3, PATIENCE_MS = 20000 };

WYRM_LWIP_DEFINE(first, 6, 12, 4);
WYRM_LWIP_DEFINE(second, 6, 12, 4);
static struct wyrm_lwip *const tunnels[] = {&first, &second};
static wyrm_peer_id other[2]; /* each other, as they know it */

/* ---- Who holds the lock ------------------------------------------------------- */

/* Wrapped by the linker: lwIP's port for POSIX cannot tell which task is the TCP/IP task. */
void __real_sys_mark_tcpip_thread(void);
void __wrap_sys_mark_tcpip_thread(void);

#if LWIP_TCPIP_CORE_LOCKING
#include "lock_holder.h"

void __wrap_sys_mark_tcpip_thread(void)
{
    __real_sys_mark_tcpip_thread();
}
#else
static _Atomic(pthread_t) holder; /* the TCP/IP task */

void __wrap_sys_mark_tcpip_thread(void)
{
    __real_sys_mark_tcpip_thread();
    holder = pthread_self();
}
#endif

bool threads_lock_held(void)
{
    return holder == pthread_self();
}

/* ---- Memory --------------------------------------------------------------------- */

/* Without core locking, each call from another task needs a semaphore, created here. */
err_t __real_sys_sem_new(sys_sem_t *semaphore, u8_t count);
err_t __wrap_sys_sem_new(sys_sem_t *semaphore, u8_t count);

static _Thread_local unsigned refused; /* bit mask, lowest bit first: this allocation fails */

err_t __wrap_sys_sem_new(sys_sem_t *semaphore, u8_t count)
{
    bool refuse = (refused & 1) != 0;

    refused >>= 1;
    return refuse ? ERR_MEM : __real_sys_sem_new(semaphore, count);
}

/* ---- Platform and worker ------------------------------------------------------ */

static sys_sem_t work;
static volatile bool ending;

static bool draw(void *ctx, void *out, size_t len)
{
    uint8_t *bytes = out;

    (void)ctx;
    for (size_t i = 0; i < len; i++)
        bytes[i] = (uint8_t)(rand() >> 8);
    return true;
}

static bool stamp(void *ctx, uint8_t out[12])
{
    static uint32_t count;

    (void)ctx;
    memset(out, 0, 12);
    count++;
    for (int i = 0; i < 4; i++)
        out[11 - i] = (uint8_t)(count >> (8 * i));
    return true;
}

static const struct wyrm_platform platform = {.random = draw, .tai64n = stamp};

static void on_wake(void *arg)
{
    (void)arg;
    sys_sem_signal(&work);
}

/* Arguments and results of a core call. */
struct call {
    const uint8_t *key;
    const struct wyrm_endpoint *endpoint;
    const struct wyrm_prefix *prefix;
    wyrm_peer_id peer;
    struct wyrm_peer_info info;
};

static wyrm_status peer_get(struct wyrm_device *device, wyrm_ms now, void *arg)
{
    struct call *call = arg;

    return wyrm_peer_get(device, now, call->peer, &call->info);
}

/* Callbacks run under the lock and may call anything. */
static void on_event(void *arg, wyrm_status event, wyrm_peer_id peer)
{
    struct call call = {.peer = peer};

    (void)event;
    (void)wyrm_lwip_call_core(arg, peer_get, &call);
}

static void *worker(void *arg)
{
    static struct wyrm_job job;

    (void)arg;
    while (!ending) {
        sys_arch_sem_wait(&work, 50);
        wyrm_lwip_work(&first, &job);
        wyrm_lwip_work(&second, &job);
    }
    return NULL;
}

/* ---- Core calls ----------------------------------------------------------------- */

static wyrm_status set_private_key(struct wyrm_device *device, wyrm_ms now, void *arg)
{
    (void)now;
    return wyrm_set_private_key(device, ((struct call *)arg)->key);
}

static wyrm_status public_key(struct wyrm_device *device, wyrm_ms now, void *out)
{
    (void)now;
    return wyrm_public_key(device, out);
}

static wyrm_status peer_add(struct wyrm_device *device, wyrm_ms now, void *arg)
{
    struct call *call = arg;

    (void)now;
    return wyrm_peer_add(device, call->key, &call->peer);
}

static wyrm_status peer_set_endpoint(struct wyrm_device *device, wyrm_ms now, void *arg)
{
    const struct call *call = arg;

    (void)now;
    return wyrm_peer_set_endpoint(device, call->peer, call->endpoint);
}

static wyrm_status peer_set_psk(struct wyrm_device *device, wyrm_ms now, void *arg)
{
    const struct call *call = arg;

    (void)now;
    return wyrm_peer_set_psk(device, call->peer, call->key);
}

static wyrm_status peer_set_keepalive(struct wyrm_device *device, wyrm_ms now, void *arg)
{
    (void)now;
    return wyrm_peer_set_keepalive(device, ((struct call *)arg)->peer, 1);
}

static wyrm_status peer_find(struct wyrm_device *device, wyrm_ms now, void *arg)
{
    struct call *call = arg;

    (void)now;
    return wyrm_peer_find(device, call->key, &call->peer);
}

static wyrm_status route_add(struct wyrm_device *device, wyrm_ms now, void *arg)
{
    const struct call *call = arg;

    (void)now;
    return wyrm_route_add(device, call->peer, call->prefix);
}

static wyrm_status route_remove(struct wyrm_device *device, wyrm_ms now, void *arg)
{
    const struct call *call = arg;

    (void)now;
    return wyrm_route_remove(device, call->peer, call->prefix);
}

static wyrm_status peer_connect(struct wyrm_device *device, wyrm_ms now, void *arg)
{
    return wyrm_peer_connect(device, now, ((struct call *)arg)->peer);
}

static wyrm_status peer_disconnect(struct wyrm_device *device, wyrm_ms now, void *arg)
{
    (void)now;
    return wyrm_peer_disconnect(device, ((struct call *)arg)->peer);
}

static wyrm_status peer_remove(struct wyrm_device *device, wyrm_ms now, void *arg)
{
    (void)now;
    return wyrm_peer_remove(device, ((struct call *)arg)->peer);
}

/* ---- Tunnels -------------------------------------------------------------------- */

static void start(int which)
{
    const struct wyrm_prefix address = {4, 24, {10, (uint8_t)(7 + which), 0, 1}};
    const struct wyrm_lwip_config config = {.platform = &platform,
                                            .addresses = &address,
                                            .n_addresses = 1,
                                            .listen_port = (uint16_t)(4000 + which),
                                            .event = on_event,
                                            .wake = on_wake,
                                            .arg = tunnels[which]};
    const uint8_t key[WYRM_KEY_LEN] = {(uint8_t)(8 * which), [31] = 0x40};

    assert_int_equal(wyrm_lwip_start(tunnels[which], &config), ERR_OK);
    assert_int_equal(
        wyrm_lwip_call_core(tunnels[which], set_private_key, &(struct call){.key = key}),
        WYRM_IDLE);
}

static void introduce(int which)
{
    const struct wyrm_endpoint at = {
        .family = 4, .port = (uint16_t)(4000 + !which), .addr = {127, 0, 0, 1}};
    uint8_t pub[WYRM_KEY_LEN];
    struct call call = {.key = pub, .endpoint = &at};

    assert_int_equal(wyrm_lwip_call_core(tunnels[!which], public_key, pub), WYRM_IDLE);
    assert_int_equal(wyrm_lwip_call_core(tunnels[which], peer_add, &call), WYRM_IDLE);
    assert_int_equal(wyrm_lwip_call_core(tunnels[which], peer_set_endpoint, &call), WYRM_IDLE);
    other[which] = call.peer;
}

static bool is_up(int which)
{
    struct call call = {.peer = other[which]};

    return wyrm_lwip_call_core(tunnels[which], peer_get, &call) == WYRM_IDLE && call.info.up;
}

static wyrm_status connect_first(void)
{
    return wyrm_lwip_call_core(&first, peer_connect, &(struct call){.peer = other[0]});
}

static void wait_until_up(void)
{
    assert_int_equal(connect_first(), WYRM_IDLE);
    for (int waited = 0; !is_up(0) || !is_up(1); waited += 10) {
        assert_true(waited < PATIENCE_MS);
        sys_msleep(10);
    }
}

/* ---- Callers ---------------------------------------------------------------------- */

/* Calls every function once, on a peer of the caller's own. */
static void call_all(uint8_t caller, int round)
{
    struct wyrm_lwip *tunnel = tunnels[round & 1];
    const struct wyrm_prefix prefix = {4, 32, {10, 9, caller, (uint8_t)round}};
    const struct wyrm_endpoint at = {.family = 4, .port = 9, .addr = {127, 0, 0, 1}};
    const uint8_t pub[WYRM_KEY_LEN] = {caller, 9};
    wyrm_status (*const calls[])(struct wyrm_device *, wyrm_ms, void *) = {
        peer_set_endpoint, peer_set_psk, peer_set_keepalive, peer_find,       route_add,
        route_remove,      peer_connect, peer_get,           peer_disconnect, peer_remove};
    struct call call = {.key = pub, .endpoint = &at, .prefix = &prefix};
    struct wyrm_lwip_counters counters;

    if (wyrm_lwip_call_core(tunnel, peer_add, &call) != WYRM_IDLE)
        return;
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
        (void)wyrm_lwip_call_core(tunnel, calls[i], &call);
    wyrm_lwip_count(tunnel, &counters, NULL);
}

static void *caller(void *arg)
{
    for (int round = 0; round < ROUNDS; round++)
        call_all(*(const uint8_t *)arg, round);
    return NULL;
}

/* The same from lwIP's own task, which holds the lock or needs none. */
static void called_in_tcpip(void *arg)
{
    static int round;

    call_all(200, round++);
    sys_sem_signal(arg);
}

FIXTURE(setup)
{
    tcpip_init(NULL, NULL);
    return sys_sem_new(&work, 0);
}

#if !LWIP_TCPIP_CORE_LOCKING
/* Otherwise the peer would wait for the end of that job forever. */
TEST(a_job_is_not_lost_without_a_semaphore)
{
    static struct wyrm_job job;
    struct call call = {0};

    start(0);
    start(1);
    introduce(0);
    assert_int_equal(connect_first(), WYRM_IDLE);
    refused = 0x06; /* the job is taken; then there is no memory, twice */
    wyrm_lwip_work(&first, &job);
    assert_int_equal(refused, 0);
    call.peer = other[0];
    assert_int_equal(wyrm_lwip_call_core(&first, peer_get, &call), WYRM_IDLE);
    assert_int_equal(call.info.tx_bytes, 148); /* an initiation was sent */
    wyrm_lwip_remove(&first);
    wyrm_lwip_remove(&second);
}

TEST(a_tunnel_is_stopped_even_if_no_semaphore_is_free_at_once)
{
    start(0);
    start(1);
    introduce(0);
    refused = 1;
    wyrm_lwip_stop(&first);
    assert_int_equal(refused, 0);
    assert_int_equal(wyrm_lwip_call_core(&first, peer_get, &(struct call){0}), WYRM_E_STATE);
    refused = 1;
    wyrm_lwip_remove(&second);
    assert_int_equal(wyrm_lwip_port(&second), 0);
    wyrm_lwip_remove(&first);
}
#endif

TEST(known_defect_32_any_task_may_call_anything_at_any_time)
{
    static const uint8_t names[CALLERS] = {100, 101, 102};
    pthread_t threads[CALLERS], worker_thread;
    sys_sem_t done;

    start(0);
    start(1);
    introduce(0);
    introduce(1);
    assert_int_equal(pthread_create(&worker_thread, NULL, worker, NULL), 0);
    wait_until_up();

    assert_int_equal(sys_sem_new(&done, 0), ERR_OK);
    for (int i = 0; i < CALLERS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, caller, (void *)(uintptr_t)&names[i]),
                         0);
    }
    for (int round = 0; round < ROUNDS; round++) {
        assert_int_equal(tcpip_callback(called_in_tcpip, &done), ERR_OK);
        assert_int_not_equal(sys_arch_sem_wait(&done, PATIENCE_MS), SYS_ARCH_TIMEOUT);
    }
    for (int i = 0; i < CALLERS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_true(is_up(0) && is_up(1)); /* the other two tunnels were not affected */

    wyrm_lwip_stop(&first); /* while the worker may be in a handshake */
    start(0);
    introduce(0);
    sys_msleep(100);
    wyrm_lwip_remove(&first);
    wyrm_lwip_remove(&second);
    ending = true;
    assert_int_equal(pthread_join(worker_thread, NULL), 0);
    sys_sem_free(&done);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#if !LWIP_TCPIP_CORE_LOCKING
        RUN(a_job_is_not_lost_without_a_semaphore),
        RUN(a_tunnel_is_stopped_even_if_no_semaphore_is_free_at_once),
#endif
        RUN(known_defect_32_any_task_may_call_anything_at_any_time),
    };

    return cmocka_run_group_tests(tests, setup, NULL);
}

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * "Does this task hold lwIP's core lock?", as each system answers it (systems/kernel.h): every
 * public call, with the lock held and not held, with plain and recursive mutexes. Included by a
 * test per system, with LWIP_TCPIP_CORE_LOCKING 1 and 0.
 */
#include <string.h>

#include "test.h"

#include "kernel.h"
#include "wyrm_freertos.h"
#include "wyrm_lwip.h"

#include "lwip/init.h"
#include "lwip/priv/tcpip_priv.h"
#include "lwip/sys.h"
#include "lwip/tcpip.h"

/* ---- The kernel --------------------------------------------------------------- */

enum kernel_task kernel_current = KERNEL_MAIN;
struct kernel_mutex kernel_core;

#if LWIP_TCPIP_CORE_LOCKING
sys_mutex_t lock_tcpip_core;
#endif

void kernel_lock(struct kernel_mutex *mutex)
{
    if (mutex->holder != KERNEL_NOBODY) {
        assert_int_equal(mutex->holder, kernel_current); /* one thread: it would wait for ever */
        assert_true(mutex->recursive);                   /* the same */
    }
    mutex->holder = kernel_current;
    mutex->depth++;
}

void kernel_unlock(struct kernel_mutex *mutex)
{
    assert_int_equal(mutex->holder, kernel_current);
    assert_int_not_equal(mutex->depth, 0);
    if (--mutex->depth == 0)
        mutex->holder = KERNEL_NOBODY;
}

bool kernel_core_held(void)
{
    return kernel_current == (LWIP_TCPIP_CORE_LOCKING ? kernel_core.holder : KERNEL_TCPIP);
}

void kernel_assert_core_held(void)
{
    assert_true(kernel_core_held());
}

/* A handle that differs from NULL, per task. */
static void *handle(enum kernel_task task)
{
    static char handles[KERNEL_TCPIP + 1];

    return task == KERNEL_NOBODY ? NULL : &handles[task];
}

/* ---- lwIP's port --------------------------------------------------------------- */

void sys_mutex_lock(sys_mutex_t *mutex)
{
    kernel_lock(SYSTEM_MUTEX(mutex));
}

void sys_mutex_unlock(sys_mutex_t *mutex)
{
    kernel_unlock(SYSTEM_MUTEX(mutex));
}

u32_t sys_now(void)
{
    return 1000;
}

void sys_msleep(u32_t ms)
{
    (void)ms;
    fail_msg("nothing waits in these tests");
}

void sys_init(void)
{
}

err_t tcpip_try_callback(tcpip_callback_fn function, void *ctx)
{
    (void)function;
    (void)ctx;
    return ERR_MEM;
}

/* The TCP/IP task executes the call while the caller waits. */
err_t tcpip_api_call(tcpip_api_call_fn fn, struct tcpip_api_call_data *call)
{
    enum kernel_task caller = kernel_current;

    assert_int_not_equal(caller, KERNEL_TCPIP); /* it would wait for itself */
    kernel_current = KERNEL_TCPIP;
    err_t err = fn(call);
    kernel_current = caller;
    return err;
}

/* ---- The systems --------------------------------------------------------------- */

#ifdef SYSTEM_IDF
bool sys_thread_tcpip(enum idf_query query)
{
    static enum kernel_task holder = KERNEL_NOBODY;

    if (query == LWIP_CORE_LOCK_QUERY_HOLDER)
        return kernel_current == (LWIP_TCPIP_CORE_LOCKING ? holder : KERNEL_TCPIP);
    holder = query == LWIP_CORE_LOCK_MARK_HOLDER ? kernel_current : KERNEL_NOBODY;
    return true;
}
#endif

#ifdef SYSTEM_CMSIS2
osThreadId_t osMutexGetOwner(osMutexId_t mutex)
{
    return handle(((struct kernel_mutex *)mutex)->holder);
}

osThreadId_t osThreadGetId(void)
{
    return handle(kernel_current);
}
#endif

TaskHandle_t xSemaphoreGetMutexHolder(void *mutex)
{
    return handle(((struct kernel_mutex *)mutex)->holder);
}

TaskHandle_t xTaskGetCurrentTaskHandle(void)
{
    return handle(kernel_current);
}

char *pcTaskGetName(TaskHandle_t task)
{
    static char tcpip[] = TCPIP_THREAD_NAME, other[] = "main";

    assert_null(task);
    return kernel_current == KERNEL_TCPIP ? tcpip : other;
}

/* ---- Its tasks, for the worker --------------------------------------------------- */

static bool heap_exhausted;
static uint32_t created_depth;
static unsigned given;

BaseType_t xTaskCreate(void (*run)(void *argument), const char *name, uint32_t depth,
                       void *argument, UBaseType_t priority, TaskHandle_t *out)
{
    (void)run;
    (void)name;
    (void)argument;
    (void)priority;
    if (heap_exhausted)
        return 0;
    created_depth = depth;
    *out = handle(KERNEL_OTHER);
    return pdPASS;
}

uint32_t ulTaskNotifyTake(BaseType_t clear, TickType_t ticks)
{
    (void)clear;
    (void)ticks;
    return 0;
}

BaseType_t xTaskNotifyGive(TaskHandle_t task)
{
    assert_non_null(task);
    given++;
    return pdTRUE;
}

UBaseType_t uxTaskGetStackHighWaterMark(TaskHandle_t task)
{
    assert_non_null(task);
    return 600;
}

void vTaskDelay(TickType_t ticks)
{
    (void)ticks;
}

/* ---- The tunnel ------------------------------------------------------------------ */

WYRM_LWIP_DEFINE(tunnel, 1, 2, 2);
static struct wyrm_job job;
static unsigned woken;

static bool draw(void *ctx, void *out, size_t len)
{
    static uint8_t next;
    uint8_t *bytes = out;

    (void)ctx;
    for (size_t i = 0; i < len; i++)
        bytes[i] = next++;
    return true;
}

static bool stamp(void *ctx, uint8_t out[12])
{
    (void)ctx;
    memset(out, 1, 12);
    assert_int_equal(kernel_core.depth, 0); /* it may write flash: never under the lock */
    return true;
}

static const struct wyrm_platform platform = {.random = draw, .tai64n = stamp};

static void on_wake(void *unused)
{
    (void)unused;
    woken++;
}

static wyrm_status connect_peer(struct wyrm_device *device, wyrm_ms now, void *unused)
{
    const uint8_t key[WYRM_KEY_LEN] = {8, [31] = 0x40}, peer[WYRM_KEY_LEN] = {9};
    const struct wyrm_endpoint at = {.family = 4, .port = 51820, .addr = {192, 0, 2, 1}};
    wyrm_peer_id id;

    (void)unused;
    assert_true(kernel_core_held());
    assert_int_equal(wyrm_set_private_key(device, key), WYRM_OK);
    assert_int_equal(wyrm_peer_add(device, peer, &id), WYRM_OK);
    assert_int_equal(wyrm_peer_set_endpoint(device, id, &at), WYRM_OK);
    return wyrm_peer_connect(device, now, id);
}

static wyrm_status check_lock(struct wyrm_lwip *lwip, void *calls)
{
    assert_ptr_equal(lwip, &tunnel);
    assert_true(kernel_core_held());
    ++*(unsigned *)calls;
    return WYRM_OK;
}

static void call_everything(void)
{
    const struct wyrm_prefix address = {4, 24, {10, 7, 0, 1}};
    const struct wyrm_lwip_config config = {
        .platform = &platform, .addresses = &address, .n_addresses = 1, .wake = on_wake};
    struct wyrm_lwip_counters counters;
    unsigned calls = 0;

    woken = 0;
    assert_int_equal(wyrm_lwip_start(&tunnel, &config), ERR_OK);
    assert_int_equal(wyrm_lwip_start(&tunnel, &config), ERR_ALREADY);
    assert_int_equal(wyrm_lwip_call_core(&tunnel, connect_peer, NULL), WYRM_OK);
    assert_int_equal(woken, 1);
    assert_int_equal(wyrm_lwip_call(&tunnel, check_lock, &calls), WYRM_OK);
    assert_int_equal(calls, 1);
    wyrm_lwip_count(&tunnel, &counters, NULL);
    wyrm_lwip_stop(&tunnel);
    wyrm_lwip_remove(&tunnel);
}

static void work(void)
{
    const struct wyrm_lwip_config config = {.platform = &platform, .wake = on_wake};

    assert_int_equal(wyrm_lwip_start(&tunnel, &config), ERR_OK);
    assert_int_equal(wyrm_lwip_call_core(&tunnel, connect_peer, NULL), WYRM_OK);
    wyrm_lwip_work(&tunnel, &job);
    assert_int_equal(tunnel.counters.send_errors, 1); /* an initiation, and no route */
    wyrm_lwip_remove(&tunnel);
}

/* ---- Tests ------------------------------------------------------------------------ */

static void hold(void)
{
#if LWIP_TCPIP_CORE_LOCKING
    LOCK_TCPIP_CORE();
#else
    kernel_current = KERNEL_TCPIP;
#endif
}

static void release(void)
{
#if LWIP_TCPIP_CORE_LOCKING
    UNLOCK_TCPIP_CORE();
#else
    kernel_current = KERNEL_MAIN;
#endif
}

static int set_up(bool recursive)
{
    static bool initialized;

    kernel_current = KERNEL_MAIN;
    kernel_core = (struct kernel_mutex){.recursive = recursive};
#if LWIP_TCPIP_CORE_LOCKING
    *(void **)&lock_tcpip_core = &kernel_core; /* each system's handle points to it */
#endif
    if (!initialized) {
        hold();
        lwip_init();
        release();
        initialized = true;
    }
    return 0;
}

FIXTURE(plain)
{
    return set_up(false);
}

FIXTURE(recursive)
{
    return set_up(true);
}

TEST(calls_without_the_lock_take_it_and_release_it)
{
    call_everything();
    work();
    assert_int_equal(kernel_core.depth, 0);
    assert_int_equal(kernel_current, KERNEL_MAIN);
}

TEST(calls_with_the_lock_held_neither_deadlock_nor_release_it)
{
    hold();
    call_everything();
    assert_true(kernel_core_held());
    assert_int_equal(kernel_core.depth, LWIP_TCPIP_CORE_LOCKING);
    release();
    assert_int_equal(kernel_core.depth, 0);
    call_everything();
}

TEST(answer_follows_the_lock)
{
    assert_false(wyrm_freertos_lwip_held());
    hold();
    assert_true(wyrm_freertos_lwip_held());
    release();
    assert_false(wyrm_freertos_lwip_held());
}

#if LWIP_TCPIP_CORE_LOCKING
TEST(lock_of_another_task_is_not_taken_for_the_own)
{
    hold();
    kernel_current = KERNEL_OTHER;
    assert_false(wyrm_freertos_lwip_held());
    kernel_current = KERNEL_MAIN;
    release();
}

#ifndef SYSTEM_IDF /* whose lock is a plain mutex */
TEST(recursive_lock_is_held_until_its_last_release)
{
    hold();
    hold();
    release();
    assert_true(wyrm_freertos_lwip_held());
    call_everything();
    release();
    assert_false(wyrm_freertos_lwip_held());
}
#endif
#endif

TEST(worker_without_static_allocation_takes_its_stack_in_bytes_from_the_heap)
{
    static struct wyrm_worker worker;

    heap_exhausted = true;
    wyrm_worker_start(&worker, &tunnel, 1);
    assert_false(wyrm_worker_started(&worker));
    heap_exhausted = false;
    assert_int_equal(wyrm_worker_stack_left(&worker), WYRM_WORKER_STACK);
    given = 0;
    wyrm_worker_start(&worker, &tunnel, 1);
    assert_true(wyrm_worker_started(&worker));
    assert_int_equal(created_depth * sizeof(StackType_t), WYRM_WORKER_STACK);
    assert_int_equal(wyrm_worker_stack_left(&worker), 600 * sizeof(StackType_t));
    assert_int_equal(given, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN_AS("calls_without_the_lock_take_it_and_release_it",
               calls_without_the_lock_take_it_and_release_it, plain, NULL),
        RUN_AS("calls_without_a_recursive_lock_take_it_and_release_it",
               calls_without_the_lock_take_it_and_release_it, recursive, NULL),
        RUN_AS("calls_with_the_lock_held_neither_deadlock_nor_release_it",
               calls_with_the_lock_held_neither_deadlock_nor_release_it, plain, NULL),
        RUN_AS("calls_with_a_recursive_lock_held_neither_take_nor_release_it",
               calls_with_the_lock_held_neither_deadlock_nor_release_it, recursive, NULL),
        RUN_AS("answer_follows_the_lock", answer_follows_the_lock, plain, NULL),
#if LWIP_TCPIP_CORE_LOCKING
        RUN_AS("lock_of_another_task_is_not_taken_for_the_own",
               lock_of_another_task_is_not_taken_for_the_own, plain, NULL),
#ifndef SYSTEM_IDF
        RUN_AS("recursive_lock_is_held_until_its_last_release",
               recursive_lock_is_held_until_its_last_release, recursive, NULL),
#endif
#endif
        RUN_AS("worker_without_static_allocation_takes_its_stack_in_bytes_from_the_heap",
               worker_without_static_allocation_takes_its_stack_in_bytes_from_the_heap, plain,
               NULL),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

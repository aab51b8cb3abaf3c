/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The worker's task on several cores: every task is a thread, so a task that wakes another one
 * continues in parallel.
 */
#include <string.h>
#include <unistd.h>

#include "test.h"

#include "wyrm_freertos.h"

static pthread_mutex_t kernel = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static StaticTask_t test_task;
static _Thread_local StaticTask_t *current;

static unsigned created, deleted;
static unsigned entered, left; /* wyrm_lwip_work */
static struct wyrm_lwip *worked_for;
static bool slow; /* a handshake does not end */

/* ---- FreeRTOS ----------------------------------------------------------------- */

static void *run(void *task)
{
    current = task;
    current->run(current->argument);
    return NULL;
}

TaskHandle_t xTaskCreateStatic(void (*function)(void *argument), const char *name, uint32_t words,
                               void *argument, UBaseType_t priority, StackType_t *stack,
                               StaticTask_t *task)
{
    (void)name;
    (void)words;
    (void)priority;
    (void)stack;
    *task = (StaticTask_t){.run = function, .argument = argument};
    created++;
    assert_int_equal(pthread_create(&task->thread, NULL, run, task), 0);
    return task;
}

uint32_t ulTaskNotifyTake(BaseType_t clear, TickType_t ticks)
{
    (void)clear;
    (void)ticks;
    pthread_mutex_lock(&kernel);
    while (current->notified == 0)
        pthread_cond_wait(&changed, &kernel);
    uint32_t value = current->notified;
    current->notified = 0;
    pthread_mutex_unlock(&kernel);
    return value;
}

BaseType_t xTaskNotifyGive(TaskHandle_t task)
{
    pthread_mutex_lock(&kernel);
    task->notified++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&kernel);
    return pdTRUE;
}

TaskHandle_t xTaskGetCurrentTaskHandle(void)
{
    return current;
}

void vTaskDelay(TickType_t ticks)
{
    usleep(1000 * ticks);
}

void vTaskSuspend(TaskHandle_t task)
{
    (void)task;
    pause();
}

void vTaskDelete(TaskHandle_t task)
{
    (void)task;
    deleted++; /* its thread may run, on any core */
}

char *pcTaskGetName(TaskHandle_t task)
{
    static char name[] = "test";

    (void)task;
    return name;
}

/* ---- The tunnel --------------------------------------------------------------- */

void wyrm_lwip_work(struct wyrm_lwip *lwip, struct wyrm_job *job)
{
    (void)job;
    pthread_mutex_lock(&kernel);
    worked_for = lwip;
    entered++;
    pthread_cond_broadcast(&changed);
    while (slow)
        pthread_cond_wait(&changed, &kernel);
    left++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&kernel);
}

static void wait_for(const unsigned *counter, unsigned value)
{
    pthread_mutex_lock(&kernel);
    while (*counter < value)
        pthread_cond_wait(&changed, &kernel);
    pthread_mutex_unlock(&kernel);
}

static void *hurry(void *unused)
{
    (void)unused;
    usleep(50000); /* not required, but the test shows more with it */
    pthread_mutex_lock(&kernel);
    slow = false;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&kernel);
    return NULL;
}

/* ---- Tests -------------------------------------------------------------------- */

static struct wyrm_worker worker; /* one for all tests: its task stays */
static struct wyrm_lwip tunnels[2];

FIXTURE(setup)
{
    current = &test_task;
    return 0;
}

TEST(stop_waits_for_the_handshake_under_way)
{
    pthread_t other;

    slow = true;
    unsigned before = entered;
    wyrm_worker_start(&worker, &tunnels[0], 1);
    wait_for(&entered, before + 1);
    assert_int_equal(pthread_create(&other, NULL, hurry, NULL), 0);
    wyrm_worker_stop(&worker);
    assert_int_equal(entered, left);
    assert_int_equal(pthread_join(other, NULL), 0);
}

TEST(known_defect_73_task_that_may_still_run_is_not_deleted)
{
    for (int i = 0; i < 100; i++) {
        wyrm_worker_start(&worker, &tunnels[0], 1);
        wyrm_worker_stop(&worker);
    }
    assert_int_equal(deleted, 0);
    assert_int_equal(created, 1);
}

TEST(stopped_worker_does_nothing)
{
    unsigned before = entered;
    for (int i = 0; i < 10; i++) {
        wyrm_worker_wake(&worker);
        vTaskDelay(1);
    }
    wyrm_worker_stop(&worker); /* again changes nothing */
    assert_int_equal(entered, before);
}

TEST(worker_starts_again_for_another_tunnel)
{
    unsigned before = left;
    wyrm_worker_start(&worker, &tunnels[1], 1);
    wait_for(&left, before + 1); /* work that waits already is done */
    assert_ptr_equal(worked_for, &tunnels[1]);
    wyrm_worker_start(&worker, &tunnels[0], 1); /* twice: nothing happens */
    wyrm_worker_wake(&worker);
    wait_for(&left, before + 2);
    assert_ptr_equal(worked_for, &tunnels[1]);
    wyrm_worker_stop(&worker);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(stop_waits_for_the_handshake_under_way),
        RUN(known_defect_73_task_that_may_still_run_is_not_deleted),
        RUN(stopped_worker_does_nothing),
        RUN(worker_starts_again_for_another_tunnel),
    };

    return cmocka_run_group_tests(tests, setup, NULL);
}

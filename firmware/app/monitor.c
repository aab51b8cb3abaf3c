/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The task monitor: snapshots of all tasks and of memory, once or periodically, as tables or as
 * lines of JSON.
 */
#include "commands.h"

#include <string.h>

#include "FreeRTOS.h"
#include "task.h"

#include "lwip/memp.h"
#include "lwip/stats.h"

#include "board_api.h"
#include "console.h"
#include "shell.h"
#include "text.h"

#define TASKS_MAX    12
#define TICKS_PER_US (BOARD_CLOCK_HZ / 1000000u)
#define TICKS_PER_MS (BOARD_CLOCK_HZ / 1000u)

struct snapshot {
    uint64_t now; /* device clock, ticks */
    UBaseType_t count;
    TaskStatus_t tasks[TASKS_MAX];
};

/* When the monitor started, and the run time of each task then, by task number. */
static struct {
    uint64_t now, total;
    uint64_t run[TASKS_MAX + 1];
} base;

static struct snapshot taken; /* too large for the stack */
static uint64_t total_run;

/* ---- snapshot ---- */

/* The kernel charges a task when it is switched out, but reads the total now. What is missing is
 * the current slice of this task, which can be long on a slow or emulated core. */
static void charge_this_task(void)
{
    TaskHandle_t self = xTaskGetCurrentTaskHandle();
    TaskStatus_t *own = NULL;
    uint64_t charged = 0;

    for (UBaseType_t i = 0; i < taken.count; i++) {
        charged += taken.tasks[i].ulRunTimeCounter;
        if (taken.tasks[i].xHandle == self)
            own = &taken.tasks[i];
    }
    if (own && charged < total_run)
        own->ulRunTimeCounter += total_run - charged;
}

static void take(void)
{
    taken.now = board_clock_ticks();
    taken.count = uxTaskGetSystemState(taken.tasks, TASKS_MAX, &total_run);
    charge_this_task();
}

/* Tasks are never deleted, so their numbers are small and permanent. */
static uint64_t *base_of(const TaskStatus_t *task)
{
    return &base.run[task->xTaskNumber <= TASKS_MAX ? task->xTaskNumber : 0];
}

static void begin(void)
{
    take();
    memset(&base, 0, sizeof base);
    base.now = taken.now;
    base.total = total_run;
    for (UBaseType_t i = 0; i < taken.count; i++)
        *base_of(&taken.tasks[i]) = taken.tasks[i].ulRunTimeCounter;
}

static unsigned permille(uint64_t part, uint64_t whole)
{
    return whole > 0 ? (unsigned)(part * 1000 / whole) : 0;
}

struct task_figures {
    const char *state;
    unsigned priority, stack_free, stack_size;
    uint64_t run_us;
    unsigned since_boot, since_start; /* share of time, thousandths */
};

static struct task_figures figures_of(const TaskStatus_t *task)
{
    static const char *const states[] = {"running", "ready", "blocked", "suspended", "deleted"};
    size_t state = (size_t)task->eCurrentState;
    size_t words = (size_t)(task->pxEndOfStack - task->pxStackBase + 1);

    return (struct task_figures){
        .state = state < sizeof states / sizeof states[0] ? states[state] : "?",
        .priority = (unsigned)task->uxCurrentPriority,
        .stack_free = (unsigned)(task->usStackHighWaterMark * sizeof(StackType_t)),
        .stack_size = (unsigned)(words * sizeof(StackType_t)),
        .run_us = task->ulRunTimeCounter / TICKS_PER_US,
        .since_boot = permille(task->ulRunTimeCounter, total_run),
        .since_start = permille(task->ulRunTimeCounter - *base_of(task), total_run - base.total)};
}

/* ---- printing ---- */

typedef void (*show_memory_fn)(const char *name, const char *unit, unsigned total, unsigned free,
                               unsigned least);

/* Heaps in bytes, pools in elements of `size` bytes each. */
static void for_each_memory(show_memory_fn show)
{
    HeapStats_t heap;

    vPortGetHeapStats(&heap);
    show("FreeRTOS heap", "bytes", configTOTAL_HEAP_SIZE, (unsigned)heap.xAvailableHeapSpaceInBytes,
         (unsigned)heap.xMinimumEverFreeBytesRemaining);
    show("lwIP heap", "bytes", (unsigned)lwip_stats.mem.avail,
         (unsigned)(lwip_stats.mem.avail - lwip_stats.mem.used),
         (unsigned)(lwip_stats.mem.avail - lwip_stats.mem.max));
    for (size_t i = 0; i < MEMP_MAX; i++) {
        const struct stats_mem *pool = lwip_stats.memp[i];

        show(memp_pools[i]->desc, "elements", (unsigned)pool->avail,
             (unsigned)(pool->avail - pool->used), (unsigned)(pool->avail - pool->max));
    }
}

static void show_memory(const char *name, const char *unit, unsigned total, unsigned free,
                        unsigned least)
{
    console_printf("%-16s  %8u  %8u  %10u  %s\n", name, total, free, least, unit);
}

static void show_tables(void)
{
    console_printf("%-10s  %4s  %-9s  %8s  %10s  %10s  %12s  %8s  %8s\n", "task", "core", "state",
                   "priority", "stack-free", "stack-size", "run-us", "boot", "monitor");
    for (UBaseType_t i = 0; i < taken.count; i++) {
        const struct task_figures f = figures_of(&taken.tasks[i]);

        console_printf("%-10s  %4u  %-9s  %8u  %10u  %10u  %12llu  %4u.%u %%  %4u.%u %%\n",
                       taken.tasks[i].pcTaskName, 0u, f.state, f.priority, f.stack_free,
                       f.stack_size, (unsigned long long)f.run_us, f.since_boot / 10,
                       f.since_boot % 10, f.since_start / 10, f.since_start % 10);
    }
    console_printf("%-16s  %8s  %8s  %10s\n", "memory", "total", "free", "least-free");
    for_each_memory(show_memory);
}

static const char *separator; /* of the elements of the current JSON array */

static void show_memory_json(const char *name, const char *unit, unsigned total, unsigned free,
                             unsigned least)
{
    console_printf("%s{\"name\":\"%s\",\"unit\":\"%s\",\"total\":%u,\"free\":%u,\"least_free\":%u}",
                   separator, name, unit, total, free, least);
    separator = ",";
}

/* Names of tasks and pools are constants that need no escaping. */
static void show_json(void)
{
    separator = "";
    console_printf("{\"monitor\":1,\"board\":\"%s\",\"uptime_us\":%llu,\"since_start_us\":%llu,"
                   "\"tasks\":[",
                   BOARD_NAME, (unsigned long long)(taken.now / TICKS_PER_US),
                   (unsigned long long)((taken.now - base.now) / TICKS_PER_US));
    for (UBaseType_t i = 0; i < taken.count; i++) {
        const struct task_figures f = figures_of(&taken.tasks[i]);

        console_printf("%s{\"name\":\"%s\",\"core\":0,\"state\":\"%s\",\"priority\":%u,"
                       "\"stack_free\":%u,\"stack_size\":%u,\"run_us\":%llu,",
                       separator, taken.tasks[i].pcTaskName, f.state, f.priority, f.stack_free,
                       f.stack_size, (unsigned long long)f.run_us);
        console_printf("\"boot_percent\":%u.%u,\"monitor_percent\":%u.%u}", f.since_boot / 10,
                       f.since_boot % 10, f.since_start / 10, f.since_start % 10);
        separator = ",";
    }
    console_printf("],\"memory\":[");
    separator = "";
    for_each_memory(show_memory_json);
    console_printf("]}\n");
}

/* ---- the command ---- */

static bool wait_until(uint64_t end)
{
    for (uint64_t now; (now = board_clock_ticks()) < end;)
        if (!console_wait((uint32_t)((end - now) / TICKS_PER_MS) + 1))
            return false;
    return true;
}

bool command_monitor(int argc, char **argv)
{
    bool json = argc > 1 && strcmp(argv[argc - 1], "json") == 0;
    uint32_t period_ms = 0, count = 1;
    int words = argc - json;

    if (words > 3)
        return shell_usage();
    if (words > 1 && (!text_to_milli(argv[1], 3600000, &period_ms) || period_ms < 100))
        return shell_error("'%s' is not a number of seconds from 0.1 to 3600", argv[1]);
    if (words == 2)
        count = UINT32_MAX; /* until Ctrl-C */
    if (words == 3 && !text_to_u32(argv[2], 1, UINT32_MAX, &count))
        return shell_error("'%s' is not a number of snapshots", argv[2]);

    begin();
    for (uint32_t n = 1; n <= count; n++) {
        if (!wait_until(base.now + (uint64_t)n * period_ms * TICKS_PER_MS))
            break;
        take();
        if (json)
            show_json();
        else
            show_tables();
        if (n == UINT32_MAX)
            break;
    }
    return true;
}

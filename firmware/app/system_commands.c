/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Commands about the device itself: version, tasks, heap, load, reboot.
 */
#include "commands.h"

#include <string.h>

#include "FreeRTOS.h"
#include "task.h"

#include "lwip/init.h"
#include "lwip/memp.h"
#include "lwip/stats.h"

#include "board_api.h"
#include "build_info.h"
#include "console.h"
#include "shell.h"
#include "system.h"
#include "text.h"
#include "timers.h"
#include "tunnel.h"
#include "wg.h"

#define TASKS_MAX    12
#define TICKS_PER_MS (BOARD_CLOCK_HZ / 1000u)

bool command_version(int argc, char **argv)
{
    (void)argv;
    if (argc != 1)
        return shell_usage();
    console_printf("wyrmling  " WYRM_BUILD_VERSION " (" WYRM_BUILD_GIT ")\n");
    console_printf("board     %s  %s\n", BOARD_NAME, BOARD_DESCRIPTION);
#ifdef __clang__
    console_printf("compiler  " __VERSION__ "\n");
#else
    console_printf("compiler  GCC " __VERSION__ "\n");
#endif
    console_printf("freertos  %s\n", tskKERNEL_VERSION_NUMBER);
    console_printf("lwip      %s\n", LWIP_VERSION_STRING);
    return true;
}

/* ---- tasks ---- */

static const char *state_name(eTaskState state)
{
    static const char *const names[] = {"running", "ready", "blocked", "suspended", "deleted"};

    return (unsigned)state < sizeof names / sizeof names[0] ? names[state] : "?";
}

static void show_task(const TaskStatus_t *task, uint64_t total)
{
    size_t size = (size_t)(task->pxEndOfStack - task->pxStackBase + 1) * sizeof(StackType_t);
    size_t used = size - task->usStackHighWaterMark * sizeof(StackType_t);
    uint64_t permille = total ? task->ulRunTimeCounter * 1000 / total : 0;

    console_printf("%-10s  %-9s  %8u  %10u  %10u  %10llu  %4u.%u %%\n", task->pcTaskName,
                   state_name(task->eCurrentState), (unsigned)task->uxCurrentPriority,
                   (unsigned)used, (unsigned)size,
                   (unsigned long long)(task->ulRunTimeCounter / TICKS_PER_MS),
                   (unsigned)(permille / 10), (unsigned)(permille % 10));
}

bool command_tasks(int argc, char **argv)
{
    static TaskStatus_t tasks[TASKS_MAX];
    uint64_t total;

    (void)argv;
    if (argc != 1)
        return shell_usage();

    UBaseType_t count = uxTaskGetSystemState(tasks, TASKS_MAX, &total);

    console_printf("%-10s  %-9s  %8s  %10s  %10s  %10s  %8s\n", "task", "state", "priority",
                   "stack-used", "stack-size", "run-ms", "share");
    for (UBaseType_t i = 0; i < count; i++)
        show_task(&tasks[i], total);
    return true;
}

/* ---- heap ---- */

bool command_heap(int argc, char **argv)
{
    HeapStats_t heap;

    (void)argv;
    if (argc != 1)
        return shell_usage();

    vPortGetHeapStats(&heap);
    console_printf("%-16s  %8s  %8s  %8s  %8s\n", "memory", "total", "used", "most", "failed");
    console_printf("%-16s  %8u  %8u  %8u  %8u\n", "FreeRTOS heap", configTOTAL_HEAP_SIZE,
                   (unsigned)(configTOTAL_HEAP_SIZE - heap.xAvailableHeapSpaceInBytes),
                   (unsigned)(configTOTAL_HEAP_SIZE - heap.xMinimumEverFreeBytesRemaining), 0u);
    console_printf("%-16s  %8u  %8u  %8u  %8u\n", "lwIP heap", (unsigned)lwip_stats.mem.avail,
                   (unsigned)lwip_stats.mem.used, (unsigned)lwip_stats.mem.max,
                   (unsigned)lwip_stats.mem.err);
    for (size_t i = 0; i < MEMP_MAX; i++) {
        const struct stats_mem *pool = lwip_stats.memp[i];

        console_printf("%-16s  %8u  %8u  %8u  %8u\n", memp_pools[i]->desc, (unsigned)pool->avail,
                       (unsigned)pool->used, (unsigned)pool->max, (unsigned)pool->err);
    }
    return true;
}

/* ---- stats ---- */

static void show_layer(const char *name, const struct stats_proto *s)
{
    console_printf("%-6s  %9u  %9u  %8u  %8u  %8u  %8u  %8u  %8u\n", name, (unsigned)s->xmit,
                   (unsigned)s->recv, (unsigned)s->drop, (unsigned)s->chkerr, (unsigned)s->lenerr,
                   (unsigned)s->memerr, (unsigned)s->rterr, (unsigned)(s->proterr + s->err));
}

bool command_stats(int argc, char **argv)
{
    struct board_eth_stats eth;

    (void)argv;
    if (argc != 1)
        return shell_usage();

    board_eth_stats(&eth);
    console_printf("ethernet  rx %u  tx %u  rx-interrupts %u\n", (unsigned)eth.rx_frames,
                   (unsigned)eth.tx_frames, (unsigned)eth.rx_interrupts);
    console_printf("dropped   rx-error %u  rx-no-buffer %u  rx-refused %u  rx-overflow %u  "
                   "tx-error %u  tx-busy %u\n",
                   (unsigned)eth.rx_errors, (unsigned)eth.rx_no_buffer, (unsigned)eth.rx_refused,
                   (unsigned)eth.rx_overflow, (unsigned)eth.tx_errors, (unsigned)eth.tx_busy);
    console_printf("%-6s  %9s  %9s  %8s  %8s  %8s  %8s  %8s  %8s\n", "layer", "sent", "received",
                   "dropped", "checksum", "length", "memory", "no-route", "other");
    show_layer("link", &lwip_stats.link);
    show_layer("arp", &lwip_stats.etharp);
    show_layer("ip", &lwip_stats.ip);
    show_layer("ipfrag", &lwip_stats.ip_frag);
    show_layer("icmp", &lwip_stats.icmp);
    show_layer("ip6", &lwip_stats.ip6);
    show_layer("ip6fr", &lwip_stats.ip6_frag);
    show_layer("icmp6", &lwip_stats.icmp6);
    show_layer("nd6", &lwip_stats.nd6);
    show_layer("udp", &lwip_stats.udp);
    show_layer("tcp", &lwip_stats.tcp);
    if (WYRM_FIRMWARE_TUNNEL)
        tunnel_show_stats();
    console_printf("wakeups   device %u  lwip %u  uptime-s %u\n", (unsigned)system_wakeups(),
                   (unsigned)timers_passes(), (unsigned)(board_clock_us() / 1000000));
    if (console_notices_lost())
        console_printf("console   notices-lost %u\n", (unsigned)console_notices_lost());
    return true;
}

/* ---- load ---- */

struct window {
    uint64_t start, idle;
};

static struct window open_window(void)
{
    return (struct window){board_clock_ticks(), ulTaskGetIdleRunTimeCounter()};
}

/* The load in thousandths, and the length of the window. */
static unsigned busy_share(const struct window *window, unsigned *ms)
{
    uint64_t passed = board_clock_ticks() - window->start;
    uint64_t rested = ulTaskGetIdleRunTimeCounter() - window->idle;

    *ms = (unsigned)(passed / TICKS_PER_MS);
    return (unsigned)((passed > rested ? passed - rested : 0) * 1000 / passed);
}

/* False after Ctrl-C. */
static bool wait_until(uint64_t end)
{
    for (uint64_t now; (now = board_clock_ticks()) < end;)
        if (!console_wait((uint32_t)((end - now) / TICKS_PER_MS) + 1))
            return false;
    return true;
}

static bool start_tunnel(void)
{
#if WYRM_FIRMWARE_TUNNEL
    return wg_up();
#else
    return shell_error("this firmware has no tunnel");
#endif
}

/* A window starts at the end of the previous one, however long printing takes. */
static bool measure_windows(uint32_t span_ms, uint32_t count, bool up)
{
    struct window window = open_window();
    const uint64_t start = window.start;
    bool whole = true;

    if (up && !start_tunnel())
        return false;
    for (uint32_t n = 1; n <= count && whole; n++) {
        unsigned ms, permille;

        whole = wait_until(start + (uint64_t)n * span_ms * TICKS_PER_MS);
        permille = busy_share(&window, &ms);
        window = open_window();
        console_printf("load: %u.%u %% busy over %u.%03u s", permille / 10, permille % 10,
                       ms / 1000, ms % 1000);
        if (count > 1)
            console_printf(", window %u of %u", (unsigned)n, (unsigned)count);
        console_printf("\n");
    }
    return true;
}

bool command_load(int argc, char **argv)
{
    bool up = argc == 4 && strcmp(argv[3], "up") == 0;
    uint32_t span_ms = 1000, count = 1;

    if (argc > 3 + up)
        return shell_usage();
    if (argc > 1 && (!text_to_milli(argv[1], 3600000, &span_ms) || span_ms < 100))
        return shell_error("'%s' is not a number of seconds from 0.1 to 3600", argv[1]);
    if (argc > 2 && !text_to_u32(argv[2], 1, 1000, &count))
        return shell_error("'%s' is not a number of windows from 1 to 1000", argv[2]);
    return measure_windows(span_ms, count, up);
}

bool command_reboot(int argc, char **argv)
{
    (void)argv;
    if (argc != 1)
        return shell_usage();
    console_printf("rebooting\n");
    board_reboot();
}

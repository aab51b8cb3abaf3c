/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The board's own code on the emulated board: the FreeRTOS port for register windows with tasks
 * that count on their registers, interrupted at any instruction; emulated products; and what
 * replaces the C library. Prints one line per test and how many failed; test_lx6.py runs it. The
 * argument fault=NAME makes it end with a fault instead.
 */
#include "FreeRTOS.h"
#include "queue.h"
#include "semphr.h"
#include "task.h"

#include <stdarg.h>
#include <string.h>

#include "board_api.h"
#include "host.h"
#include "lx60_private.h"
#include "uart.h"

#define WORKERS 4
#define DEPTH   24 /* calls: six times what fits into the registers */
#define ROUNDS  60
#define STACK   640 /* words */

int main(void);

static unsigned failures;
static SemaphoreHandle_t done;

static void put_number(uint32_t value)
{
    char digits[11];
    char *at = &digits[10];

    *at = '\0';
    do {
        *--at = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    uart_write_polled(at);
}

static void report(const char *name, uint32_t count, uint32_t wrong)
{
    uart_write_polled(wrong || count == 0 ? "failed: " : "passed: ");
    uart_write_polled(name);
    uart_write_polled(": ");
    put_number(count);
    uart_write_polled(" checks, ");
    put_number(wrong);
    uart_write_polled(" wrong\n");
    if (wrong || count == 0)
        failures++;
}

static void start(TaskFunction_t function, const char *name, UBaseType_t priority, void *parameter)
{
    if (xTaskCreate(function, name, STACK, parameter, priority, NULL) != pdPASS)
        board_panic("no memory for task", name, 0);
}

static void wait_for(unsigned tasks)
{
    while (tasks--)
        (void)xSemaphoreTake(done, portMAX_DELAY);
}

/* ---- register windows survive interrupts and switches ---- */

struct worker {
    uint32_t seed, checks, wrong;
};
static struct worker workers[WORKERS];

/* Keeps eight values in registers across the call. */
static __attribute__((noinline)) uint32_t descend(struct worker *w, uint32_t depth, uint32_t seed)
{
    uint32_t a = seed * 3 + 1, b = seed * 5 + 2, c = seed * 7 + 3, d = seed * 11 + 4;
    uint32_t below = 0;

    __asm volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
    if (depth)
        below = descend(w, depth - 1, seed + 1);
    __asm volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
    w->checks++;
    if (a != seed * 3 + 1 || b != seed * 5 + 2 || c != seed * 7 + 3 || d != seed * 11 + 4)
        w->wrong++;
    return below + a + b + c + d;
}

static uint32_t expected(uint32_t depth, uint32_t seed)
{
    uint32_t sum = 0;

    for (uint32_t i = 0; i <= depth; i++)
        sum += (seed + i) * 26 + 10;
    return sum;
}

static void descending_task(void *parameter)
{
    struct worker *w = parameter;

    for (uint32_t round = 0; round < ROUNDS * 40; round++) {
        if (descend(w, DEPTH, w->seed + round) != expected(DEPTH, w->seed + round))
            w->wrong++;
        if (round % 8 == 0)
            taskYIELD();
    }
    (void)xSemaphoreGive(done);
    vTaskDelete(NULL);
}

static volatile bool disturb;
static uint32_t disturbances;

/* Takes the processor away at every tick. */
static void disturbing_task(void *unused)
{
    static struct worker w;

    (void)unused;
    while (disturb) {
        (void)descend(&w, DEPTH / 2, disturbances++);
        vTaskDelay(1);
    }
    workers[0].wrong += w.wrong;
    (void)xSemaphoreGive(done);
    vTaskDelete(NULL);
}

static void run_disturbed(TaskFunction_t function, const char *name)
{
    uint32_t checks = 0, wrong = 0;

    memset(workers, 0, sizeof workers);
    disturb = true;
    start(disturbing_task, "disturb", 3, NULL);
    for (uint32_t i = 0; i < WORKERS; i++) {
        workers[i].seed = i * 1000;
        start(function, "work", 1, &workers[i]);
    }
    wait_for(WORKERS);
    disturb = false;
    wait_for(1);
    for (uint32_t i = 0; i < WORKERS; i++) {
        checks += workers[i].checks;
        wrong += workers[i].wrong;
    }
    report(name, checks, wrong);
    vTaskDelay(2); /* the idle task frees what ended tasks had */
}

/* ---- emulated products ---- */

static uint32_t high_word(uint32_t x, uint32_t y)
{
    uint32_t low = (x & 0xffff) * (y & 0xffff), cross = (x >> 16) * (y & 0xffff) + (low >> 16);
    uint32_t other = (x & 0xffff) * (y >> 16) + (cross & 0xffff);

    return (x >> 16) * (y >> 16) + (cross >> 16) + (other >> 16);
}

static uint32_t high_word_signed(uint32_t x, uint32_t y)
{
    return high_word(x, y) - (x >> 31 ? y : 0) - (y >> 31 ? x : 0);
}

/* instructions.S */
uint32_t muluh_a4(uint32_t x, uint32_t y);
uint32_t muluh_a8(uint32_t x, uint32_t y);
uint32_t muluh_a15(uint32_t x, uint32_t y);
uint32_t mulsh_a2(uint32_t x, uint32_t y);
uint32_t mulsh_a12(uint32_t x, uint32_t y);
uint32_t count_in_loop(uint32_t rounds);

static void multiply(struct worker *w, uint32_t x, uint32_t y)
{
    w->checks += 5;
    w->wrong += muluh_a4(x, y) != high_word(x, y);
    w->wrong += muluh_a8(x, y) != high_word(x, y);
    w->wrong += muluh_a15(x, y) != high_word(x, y);
    w->wrong += mulsh_a2(x, y) != high_word_signed(x, y);
    w->wrong += mulsh_a12(x, y) != high_word_signed(x, y);
}

static __attribute__((noinline)) uint32_t multiply_below(struct worker *w, uint32_t depth,
                                                         uint32_t x)
{
    uint32_t kept = x * 2654435761u;

    __asm volatile("" : "+r"(kept));
    if (depth)
        (void)multiply_below(w, depth - 1, x + 77);
    multiply(w, kept, x ^ 0x80000001u);
    __asm volatile("" : "+r"(kept));
    if (kept != x * 2654435761u)
        w->wrong++;
    return kept;
}

static void multiplying_task(void *parameter)
{
    struct worker *w = parameter;

    for (uint32_t round = 0; round < ROUNDS; round++)
        (void)multiply_below(w, 9, (w->seed + round) * 40503u);
    (void)xSemaphoreGive(done);
    vTaskDelete(NULL);
}

/* ---- zero-overhead loops ---- */

static void looping_task(void *parameter)
{
    struct worker *w = parameter;

    for (uint32_t round = 1; round < ROUNDS * 10; round++) {
        w->checks++;
        w->wrong += count_in_loop(round) != 3 * round;
    }
    (void)xSemaphoreGive(done);
    vTaskDelete(NULL);
}

/* ---- queues, notifications, critical sections ---- */

static QueueHandle_t there, back;

static void echoing_task(void *parameter)
{
    uint32_t value;

    (void)parameter;
    for (uint32_t i = 0; i < 20000; i++) {
        (void)xQueueReceive(there, &value, portMAX_DELAY);
        value = ~value;
        (void)xQueueSend(back, &value, portMAX_DELAY);
    }
    (void)xSemaphoreGive(done);
    vTaskDelete(NULL);
}

static void test_queues(void)
{
    uint32_t wrong = 0, value;

    there = xQueueCreate(4, sizeof value);
    back = xQueueCreate(1, sizeof value);
    start(echoing_task, "echo", 2, NULL);
    for (uint32_t i = 0; i < 20000; i++) {
        value = i;
        (void)xQueueSend(there, &value, portMAX_DELAY);
        (void)xQueueReceive(back, &value, portMAX_DELAY);
        wrong += value != ~i;
    }
    wait_for(1);
    report("queues pass values in order", 20000, wrong);
}

static volatile uint32_t shared;

static void adding_task(void *parameter)
{
    struct worker *w = parameter;

    for (uint32_t i = 0; i < ROUNDS * 100; i++) {
        taskENTER_CRITICAL();
        taskENTER_CRITICAL();
        uint32_t before = shared;

        for (volatile int pause = 0; pause < 10; pause = pause + 1)
            continue;
        shared = before + 1;
        taskEXIT_CRITICAL();
        w->wrong += shared != before + 1;
        if (i % 16 == 0)
            taskYIELD(); /* the section is this task's own */
        taskEXIT_CRITICAL();
        w->checks++;
    }
    (void)xSemaphoreGive(done);
    vTaskDelete(NULL);
}

static void test_critical_sections(void)
{
    shared = 0;
    run_disturbed(adding_task, "critical sections exclude each other and belong to their task");
    report("no increment is lost", WORKERS * ROUNDS * 100, shared != WORKERS * ROUNDS * 100);
}

/* ---- time ---- */

static void test_time(void)
{
    uint32_t wrong = 0;
    uint64_t last = board_clock_us(), begin = last;
    TickType_t tick = xTaskGetTickCount();

    for (int i = 0; i < 1000; i++) {
        uint64_t now = board_clock_us();

        (void)muluh_a8((uint32_t)now, 3);
        wrong += now < last;
        last = now;
    }
    report("the device clock never steps back", 1000, wrong);

    vTaskDelay(200);
    uint64_t passed_us = board_clock_us() - begin;
    uint32_t ticks_us = (xTaskGetTickCount() - tick) * (1000000 / configTICK_RATE_HZ);

    wrong = passed_us > ticks_us + 2000 || passed_us + 2000 < ticks_us;
    report("ticks follow the device clock", 1, wrong);
}

/* With -icount one product takes as long as one MULL; else this says nothing. */
static void test_product_time(void)
{
    taskENTER_CRITICAL();
    uint64_t begin = board_clock_ticks();

    for (int i = 0; i < 2000; i++)
        __asm volatile("mull a8, a9, a9" : : : "a8", "a9");
    uint64_t between = board_clock_ticks();
    for (int i = 0; i < 2000; i++)
        __asm volatile(".byte 0x90, 0x89, 0xa2" : : : "a8", "a9");
    uint64_t end = board_clock_ticks();

    taskEXIT_CRITICAL();
    uint32_t low = (uint32_t)(between - begin), high = (uint32_t)(end - between);

    put_number(low);
    uart_write_polled(" ticks for MULL, ");
    put_number(high);
    uart_write_polled(" for MULUH\n");
    report("an emulated product takes no longer than one of the core", 1,
           high > low + low / 50 || low > high + high / 50);
}

/* ---- in place of the compiler's header and library, and of the C library ---- */

static uint32_t add_up(const char *kinds, ...)
{
    va_list list;
    uint32_t sum = 0, weight = 1;

    va_start(list, kinds);
    for (; *kinds; kinds++, weight++) {
        if (*kinds == 'l') {
            uint64_t value = va_arg(list, uint64_t);

            sum += weight * ((uint32_t)value + (uint32_t)(value >> 32));
        } else {
            sum += weight * va_arg(list, uint32_t);
        }
    }
    va_end(list);
    return sum;
}

#define WIDE(high, low) ((uint64_t)(high) << 32 | (low))

static void test_variable_arguments(void)
{
    uint32_t wrong = 0;

    wrong += add_up("") != 0;
    wrong += add_up("iiiiiiii", 1, 2, 3, 4, 5, 6, 7, 8) != 204;
    wrong += add_up("l", WIDE(3, 4)) != 7;
    wrong += add_up("il", 1, WIDE(3, 4)) != 15;
    wrong += add_up("iil", 1, 2, WIDE(3, 4)) != 26;
    wrong += add_up("iiil", 1, 2, 3, WIDE(3, 4)) != 42;
    wrong += add_up("iiiil", 1, 2, 3, 4, WIDE(3, 4)) != 65;
    wrong += add_up("lililil", WIDE(1, 2), 3, WIDE(4, 5), 6, WIDE(7, 8), 9, WIDE(1, 1)) !=
             3 + 6 + 27 + 24 + 75 + 54 + 14;
    report("variable arguments arrive", 8, wrong);
}

static void test_memory(void)
{
    static uint8_t from[96], to[96];
    uint32_t checks = 0, wrong = 0;

    for (uint32_t i = 0; i < sizeof from; i++)
        from[i] = (uint8_t)(i * 7 + 1);
    for (uint32_t a = 0; a < 4; a++) {
        for (uint32_t b = 0; b < 4; b++) {
            for (uint32_t len = 0; len < 80; len++) {
                for (uint32_t i = 0; i < sizeof to; i++)
                    to[i] = 0xee;
                wrong += memcpy(to + 4 + a, from + b, len) != to + 4 + a;
                for (uint32_t i = 0; i < sizeof to; i++) {
                    bool inside = i >= 4 + a && i < 4 + a + len;

                    wrong += to[i] != (inside ? from[i - 4 - a + b] : 0xee);
                }
                wrong += memset(to + 4 + a, 0x5a, len) != to + 4 + a;
                for (uint32_t i = 0; i < sizeof to; i++)
                    wrong += to[i] != (i >= 4 + a && i < 4 + a + len ? 0x5a : 0xee);
                checks += 2;
            }
        }
    }
    report("memory is copied and set at any alignment", checks, wrong);
}

static void test_division(void)
{
    static const uint64_t numbers[] = {1,
                                       2,
                                       3,
                                       10,
                                       40,
                                       1000,
                                       0xffff,
                                       0x10000,
                                       0xffffffff,
                                       WIDE(1, 0),
                                       WIDE(1, 1),
                                       WIDE(0x12345678, 0x9abcdef0),
                                       WIDE(0x7fffffff, 0xffffffff),
                                       WIDE(0x80000000, 0),
                                       WIDE(0xffffffff, 0xfffffffe),
                                       UINT64_MAX};
    const size_t count = sizeof numbers / sizeof numbers[0];
    uint32_t wrong = 0;

    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < count; j++) {
            volatile uint64_t n = numbers[i], d = numbers[j];
            volatile int64_t sn = (int64_t)n, sd = (int64_t)d;
            uint64_t q = n / d, r = n % d;

            wrong += r >= d || q * d + r != n;
            if (sd == -1)
                continue;
            int64_t sq = sn / sd, sr = sn % sd;

            wrong += sq * sd + sr != sn || (sr != 0 && (sr < 0) != (sn < 0));
        }
    }
    report("quotients and products of 64 bits are right", (uint32_t)(count * count), wrong);
}

/* ---- all ---- */

static void end_with_fault(const char *name)
{
    volatile uintptr_t nowhere = 0;

    if (strcmp(name, "null") == 0)
        *(volatile uint32_t *)nowhere = 1;
    if (strcmp(name, "unaligned") == 0)
        (void)*(volatile uint32_t *)(nowhere + (uintptr_t)&shared + 1);
    if (strcmp(name, "illegal") == 0)
        __asm volatile("ill");
}

static void test_task(void *unused)
{
    const char *fault = board_argument("fault");

    (void)unused;
    if (fault)
        end_with_fault(fault);
    done = xSemaphoreCreateCounting(WORKERS + 1, 0);
    test_variable_arguments();
    test_memory();
    test_division();
    run_disturbed(descending_task, "register windows survive interrupts and switches");
    run_disturbed(multiplying_task, "emulated products are right in every window");
    run_disturbed(looping_task, "hardware loops survive interrupts");
    test_queues();
    test_critical_sections();
    test_time();
    test_product_time();
    report("tasks were preempted", disturbances, disturbances < 1000);
    put_number(failures);
    uart_write_polled(" failed\n");
    host_exit(failures != 0);
}

int main(void)
{
    board_init();
    start(test_task, "test", 2, NULL);
    vTaskStartScheduler();
    return 1;
}

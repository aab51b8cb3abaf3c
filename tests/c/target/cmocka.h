/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The part of cmocka that the unit tests of the primitives use, so that they also run on bare
 * metal. A failed assertion ends the image.
 */
#ifndef CMOCKA_H
#define CMOCKA_H

#include "board.h"
#include "print.h"

#include <string.h>

struct CMUnitTest {
    const char *name;
    void (*run)(void **state);
    int (*set_up)(void **state), (*tear_down)(void **state);
    void *initial;
};

static inline void check(int holds, const char *file, int line)
{
    if (holds)
        return;
    board_print(file);
    print_number(":", (uint32_t)line);
    board_print(": assertion failed\n");
    board_exit(1);
}

#define assert_true(x)               check((x) ? 1 : 0, __FILE__, __LINE__)
#define assert_false(x)              check((x) ? 0 : 1, __FILE__, __LINE__)
#define assert_int_equal(a, b)       check((a) == (b), __FILE__, __LINE__)
#define assert_memory_equal(a, b, n) check(memcmp((a), (b), (n)) == 0, __FILE__, __LINE__)

#define cmocka_run_group_tests_name(name, tests, setup, teardown)                                  \
    run_tests(tests, sizeof(tests) / sizeof((tests)[0]), setup)
#define cmocka_run_group_tests(tests, setup, teardown)                                             \
    cmocka_run_group_tests_name("", tests, setup, teardown)

static inline int run_tests(const struct CMUnitTest *tests, size_t n, int (*setup)(void **state))
{
    void *state = NULL;

    if (setup)
        (void)setup(&state);
    for (size_t i = 0; i < n; i++) {
        if (tests[i].set_up)
            (void)tests[i].set_up(&state);
        tests[i].run(&state);
        if (tests[i].tear_down)
            (void)tests[i].tear_down(&state);
        board_print("ok ");
        board_print(tests[i].name);
        board_print("\n");
    }
    return 0;
}

#endif /* CMOCKA_H */

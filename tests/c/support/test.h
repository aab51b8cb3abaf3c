/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * cmocka and the form of a test:
 *
 *     #define SET_UP    open_world    (if every test of the file has them;
 *     #define TEAR_DOWN close_world    before this header is included)
 *
 *     TEST(replayed_packet_changes_nothing)
 *     {
 *         ...
 *     }
 *
 *     int main(void)
 *     {
 *         const struct CMUnitTest tests[] = {
 *             RUN(replayed_packet_changes_nothing),
 *         };
 *         return cmocka_run_group_tests(tests, NULL, NULL);
 *     }
 *
 * `./wyrm test` reads the table, so a test that is not in it is an unused function: an error.
 */
#ifndef WYRM_TEST_TEST_H
#define WYRM_TEST_TEST_H

/* cmocka needs these before its own header. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#ifndef SET_UP
#define SET_UP NULL
#endif
#ifndef TEAR_DOWN
#define TEAR_DOWN NULL
#endif

#define TEST_STATE void **state __attribute__((unused))

#define TEST(name) static void name(TEST_STATE)
/* A set-up or tear-down, which returns 0 when it succeeded. */
#define FIXTURE(name) static int name(TEST_STATE)

#define RUN(name) RUN_AS(#name, name, SET_UP, TEAR_DOWN)
/* The same test again under another name and with another set-up. */
#define RUN_AS(title, name, set_up, tear_down)                                                     \
    {                                                                                              \
        title, name, set_up, tear_down, NULL                                                       \
    }

#endif /* WYRM_TEST_TEST_H */

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * What the daemon does when the kernel provides no random numbers.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#define SET_UP    open_world
#define TEAR_DOWN close_world
#include "test.h"

#include "core.h"
#include "system.h"

/* Longer than any retry interval: an initiation is due again. */
#define RETRY 10000u

static struct wyrmd_core core;
static bool kernel_refuses;
static unsigned lines;
static char last_line[256];

ssize_t __wrap_getrandom(void *out, size_t len, unsigned flags);
ssize_t __wrap_getrandom(void *out, size_t len, unsigned flags)
{
    static uint8_t next;

    assert_int_equal(flags, 0);
    if (kernel_refuses) {
        errno = EPERM;
        return -1;
    }
    for (size_t i = 0; i < len; i++)
        ((uint8_t *)out)[i] = ++next;
    return (ssize_t)len;
}

void wyrmd_log(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(last_line, sizeof(last_line), format, arguments);
    va_end(arguments);
    lines++;
}

/* Lets the retry timer expire and takes the initiation that is due. */
static wyrm_status take_initiation(void)
{
    uint8_t buf[WYRM_CONTROL_MAX];
    struct wyrm_packet out;
    struct wyrm_job job;

    core.now += RETRY;
    while (wyrm_poll(&core.dev, core.now, buf, sizeof(buf), &out) > WYRM_IDLE)
        ;
    return wyrm_job_take(&core.dev, core.now, &job);
}

FIXTURE(open_world)
{
    static const uint8_t key[WYRM_KEY_LEN] = {1}, pub[WYRM_KEY_LEN] = {9};
    static const struct wyrm_endpoint endpoint = {
        .family = 4, .port = 51820, .addr = {10, 9, 0, 1}};
    wyrm_peer_id peer;

    kernel_refuses = false;
    lines = 0;
    core.now = 1000;
    if (!wyrmd_core_init(&core, 1, 1) || wyrm_set_private_key(&core.dev, key) < 0 ||
        wyrm_peer_add(&core.dev, pub, &peer) < 0 ||
        wyrm_peer_set_endpoint(&core.dev, peer, &endpoint) < 0)
        return -1;
    return wyrm_peer_connect(&core.dev, core.now, peer) < 0 ? -1 : 0;
}

FIXTURE(close_world)
{
    kernel_refuses = false;
    (void)take_initiation(); /* ends the failure, which the daemon remembers */
    wyrmd_core_close(&core);
    /* The daemon leaves its pools to the end of the process. */
    free(core.pools.peers);
    free(core.pools.routes);
    free(core.pools.slots);
    free(core.pools.sources);
    free(core.pools.index);
    return 0;
}

TEST(lack_of_random_numbers_is_logged_once_with_the_remedy)
{
    kernel_refuses = true;
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(take_initiation(), WYRM_E_RANDOM);
    assert_int_equal(lines, 1);
    assert_non_null(strstr(last_line, strerror(EPERM)));
    assert_non_null(strstr(last_line, "allow this system call"));
}

TEST(return_of_random_numbers_is_logged_once)
{
    kernel_refuses = true;
    assert_int_equal(take_initiation(), WYRM_E_RANDOM);
    kernel_refuses = false;
    assert_int_equal(take_initiation(), WYRM_WORK);
    assert_int_equal(lines, 2);
    assert_string_equal(last_line, "random numbers are available again");
}

TEST(working_random_numbers_are_not_logged)
{
    assert_int_equal(take_initiation(), WYRM_WORK);
    assert_int_equal(lines, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(lack_of_random_numbers_is_logged_once_with_the_remedy),
        RUN(return_of_random_numbers_is_logged_once),
        RUN(working_random_numbers_are_not_logged),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

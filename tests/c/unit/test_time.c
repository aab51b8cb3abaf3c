/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The core's 32-bit times under a 64-bit clock: old times stay old however long no call was made.
 */
#include "world.h"

static const wyrm_ms naps[] = {
    UINT64_C(180000),         UINT64_C(1) << 29,        (UINT64_C(1) << 30) + 1,
    (UINT64_C(1) << 31) - 1,  UINT64_C(1) << 31,        (UINT64_C(1) << 32) - 1,
    UINT64_C(1) << 32,        (UINT64_C(1) << 32) + 1,  (UINT64_C(1) << 32) + 1000,
    (UINT64_C(1) << 33) + 50, (UINT64_C(1) << 40) + 50, UINT64_C(1) << 62,
};

TEST(a_session_does_not_come_back_to_life)
{
    for (unsigned i = 0; i < sizeof(naps) / sizeof(naps[0]); i++) {
        struct world *w = world_make(2);
        struct datagram late;

        handshake(w, A, B);
        assert_int_equal(send_ip(w, A, B, 100), WYRM_SEND);
        grab(w, &late);
        sleep_through(w, naps[i]);
        assert_false(is_up(w, A, B));
        assert_int_equal(inject(w, B, &late, &w->node[A].address), WYRM_D_EXPIRED);
        assert_int_equal(send_ip(w, A, B, 100), WYRM_HOLD);
        assert_true(wyrm_deadline(&w->node[A].dev) <= w->now);
        pump(w);
        assert_int_equal(w->delivered, 1); /* what was held */
        assert_true(is_up(w, A, B));
        world_free(w);
    }
}

TEST(recent_times_survive_a_move_of_the_time_origin)
{
    struct world *w = world_make(2);
    struct wyrm_device *dev = &w->node[A].dev;
    wyrm_ms born, deadline, origin;

    /* Just below the end of the range, so that the next call is beyond it. */
    settle(w, A);
    w->now = dev->origin + WYRM_TICK_MAX - 1000;
    handshake(w, A, B);
    born = w->now;
    origin = dev->origin;
    deadline = wyrm_deadline(dev);
    sleep_through(w, 5000);
    assert_int_equal(send_ip(w, A, B, 100), WYRM_SEND);
    assert_true(dev->origin != origin);
    assert_true(wyrm_deadline(dev) <= deadline);
    w->on_wire = 0;
    w->now = born + 179999;
    assert_true(is_up(w, A, B));
    w->now = born + 180000;
    assert_false(is_up(w, A, B));
    world_free(w);
}

TEST(a_handshake_attempt_ends_in_time_across_a_move_of_the_time_origin)
{
    struct world *w = world_make(2);
    struct wyrm_device *dev = &w->node[A].dev;
    wyrm_ms origin;

    settle(w, A);
    w->deaf[B] = true;
    w->now = dev->origin + WYRM_TICK_MAX - 20000;
    origin = dev->origin;
    assert_int_equal(send_ip(w, A, B, 100), WYRM_HOLD);
    pass(w, 89999);
    assert_true(dev->origin != origin);
    assert_int_equal(w->tally[A].lost, 0);
    pass(w, 5400);
    assert_int_equal(w->tally[A].lost, 1);
    assert_in_range(w->tally[A].initiations, 17, 20);
    world_free(w);
}

/* Ages a received cookie, our cookie secret, and the rate limit of sources with cookies. */
TEST(cookies_age_across_a_move_of_the_time_origin)
{
    struct world *w = world_make(2);
    struct wyrm_device *dev = &w->node[B].dev;
    struct datagram initiation, reply;
    uint8_t secret[32];

    settle(w, A);
    settle(w, B);
    w->now = dev->origin + WYRM_TICK_MAX - 20000;
    dev->loaded_until = WYRM_TICK_NEVER;
    make_initiation(w, A, B, &initiation);
    assert_int_equal(inject(w, B, &initiation, &w->node[A].address), WYRM_SEND);
    grab(w, &reply);
    assert_int_equal(inject(w, A, &reply, &w->node[B].address), WYRM_IDLE);
    memcpy(secret, dev->cookie_secret, sizeof(secret));
    make_initiation(w, A, B, &initiation);
    assert_int_equal(inject(w, B, &initiation, &w->node[A].address), WYRM_WORK);
    settle(w, B);
    w->on_wire = 0;
    sleep_through(w, 119999);
    make_initiation(w, A, B, &initiation);
    assert_int_equal(inject(w, B, &initiation, &w->node[A].address), WYRM_WORK);
    assert_memory_equal(secret, dev->cookie_secret, sizeof(secret));
    sleep_through(w, 1);
    make_initiation(w, A, B, &initiation);
    assert_int_equal(inject(w, B, &initiation, &w->node[A].address), WYRM_SEND);
    assert_memory_not_equal(secret, dev->cookie_secret, sizeof(secret));
    assert_memory_equal(initiation.data + INITIATION_MAC1 + MAC_LEN, (uint8_t[16]){0}, 16);
    world_free(w);
}

TEST(load_ends_across_a_move_of_the_time_origin)
{
    struct world *w = world_make(2);
    struct wyrm_device *dev = &w->node[B].dev;
    struct datagram initiation;

    settle(w, B);
    w->now = dev->origin + WYRM_TICK_MAX - 500;
    make_initiation(w, A, B, &initiation);
    assert_int_equal(inject(w, B, &initiation, &w->node[A].address), WYRM_WORK);
    assert_int_equal(inject(w, B, &initiation, &w->node[A].address), WYRM_SEND);
    settle(w, B);
    sleep_through(w, 1000);
    make_initiation(w, A, B, &initiation);
    assert_int_equal(inject(w, B, &initiation, &w->node[A].address), WYRM_WORK);
    world_free(w);
}

TEST(keepalives_go_on_for_a_year)
{
    struct world *w = world_make(2);
    unsigned sent = 0;

    wyrm_peer_set_keepalive(&w->node[A].dev, w->id[A][B], 65535);
    pump(w);
    for (unsigned day = 0; day < 365; day++) {
        w->tally[A] = (struct tally){0};
        pass(w, 86400000);
        sent += w->tally[A].keepalives;
    }
    assert_in_range(sent, 365 * 86400 / 65535 - 1, 365 * 86400 / 65535 * 2 + 2);
    world_free(w);
}

TEST(a_clock_set_back_ages_nothing)
{
    static const wyrm_ms steps[] = {1, 1000000, UINT64_C(1) << 30, UINT64_C(1) << 32};

    for (unsigned i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        struct world *w = world_make(2);

        w->now += UINT64_C(1) << 34;
        handshake(w, A, B);
        w->now -= steps[i];
        assert_int_equal(send_ip(w, A, B, 100), WYRM_SEND);
        assert_true(is_up(w, A, B));
        world_free(w);
    }
}

/* Due timers do not wait until the clock has caught up. */
TEST(known_defect_53_a_clock_set_back_does_not_delay_handshakes)
{
    static const wyrm_ms steps[] = {1,
                                    1000,
                                    60000,
                                    86400000,
                                    UINT64_C(12) * 86400000,
                                    UINT64_C(13) * 86400000,
                                    1000000,
                                    1 << 30,
                                    (wyrm_ms)1 << 31,
                                    (wyrm_ms)1 << 32,
                                    (wyrm_ms)1 << 33};

    for (unsigned i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        struct world *w = world_make(2);

        w->now += UINT64_C(1) << 34;
        w->deaf[B] = true;
        assert_int_equal(send_ip(w, A, B, 100), WYRM_HOLD);
        pump(w);
        w->now -= steps[i];
        w->deaf[B] = false;
        pass(w, 6500);
        assert_int_equal(w->tally[A].initiations, 2);
        assert_true(is_up(w, A, B));
        pass(w, 60000);
        w->now -= steps[i];
        wyrm_peer_disconnect(&w->node[B].dev, w->id[B][A]);
        wyrm_peer_connect(&w->node[B].dev, w->now, w->id[B][A]);
        pass(w, 6500);
        assert_true(is_up(w, B, A));
        world_free(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(a_session_does_not_come_back_to_life),
        RUN(recent_times_survive_a_move_of_the_time_origin),
        RUN(a_handshake_attempt_ends_in_time_across_a_move_of_the_time_origin),
        RUN(cookies_age_across_a_move_of_the_time_origin),
        RUN(load_ends_across_a_move_of_the_time_origin),
        RUN(keepalives_go_on_for_a_year),
        RUN(a_clock_set_back_ages_nothing),
        RUN(known_defect_53_a_clock_set_back_does_not_delay_handshakes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The timers of paper section 6, with checks of internal state. tests/c/scenarios/timers.json
 * checks the messages, with the same ids. Times are tested one millisecond before and after each
 * limit.
 */
#include "world.h"

#include "wyrm_clock.h"
#include "wyrm_store.h"

/* A session that A began now. */
static struct world *session(void)
{
    struct world *w = world_make(2);

    handshake(w, A, B);
    return w;
}

static void receive_data(struct world *w)
{
    assert_int_equal(send_ip(w, B, A, 100), WYRM_SEND);
    settle(w, B);
    while (carry(w))
        ;
}

TEST(t03_each_session_is_renewed_on_receipt)
{
    struct world *w = session();

    for (unsigned n = 1; n <= 3; n++) {
        sleep_through(w, 166000);
        receive_data(w);
        assert_int_equal(w->tally[A].initiations, n);
    }
    world_free(w);
}

/* More data under the old session does not prolong the attempt. */
TEST(t03_receiving_requests_one_renewal)
{
    struct world *w = session();

    w->deaf[B] = true;
    sleep_through(w, 166000);
    for (unsigned second = 0; second < 13; second++, sleep_through(w, 1000)) {
        assert_int_equal(send_ip(w, B, A, 100), WYRM_SEND);
        while (carry(w))
            ;
    }
    wyrm_peer_disconnect(&w->node[B].dev, w->id[B][A]);
    pass(w, 90000 - 13000 + 5400);
    assert_int_equal(w->tally[A].lost, 1);
    world_free(w);
}

TEST(t05_an_initiation_is_repeated_after_5_s_and_jitter)
{
    struct world *w = world_make(2);
    struct datagram first;

    w->deaf[B] = true;
    assert_int_equal(send_ip(w, A, B, 100), WYRM_HOLD);
    settle(w, A);
    first = w->last[A];
    pass(w, 4999);
    assert_int_equal(w->tally[A].initiations, 1);
    pass(w, 334);
    assert_int_equal(w->tally[A].initiations, 2);
    assert_int_equal(w->node[A].label, 2); /* a newer timestamp */
    assert_memory_not_equal(first.data + INITIATION_SENDER, w->last[A].data + INITIATION_SENDER, 4);
    assert_memory_not_equal(first.data + INITIATION_EPHEMERAL,
                            w->last[A].data + INITIATION_EPHEMERAL, 32);
    world_free(w);
}

TEST(t05_the_jitter_differs_from_device_to_device)
{
    uint64_t seen = 0;
    unsigned different = 0;

    for (unsigned i = 0; i < 10; i++) {
        struct world *w = world_make(2);
        wyrm_ms wait;

        w->node[A].random_state += i;
        assert_int_equal(send_ip(w, A, B, 100), WYRM_HOLD);
        settle(w, A);
        wait = peer_of(w, A, B)->timers[WYRM_TIMER_RETRY] - w->node[A].dev.now;
        assert_in_range(wait, 5000, 5333);
        different += wait != seen;
        seen = wait;
        world_free(w);
    }
    assert_in_range(different, 8, 10);
}

TEST(t06_a_silent_peer_is_given_up_after_90_s)
{
    struct world *w = world_make(2);
    unsigned tries;

    w->deaf[B] = true;
    assert_int_equal(send_ip(w, A, B, 100), WYRM_HOLD);
    pass(w, 95400);
    tries = w->tally[A].initiations;
    assert_in_range(tries, 17, 20);
    assert_int_equal(w->tally[A].lost, 1);
    assert_false(peer_of(w, A, B)->waiting);
    assert_true(wyrm_deadline(&w->node[A].dev) == WYRM_NEVER);
    pass(w, 600);
    assert_int_equal(send_ip(w, A, B, 100), WYRM_HOLD);
    settle(w, A);
    assert_int_equal(w->tally[A].initiations, tries + 1);
    world_free(w);
}

TEST(t07_sending_data_cancels_the_keepalive)
{
    struct world *w = session();

    receive_data(w);
    pass(w, 5000);
    assert_int_equal(send_ip(w, A, B, 100), WYRM_SEND);
    pass(w, 9999);
    assert_int_equal(w->tally[A].keepalives, 0);
    world_free(w);
}

TEST(a_peer_is_reported_lost_once_and_only_if_packets_wait_for_it)
{
    struct world *w = world_make(2);

    assert_int_equal(send_ip(w, A, B, 100), WYRM_HOLD);
    pump(w);
    wyrm_peer_disconnect(&w->node[A].dev, w->id[A][B]);
    settle(w, A);
    assert_int_equal(w->tally[A].lost, 0); /* the packet went out */
    w->deaf[B] = true;
    assert_int_equal(send_ip(w, A, B, 100), WYRM_HOLD);
    pass(w, 96000);
    assert_int_equal(w->tally[A].lost, 1); /* given up */
    wyrm_peer_disconnect(&w->node[A].dev, w->id[A][B]);
    settle(w, A);
    assert_int_equal(w->tally[A].lost, 1);
    assert_int_equal(send_ip(w, A, B, 100), WYRM_HOLD);
    wyrm_peer_disconnect(&w->node[A].dev, w->id[A][B]);
    wyrm_peer_disconnect(&w->node[A].dev, w->id[A][B]);
    settle(w, A);
    assert_int_equal(w->tally[A].lost, 2);
    world_free(w);
}

/* The initiator may differ from session to session; only that of the current one counts. */
TEST(t02_only_the_initiator_of_the_current_session_renews_it)
{
    struct world *w = session();

    sleep_through(w, 10000);
    handshake(w, B, A);
    w->deaf[B] = true;
    sleep_through(w, 125000);
    assert_int_equal(send_ip(w, A, B, 100), WYRM_SEND);
    settle(w, A);
    assert_int_equal(w->tally[A].initiations, 0);
    world_free(w);
}

TEST(t09_the_responder_notices_silence_too)
{
    struct world *w = session();
    const struct wyrm_peer *peer = peer_of(w, B, A);
    uint32_t jitter = peer->local[peer->current] % 334;

    w->deaf[A] = true;
    assert_int_equal(send_ip(w, B, A, 100), WYRM_SEND);
    assert_int_not_equal(jitter, 0);
    pass(w, 14999 + jitter);
    assert_int_equal(w->tally[B].initiations, 0);
    pass(w, 1);
    assert_int_equal(w->tally[B].initiations, 1);
    world_free(w);
}

TEST(t11_all_keys_are_gone_after_540_s)
{
    struct world *w = session();
    struct wyrm_keypair a = peer_of(w, A, B)->kp[peer_of(w, A, B)->current];

    pass(w, 539999);
    assert_true(node_remembers(&w->node[A], a.keys.send));
    assert_true(node_remembers(&w->node[B], a.keys.send));
    pass(w, 1);
    for (unsigned i = A; i <= B; i++) {
        assert_false(node_remembers(&w->node[i], a.keys.send));
        assert_false(node_remembers(&w->node[i], a.keys.recv));
    }
    assert_true(wyrm_deadline(&w->node[A].dev) == WYRM_NEVER);
    world_free(w);
}

/* The ephemeral of an unanswered rekey lives as long as the session's keys at the most. */
TEST(t11_an_ephemeral_in_flight_is_gone_too)
{
    struct world *w = session();
    uint8_t ephemeral[32];

    w->deaf[B] = true;
    sleep_through(w, 6000);
    wyrm_peer_connect(&w->node[A].dev, w->now, w->id[A][B]);
    settle(w, A);
    memcpy(ephemeral, peer_of(w, A, B)->hs.eph, 32);
    assert_true(node_remembers(&w->node[A], ephemeral));
    pass(w, 540000);
    assert_false(node_remembers(&w->node[A], ephemeral));
    assert_true(wyrm_ct_is_zero(peer_of(w, A, B)->hs.eph, 32));
    world_free(w);
}

TEST(t15_a_responder_waits_for_confirmation)
{
    struct world *w = world_make(2);

    wyrm_peer_connect(&w->node[A].dev, w->now, w->id[A][B]);
    settle(w, A);
    carry(w); /* the response is on the wire now */
    sleep_through(w, 10);
    assert_int_equal(send_ip(w, B, A, 100), WYRM_HOLD);
    settle(w, B);
    assert_int_equal(w->tally[B].data + w->tally[B].keepalives, 0);
    sleep_through(w, 10);
    pump(w);
    assert_int_equal(w->tally[A].keepalives, 1);
    assert_int_equal(w->tally[B].ready, 1);
    assert_int_equal(w->tally[B].data, 1);
    assert_int_equal(w->delivered, 1);
    assert_int_equal(w->tally[B].initiations, 0);
    world_free(w);
}

TEST(t15_the_previous_session_sends_until_confirmation)
{
    struct world *w = session();
    uint32_t old = peer_of(w, B, A)->kp[peer_of(w, B, A)->current].remote;

    sleep_through(w, 130000);
    wyrm_peer_connect(&w->node[A].dev, w->now, w->id[A][B]);
    settle(w, A);
    carry(w);
    assert_int_equal(send_ip(w, B, A, 100), WYRM_SEND);
    assert_int_equal(wyrm_load_le32(w->last[B].data + DATA_RECEIVER), old);
    pump(w);
    assert_int_equal(send_ip(w, B, A, 100), WYRM_SEND);
    assert_true(wyrm_load_le32(w->last[B].data + DATA_RECEIVER) != old);
    pump(w);
    assert_int_equal(w->delivered, 2);
    world_free(w);
}

TEST(t17_the_last_counter_is_used_and_none_after_it)
{
    struct world *w = session();
    struct wyrm_keypair *kp = &peer_of(w, A, B)->kp[peer_of(w, A, B)->current];
    uint64_t last = UINT64_MAX - (UINT64_C(1) << 13) - 1;

    sleep_through(w, 6000);
    kp->tx_next = last;
    assert_int_equal(send_ip(w, A, B, 100), WYRM_SEND);
    assert_true(wyrm_load_le64(w->last[A].data + DATA_COUNTER) == last);
    settle(w, A);
    assert_int_equal(w->tally[A].initiations, 1);
    sleep_through(w, 1);
    assert_int_equal(send_ip(w, A, B, 100), WYRM_HOLD);
    pump(w);
    assert_int_equal(w->delivered, 2); /* the last one, and the held one under new keys */
    world_free(w);
}

/* A begins a handshake while B is under load, and so gets a cookie. */
static struct world *cookie(void)
{
    struct world *w = world_make(2);
    struct datagram initiation;

    w->node[B].dev.loaded_until = WYRM_TICK_NEVER;
    make_initiation(w, A, B, &initiation);
    assert_int_equal(inject(w, B, &initiation, &w->node[A].address), WYRM_SEND);
    pump(w);
    assert_true(peer_of(w, A, B)->cookie_born != 0);
    return w;
}

TEST(t18_a_cookie_is_used_for_120_s)
{
    static const uint8_t none[16];
    struct world *w = cookie();
    struct datagram initiation;

    w->deaf[B] = true;
    sleep_through(w, 119999);
    make_initiation(w, A, B, &initiation);
    assert_memory_not_equal(initiation.data + INITIATION_MAC1 + MAC_LEN, none, 16);
    sleep_through(w, 2);
    make_initiation(w, A, B, &initiation);
    assert_memory_equal(initiation.data + INITIATION_MAC1 + MAC_LEN, none, 16);
    world_free(w);
}

TEST(t20_a_cookie_secret_rotates_every_120_s)
{
    struct world *w = cookie();
    struct datagram initiation;

    sleep_through(w, 119999);
    make_initiation(w, A, B, &initiation);
    assert_int_equal(inject(w, B, &initiation, &w->node[A].address), WYRM_WORK);
    settle(w, B);
    sleep_through(w, 120002);
    peer_of(w, A, B)->cookie_born =
        wyrm_time_tick(&w->node[A].dev, w->now); /* A goes on using the first cookie */
    make_initiation(w, A, B, &initiation);
    w->tally[B] = (struct tally){0};
    assert_int_equal(inject(w, B, &initiation, &w->node[A].address), WYRM_SEND);
    assert_int_equal(w->tally[B].cookies, 1);
    pump(w);
    make_initiation(w, A, B, &initiation); /* with the cookie of the new secret */
    assert_int_equal(inject(w, B, &initiation, &w->node[A].address), WYRM_WORK);
    world_free(w);
}

TEST(t21_a_32_bit_clock_may_wrap_in_a_session)
{
    struct world *w = world_make(2);
    struct wyrm_clock clock = {0};
    struct datagram late;

    (void)wyrm_clock_widen(&clock, UINT32_C(0x70000000));
    (void)wyrm_clock_widen(&clock, UINT32_C(0xe0000000));
    w->now = wyrm_clock_widen(&clock, 0u - 60000u);
    handshake(w, A, B);
    w->deaf[B] = true;
    w->now = wyrm_clock_widen(&clock, 59999);
    assert_int_equal(send_ip(w, A, B, 100), WYRM_SEND);
    settle(w, A);
    assert_int_equal(w->tally[A].initiations, 0);
    w->now = wyrm_clock_widen(&clock, 60000);
    assert_int_equal(send_ip(w, A, B, 100), WYRM_SEND);
    settle(w, A);
    assert_int_equal(w->tally[A].initiations, 1);
    w->now = wyrm_clock_widen(&clock, 119999);
    assert_int_equal(send_ip(w, B, A, 100), WYRM_SEND);
    grab(w, &late);
    w->now = wyrm_clock_widen(&clock, 120000);
    assert_int_equal(inject(w, A, &late, &w->node[B].address), WYRM_D_EXPIRED);
    world_free(w);
}

/* Two slots of flash that never fail. */
static uint8_t flash[WYRM_STORE_SLOTS][WYRM_STORE_RECORD_LEN];
static bool written[WYRM_STORE_SLOTS];

static bool load(void *ctx, unsigned slot, void *buf, size_t len)
{
    (void)ctx;
    memcpy(buf, flash[slot], len);
    return written[slot];
}

static bool save(void *ctx, unsigned slot, const void *buf, size_t len)
{
    (void)ctx;
    memcpy(flash[slot], buf, len);
    written[slot] = true;
    return true;
}

static const struct wyrm_store_io store_io = {.load = load, .save = save};

TEST(t22_timestamps_grow_when_the_wall_clock_steps_back)
{
    struct world *w = world_make(2);
    struct wyrm_store store;

    memset(written, 0, sizeof(written));
    wyrm_store_init(&store, &store_io, 1767225600);
    w->node[A].store = &store;
    wyrm_store_set_clock(&store, 1800000000, 0);
    handshake(w, A, B);
    sleep_through(w, 6000);
    wyrm_store_set_clock(&store, 1800000000 - 3600, 0);
    wyrm_peer_connect(&w->node[A].dev, w->now, w->id[A][B]);
    pump(w);
    assert_int_equal(w->tally[B].responses, 1);
    assert_int_equal(drops_of(w, B, WYRM_D_TIMESTAMP), 0);
    world_free(w);
}

TEST(t23_timestamps_grow_over_a_reboot_without_a_clock)
{
    struct world *w = world_make(2);
    struct wyrm_store store;

    memset(written, 0, sizeof(written));
    for (unsigned boot = 0; boot < 3; boot++) {
        node_boot(&w->node[A], A, 1 + boot);
        memcpy(w->node[A].priv, w->node[B].pub, 32); /* the same key after every boot */
        wyrm_set_private_key(&w->node[A].dev, w->node[A].priv);
        wyrm_public_key(&w->node[A].dev, w->node[A].pub);
        w->id[A][B] = node_meet(&w->node[A], &w->node[B]);
        if (boot == 0)
            w->id[B][A] = node_meet(&w->node[B], &w->node[A]);
        wyrm_store_init(&store, &store_io, 1767225600);
        w->node[A].store = &store;
        sleep_through(w, 6000);
        handshake(w, A, B);
    }
    assert_int_equal(drops_of(w, B, WYRM_D_TIMESTAMP), 0);
    world_free(w);
}

/* T24 of the assurance list. Unlike Linux, where each side's initiation overwrites its own and a
 * retry has to break the tie, both handshakes complete here and both sessions can receive. */
TEST(t24_both_may_initiate_at_once)
{
    struct world *w = world_make(2);

    wyrm_peer_connect(&w->node[A].dev, w->now, w->id[A][B]);
    wyrm_peer_connect(&w->node[B].dev, w->now, w->id[B][A]);
    pump(w);
    assert_int_equal(send_ip(w, A, B, 100), WYRM_SEND);
    assert_int_equal(send_ip(w, B, A, 100), WYRM_SEND);
    pump(w);
    assert_int_equal(w->delivered, 2);
    pass(w, 60000);
    assert_int_equal(w->tally[A].initiations + w->tally[B].initiations, 2);
    world_free(w);
}

/* ---- Persistent keepalive ------------------------------------------------- */

TEST(a_persistent_keepalive_is_sent_every_n_seconds_of_silence)
{
    struct world *w = session();

    wyrm_peer_set_keepalive(&w->node[A].dev, w->id[A][B], 25);
    pump(w);
    assert_int_equal(w->tally[A].keepalives, 1); /* the first at once */
    pass(w, 24999);
    assert_int_equal(w->tally[A].keepalives, 1);
    pass(w, 1);
    assert_int_equal(w->tally[A].keepalives, 2);
    pass(w, 75000);
    assert_int_equal(w->tally[A].keepalives, 5);
    world_free(w);
}

TEST(changing_the_keepalive_interval_sends_no_extra_keepalive)
{
    struct world *w = session();

    wyrm_peer_set_keepalive(&w->node[A].dev, w->id[A][B], 25);
    pump(w);
    wyrm_peer_set_keepalive(&w->node[A].dev, w->id[A][B], 20);
    pump(w);
    assert_int_equal(w->tally[A].keepalives, 1);
    world_free(w);
}

TEST(an_interval_of_zero_ends_persistent_keepalives_at_once)
{
    struct world *w = session();

    wyrm_peer_set_keepalive(&w->node[A].dev, w->id[A][B], 25);
    pass(w, 30000);
    assert_int_equal(w->tally[A].keepalives, 2);
    wyrm_peer_set_keepalive(&w->node[A].dev, w->id[A][B], 0);
    pass(w, 60000);
    assert_int_equal(w->tally[A].keepalives, 2);
    world_free(w);
}

TEST(a_persistent_keepalive_holds_a_tunnel_for_an_hour)
{
    struct world *w = session();

    wyrm_peer_set_keepalive(&w->node[A].dev, w->id[A][B], 25);
    for (unsigned minute = 0; minute < 60; minute++) {
        pass(w, 60000);
        assert_true(is_up(w, A, B) && is_up(w, B, A));
    }
    assert_int_equal(all_drops(w, A), 0);
    assert_int_equal(all_drops(w, B), 0);
    world_free(w);
}

TEST(a_persistent_keepalive_never_gives_up_a_silent_peer)
{
    struct world *w = world_make(2);

    wyrm_peer_set_keepalive(&w->node[A].dev, w->id[A][B], 25);
    w->deaf[B] = true;
    pass(w, 3600000);
    w->deaf[B] = false;
    pass(w, 30000);
    assert_true(is_up(w, A, B));
    world_free(w);
}

TEST(a_persistent_keepalive_survives_a_long_failure_of_randomness)
{
    struct world *w = world_make(2);

    wyrm_peer_set_keepalive(&w->node[A].dev, w->id[A][B], 25);
    w->node[A].random_fails = true;
    pass(w, 600000);
    assert_int_equal(w->tally[A].initiations, 0);
    w->node[A].random_fails = false;
    pass(w, 30000);
    assert_true(is_up(w, A, B));
    world_free(w);
}

/* The session is dead before it could be confirmed. */
TEST(a_persistent_keepalive_survives_a_sleep_right_after_a_handshake)
{
    struct world *w = world_make(2);
    struct datagram response;

    wyrm_peer_set_keepalive(&w->node[A].dev, w->id[A][B], 25);
    settle(w, A);
    assert_true(carry(w));
    grab(w, &response);
    assert_int_equal(inject(w, A, &response, &w->node[B].address), WYRM_WORK);
    assert_int_equal(work_once(w, A), WYRM_IDLE);
    assert_true(is_up(w, A, B));
    sleep_through(w, WYRM_REJECT_AFTER_TIME);
    pass(w, 30000);
    assert_true(is_up(w, A, B));
    world_free(w);
}

TEST(a_persistent_keepalive_begins_when_the_endpoint_becomes_known)
{
    struct world *w = world_make(2);

    wyrm_peer_set_endpoint(&w->node[A].dev, w->id[A][B], NULL);
    wyrm_peer_set_keepalive(&w->node[A].dev, w->id[A][B], 25);
    pass(w, 1000);
    assert_int_equal(w->tally[A].initiations, 0);
    wyrm_peer_set_endpoint(&w->node[A].dev, w->id[A][B], &w->node[B].address.remote);
    pump(w);
    assert_true(is_up(w, A, B));
    world_free(w);
}

/* ---- Ends ----------------------------------------------------------------- */

TEST(removing_the_endpoint_ends_the_handshake)
{
    struct world *w = world_make(2);

    w->deaf[B] = true;
    assert_int_equal(send_ip(w, A, B, 100), WYRM_HOLD);
    settle(w, A);
    wyrm_peer_set_endpoint(&w->node[A].dev, w->id[A][B], NULL);
    pass(w, 6000);
    assert_int_equal(w->tally[A].lost, 1);
    assert_false(peer_of(w, A, B)->waiting);
    world_free(w);
}

TEST(initiations_without_an_answer_are_counted_until_there_is_one)
{
    struct world *w = world_make(2);
    struct wyrm_peer_info info;

    w->deaf[B] = true;
    assert_int_equal(send_ip(w, A, B, 100), WYRM_HOLD);
    pass(w, 12000);
    assert_int_equal(wyrm_peer_get(&w->node[A].dev, w->now, w->id[A][B], &info), WYRM_IDLE);
    assert_int_equal(info.unanswered, 2);
    w->deaf[B] = false;
    pass(w, 6000);
    assert_int_equal(wyrm_peer_get(&w->node[A].dev, w->now, w->id[A][B], &info), WYRM_IDLE);
    assert_true(info.up);
    assert_int_equal(info.unanswered, 0);
    world_free(w);
}

TEST(a_roamed_endpoint_falls_back_when_the_peer_is_given_up)
{
    struct world *w = session();
    struct wyrm_meta elsewhere = node_address(77);
    struct datagram packet;

    assert_int_equal(send_ip(w, B, A, 100), WYRM_SEND);
    grab(w, &packet);
    assert_int_equal(inject(w, A, &packet, &elsewhere), WYRM_DELIVER);
    assert_memory_equal(&peer_of(w, A, B)->to.remote, &elsewhere.remote, sizeof(elsewhere.remote));
    w->deaf[B] = true;
    assert_int_equal(send_ip(w, A, B, 100), WYRM_SEND);
    pass(w, 120000);
    assert_memory_equal(&peer_of(w, A, B)->to.remote, &w->node[B].address.remote,
                        sizeof(elsewhere.remote));
    world_free(w);
}

static bool but_initiations(struct world *world, struct datagram *datagram)
{
    (void)world;
    return kind_of(datagram) != WYRM_MSG_INITIATION;
}

/* B keeps sending data while A's initiations are lost. A's keepalive for that data would be due
 * after the session has ended, and would restart the attempt. */
TEST(a_pending_keepalive_does_not_restart_an_abandoned_handshake)
{
    struct world *w = world_make(2);

    handshake(w, B, A);
    sleep_through(w, 84000);
    w->censor = but_initiations;
    wyrm_peer_connect(&w->node[A].dev, w->now, w->id[A][B]);
    while (w->tally[A].initiations < 18) /* the last, which is given up 90 s after the first */
        pass(w, 100);
    assert_int_equal(send_ip(w, B, A, 100), WYRM_SEND);
    pump(w);
    assert_int_equal(w->delivered, 1);
    w->tally[A] = (struct tally){0};
    pass(w, 60000);
    assert_int_equal(w->tally[A].lost, 1);
    assert_int_equal(w->tally[A].initiations, 0);
    world_free(w);
}

/* Paper section 6.4: each packet the user sends begins the 90 s anew. Held packets stay. */
TEST(a_peer_is_not_given_up_while_there_are_packets_for_it)
{
    struct world *w = world_make(2);

    w->deaf[B] = true;
    for (unsigned i = 0; i < 300; i++) {
        assert_int_equal(send_ip(w, A, B, 100), WYRM_HOLD);
        pass(w, 1000);
    }
    assert_in_range(w->tally[A].initiations, 56, 60);
    assert_int_equal(w->tally[A].lost, 0);
    pass(w, 88000); /* 89 s after the last of them */
    assert_int_equal(w->tally[A].lost, 0);
    pass(w, 7000);
    assert_int_equal(w->tally[A].lost, 1);
    assert_true(wyrm_deadline(&w->node[A].dev) == WYRM_NEVER);
    world_free(w);
}

TEST(a_held_packet_goes_out_however_late_the_peer_returns)
{
    struct world *w = world_make(2);

    w->deaf[B] = true;
    for (unsigned i = 0; i < 200; i++) {
        assert_int_equal(send_ip(w, A, B, 100), WYRM_HOLD);
        pass(w, 1000);
    }
    w->deaf[B] = false;
    pass(w, 6000);
    assert_int_equal(w->delivered, 1); /* the newest: these tests hold one */
    world_free(w);
}

/* An attacker on the path forwarded one packet from another address. Constant traffic must not keep
 * the device from trying the configured endpoint again. */
TEST(a_roamed_endpoint_falls_back_under_constant_traffic_too)
{
    struct world *w = session();
    struct wyrm_meta elsewhere = node_address(77);
    struct datagram packet;

    wyrm_peer_set_keepalive(&w->node[A].dev, w->id[A][B], 25);
    assert_int_equal(send_ip(w, B, A, 100), WYRM_SEND);
    grab(w, &packet);
    assert_int_equal(inject(w, A, &packet, &elsewhere), WYRM_DELIVER);
    pump(w);
    w->tally[A] = (struct tally){0};
    wyrm_peer_disconnect(&w->node[B].dev, w->id[B][A]); /* B waits to be called */
    for (unsigned i = 0; i < 130; i++) {
        (void)send_ip(w, A, B, 100);
        pass(w, 1000);
        w->delivered = 0;
    }
    assert_true(is_up(w, A, B));
    assert_int_equal(w->tally[B].responses, 1);
    assert_int_equal(w->tally[A].lost, 0);
    world_free(w);
}

/* The same near the end of a session, with a packet pending whenever the next initiation is due:
 * each initiation still counts as unanswered. */
TEST(busy_traffic_does_not_hide_the_silence_of_the_peer)
{
    struct world *w = session();
    struct wyrm_meta elsewhere = node_address(77);
    struct datagram packet;

    sleep_through(w, 119000);
    assert_int_equal(send_ip(w, B, A, 100), WYRM_SEND);
    grab(w, &packet);
    assert_int_equal(inject(w, A, &packet, &elsewhere), WYRM_DELIVER);
    wyrm_peer_disconnect(&w->node[B].dev, w->id[B][A]); /* B waits to be called */
    for (unsigned i = 0; i < 1200; i++) {
        (void)send_ip(w, A, B, 100);
        pass(w, 10);
    }
    assert_int_equal(peer_of(w, A, B)->unanswered, 2);
    assert_false(is_up(w, B, A));
    for (unsigned i = 0; i < 10000; i++) {
        (void)send_ip(w, A, B, 100);
        pass(w, 10);
        w->delivered = 0;
    }
    assert_true(is_up(w, B, A));
    world_free(w);
}

TEST(silence_clears_the_local_path)
{
    struct world *w = session();

    w->deaf[B] = true;
    peer_of(w, A, B)->to.local.bytes[0] = 1;
    assert_int_equal(send_ip(w, A, B, 100), WYRM_SEND);
    pass(w, 14999);
    assert_int_equal(peer_of(w, A, B)->to.local.bytes[0], 1);
    pass(w, 334);
    assert_int_equal(peer_of(w, A, B)->to.local.bytes[0], 0);
    peer_of(w, A, B)->to.local.bytes[0] =
        1; /* and again with each initiation that finds no answer */
    pass(w, 5400);
    assert_int_equal(peer_of(w, A, B)->to.local.bytes[0], 0);
    world_free(w);
}

/* A device that has slept for an hour can reconnect. */
TEST(a_jump_forward_costs_one_handshake)
{
    struct world *w = session();

    sleep_through(w, 3600000);
    pump(w);
    assert_int_equal(send_ip(w, A, B, 100), WYRM_HOLD);
    pump(w);
    assert_int_equal(w->delivered, 1);
    world_free(w);
}

TEST(a_clock_that_steps_back_ages_nothing)
{
    struct world *w = session();

    w->now -= 500000;
    settle(w, A);
    assert_int_equal(send_ip(w, A, B, 100), WYRM_SEND);
    assert_int_equal(send_ip(w, B, A, 100), WYRM_SEND);
    pump(w);
    assert_int_equal(w->delivered, 2);
    assert_int_equal(w->tally[A].initiations, 0);
    world_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(t02_only_the_initiator_of_the_current_session_renews_it),
        RUN(t03_each_session_is_renewed_on_receipt),
        RUN(t03_receiving_requests_one_renewal),
        RUN(t05_an_initiation_is_repeated_after_5_s_and_jitter),
        RUN(t05_the_jitter_differs_from_device_to_device),
        RUN(t06_a_silent_peer_is_given_up_after_90_s),
        RUN(a_peer_is_reported_lost_once_and_only_if_packets_wait_for_it),
        RUN(t07_sending_data_cancels_the_keepalive),
        RUN(t09_the_responder_notices_silence_too),
        RUN(t11_all_keys_are_gone_after_540_s),
        RUN(t11_an_ephemeral_in_flight_is_gone_too),
        RUN(t15_a_responder_waits_for_confirmation),
        RUN(t15_the_previous_session_sends_until_confirmation),
        RUN(t17_the_last_counter_is_used_and_none_after_it),
        RUN(t18_a_cookie_is_used_for_120_s),
        RUN(t20_a_cookie_secret_rotates_every_120_s),
        RUN(t21_a_32_bit_clock_may_wrap_in_a_session),
        RUN(t22_timestamps_grow_when_the_wall_clock_steps_back),
        RUN(t23_timestamps_grow_over_a_reboot_without_a_clock),
        RUN(t24_both_may_initiate_at_once),
        RUN(a_persistent_keepalive_is_sent_every_n_seconds_of_silence),
        RUN(changing_the_keepalive_interval_sends_no_extra_keepalive),
        RUN(an_interval_of_zero_ends_persistent_keepalives_at_once),
        RUN(a_persistent_keepalive_holds_a_tunnel_for_an_hour),
        RUN(a_persistent_keepalive_never_gives_up_a_silent_peer),
        RUN(a_persistent_keepalive_survives_a_long_failure_of_randomness),
        RUN(a_persistent_keepalive_survives_a_sleep_right_after_a_handshake),
        RUN(a_persistent_keepalive_begins_when_the_endpoint_becomes_known),
        RUN(removing_the_endpoint_ends_the_handshake),
        RUN(a_pending_keepalive_does_not_restart_an_abandoned_handshake),
        RUN(a_peer_is_not_given_up_while_there_are_packets_for_it),
        RUN(a_held_packet_goes_out_however_late_the_peer_returns),
        RUN(initiations_without_an_answer_are_counted_until_there_is_one),
        RUN(a_roamed_endpoint_falls_back_when_the_peer_is_given_up),
        RUN(a_roamed_endpoint_falls_back_under_constant_traffic_too),
        RUN(busy_traffic_does_not_hide_the_silence_of_the_peer),
        RUN(silence_clears_the_local_path),
        RUN(a_jump_forward_costs_one_handshake),
        RUN(a_clock_that_steps_back_ages_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Scheduling of the handshake worker, also while it is slow or cannot work at all.
 * tests/c/sim/siege.c tests the same under attack.
 */
#include "world.h"

#include "core/wyrm_cookie.h"
#include "core/wyrm_timers.h"

/* ---- Forged responses ------------------------------------------------------------- */

/* Forges a response to A's initiation to `to`, as anyone can who knows its index. */
static void forge(struct world *w, unsigned to, struct datagram *out)
{
    memset(out, 0, sizeof(*out));
    out->len = RESPONSE_LEN;
    test_random_fill(&w->sequence, out->data, RESPONSE_MAC1);
    wyrm_store_le32(out->data, WYRM_MSG_RESPONSE);
    wyrm_store_le32(out->data + RESPONSE_RECEIVER, peer_of(w, A, to)->local[WYRM_PLACE_HS]);
    wyrm_cookie_mac1(out->data + RESPONSE_MAC1, w->node[A].pub, out->data, RESPONSE_MAC1);
}

/* A has initiated to B and C, whose responses wait on the wire in this order. */
static struct world *two_responses(void)
{
    struct world *w = world_make(4);

    wyrm_peer_connect(&w->node[A].dev, w->now, w->id[A][B]);
    wyrm_peer_connect(&w->node[A].dev, w->now, w->id[A][C]);
    settle(w, A);
    carry(w);
    carry(w);
    assert_int_equal(w->on_wire, 2);
    return w;
}

static wyrm_status arrives(struct world *w, const struct datagram *message, unsigned from)
{
    return inject(w, A, message, &w->node[from].address);
}

/* One job without a cookie, whatever the rate; the honest response to the other handshake finds
 * room. */
TEST(known_defect_57_forged_responses_to_one_handshake_leave_the_worker_to_others)
{
    struct world *w = two_responses();
    struct datagram forged, honest = w->wire[1];

    w->on_wire = 0;
    for (unsigned i = 0; i < 1000; i++) {
        forge(w, B, &forged);
        (void)arrives(w, &forged, B);
        w->on_wire = 0;
    }
    assert_int_equal(w->node[A].slots[0].type, WYRM_MSG_RESPONSE);
    assert_int_equal(w->node[A].slots[1].type, WYRM_MSG_NONE);
    assert_int_equal(arrives(w, &honest, C), WYRM_SEND); /* a cookie, because of the load */
    settle(w, A);
    sleep_through(w, 1000);
    assert_int_equal(arrives(w, &honest, C), WYRM_WORK);
    settle(w, A);
    assert_true(is_up(w, A, C));
    assert_false(is_up(w, A, B));
    world_free(w);
}

/* A forger may use up the attempt without a cookie; a peer that proves its address has another. */
TEST(an_honest_response_succeeds_after_a_forged_one)
{
    struct world *w = two_responses();
    struct datagram forged, honest = w->wire[0];

    w->on_wire = 0;
    forge(w, B, &forged);
    assert_int_equal(arrives(w, &forged, B), WYRM_WORK);
    settle(w, A);
    sleep_through(w, 2000);
    assert_int_equal(arrives(w, &honest, B), WYRM_SEND);
    assert_int_equal(kind_of(&w->last[A]), WYRM_MSG_COOKIE);
    carry(w); /* the cookie, to B */
    sleep_through(w, 4000);
    settle(w, A); /* the retry */
    carry(w);
    grab(w, &honest); /* now with the cookie */
    forge(w, B, &forged);
    assert_int_equal(arrives(w, &forged, D), WYRM_WORK);
    assert_int_equal(arrives(w, &honest, B), WYRM_WORK);
    settle(w, A);
    assert_true(is_up(w, A, B));
    world_free(w);
}

/* A cookie proves an address, not an identity: from another address it gets an attempt of its own.
 */
TEST(a_response_with_a_cookie_for_another_address_does_not_block_the_right_address)
{
    struct world *w = two_responses();
    struct wyrm_peer *peer = peer_of(w, A, B);

    peer->responses.admitted = ADMITTED_UNPROVEN | ADMITTED_FROM_ELSEWHERE;
    w->on_wire = 0;
    for (unsigned i = B; i <= D; i++) {
        struct datagram forged;

        forge(w, B, &forged);
        assert_int_equal(arrives(w, &forged, i), i == B ? WYRM_SEND : WYRM_D_RATE);
    }
    world_free(w);
}

/* Writes mac2 with A's cookie for that address. */
static void prove(struct world *w, struct datagram *response, unsigned from)
{
    const struct wyrm_endpoint *source = &w->node[from].address.remote;
    const uint8_t *secret = w->node[A].dev.cookie_secret;
    uint8_t cookie[16], addr[6];

    memcpy(addr, source->addr, 4);
    addr[4] = (uint8_t)(source->port >> 8);
    addr[5] = (uint8_t)source->port;
    wyrm_blake2s(cookie, 16, secret, 32, addr, sizeof(addr));
    wyrm_blake2s(response->data + RESPONSE_MAC1 + 16, 16, cookie, 16, response->data,
                 RESPONSE_MAC1 + 16);
}

TEST(the_first_response_to_a_handshake_takes_the_slot_of_a_repeated_one)
{
    struct world *w = two_responses();
    struct datagram forged, honest = w->wire[1];

    w->node[A].pools.n_slots = 1;
    w->on_wire = 0;
    forge(w, B, &forged);
    assert_int_equal(arrives(w, &forged, B), WYRM_WORK);
    settle(w, A);
    assert_int_equal(arrives(w, &forged, B), WYRM_SEND);
    prove(w, &forged, B);
    assert_int_equal(arrives(w, &forged, B), WYRM_WORK);
    assert_int_equal(arrives(w, &forged, B), WYRM_D_RATE);
    prove(w, &honest, C);
    assert_int_equal(arrives(w, &honest, C), WYRM_WORK);
    assert_int_equal(drops_of(w, A, WYRM_D_BUSY), 1);
    settle(w, A);
    assert_true(is_up(w, A, C));
    world_free(w);
}

TEST(known_defect_58_a_response_to_no_handshake_draws_no_cookie)
{
    struct world *w = two_responses();
    struct datagram forged;

    w->node[A].dev.loaded_until = WYRM_TICK_NEVER;
    w->on_wire = 0;
    forge(w, B, &forged);
    wyrm_store_le32(forged.data + RESPONSE_RECEIVER, 12345);
    wyrm_cookie_mac1(forged.data + RESPONSE_MAC1, w->node[A].pub, forged.data, RESPONSE_MAC1);
    assert_int_equal(arrives(w, &forged, B), WYRM_D_INDEX);
    assert_int_equal(w->on_wire, 0);
    world_free(w);
}

TEST(queued_responses_are_load_too)
{
    struct world *w = two_responses();
    struct datagram response = w->wire[0], initiation;

    w->on_wire = 0;
    make_initiation(w, D, A, &initiation);
    assert_int_equal(arrives(w, &response, B), WYRM_WORK);
    assert_int_equal(arrives(w, &initiation, D), WYRM_SEND);
    world_free(w);
}

/* ---- Cookies cost little -------------------------------------------------------------- */

TEST(known_defect_59_cookie_replies_have_a_budget)
{
    struct world *w = world_make(2);
    struct datagram initiation;
    unsigned replies = 0;

    w->node[B].dev.loaded_until = WYRM_TICK_NEVER;
    make_initiation(w, A, B, &initiation);
    for (unsigned ms = 0; ms < 320; ms++, w->now++)
        for (unsigned i = 0; i < 20; i++) {
            replies += inject(w, B, &initiation, &w->node[A].address) == WYRM_SEND;
            w->on_wire = 0;
        }
    assert_in_range(replies, 320 * NODE_SOURCES / 4, 352 * NODE_SOURCES / 4);
    w->now -= UINT64_C(86400000) * 5; /* whatever the clock does */
    (void)inject(w, B, &initiation, &w->node[A].address);
    w->now += 32;
    assert_int_equal(inject(w, B, &initiation, &w->node[A].address), WYRM_SEND);
    world_free(w);
}

TEST(responses_to_one_handshake_leave_cookies_for_others)
{
    struct world *w = two_responses();
    struct datagram forged;
    unsigned replies = 0;

    w->node[A].dev.loaded_until = WYRM_TICK_NEVER;
    for (unsigned ms = 0; ms < 320; ms++, w->now++)
        for (unsigned i = 0; i < 5; i++) {
            forge(w, B, &forged);
            replies += arrives(w, &forged, B) == WYRM_SEND;
            w->on_wire = 0;
        }
    assert_in_range(replies, 150, 161);
    world_free(w);
}

/* ---- Order ------------------------------------------------------------------------------ */

static wyrm_peer_id next_called(struct world *w)
{
    struct wyrm_job job;

    assert_int_equal(wyrm_job_take(&w->node[A].dev, w->now, &job), WYRM_WORK);
    return job.peer;
}

TEST(known_defect_55_initiations_go_to_peers_in_turn_not_lowest_first)
{
    struct world *w = world_make(4);
    unsigned turns[3] = {0};

    for (unsigned i = 0; i < 30; i++) { /* a worker that is done with one when all want again */
        for (unsigned n = B; n <= D; n++)
            peer_of(w, A, n)->events |= EVENT_INITIATE;
        w->node[A].dev.work = true;
        turns[next_called(w)]++;
    }
    for (unsigned n = 0; n < 3; n++)
        assert_int_equal(turns[n], 10);
    world_free(w);
}

TEST(own_initiations_and_messages_take_turns)
{
    struct world *w = world_make(4);
    unsigned calls = 0;

    for (unsigned i = 0; i < 30; i++) {
        for (unsigned n = B; n <= D; n++)
            peer_of(w, A, n)->events |= EVENT_INITIATE;
        w->node[A].slots[0].type = WYRM_MSG_INITIATION;
        w->node[A].dev.work = true;
        calls += next_called(w) != WYRM_NO_PEER;
    }
    assert_int_equal(calls, 15);
    world_free(w);
}

TEST(the_oldest_message_is_first_whatever_its_type)
{
    struct world *w = two_responses();
    struct datagram response = w->wire[0], initiation;
    struct wyrm_job job;

    w->on_wire = 0;
    make_initiation(w, D, A, &initiation);
    assert_int_equal(arrives(w, &initiation, D), WYRM_WORK);
    peer_of(w, A, B)->responses.admitted = 0;
    w->node[A].dev.loaded_until = 0;
    w->node[A].slots[1] = w->node[A].slots[0];
    w->node[A].slots[1].type = WYRM_MSG_RESPONSE;
    memcpy(w->node[A].slots[1].msg, response.data, RESPONSE_MAC1);
    assert_int_equal(wyrm_job_take(&w->node[A].dev, w->now, &job), WYRM_WORK);
    assert_int_equal(job.msg[0], WYRM_MSG_INITIATION);
    assert_int_equal(wyrm_job_take(&w->node[A].dev, w->now, &job), WYRM_WORK);
    assert_int_equal(job.msg[0], WYRM_MSG_RESPONSE);
    world_free(w);
}

/* ---- Clocks that go on --------------------------------------------------------------------- */

static void poll(struct world *w, unsigned n)
{
    uint8_t buf[WYRM_CONTROL_MAX];
    struct wyrm_packet out;
    wyrm_status status;

    do {
        status = wyrm_poll(&w->node[n].dev, w->now, buf, sizeof(buf), &out);
        w->tally[n].lost += status == WYRM_LOST;
    } while (status != WYRM_IDLE);
}

TEST(a_handshake_that_the_worker_never_begins_times_out)
{
    struct world *w = world_make(2);

    assert_int_equal(send_ip(w, A, B, 100), WYRM_HOLD);
    for (wyrm_ms end = w->now + 90000; w->now < end; w->now += 100)
        poll(w, A);
    assert_int_equal(w->tally[A].lost, 0);
    for (wyrm_ms end = w->now + 5500; w->now < end; w->now += 100)
        poll(w, A);
    assert_int_equal(w->tally[A].lost, 1);
    assert_true(wyrm_deadline(&w->node[A].dev) == WYRM_NEVER);
    world_free(w);
}

static uint8_t unanswered(struct world *w)
{
    struct wyrm_peer_info info;

    wyrm_peer_get(&w->node[A].dev, w->now, w->id[A][B], &info);
    return info.unanswered;
}

/* B has roamed, and talks; A, without randomness or timestamps, cannot renew the session. */
TEST(a_device_without_randomness_reports_no_peer_as_lost)
{
    for (unsigned failure = 0; failure < 2; failure++) {
        struct world *w = world_make(2);

        handshake(w, A, B);
        w->node[B].address = node_address(40);
        assert_int_equal(send_ip(w, B, A, 100), WYRM_SEND);
        pump(w);
        *(failure == 0 ? &w->node[A].random_fails : &w->node[A].clock_fails) = true;
        sleep_through(w, 6000);
        wyrm_peer_connect(&w->node[A].dev, w->now, w->id[A][B]);
        pass(w, 100000);
        assert_true(is_up(w, A, B));
        assert_int_equal(w->tally[A].initiations, 0);
        assert_int_equal(unanswered(w), 0);
        assert_int_equal(w->tally[A].lost, 0);
        assert_memory_equal(&peer_of(w, A, B)->to.remote, &w->node[B].address.remote,
                            sizeof(struct wyrm_endpoint));
        assert_int_equal(send_ip(w, A, B, 100), WYRM_SEND);
        pump(w);
        assert_int_equal(w->delivered, 2);
        world_free(w);
    }
}

TEST(only_what_was_sent_counts_as_unanswered)
{
    struct world *w = world_make(2);

    w->deaf[B] = true;
    wyrm_peer_connect(&w->node[A].dev, w->now, w->id[A][B]);
    pass(w, 11000);
    assert_int_equal(unanswered(w), 2);
    w->node[A].clock_fails = true;
    pass(w, 40000);
    assert_in_range(unanswered(w), 2, 3);
    world_free(w);
}

/* ---- The end of a handshake in flight -------------------------------------------------------- */

static void assert_no_ephemeral(struct world *w, unsigned n, unsigned other)
{
    assert_false(peer_of(w, n, other)->waiting);
    assert_true(wyrm_ct_is_zero(&peer_of(w, n, other)->hs, sizeof(struct wyrm_noise)));
}

/* B's response is delayed, and B's own initiation establishes the session. A day later the response
 * must be dropped. */
TEST(known_defect_56_a_delayed_response_is_dropped_once_there_is_a_session)
{
    struct world *w = world_make(2);
    struct datagram withheld;

    wyrm_peer_connect(&w->node[A].dev, w->now, w->id[A][B]);
    settle(w, A);
    carry(w);
    grab(w, &withheld);
    assert_int_equal(kind_of(&withheld), WYRM_MSG_RESPONSE);
    sleep_through(w, 100);
    wyrm_peer_connect(&w->node[B].dev, w->now, w->id[B][A]);
    forget_last_call(peer_of(w, B, A));
    wyrm_peer_connect(&w->node[B].dev, w->now, w->id[B][A]);
    pump(w);
    assert_true(is_up(w, A, B));
    assert_no_ephemeral(w, A, B);
    assert_int_equal(arrives(w, &withheld, B), WYRM_D_INDEX);
    world_free(w);
}

/* Even if traffic prolongs the attempt. */
TEST(an_ephemeral_is_wiped_even_if_no_new_one_can_be_made)
{
    struct world *w = world_make(2);

    w->deaf[B] = true;
    assert_int_equal(send_ip(w, A, B, 100), WYRM_HOLD);
    settle(w, A);
    w->node[A].clock_fails = true;
    for (unsigned i = 0; i < 12; i++) {
        pass(w, 1000);
        (void)send_ip(w, A, B, 100);
    }
    assert_no_ephemeral(w, A, B);
    world_free(w);
}

enum { STEPS_MAX = 16 };

struct order { /* which of the datagrams under way arrives next, and of how many */
    unsigned pick[STEPS_MAX], of[STEPS_MAX], steps;
};

/* The next order behind those that begin alike; false if there is none. */
static bool next_order(struct order *order)
{
    while (order->steps > 0 && ++order->pick[order->steps - 1] == order->of[order->steps - 1])
        order->steps--;
    for (unsigned i = order->steps; i < STEPS_MAX; i++)
        order->pick[i] = 0;
    return order->steps > 0;
}

static void begin_at_once(struct order *order)
{
    struct world *w = world_make(2);

    order->steps = 0;
    wyrm_peer_connect(&w->node[A].dev, w->now, w->id[A][B]);
    wyrm_peer_connect(&w->node[B].dev, w->now, w->id[B][A]);
    settle(w, A);
    settle(w, B);
    while (w->on_wire > 0) {
        struct datagram *chosen = &w->wire[order->pick[order->steps]];
        struct datagram first = *chosen;

        assert_in_range(order->steps, 0, STEPS_MAX - 1);
        order->of[order->steps++] = w->on_wire;
        memmove(&w->wire[1], &w->wire[0], (size_t)(chosen - w->wire) * sizeof(first));
        w->wire[0] = first;
        assert_true(carry(w));
        w->now += 25; /* beyond the limit of initiations per peer */
    }
    for (unsigned i = 1; i <= 2; i++) {
        assert_int_equal(send_ip(w, A, B, 100), WYRM_SEND);
        assert_int_equal(send_ip(w, B, A, 100), WYRM_SEND);
        pump(w);
        assert_int_equal(w->delivered, 2 * i);
        assert_no_ephemeral(w, A, B);
        assert_no_ephemeral(w, B, A);
        pass(w, 20000); /* neither finds the other silent */
        assert_int_equal(w->tally[A].initiations + w->tally[B].initiations, 2);
    }
    world_free(w);
}

TEST(simultaneous_initiations_connect_in_every_order)
{
    struct order order = {.steps = 0};
    unsigned orders = 0;

    do {
        begin_at_once(&order);
        orders++;
    } while (next_order(&order));
    assert_in_range(orders, 20, 10000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(known_defect_57_forged_responses_to_one_handshake_leave_the_worker_to_others),
        RUN(an_honest_response_succeeds_after_a_forged_one),
        RUN(a_response_with_a_cookie_for_another_address_does_not_block_the_right_address),
        RUN(the_first_response_to_a_handshake_takes_the_slot_of_a_repeated_one),
        RUN(known_defect_58_a_response_to_no_handshake_draws_no_cookie),
        RUN(queued_responses_are_load_too),
        RUN(known_defect_59_cookie_replies_have_a_budget),
        RUN(responses_to_one_handshake_leave_cookies_for_others),
        RUN(known_defect_55_initiations_go_to_peers_in_turn_not_lowest_first),
        RUN(own_initiations_and_messages_take_turns),
        RUN(the_oldest_message_is_first_whatever_its_type),
        RUN(a_handshake_that_the_worker_never_begins_times_out),
        RUN(a_device_without_randomness_reports_no_peer_as_lost),
        RUN(only_what_was_sent_counts_as_unanswered),
        RUN(known_defect_56_a_delayed_response_is_dropped_once_there_is_a_session),
        RUN(an_ephemeral_is_wiped_even_if_no_new_one_can_be_made),
        RUN(simultaneous_initiations_connect_in_every_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The two MACs, cookies under load, and the limit per source address.
 */
#include "world.h"

#include "core/wyrm_cookie.h"

enum { MAC2 = INITIATION_MAC1 + MAC_LEN };

static const uint8_t none[16];

/* B is under load whatever happens. */
static struct world *loaded(void)
{
    struct world *w = world_make(3);

    w->node[B].dev.loaded_until = WYRM_TICK_NEVER;
    return w;
}

/* B's cookie reply to an initiation of A. */
static void ask_for_cookie(struct world *w, struct datagram *initiation, struct datagram *reply)
{
    make_initiation(w, A, B, initiation);
    assert_int_equal(inject(w, B, initiation, &w->node[A].address), WYRM_SEND);
    grab(w, reply);
    assert_int_equal(kind_of(reply), WYRM_MSG_COOKIE);
}

static struct world *loaded_with_cookie(void)
{
    struct world *w = loaded();
    struct datagram initiation, reply;

    ask_for_cookie(w, &initiation, &reply);
    assert_int_equal(inject(w, A, &reply, &w->node[B].address), WYRM_IDLE);
    return w;
}

static void without_a_cookie_mac2_is_zero(void **state)
{
    struct world *w = world_make(2);
    struct datagram initiation;

    (void)state;
    make_initiation(w, A, B, &initiation);
    assert_memory_equal(initiation.data + MAC2, none, 16);
    assert_memory_not_equal(initiation.data + INITIATION_MAC1, none, 16);
    world_free(w);
}

static void each_altered_byte_of_mac1_is_dropped(void **state)
{
    struct world *w = world_make(2);
    struct datagram initiation;
    uint64_t before = node_hash(&w->node[B]);

    (void)state;
    make_initiation(w, A, B, &initiation);
    for (unsigned bit = 0; bit < 128; bit++) {
        initiation.data[INITIATION_MAC1 + bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_int_equal(inject(w, B, &initiation, &w->node[A].address), WYRM_D_MAC1);
        initiation.data[INITIATION_MAC1 + bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    assert_int_equal(node_hash(&w->node[B]), before);
    assert_int_equal(drops_of(w, B, WYRM_D_MAC1), 128);
    world_free(w);
}

static void mac1_of_another_device_is_dropped(void **state)
{
    struct world *w = world_make(3);
    struct datagram initiation;

    (void)state;
    make_initiation(w, A, B, &initiation);
    assert_int_equal(inject(w, C, &initiation, &w->node[A].address), WYRM_D_MAC1);
    world_free(w);
}

static void without_load_mac2_is_not_looked_at(void **state)
{
    struct world *w = world_make(2);
    struct datagram initiation;

    (void)state;
    make_initiation(w, A, B, &initiation);
    memset(initiation.data + MAC2, 0xff, 16);
    assert_int_equal(inject(w, B, &initiation, &w->node[A].address), WYRM_WORK);
    world_free(w);
}

static void under_load_a_message_without_mac2_gets_a_cookie(void **state)
{
    struct world *w = loaded();
    struct datagram initiation, reply;
    uint64_t before = node_peers_hash(&w->node[B]);

    (void)state;
    ask_for_cookie(w, &initiation, &reply);
    assert_int_equal(reply.len, COOKIE_REPLY_LEN);
    assert_memory_equal(reply.data + COOKIE_RECEIVER, initiation.data + INITIATION_SENDER, 4);
    assert_int_equal(node_peers_hash(&w->node[B]), before);
    assert_int_equal(drops_of(w, B, WYRM_D_MAC2), 1);
    world_free(w);
}

/* Neither the class of service a stranger asked for nor a congestion mark that his message met. */
static void a_cookie_reply_does_not_reflect_the_outer_tos(void **state)
{
    struct world *w = loaded();
    struct wyrm_meta from = w->node[A].address;
    struct datagram initiation;

    (void)state;
    make_initiation(w, A, B, &initiation);
    from.tos = 0xbb; /* expedited forwarding, congestion experienced */
    assert_int_equal(inject(w, B, &initiation, &from), WYRM_SEND);
    assert_int_equal(kind_of(&w->last[B]), WYRM_MSG_COOKIE);
    assert_int_equal(w->last[B].tos, 0);
    world_free(w);
}

static void each_altered_byte_of_a_cookie_reply_is_dropped(void **state)
{
    struct world *w = loaded();
    struct datagram initiation, reply;
    uint64_t before;

    (void)state;
    ask_for_cookie(w, &initiation, &reply);
    before = node_hash(&w->node[A]);
    for (unsigned i = 0; i < reply.len; i++) {
        reply.data[i] ^= 1;
        assert_true(inject(w, A, &reply, &w->node[B].address) < 0);
        reply.data[i] ^= 1;
    }
    assert_int_equal(node_hash(&w->node[A]), before);
    assert_int_equal(inject(w, A, &reply, &w->node[B].address), WYRM_IDLE);
    world_free(w);
}

static void the_same_cookie_reply_counts_once(void **state)
{
    struct world *w = loaded();
    struct datagram initiation, reply;
    uint64_t before;

    (void)state;
    ask_for_cookie(w, &initiation, &reply);
    assert_int_equal(inject(w, A, &reply, &w->node[B].address), WYRM_IDLE);
    before = node_hash(&w->node[A]);
    assert_int_equal(inject(w, A, &reply, &w->node[B].address), WYRM_D_TAG);
    assert_int_equal(node_hash(&w->node[A]), before);
    world_free(w);
}

static void a_cookie_reply_to_an_older_message_is_dropped(void **state)
{
    struct world *w = loaded();
    struct datagram initiation, reply;

    (void)state;
    ask_for_cookie(w, &initiation, &reply);
    make_initiation(w, A, B, &initiation);
    assert_true(inject(w, A, &reply, &w->node[B].address) < 0);
    assert_int_equal(peer_of(w, A, B)->cookie_born, 0);
    world_free(w);
}

static void a_cookie_reply_sends_nothing_at_once(void **state)
{
    struct world *w = loaded_with_cookie();

    (void)state;
    settle(w, A);
    assert_int_equal(w->on_wire, 0);
    world_free(w);
}

static void with_the_cookie_the_next_message_is_admitted(void **state)
{
    struct world *w = loaded_with_cookie();
    struct datagram initiation;

    (void)state;
    make_initiation(w, A, B, &initiation);
    assert_memory_not_equal(initiation.data + MAC2, none, 16);
    assert_int_equal(inject(w, B, &initiation, &w->node[A].address), WYRM_WORK);
    world_free(w);
}

/* Else it would tell who had the other key. */
static void another_key_of_ours_does_not_show_the_cookie_of_the_old_one(void **state)
{
    struct world *w = loaded_with_cookie();
    const uint8_t key[WYRM_KEY_LEN] = {8, [31] = 64};
    struct datagram initiation;

    (void)state;
    assert_int_equal(wyrm_set_private_key(&w->node[A].dev, key), WYRM_IDLE);
    make_initiation(w, A, B, &initiation);
    assert_memory_equal(initiation.data + MAC2, none, 16);
    world_free(w);
}

static void each_altered_byte_of_mac2_is_refused_under_load(void **state)
{
    struct world *w = loaded_with_cookie();
    struct datagram initiation;

    (void)state;
    make_initiation(w, A, B, &initiation);
    for (unsigned i = 0; i < 16; i++) {
        w->on_wire = 0;
        initiation.data[MAC2 + i] ^= 1;
        assert_int_equal(inject(w, B, &initiation, &w->node[A].address), WYRM_SEND);
        initiation.data[MAC2 + i] ^= 1;
    }
    assert_int_equal(inject(w, B, &initiation, &w->node[A].address), WYRM_WORK);
    world_free(w);
}

static void a_cookie_is_for_one_address_and_port(void **state)
{
    struct world *w = loaded_with_cookie();
    struct wyrm_meta other_port = w->node[A].address, other_address = node_address(9);
    struct datagram initiation;

    (void)state;
    other_port.remote.port++;
    make_initiation(w, A, B, &initiation);
    assert_int_equal(inject(w, B, &initiation, &other_address), WYRM_SEND);
    assert_int_equal(inject(w, B, &initiation, &other_port), WYRM_SEND);
    assert_int_equal(inject(w, B, &initiation, &w->node[A].address), WYRM_WORK);
    world_free(w);
}

static void the_whole_address_counts_for_a_cookie_over_ipv6(void **state)
{
    struct world *w = loaded();
    struct wyrm_meta from, near;
    struct datagram initiation, reply;

    (void)state;
    memset(&from, 0, sizeof(from));
    from.remote.family = 6;
    from.remote.port = 51820;
    from.remote.addr[0] = 0xfd;
    near = from;
    near.remote.addr[15] = 1;
    make_initiation(w, A, B, &initiation);
    assert_int_equal(inject(w, B, &initiation, &from), WYRM_SEND);
    grab(w, &reply);
    assert_int_equal(inject(w, A, &reply, &w->node[B].address), WYRM_IDLE);
    make_initiation(w, A, B, &initiation);
    assert_int_equal(inject(w, B, &initiation, &near), WYRM_SEND);
    assert_int_equal(inject(w, B, &initiation, &from), WYRM_WORK);
    world_free(w);
}

static void a_response_is_asked_for_a_cookie_too(void **state)
{
    struct world *w = world_make(2);

    (void)state;
    w->node[A].dev.loaded_until = WYRM_TICK_NEVER;
    assert_int_equal(send_ip(w, A, B, 100), WYRM_HOLD);
    pass(w, 6000);
    assert_int_equal(w->tally[A].cookies, 1);
    assert_true(is_up(w, A, B));
    assert_int_equal(w->delivered, 1);
    world_free(w);
}

static void both_under_load_still_come_together(void **state)
{
    struct world *w = loaded();

    (void)state;
    w->node[A].dev.loaded_until = WYRM_TICK_NEVER;
    assert_int_equal(send_ip(w, A, B, 100), WYRM_HOLD);
    pass(w, 11000);
    assert_int_equal(w->delivered, 1);
    world_free(w);
}

static void an_answer_is_never_larger_than_the_question(void **state)
{
    struct world *w = loaded();
    struct datagram initiation, reply;

    (void)state;
    ask_for_cookie(w, &initiation, &reply);
    assert_true(reply.len < initiation.len);
    assert_true(reply.len < RESPONSE_LEN);
    world_free(w);
}

/* ---- Load ----------------------------------------------------------------------- */

static void load_is_work_that_waits(void **state)
{
    struct world *w = world_make(3);
    struct datagram first, second;

    (void)state;
    make_initiation(w, A, B, &first);
    make_initiation(w, C, B, &second);
    assert_int_equal(inject(w, B, &first, &w->node[A].address), WYRM_WORK);
    assert_int_equal(inject(w, B, &second, &w->node[C].address), WYRM_SEND);
    settle(w, B); /* the worker is done */
    w->on_wire = 0;
    sleep_through(w, 999);
    assert_int_equal(inject(w, B, &second, &w->node[C].address), WYRM_SEND);
    sleep_through(w, 1);
    assert_int_equal(inject(w, B, &second, &w->node[C].address), WYRM_WORK);
    world_free(w);
}

static void load_is_an_eighth_of_many_slots(void **state)
{
    struct wyrm_slot slots[17] = {{0}}; /* one is kept for responses */
    struct world *w = world_make(4);
    struct datagram initiation;

    (void)state;
    w->node[B].pools.slots = slots;
    w->node[B].pools.n_slots = 17;
    make_initiation(w, A, B, &initiation);
    assert_int_equal(inject(w, B, &initiation, &w->node[A].address), WYRM_WORK);
    make_initiation(w, C, B, &initiation);
    assert_int_equal(inject(w, B, &initiation, &w->node[C].address), WYRM_WORK);
    make_initiation(w, D, B, &initiation);
    assert_int_equal(inject(w, B, &initiation, &w->node[D].address), WYRM_SEND);
    assert_int_equal(w->tally[B].cookies, 1);
    world_free(w);
}

/* ---- The limit per source --------------------------------------------------------- */

/* One message from the source under load, mac2 being right for it: what B's limit says. */
static wyrm_status from_source(struct world *w, const struct wyrm_endpoint *source)
{
    uint8_t cookie[16], addr[18], msg[INITIATION_LEN] = {1};
    size_t len = source->family == 6 ? 16 : 4;
    struct wyrm_device *dev = &w->node[B].dev;

    memcpy(addr, source->addr, len);
    addr[len] = (uint8_t)(source->port >> 8);
    addr[len + 1] = (uint8_t)source->port;
    wyrm_blake2s(cookie, 16, dev->cookie_secret, 32, addr, len + 2);
    wyrm_blake2s(msg + MAC2, 16, cookie, 16, msg, MAC2);
    wyrm_time_set(dev, w->now);
    assert_int_equal(wyrm_cookie_admit(dev, msg, sizeof(msg), source, NULL), WYRM_IDLE);
    return wyrm_cookie_charge(dev, source) != WYRM_TICK_NEVER ? WYRM_IDLE : WYRM_D_RATE;
}

static unsigned burst_from(struct world *w, const struct wyrm_endpoint *source)
{
    unsigned n = 0;

    while (from_source(w, source) == WYRM_IDLE)
        n++;
    assert_int_equal(from_source(w, source), WYRM_D_RATE);
    return n;
}

static void a_source_may_burst_5_and_then_20_a_second(void **state)
{
    struct world *w = loaded_with_cookie();
    const struct wyrm_endpoint *source = &w->node[A].address.remote;

    (void)state;
    assert_int_equal(burst_from(w, source), 5);
    sleep_through(w, 49);
    assert_int_equal(burst_from(w, source), 0);
    sleep_through(w, 1);
    assert_int_equal(burst_from(w, source), 1);
    sleep_through(w, 100);
    assert_int_equal(burst_from(w, source), 2);
    sleep_through(w, 10000);
    assert_int_equal(burst_from(w, source), 5);
    world_free(w);
}

static void the_port_does_not_make_another_source(void **state)
{
    struct world *w = loaded_with_cookie();
    struct wyrm_endpoint source = w->node[A].address.remote;

    (void)state;
    assert_int_equal(burst_from(w, &source), 5);
    source.port++;
    assert_int_equal(burst_from(w, &source), 0);
    world_free(w);
}

static void other_sources_are_not_affected(void **state)
{
    struct world *w = loaded_with_cookie();
    struct wyrm_endpoint source = w->node[A].address.remote;

    (void)state;
    assert_int_equal(burst_from(w, &source), 5);
    source.addr[3]++;
    assert_int_equal(burst_from(w, &source), 5);
    world_free(w);
}

static void an_ipv6_source_is_a_64(void **state)
{
    struct world *w = loaded_with_cookie();
    struct wyrm_endpoint source;

    (void)state;
    memset(&source, 0, sizeof(source));
    source.family = 6;
    source.addr[0] = 0xfd;
    assert_int_equal(burst_from(w, &source), 5);
    source.addr[15] = 1;
    source.addr[8] = 1;
    assert_int_equal(burst_from(w, &source), 0);
    source.addr[7] = 1;
    assert_int_equal(burst_from(w, &source), 5);
    world_free(w);
}

/* However many sources an attacker has, an honest newcomer finds room. */
static void a_full_table_locks_nobody_out(void **state)
{
    struct world *w = loaded_with_cookie();
    struct wyrm_endpoint source = w->node[A].address.remote, honest = node_address(200).remote;

    (void)state;
    for (unsigned i = 0; i < 1000; i++) {
        source.addr[2] = (uint8_t)(i >> 8);
        source.addr[3] = (uint8_t)i;
        (void)from_source(w, &source);
    }
    assert_int_equal(from_source(w, &honest), WYRM_IDLE);
    world_free(w);
}

/* Else a source could have its own bucket forgotten by sending from a few others. */
static void an_empty_bucket_is_the_last_to_be_forgotten(void **state)
{
    struct world *w = loaded_with_cookie();
    const struct wyrm_endpoint *source = &w->node[A].address.remote;

    (void)state;
    assert_int_equal(burst_from(w, source), 5);
    for (unsigned i = 0; i < 50; i++) {
        const struct wyrm_endpoint other = node_address(100 + i).remote;

        assert_int_equal(from_source(w, &other), WYRM_IDLE);
    }
    assert_int_equal(burst_from(w, source), 0);
    world_free(w);
}

static void a_clock_that_steps_back_does_not_fill_the_bucket(void **state)
{
    struct world *w = loaded_with_cookie();
    const struct wyrm_endpoint *source = &w->node[A].address.remote;

    (void)state;
    assert_int_equal(burst_from(w, source), 5);
    w->now -= 500000;
    assert_int_equal(burst_from(w, source), 0);
    world_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_cookie_mac2_is_zero),
        cmocka_unit_test(each_altered_byte_of_mac1_is_dropped),
        cmocka_unit_test(mac1_of_another_device_is_dropped),
        cmocka_unit_test(without_load_mac2_is_not_looked_at),
        cmocka_unit_test(under_load_a_message_without_mac2_gets_a_cookie),
        cmocka_unit_test(a_cookie_reply_does_not_reflect_the_outer_tos),
        cmocka_unit_test(each_altered_byte_of_a_cookie_reply_is_dropped),
        cmocka_unit_test(the_same_cookie_reply_counts_once),
        cmocka_unit_test(a_cookie_reply_to_an_older_message_is_dropped),
        cmocka_unit_test(a_cookie_reply_sends_nothing_at_once),
        cmocka_unit_test(with_the_cookie_the_next_message_is_admitted),
        cmocka_unit_test(another_key_of_ours_does_not_show_the_cookie_of_the_old_one),
        cmocka_unit_test(each_altered_byte_of_mac2_is_refused_under_load),
        cmocka_unit_test(a_cookie_is_for_one_address_and_port),
        cmocka_unit_test(the_whole_address_counts_for_a_cookie_over_ipv6),
        cmocka_unit_test(a_response_is_asked_for_a_cookie_too),
        cmocka_unit_test(both_under_load_still_come_together),
        cmocka_unit_test(an_answer_is_never_larger_than_the_question),
        cmocka_unit_test(load_is_work_that_waits),
        cmocka_unit_test(load_is_an_eighth_of_many_slots),
        cmocka_unit_test(a_source_may_burst_5_and_then_20_a_second),
        cmocka_unit_test(the_port_does_not_make_another_source),
        cmocka_unit_test(other_sources_are_not_affected),
        cmocka_unit_test(an_ipv6_source_is_a_64),
        cmocka_unit_test(a_full_table_locks_nobody_out),
        cmocka_unit_test(an_empty_bucket_is_the_last_to_be_forgotten),
        cmocka_unit_test(a_clock_that_steps_back_does_not_fill_the_bucket),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

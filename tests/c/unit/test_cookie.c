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

/* Puts B under permanent load. */
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

TEST(without_a_cookie_mac2_is_zero)
{
    struct world *w = world_make(2);
    struct datagram initiation;

    make_initiation(w, A, B, &initiation);
    assert_memory_equal(initiation.data + MAC2, none, 16);
    assert_memory_not_equal(initiation.data + INITIATION_MAC1, none, 16);
    world_free(w);
}

TEST(each_altered_byte_of_mac1_is_dropped)
{
    struct world *w = world_make(2);
    struct datagram initiation;
    uint64_t before = node_hash(&w->node[B]);

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

TEST(mac1_of_another_device_is_dropped)
{
    struct world *w = world_make(3);
    struct datagram initiation;

    make_initiation(w, A, B, &initiation);
    assert_int_equal(inject(w, C, &initiation, &w->node[A].address), WYRM_D_MAC1);
    world_free(w);
}

TEST(without_load_mac2_is_not_checked)
{
    struct world *w = world_make(2);
    struct datagram initiation;

    make_initiation(w, A, B, &initiation);
    memset(initiation.data + MAC2, 0xff, 16);
    assert_int_equal(inject(w, B, &initiation, &w->node[A].address), WYRM_WORK);
    world_free(w);
}

TEST(under_load_a_message_without_mac2_gets_a_cookie)
{
    struct world *w = loaded();
    struct datagram initiation, reply;
    uint64_t before = node_peers_hash(&w->node[B]);

    ask_for_cookie(w, &initiation, &reply);
    assert_int_equal(reply.len, COOKIE_REPLY_LEN);
    assert_memory_equal(reply.data + COOKIE_RECEIVER, initiation.data + INITIATION_SENDER, 4);
    assert_int_equal(node_peers_hash(&w->node[B]), before);
    assert_int_equal(drops_of(w, B, WYRM_D_MAC2), 1);
    world_free(w);
}

/* Reflects neither the DSCP nor the congestion mark of an unauthenticated message. */
TEST(a_cookie_reply_does_not_reflect_the_outer_tos)
{
    struct world *w = loaded();
    struct wyrm_meta from = w->node[A].address;
    struct datagram initiation;

    make_initiation(w, A, B, &initiation);
    from.tos = 0xbb; /* expedited forwarding, congestion experienced */
    assert_int_equal(inject(w, B, &initiation, &from), WYRM_SEND);
    assert_int_equal(kind_of(&w->last[B]), WYRM_MSG_COOKIE);
    assert_int_equal(w->last[B].tos, 0);
    world_free(w);
}

TEST(each_altered_byte_of_a_cookie_reply_is_dropped)
{
    struct world *w = loaded();
    struct datagram initiation, reply;
    uint64_t before;

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

TEST(the_same_cookie_reply_counts_once)
{
    struct world *w = loaded();
    struct datagram initiation, reply;
    uint64_t before;

    ask_for_cookie(w, &initiation, &reply);
    assert_int_equal(inject(w, A, &reply, &w->node[B].address), WYRM_IDLE);
    before = node_hash(&w->node[A]);
    assert_int_equal(inject(w, A, &reply, &w->node[B].address), WYRM_D_TAG);
    assert_int_equal(node_hash(&w->node[A]), before);
    world_free(w);
}

TEST(a_cookie_reply_to_an_older_message_is_dropped)
{
    struct world *w = loaded();
    struct datagram initiation, reply;

    ask_for_cookie(w, &initiation, &reply);
    make_initiation(w, A, B, &initiation);
    assert_true(inject(w, A, &reply, &w->node[B].address) < 0);
    assert_int_equal(peer_of(w, A, B)->cookie_born, 0);
    world_free(w);
}

TEST(a_cookie_reply_sends_nothing_at_once)
{
    struct world *w = loaded_with_cookie();

    settle(w, A);
    assert_int_equal(w->on_wire, 0);
    world_free(w);
}

TEST(with_the_cookie_the_next_message_is_admitted)
{
    struct world *w = loaded_with_cookie();
    struct datagram initiation;

    make_initiation(w, A, B, &initiation);
    assert_memory_not_equal(initiation.data + MAC2, none, 16);
    assert_int_equal(inject(w, B, &initiation, &w->node[A].address), WYRM_WORK);
    world_free(w);
}

/* Otherwise it would reveal who had the other key. */
TEST(a_new_private_key_does_not_send_the_cookie_of_the_old_one)
{
    struct world *w = loaded_with_cookie();
    const uint8_t key[WYRM_KEY_LEN] = {8, [31] = 64};
    struct datagram initiation;

    assert_int_equal(wyrm_set_private_key(&w->node[A].dev, key), WYRM_IDLE);
    make_initiation(w, A, B, &initiation);
    assert_memory_equal(initiation.data + MAC2, none, 16);
    world_free(w);
}

TEST(each_altered_byte_of_mac2_is_refused_under_load)
{
    struct world *w = loaded_with_cookie();
    struct datagram initiation;

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

TEST(a_cookie_is_for_one_address_and_port)
{
    struct world *w = loaded_with_cookie();
    struct wyrm_meta other_port = w->node[A].address, other_address = node_address(9);
    struct datagram initiation;

    other_port.remote.port++;
    make_initiation(w, A, B, &initiation);
    assert_int_equal(inject(w, B, &initiation, &other_address), WYRM_SEND);
    assert_int_equal(inject(w, B, &initiation, &other_port), WYRM_SEND);
    assert_int_equal(inject(w, B, &initiation, &w->node[A].address), WYRM_WORK);
    world_free(w);
}

TEST(the_whole_address_counts_for_a_cookie_over_ipv6)
{
    struct world *w = loaded();
    struct wyrm_meta from, near;
    struct datagram initiation, reply;

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

TEST(a_cookie_is_demanded_for_responses_too)
{
    struct world *w = world_make(2);

    w->node[A].dev.loaded_until = WYRM_TICK_NEVER;
    assert_int_equal(send_ip(w, A, B, 100), WYRM_HOLD);
    pass(w, 6000);
    assert_int_equal(w->tally[A].cookies, 1);
    assert_true(is_up(w, A, B));
    assert_int_equal(w->delivered, 1);
    world_free(w);
}

TEST(two_peers_under_load_still_connect)
{
    struct world *w = loaded();

    w->node[A].dev.loaded_until = WYRM_TICK_NEVER;
    assert_int_equal(send_ip(w, A, B, 100), WYRM_HOLD);
    pass(w, 11000);
    assert_int_equal(w->delivered, 1);
    world_free(w);
}

TEST(a_reply_is_never_larger_than_its_request)
{
    struct world *w = loaded();
    struct datagram initiation, reply;

    ask_for_cookie(w, &initiation, &reply);
    assert_true(reply.len < initiation.len);
    assert_true(reply.len < RESPONSE_LEN);
    world_free(w);
}

/* ---- Load ----------------------------------------------------------------------- */

TEST(queued_messages_are_load)
{
    struct world *w = world_make(3);
    struct datagram first, second;

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

TEST(load_is_an_eighth_of_many_slots)
{
    struct wyrm_slot slots[17] = {{0}}; /* one is kept for responses */
    struct world *w = world_make(4);
    struct datagram initiation;

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

/* Sends one message with a valid mac2 from the source under load. Returns the verdict of B's rate
 * limit. */
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

TEST(a_source_may_burst_5_and_then_20_a_second)
{
    struct world *w = loaded_with_cookie();
    const struct wyrm_endpoint *source = &w->node[A].address.remote;

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

TEST(the_port_does_not_make_another_source)
{
    struct world *w = loaded_with_cookie();
    struct wyrm_endpoint source = w->node[A].address.remote;

    assert_int_equal(burst_from(w, &source), 5);
    source.port++;
    assert_int_equal(burst_from(w, &source), 0);
    world_free(w);
}

TEST(other_sources_are_not_affected)
{
    struct world *w = loaded_with_cookie();
    struct wyrm_endpoint source = w->node[A].address.remote;

    assert_int_equal(burst_from(w, &source), 5);
    source.addr[3]++;
    assert_int_equal(burst_from(w, &source), 5);
    world_free(w);
}

TEST(ipv6_sources_are_limited_by_their_64_bit_prefix)
{
    struct world *w = loaded_with_cookie();
    struct wyrm_endpoint source;

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

/* However many sources an attacker uses, an honest new source is admitted. */
TEST(a_full_table_locks_nobody_out)
{
    struct world *w = loaded_with_cookie();
    struct wyrm_endpoint source = w->node[A].address.remote, honest = node_address(200).remote;

    for (unsigned i = 0; i < 1000; i++) {
        source.addr[2] = (uint8_t)(i >> 8);
        source.addr[3] = (uint8_t)i;
        (void)from_source(w, &source);
    }
    assert_int_equal(from_source(w, &honest), WYRM_IDLE);
    world_free(w);
}

/* Otherwise a source could have its own bucket evicted by sending from a few others. */
TEST(the_emptiest_token_bucket_is_evicted_last)
{
    struct world *w = loaded_with_cookie();
    const struct wyrm_endpoint *source = &w->node[A].address.remote;

    assert_int_equal(burst_from(w, source), 5);
    for (unsigned i = 0; i < 50; i++) {
        const struct wyrm_endpoint other = node_address(100 + i).remote;

        assert_int_equal(from_source(w, &other), WYRM_IDLE);
    }
    assert_int_equal(burst_from(w, source), 0);
    world_free(w);
}

TEST(a_clock_that_steps_back_does_not_fill_the_bucket)
{
    struct world *w = loaded_with_cookie();
    const struct wyrm_endpoint *source = &w->node[A].address.remote;

    assert_int_equal(burst_from(w, source), 5);
    w->now -= 500000;
    assert_int_equal(burst_from(w, source), 0);
    world_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(without_a_cookie_mac2_is_zero),
        RUN(each_altered_byte_of_mac1_is_dropped),
        RUN(mac1_of_another_device_is_dropped),
        RUN(without_load_mac2_is_not_checked),
        RUN(under_load_a_message_without_mac2_gets_a_cookie),
        RUN(a_cookie_reply_does_not_reflect_the_outer_tos),
        RUN(each_altered_byte_of_a_cookie_reply_is_dropped),
        RUN(the_same_cookie_reply_counts_once),
        RUN(a_cookie_reply_to_an_older_message_is_dropped),
        RUN(a_cookie_reply_sends_nothing_at_once),
        RUN(with_the_cookie_the_next_message_is_admitted),
        RUN(a_new_private_key_does_not_send_the_cookie_of_the_old_one),
        RUN(each_altered_byte_of_mac2_is_refused_under_load),
        RUN(a_cookie_is_for_one_address_and_port),
        RUN(the_whole_address_counts_for_a_cookie_over_ipv6),
        RUN(a_cookie_is_demanded_for_responses_too),
        RUN(two_peers_under_load_still_connect),
        RUN(a_reply_is_never_larger_than_its_request),
        RUN(queued_messages_are_load),
        RUN(load_is_an_eighth_of_many_slots),
        RUN(a_source_may_burst_5_and_then_20_a_second),
        RUN(the_port_does_not_make_another_source),
        RUN(other_sources_are_not_affected),
        RUN(ipv6_sources_are_limited_by_their_64_bit_prefix),
        RUN(a_full_table_locks_nobody_out),
        RUN(the_emptiest_token_bucket_is_evicted_last),
        RUN(a_clock_that_steps_back_does_not_fill_the_bucket),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The client profile: a device that never answers an initiation, against one that does everything.
 */
#include "client.h"
#include "node.h"

#include "core/wyrm_timers.h"
#include "core/wyrm_wire.h"

#include <string.h>

#define SET_UP fresh
#include "test.h"

enum { SERVER, CLIENT, ROOM = 512, QUEUE = 64, IP_LEN = 100 };

struct message {
    unsigned to;
    size_t len;
    uint8_t data[ROOM];
};

static struct {
    struct node server;
    struct node keys; /* the client's keys, randomness and timestamps */
    struct message queue[QUEUE];
    unsigned first, waiting;
    wyrm_ms now;
    uint64_t random;
    unsigned loss; /* percent */
    unsigned heard[2], initiations[2];
} net;

static void transmit(unsigned from, const struct wyrm_packet *out)
{
    struct message *message = &net.queue[(net.first + net.waiting) % QUEUE];

    net.initiations[from] += out->data[0] == WYRM_MSG_INITIATION;
    if (test_random(&net.random) % 100 < net.loss)
        return;
    assert_true(net.waiting < QUEUE && out->len <= ROOM);
    message->to = from == SERVER ? CLIENT : SERVER;
    message->len = out->len;
    memcpy(message->data, out->data, out->len);
    net.waiting++;
}

static bool server_work(struct wyrm_packet *out, wyrm_status *committed)
{
    static struct wyrm_job job;

    if (wyrm_job_take(&net.server.dev, net.now, &job) != WYRM_WORK)
        return false;
    do {
        wyrm_job_run(&job);
        *committed = wyrm_job_commit(&net.server.dev, net.now, &job, out);
    } while (*committed == WYRM_WORK);
    return true;
}

static void work(unsigned who)
{
    struct wyrm_packet out;
    wyrm_status status;

    while (who == CLIENT ? client_work(net.now, &out, &status) : server_work(&out, &status))
        if (status == WYRM_SEND)
            transmit(who, &out);
}

/* The rule of the loop: poll until nothing is left. */
static void settle(unsigned who)
{
    uint8_t buf[ROOM];
    struct wyrm_packet out;
    wyrm_status status;

    do {
        status = who == CLIENT ? client_poll(net.now, buf, sizeof(buf), &out)
                               : wyrm_poll(&net.server.dev, net.now, buf, sizeof(buf), &out);
        if (status == WYRM_WORK)
            work(who);
        else if (status == WYRM_SEND)
            transmit(who, &out);
    } while (status != WYRM_IDLE);
}

static void pump(void)
{
    settle(SERVER);
    settle(CLIENT);
    while (net.waiting > 0) {
        struct message *message = &net.queue[net.first];
        struct wyrm_meta from = node_address(message->to == CLIENT ? SERVER : CLIENT);
        struct wyrm_packet out;
        wyrm_status status =
            message->to == CLIENT
                ? client_input(net.now, &from, message->data, message->len, &out)
                : wyrm_input(&net.server.dev, net.now, &from, message->data, message->len, &out);

        net.heard[message->to] += status == WYRM_DELIVER;
        if (status == WYRM_SEND)
            transmit(message->to, &out);
        net.first = (net.first + 1) % QUEUE;
        net.waiting--;
        settle(SERVER);
        settle(CLIENT);
    }
}

static void pass(wyrm_ms span)
{
    wyrm_ms until = net.now + span;

    for (;;) {
        wyrm_ms next = client_deadline();

        if (wyrm_deadline(&net.server.dev) < next)
            next = wyrm_deadline(&net.server.dev);
        if (next > until)
            break;
        net.now = next > net.now ? next : net.now;
        pump();
    }
    net.now = until;
    pump();
}

/* A packet of the client's; it is lost if there is no session yet. */
static void client_says(void)
{
    uint8_t ip[IP_LEN], buf[ROOM];
    struct wyrm_span span = {ip, sizeof(ip)};
    struct wyrm_packet out;

    make_ip4(ip, sizeof(ip), CLIENT, SERVER, net.now);
    if (client_output(net.now, &span, buf, sizeof(buf), &out) == WYRM_SEND)
        transmit(CLIENT, &out);
    pump();
}

static void server_says(void)
{
    uint8_t ip[IP_LEN], buf[ROOM];
    struct wyrm_span span = {ip, sizeof(ip)};
    struct wyrm_packet out;

    make_ip4(ip, sizeof(ip), SERVER, CLIENT, net.now);
    if (wyrm_output(&net.server.dev, net.now, &span, 1, buf, sizeof(buf), &out) == WYRM_SEND)
        transmit(SERVER, &out);
    pump();
}

/* With the key it always has, and nothing else. */
static void boot_server(void)
{
    node_boot(&net.server, SERVER, 1);
    net.server.random_state = test_random(&net.random);
    (void)node_meet(&net.server, &net.keys);
}

static void begin(uint64_t seed)
{
    struct wyrm_meta there = node_address(SERVER);

    memset(&net, 0, sizeof(net));
    net.now = 1000000;
    net.random = seed;
    node_boot(&net.keys, CLIENT, seed);
    boot_server();
    client_boot(&net.keys.io, net.keys.priv, net.server.pub, &there.remote);
}

FIXTURE(fresh)
{
    begin(1);
    return 0;
}

/* Both hear each other, at the latest with the second packet. */
static void assert_they_talk(void)
{
    unsigned client = net.heard[CLIENT], server = net.heard[SERVER];

    for (unsigned i = 0; i < 2; i++) {
        client_says();
        server_says();
    }
    assert_true(net.heard[CLIENT] > client && net.heard[SERVER] > server);
}

TEST(a_client_brings_the_tunnel_up)
{
    assert_they_talk();
    assert_int_equal(net.initiations[CLIENT], 1);
}

TEST(a_client_drops_an_initiation_without_any_change)
{
    assert_they_talk();
    (void)client_unmoved();
    for (unsigned i = 0; i < 20; i++) { /* the server has forgotten the session and calls */
        boot_server();
        (void)wyrm_peer_connect(&net.server.dev, net.now, 0);
        pump();
    }
    assert_int_equal(net.initiations[SERVER], 20);
    assert_int_equal(client_drops(WYRM_D_PEER), 20);
    assert_true(client_unmoved());
    assert_int_equal(net.initiations[CLIENT], 1);
}

TEST(a_response_to_an_expired_session_costs_no_work)
{
    struct wyrm_meta from = node_address(SERVER);
    struct wyrm_packet out;
    unsigned responses = 0;

    assert_they_talk();
    pass(600000);
    for (unsigned i = 0; i < QUEUE; i++) {
        struct message *old = &net.queue[i];

        if (old->len == 0 || old->data[0] != WYRM_MSG_RESPONSE)
            continue;
        responses++;
        assert_int_equal(client_input(net.now, &from, old->data, old->len, &out), WYRM_D_INDEX);
    }
    assert_int_equal(responses, 1);
}

TEST(the_client_renews_its_session_while_data_flows)
{
    for (unsigned i = 0; i < 400; i++) {
        client_says();
        server_says();
        pass(1000);
    }
    assert_in_range(net.initiations[CLIENT], 4, 5);
    assert_int_equal(net.initiations[SERVER], 0);
    assert_in_range(net.heard[SERVER], 398, 400);
    assert_in_range(net.heard[CLIENT], 398, 400);
}

TEST(a_server_that_only_receives_confirms_every_session)
{
    for (unsigned i = 0; i < 400; i++) {
        client_says();
        pass(1000);
    }
    assert_in_range(net.heard[SERVER], 398, 400);
    assert_int_equal(net.initiations[SERVER], 0);
}

TEST(a_client_that_only_receives_keeps_its_session)
{
    unsigned silent = 0;

    client_says();
    for (unsigned i = 0; i < 400; i++) {
        unsigned before = net.heard[CLIENT];

        server_says();
        silent += net.heard[CLIENT] == before;
        pass(1000);
    }
    assert_int_equal(silent, 0);
}

TEST(a_server_that_restarts_is_found_again_by_the_clients_data)
{
    assert_they_talk();
    boot_server();
    for (unsigned i = 0; i < 22; i++) { /* 10 s without a word, 5 s to ask, a third at random */
        client_says();
        pass(1000);
    }
    assert_they_talk();
    assert_int_equal(net.initiations[CLIENT], 2);
}

TEST(a_server_that_restarts_is_found_again_by_keepalives)
{
    client_set_keepalive(25);
    pass(1000);
    boot_server();
    pass((120 + 25 + 1) * 1000); /* at the latest when the session is old enough to be renewed */
    assert_they_talk();
}

TEST(after_a_long_silence_the_next_packet_brings_the_tunnel_back)
{
    assert_they_talk();
    pass(3600 * 1000);
    server_says(); /* calls in vain */
    pass(30 * 1000);
    assert_they_talk();
}

TEST(under_load_the_client_brings_the_cookie)
{
    net.server.dev.loaded_until = WYRM_TICK_NEVER;
    client_says();
    pass(6000);
    assert_they_talk();
    assert_int_equal(wyrm_drops(&net.server.dev, WYRM_D_MAC2), 1);
    assert_int_equal(net.initiations[CLIENT], 2);
}

/* An hour with loss and restarts of the server, and a calm after it. */
static void a_lossy_hour(uint64_t seed)
{
    begin(seed);
    client_set_keepalive(seed % 2 ? 25 : 0);
    net.loss = 20;
    for (unsigned second = 0; second < 3600; second++) {
        if (test_random(&net.random) % 500 == 0)
            boot_server();
        if (test_random(&net.random) % 3 == 0)
            client_says();
        if (test_random(&net.random) % 3 == 0)
            server_says();
        pass(1000);
    }
    net.loss = 0;
    for (unsigned i = 0; i < 30; i++) {
        client_says();
        pass(1000);
    }
    assert_they_talk();
    assert_int_equal(client_drops(WYRM_D_PEER) == 0, net.initiations[SERVER] == 0);
}

TEST(a_tunnel_works_after_hours_of_packet_loss)
{
    for (uint64_t seed = 1; seed <= 5; seed++)
        a_lossy_hour(seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(a_client_brings_the_tunnel_up),
        RUN(a_client_drops_an_initiation_without_any_change),
        RUN(a_response_to_an_expired_session_costs_no_work),
        RUN(the_client_renews_its_session_while_data_flows),
        RUN(a_server_that_only_receives_confirms_every_session),
        RUN(a_client_that_only_receives_keeps_its_session),
        RUN(a_server_that_restarts_is_found_again_by_the_clients_data),
        RUN(a_server_that_restarts_is_found_again_by_keepalives),
        RUN(after_a_long_silence_the_next_packet_brings_the_tunnel_back),
        RUN(under_load_the_client_brings_the_cookie),
        RUN(a_tunnel_works_after_hours_of_packet_loss),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

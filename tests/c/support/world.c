/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 */
#include "world.h"

#include "core/wyrm_session.h"

#include <stdlib.h>

struct world *world_make(unsigned nodes)
{
    struct world *world = test_calloc(1, sizeof(*world));

    world->nodes = nodes;
    world->now = 1000000;
    for (unsigned i = 0; i < nodes; i++)
        node_boot(&world->node[i], i, 1);
    for (unsigned i = 0; i < nodes; i++)
        for (unsigned j = 0; j < nodes; j++)
            if (i != j)
                world->id[i][j] = node_meet(&world->node[i], &world->node[j]);
    return world;
}

void world_free(struct world *world)
{
    test_free(world);
}

enum wyrm_message kind_of(const struct datagram *datagram)
{
    return wyrm_classify(datagram->data, datagram->len);
}

static void count(struct tally *tally, const struct datagram *datagram)
{
    switch (kind_of(datagram)) {
    case WYRM_MSG_INITIATION:
        tally->initiations++;
        break;
    case WYRM_MSG_RESPONSE:
        tally->responses++;
        break;
    case WYRM_MSG_COOKIE:
        tally->cookies++;
        break;
    case WYRM_MSG_DATA:
        if (datagram->len == DATA_MIN_LEN)
            tally->keepalives++;
        else
            tally->data++;
        break;
    case WYRM_MSG_NONE:
        fail_msg("a node sent something that is not a WireGuard message");
    }
}

static void put_on_wire(struct world *world, unsigned node, const struct wyrm_packet *out)
{
    struct datagram *datagram;

    assert_in_range(world->on_wire, 0, WIRE_MAX - 1);
    assert_in_range(out->len, 1, PACKET_MAX);
    datagram = &world->wire[world->on_wire++];
    memset(datagram, 0, sizeof(*datagram));
    datagram->from = world->node[node].address.remote;
    datagram->to = out->to.remote;
    datagram->tos = out->to.tos;
    datagram->len = out->len;
    memcpy(datagram->data, out->data, out->len);
    count(&world->tally[node], datagram);
    world->last[node] = *datagram;
}

static void put_in_inbox(struct world *world, unsigned node, const struct wyrm_packet *out)
{
    struct packet *packet;

    assert_in_range(world->delivered, 0, INBOX_MAX - 1);
    packet = &world->inbox[world->delivered++];
    packet->node = node;
    packet->peer = out->peer;
    packet->len = out->len;
    memcpy(packet->data, out->data, out->len);
}

wyrm_status send_raw(struct world *world, unsigned from, const uint8_t *ip, size_t len)
{
    uint8_t buf[PACKET_MAX];
    struct wyrm_span span = {ip, len};
    struct wyrm_packet out;
    wyrm_status status;

    memset(&out, 0xff, sizeof(out));
    status = wyrm_output(&world->node[from].dev, world->now, &span, 1, buf, sizeof(buf), &out);

    if (status == WYRM_SEND) {
        put_on_wire(world, from, &out);
    } else if (status == WYRM_HOLD) {
        world->held[from][out.peer].len = len;
        memcpy(world->held[from][out.peer].data, ip, len);
    }
    return status;
}

wyrm_status send_ip(struct world *world, unsigned from, unsigned to, size_t len)
{
    uint8_t ip[PACKET_MAX];

    make_ip4(ip, len, from, to, world->sequence++);
    return send_raw(world, from, ip, len);
}

wyrm_status work_once(struct world *world, unsigned node)
{
    struct wyrm_device *dev = &world->node[node].dev;
    struct wyrm_packet out;
    struct wyrm_job job;
    wyrm_status status = wyrm_job_take(dev, world->now, &job);

    memset(&out, 0xff, sizeof(out));
    if (status != WYRM_WORK)
        return status;
    do {
        wyrm_job_run(&job);
        status = wyrm_job_commit(dev, world->now, &job, &out);
    } while (status == WYRM_WORK);
    if (status == WYRM_SEND)
        put_on_wire(world, node, &out);
    if (status < 0)
        world->verdict = status;
    return status;
}

static void work(struct world *world, unsigned node)
{
    struct wyrm_device *dev = &world->node[node].dev;

    for (unsigned i = 0; dev->work; i++) {
        assert_in_range(i, 0, 100);
        (void)work_once(world, node);
    }
}

static void release_held(struct world *world, unsigned node, wyrm_peer_id peer)
{
    size_t len = world->held[node][peer].len;

    world->held[node][peer].len = 0;
    if (len > 0)
        (void)send_raw(world, node, world->held[node][peer].data, len);
}

void settle(struct world *world, unsigned node)
{
    struct wyrm_device *dev = &world->node[node].dev;
    uint8_t buf[WYRM_CONTROL_MAX];

    for (unsigned i = 0;; i++) {
        struct wyrm_packet out;
        wyrm_status status;

        memset(&out, 0xff, sizeof(out)); /* makes uninitialised bytes visible */
        status = wyrm_poll(dev, world->now, buf, sizeof(buf), &out);
        assert_in_range(i, 0, 100); /* polling comes to rest */
        if (status == WYRM_IDLE)
            break;
        switch (status) {
        case WYRM_SEND:
            put_on_wire(world, node, &out);
            break;
        case WYRM_WORK:
            work(world, node);
            break;
        case WYRM_READY:
            world->tally[node].ready++;
            release_held(world, node, out.peer);
            break;
        case WYRM_LOST:
            world->tally[node].lost++;
            world->held[node][out.peer].len = 0;
            break;
        default:
            fail_msg("wyrm_poll said: %s", wyrm_status_text(status));
        }
    }
    assert_true(wyrm_deadline(dev) > world->now);
}

wyrm_status inject(struct world *world, unsigned node, const struct datagram *datagram,
                   const struct wyrm_meta *from)
{
    uint8_t *copy = test_malloc(datagram->len > 0 ? datagram->len : 1); /* of the exact size */
    struct wyrm_packet out;
    wyrm_status status;

    memset(&out, 0xff, sizeof(out));
    memcpy(copy, datagram->data, datagram->len);
    status = wyrm_input(&world->node[node].dev, world->now, from, copy, datagram->len, &out);
    if (status == WYRM_SEND)
        put_on_wire(world, node, &out);
    if (status == WYRM_DELIVER)
        put_in_inbox(world, node, &out);
    if (status < 0)
        world->verdict = status;
    test_free(copy);
    return status;
}

static int owner_of(const struct world *world, const struct wyrm_endpoint *address)
{
    for (unsigned i = 0; i < world->nodes; i++)
        if (memcmp(&world->node[i].address.remote, address, sizeof(*address)) == 0)
            return (int)i;
    return -1;
}

bool carry(struct world *world)
{
    struct datagram datagram;
    struct wyrm_meta from;
    int node;

    if (world->on_wire == 0)
        return false;
    datagram = world->wire[0];
    world->on_wire--;
    memmove(&world->wire[0], &world->wire[1], world->on_wire * sizeof(world->wire[0]));
    if (world->censor != NULL && !world->censor(world, &datagram))
        return true;
    node = owner_of(world, &datagram.to);
    if (node < 0 || world->deaf[node])
        return true;
    memset(&from, 0, sizeof(from));
    from.remote = datagram.from;
    from.tos = datagram.tos;
    (void)inject(world, (unsigned)node, &datagram, &from);
    settle(world, (unsigned)node);
    return true;
}

void pump(struct world *world)
{
    do {
        for (unsigned i = 0; i < world->nodes; i++)
            settle(world, i);
    } while (carry(world));
}

void pass_until(struct world *world, wyrm_ms then)
{
    pump(world);
    for (;;) {
        wyrm_ms next = then;

        for (unsigned i = 0; i < world->nodes; i++)
            if (wyrm_deadline(&world->node[i].dev) < next)
                next = wyrm_deadline(&world->node[i].dev);
        world->now = next;
        pump(world);
        if (next == then)
            break;
    }
}

void pass(struct world *world, wyrm_ms span)
{
    pass_until(world, world->now + span);
}

void sleep_through(struct world *world, wyrm_ms span)
{
    world->now += span;
}

bool is_up(struct world *world, unsigned node, unsigned other)
{
    struct wyrm_peer_info info;

    assert_int_equal(
        wyrm_peer_get(&world->node[node].dev, world->now, world->id[node][other], &info),
        WYRM_IDLE);
    return info.up;
}

void handshake(struct world *world, unsigned from, unsigned to)
{
    assert_int_equal(wyrm_peer_connect(&world->node[from].dev, world->now, world->id[from][to]),
                     WYRM_IDLE);
    pump(world);
    assert_true(is_up(world, from, to));
    assert_true(is_up(world, to, from));
    memset(world->tally, 0, sizeof(world->tally));
}

void grab(struct world *world, struct datagram *out)
{
    assert_in_range(world->on_wire, 1, WIRE_MAX);
    *out = world->wire[--world->on_wire];
}

struct wyrm_peer *peer_of(struct world *world, unsigned node, unsigned other)
{
    return &world->node[node].peers[world->id[node][other]];
}

uint32_t drops_of(struct world *world, unsigned node, wyrm_status reason)
{
    return wyrm_drops(&world->node[node].dev, reason);
}

uint32_t all_drops(struct world *world, unsigned node)
{
    uint32_t sum = 0;

    for (unsigned i = 0; i < WYRM_DROP_REASONS; i++)
        sum += world->node[node].dev.drops[i];
    return sum;
}

void forget_last_call(struct wyrm_peer *peer)
{
    peer->last_handshake_tx = 0;
    peer->timers[WYRM_TIMER_RETRY] = WYRM_TICK_NEVER;
}

void make_initiation(struct world *world, unsigned from, unsigned to, struct datagram *out)
{
    struct wyrm_peer *peer = peer_of(world, from, to);

    forget_last_call(peer); /* the sender's own limit is not what is tested */
    assert_int_equal(wyrm_peer_connect(&world->node[from].dev, world->now, world->id[from][to]),
                     WYRM_IDLE);
    settle(world, from);
    grab(world, out);
    assert_int_equal(kind_of(out), WYRM_MSG_INITIATION);
}

void make_response(struct world *world, struct datagram *out)
{
    assert_int_equal(wyrm_peer_connect(&world->node[A].dev, world->now, world->id[A][B]),
                     WYRM_IDLE);
    settle(world, A);
    assert_true(carry(world));
    grab(world, out);
    assert_int_equal(kind_of(out), WYRM_MSG_RESPONSE);
}

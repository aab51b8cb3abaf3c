/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * libFuzzer target: a device with a live session and a handshake in flight receives any sequence of
 * datagrams, packets and times. The input is a list of steps: one byte for the kind, two for a
 * length or time, then the data. Some kinds of step fill in values that a fuzzer cannot guess: the
 * session's index, mac1, or the whole seal.
 */
#include "node.h"

#include "core/wyrm_session.h"
#include "core/wyrm_wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ME, PEER, DATAGRAM_MAX = 2048 };
enum step { RAW, TO_SESSION, TO_HANDSHAKE, SIGNED, SEALED, OUTPUT, TIME, CALL, STEPS };

static struct node me, peer;
static wyrm_peer_id id, my_id;
static wyrm_ms now;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz_input: violated: %s\n", what);
    abort();
}

/* Runs jobs and polls to the end; messages of one node go to the other if `wired`. */
static void settle(struct node *node, bool wired)
{
    struct node *other = node == &me ? &peer : &me;
    uint8_t buf[WYRM_CONTROL_MAX];
    struct wyrm_packet out;
    struct wyrm_job job;

    for (unsigned rounds = 0;; rounds++) {
        wyrm_status status = wyrm_poll(&node->dev, now, buf, sizeof(buf), &out);

        require(rounds < 100, "polling comes to rest");
        if (status == WYRM_IDLE)
            break;
        if (status == WYRM_WORK && wyrm_job_take(&node->dev, now, &job) == WYRM_WORK) {
            do {
                wyrm_job_run(&job);
                status = wyrm_job_commit(&node->dev, now, &job, &out);
            } while (status == WYRM_WORK);
            node->dev.work_announced = false;
        }
        if (status == WYRM_SEND && wired)
            (void)wyrm_input(&other->dev, now, &node->address, out.data, out.len, &out);
    }
    require(wyrm_deadline(&node->dev) > now, "the deadline lies ahead");
}

static void meet(void)
{
    now = 1000;
    node_boot(&me, ME, 1);
    node_boot(&peer, PEER, 1);
    id = node_meet(&me, &peer);
    my_id = node_meet(&peer, &me);
    (void)wyrm_peer_connect(&me.dev, now, id);
    for (unsigned i = 0; i < 4; i++) {
        settle(&me, true);
        settle(&peer, true);
    }
    now += 6000;
    (void)wyrm_peer_connect(&me.dev, now, id);
    settle(&me, false);
    require(me.peers[id].waiting, "a handshake is in flight");
}

/* Restores the same initial state for every input: copying is faster than two handshakes. */
static void begin(void)
{
    static struct node me_then, peer_then;
    static wyrm_ms then;

    if (then == 0) {
        meet();
        me_then = me;
        peer_then = peer;
        then = now;
    }
    me = me_then;
    peer = peer_then;
    now = then;
}

static void sign(uint8_t *msg, size_t len)
{
    uint8_t key[32], label[40] = "mac1----";

    if (len < MACS_LEN + 4)
        return;
    memcpy(label + 8, me.pub, 32);
    wyrm_blake2s(key, 32, NULL, 0, label, sizeof(label));
    wyrm_blake2s(msg + len - MACS_LEN, 16, key, 32, msg, len - MACS_LEN);
}

static void check_packet(const struct wyrm_packet *out, const uint8_t *buf, size_t len)
{
    require(out->data >= buf && out->data + out->len <= buf + len, "a packet lies in its datagram");
    require(out->len >= 20, "a packet has a header");
    require(out->data[0] >> 4 == 4 || out->data[0] >> 4 == 6, "a packet is IP");
    require(out->peer == id, "a packet has its peer");
}

/* A datagram of exactly `len` bytes, so that the sanitizer sees the first byte too many. */
static void input(const uint8_t *bytes, size_t len, bool authentic)
{
    uint64_t before = node_peers_hash(&me);
    uint8_t *exact = malloc(len > 0 ? len : 1);
    struct wyrm_packet out = {0};
    wyrm_status status;

    if (exact == NULL)
        abort();
    memcpy(exact, bytes, len);
    status = wyrm_input(&me.dev, now, &peer.address, exact, len, &out);
    if (status == WYRM_DELIVER)
        check_packet(&out, exact, len);
    if (status == WYRM_SEND)
        require(out.len <= len && out.data == exact, "an answer is not larger than the question");
    if (!authentic)
        require(node_peers_hash(&me) == before && status != WYRM_DELIVER,
                "what is not authentic changes nothing");
    free(exact);
}

static void seal_and_input(const uint8_t *payload, size_t len)
{
    struct wyrm_keypair *kp = &peer.peers[my_id].kp[peer.peers[my_id].current];
    struct wyrm_span span = {payload, len};
    uint8_t buf[DATAGRAM_MAX + DATA_MIN_LEN];

    if (peer.peers[my_id].current == WYRM_NO_KEYPAIR)
        return;
    wyrm_session_seal(kp, &span, 1, 0, buf);
    input(buf, DATA_MIN_LEN + len, true);
}

static void output(const uint8_t *ip, size_t len)
{
    struct wyrm_span span[2] = {{ip, len / 3}, {ip + len / 3, len - len / 3}};
    uint8_t buf[DATAGRAM_MAX + 64];
    struct wyrm_packet out;
    wyrm_status status = wyrm_output(&me.dev, now, span, 2, buf, sizeof(buf), &out);

    if (status == WYRM_SEND)
        require(out.len >= DATA_MIN_LEN + len && out.len <= WYRM_SEALED_LEN(len),
                "a sealed length");
}

static void call(unsigned which, uint16_t value)
{
    switch (which % 6) {
    case 0:
        (void)wyrm_peer_connect(&me.dev, now, id);
        break;
    case 1:
        (void)wyrm_peer_disconnect(&me.dev, id);
        break;
    case 2:
        (void)wyrm_peer_set_keepalive(&me.dev, id, value);
        break;
    case 3:
        me.random_fails = value & 1;
        break;
    case 4:
        me.clock_fails = value & 1;
        break;
    default:
        me.dev.loaded_until = me.dev.now + value;
    }
}

static void take_step(enum step step, uint16_t value, uint8_t *bytes, size_t len)
{
    switch (step) {
    case RAW:
        input(bytes, len, false);
        break;
    case TO_SESSION:
    case TO_HANDSHAKE:
        if (len >= 8) {
            bytes[0] = step == TO_SESSION ? WYRM_MSG_DATA : WYRM_MSG_COOKIE;
            bytes[1] = bytes[2] = bytes[3] = 0;
            wyrm_store_le32(bytes + 4, step == TO_SESSION ? me.peers[id].local[0]
                                                          : me.peers[id].local[WYRM_PLACE_HS]);
        }
        input(bytes, len, false);
        break;
    case SIGNED:
        if (len >= RESPONSE_LEN) {
            len = value & 1 ? (size_t)RESPONSE_LEN : len;
            wyrm_store_le32(bytes, value & 1 ? WYRM_MSG_RESPONSE : WYRM_MSG_INITIATION);
            if (value & 1)
                wyrm_store_le32(bytes + RESPONSE_RECEIVER, me.peers[id].local[WYRM_PLACE_HS]);
        }
        sign(bytes, len);
        input(bytes, len, false);
        break;
    case SEALED:
        seal_and_input(bytes, len);
        break;
    case OUTPUT:
        output(bytes, len);
        break;
    case TIME:
        now += value & 0x8000 ? (value & 0x7fffu) * UINT64_C(100) : value;
        break;
    case CALL:
        call((unsigned)len, value);
        break;
    case STEPS:
        break;
    }
    settle(&me, false);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t bytes[DATAGRAM_MAX];

    begin();
    while (size >= 5) {
        enum step step = (enum step)(data[0] % STEPS);
        uint16_t value = (uint16_t)(data[1] | data[2] << 8);
        size_t len = (size_t)(data[3] | data[4] << 8) % DATAGRAM_MAX;

        data += 5;
        size -= 5;
        if (len > size)
            len = size;
        memcpy(bytes, data, len);
        take_step(step, value, bytes, len);
        data += len;
        size -= len;
    }
    wyrm_close(&me.dev);
    return 0;
}

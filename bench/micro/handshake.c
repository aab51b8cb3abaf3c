/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Whole handshakes of each role, through the core as a port drives it. Randomness and time are
 * fixed, so a handshake done twice from the same state sends the same bytes: preparation does one
 * and keeps its messages, then each end is measured alone against them.
 *
 * The first handshake with a peer takes one Diffie-Hellman more than those that follow it.
 */
#include "bench.h"
#include "board.h"

#include "wyrm.h"

#include <string.h>

enum { A, B, ENDS };                 /* A initiates */
enum { FIRST, REPEATED, OCCASIONS }; /* how well the ends know each other */

#define START      UINT64_C(1000000) /* ms */
#define REPEAT_IN  UINT64_C(120000)
#define INITIATION 148
#define RESPONSE   92

struct end {
    struct wyrm_device dev;
    struct wyrm_peer peers[1];
    struct wyrm_route routes[1];
    struct wyrm_slot slots[WYRM_HANDSHAKE_SLOTS];
    struct wyrm_source sources[WYRM_SOURCES];
    uint16_t index[WYRM_INDEX_HEADS(1)];
    uint32_t random_state;
    uint8_t label;
};

static struct end ends[ENDS], before[OCCASIONS][ENDS];
static struct wyrm_pools pools[ENDS];
static struct wyrm_platform platforms[ENDS];
static uint8_t initiations[OCCASIONS][INITIATION], responses[OCCASIONS][RESPONSE];
static wyrm_ms now;

static bool repeatable_random(void *ctx, void *out, size_t len)
{
    struct end *end = ctx;
    uint8_t *bytes = out;

    for (size_t i = 0; i < len; i++) {
        end->random_state = end->random_state * 1664525u + 1013904223u;
        bytes[i] = (uint8_t)(end->random_state >> 24);
    }
    return true;
}

static bool next_label(void *ctx, uint8_t out[12])
{
    struct end *end = ctx;

    memset(out, 0, 12);
    out[0] = 0x40;
    out[11] = ++end->label;
    return true;
}

static struct wyrm_meta address_of(unsigned name)
{
    struct wyrm_meta meta;

    memset(&meta, 0, sizeof(meta));
    meta.remote.family = 4;
    meta.remote.port = WYRM_DEFAULT_PORT;
    meta.remote.addr[0] = 10;
    meta.remote.addr[3] = (uint8_t)(name + 1);
    return meta;
}

static void boot(unsigned name)
{
    struct end *end = &ends[name];
    uint8_t key[WYRM_KEY_LEN];

    memset(key, (int)name + 1, sizeof(key));
    end->random_state = name + 1;
    pools[name] = (struct wyrm_pools){
        end->peers, end->routes, end->slots,           end->sources, end->index,
        1,          1,           WYRM_HANDSHAKE_SLOTS, WYRM_SOURCES, WYRM_INDEX_HEADS(1)};
    platforms[name] = (struct wyrm_platform){end, repeatable_random, next_label};
    (void)wyrm_init(&end->dev, &pools[name], &platforms[name]);
    (void)wyrm_set_private_key(&end->dev, key);
}

static void meet(unsigned name, unsigned other)
{
    struct wyrm_meta address = address_of(other);
    uint8_t pub[WYRM_KEY_LEN];
    wyrm_peer_id id;

    (void)wyrm_public_key(&ends[other].dev, pub);
    (void)wyrm_peer_add(&ends[name].dev, pub, &id);
    (void)wyrm_peer_set_endpoint(&ends[name].dev, id, &address.remote);
}

/* Plays the port until nothing moves; a handshake message to send is copied to `sent`. */
static void settle(struct end *end, uint8_t *sent, size_t sent_len)
{
    static struct wyrm_job job;
    uint8_t buf[WYRM_CONTROL_MAX];
    struct wyrm_packet out;
    wyrm_status status;

    while ((status = wyrm_poll(&end->dev, now, buf, sizeof(buf), &out)) != WYRM_IDLE) {
        if (status != WYRM_WORK)
            continue;
        while (wyrm_job_take(&end->dev, now, &job) == WYRM_WORK) {
            do {
                wyrm_job_run(&job);
                status = wyrm_job_commit(&end->dev, now, &job, &out);
            } while (status == WYRM_WORK);
            if (status == WYRM_SEND && out.len == sent_len)
                memcpy(sent, out.data, sent_len);
        }
    }
}

static void receive(unsigned name, const uint8_t *message, size_t len, uint8_t *sent,
                    size_t sent_len)
{
    struct wyrm_meta from = address_of(1 - name);
    uint8_t buf[INITIATION];
    struct wyrm_packet out;

    memcpy(buf, message, len);
    (void)wyrm_input(&ends[name].dev, now, &from, buf, len, &out);
    settle(&ends[name], sent, sent_len);
}

static void begin(uint8_t sent[INITIATION])
{
    (void)wyrm_peer_connect(&ends[A].dev, now, 0);
    settle(&ends[A], sent, INITIATION);
}

static bool up(unsigned name)
{
    struct wyrm_peer_info info;

    return wyrm_peer_get(&ends[name].dev, now, 0, &info) == WYRM_IDLE && info.last_handshake == now;
}

/* One handshake, both ends of it; its messages and the state before it are kept. */
static void rehearse(unsigned occasion)
{
    memcpy(before[occasion], ends, sizeof(ends));
    begin(initiations[occasion]);
    receive(B, initiations[occasion], INITIATION, responses[occasion], RESPONSE);
    receive(A, responses[occasion], RESPONSE, NULL, 0);
    if (!up(A)) {
        board_print("The rehearsed handshake failed.\n");
        board_exit(1);
    }
}

static wyrm_ms moment_of(unsigned occasion)
{
    return occasion == FIRST ? START : START + REPEAT_IN;
}

static void return_to(unsigned occasion)
{
    static bool rehearsed;

    if (!rehearsed) {
        boot(A);
        boot(B);
        meet(A, B);
        meet(B, A);
        for (unsigned i = FIRST; i < OCCASIONS; i++) {
            now = moment_of(i);
            rehearse(i);
        }
        rehearsed = true;
    }
    now = moment_of(occasion);
    memcpy(ends, before[occasion], sizeof(ends));
}

static void prepare_first(void)
{
    return_to(FIRST);
}

static void prepare_repeated(void)
{
    return_to(REPEATED);
}

static void initiate(unsigned occasion)
{
    uint8_t sent[INITIATION];

    begin(sent);
    receive(A, responses[occasion], RESPONSE, NULL, 0);
}

static void respond(unsigned occasion)
{
    uint8_t sent[RESPONSE];

    receive(B, initiations[occasion], INITIATION, sent, RESPONSE);
}

PRIMITIVE(handshake_initiator)
{
    initiate(REPEATED);
}

PRIMITIVE(handshake_responder)
{
    respond(REPEATED);
}

PRIMITIVE(handshake_initiator_first)
{
    initiate(FIRST);
}

PRIMITIVE(handshake_responder_first)
{
    respond(FIRST);
}

const struct primitive handshake_primitives[] = {
    {"handshake_initiator", prepare_repeated, bench_handshake_initiator},
    {"handshake_responder", prepare_repeated, bench_handshake_responder},
    {"handshake_initiator_first", prepare_first, bench_handshake_initiator_first},
    {"handshake_responder_first", prepare_first, bench_handshake_responder_first},
};
const size_t handshake_primitive_count = sizeof(handshake_primitives) / sizeof(struct primitive);

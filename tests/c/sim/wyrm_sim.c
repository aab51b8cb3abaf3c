/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * A hub and its spokes, all running the real core, on a network that loses, repeats, delays, alters
 * and replays, and at times loses whatever is long, while devices reboot, move, sleep with or
 * without a reset, lack randomness or timestamps, and change keys and MTU; workers may be slow.
 * After every event the guarantees of the protocol are checked; the first violation ends the run
 * and prints the seed that reproduces it.
 *
 * Rough times alternate with calm ones. At the end of each calm time every pair must be able to
 * talk, both ways: whatever happened, nothing stays stuck.
 */
#include "node.h"
#include "sim_queue.h"
#include "wyrm_sleep.h"

#include "core/wyrm_index.h"
#include "core/wyrm_session.h"
#include "core/wyrm_timers.h"
#include "core/wyrm_wire.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    NODES_MAX = 8,
    HUB = 0,
    ELSEWHERE = 100,
    RING = 256,
    PACKET_MAX = 1600,
    PACKET_MIN = 60,
    HELD_MAX = 4
};
enum {
    ROUGH_MIN_S = 100,
    ROUGH_MAX_S = 900,
    CALM_S = 300,
    WAKE_S = 100,  /* a device whose peer seems to have moved gives up after 15 + 90 s, ... */
    AGAIN_S = 215, /* ... and then looks for it where it was configured to be */
    PROBE_S = 290, /* and 3 s later: the two ends of a session do not reach 180 s in the same ms */
    JUDGE_S = 299
};

struct place { /* a node with its port, worker and clock */
    struct node node;
    uint64_t clock;  /* its time is the global time plus this */
    uint64_t boots;  /* after which everything in RAM was lost */
    uint64_t resets; /* all, also those that end a deep sleep */
    bool working;
    struct wyrm_job job;
    uint64_t
        job_message; /* hash of the message the job is about but its MACs, 0: our own initiation */
    wyrm_peer_id id[NODES_MAX];
    uint8_t psk[WYRM_KEY_LEN]; /* of a spoke with the hub */
    struct queue {
        unsigned n;
        struct {
            size_t len;
            uint8_t data[PACKET_MAX];
        } packet[HELD_MAX];
    } held[NODE_PEERS];
};

struct weather { /* chances in 1/1000 */
    unsigned loss, repeat, alter, replay;
    unsigned delay_ms; /* up to */
    size_t longest;    /* longer datagrams are lost */
};

struct fate { /* of an IP packet */
    uint8_t from, to;
    uint16_t len;
    bool delivered;
};

static struct {
    uint64_t seed, random, now, end;
    unsigned nodes;
    bool verbose, calm;
    struct place at[NODES_MAX];
    struct weather weather;
    struct sim_queue queue;
    struct sim_message *ring[RING]; /* what the attacker has seen */
    unsigned ring_next;
    struct sim_table counters; /* send key -> the lowest counter not yet used */
    struct sim_table sent;     /* handshake messages as they were sent */
    struct sim_table accepted; /* and by whom they were accepted */
    struct fate *fates;
    size_t packets, fates_room;
    uint64_t heard[NODES_MAX][NODES_MAX]; /* [to][from]: the latest packet delivered */
    uint64_t events, datagrams, handshakes, sealed, delivered, lost, refused, reboots, sleeps,
        probes;
    uint64_t junk; /* altered, repeated or replayed datagrams that arrived */
} sim;

/* ---- Chance and failure ----------------------------------------------------------- */

static uint64_t any(uint64_t below)
{
    return test_random(&sim.random) % below;
}

static bool chance(unsigned in_1000)
{
    return any(1000) < in_1000;
}

static void broken(const char *promise, unsigned node)
{
    printf("broken at %" PRIu64 " ms, node %u: %s\n", sim.now, node, promise);
    printf("to see it again: wyrm_sim --seed %" PRIu64 " --days %" PRIu64 " --nodes %u --verbose\n",
           sim.seed, (sim.end + 86399999) / 86400000, sim.nodes);
    exit(1);
}

static void promise(bool kept, const char *what, unsigned node)
{
    if (!kept)
        broken(what, node);
}

static void note(const char *what, unsigned node)
{
    if (sim.verbose)
        printf("%10" PRIu64 " ms  node %u  %s\n", sim.now, node, what);
}

static uint64_t hash_of(const uint8_t *data, size_t len)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < len; i++)
        hash = (hash ^ data[i]) * UINT64_C(0x100000001b3);
    return hash == 0 ? 1 : hash;
}

static wyrm_ms time_of(const struct place *place)
{
    return sim.now + place->clock;
}

/* ---- The network ------------------------------------------------------------------ */

static struct sim_message *message_make(const uint8_t *data, size_t len)
{
    struct sim_message *message = calloc(1, sizeof(*message) + len);

    if (message == NULL)
        abort();
    message->refs = 1;
    message->len = len;
    memcpy(message->data, data, len);
    return message;
}

static void message_drop(struct sim_message *message)
{
    if (--message->refs > 0)
        return;
    if (message->packet && message->accepted == 0) {
        if (message->refused)
            sim.refused++;
        else
            sim.lost++;
    }
    free(message);
}

static void plan_arrival(struct sim_message *message, const struct wyrm_endpoint *from,
                         uint64_t delay)
{
    message->refs++;
    sim_plan(&sim.queue,
             (struct sim_event){
                 .at = sim.now + delay, .kind = SIM_ARRIVE, .message = message, .from = *from});
}

static uint64_t some_delay(void)
{
    return 1 + any(sim.weather.delay_ms);
}

/* An unknown sender can compute mac1 with a known public key. */
static void sign_again(struct sim_message *message, size_t mac1_at)
{
    uint8_t key[32], label[40] = "mac1----";

    for (unsigned i = 0; i < sim.nodes; i++)
        if (memcmp(&sim.at[i].node.address.remote, &message->to, sizeof(message->to)) == 0) {
            memcpy(label + 8, sim.at[i].node.pub, 32);
            wyrm_blake2s(key, 32, NULL, 0, label, sizeof(label));
            wyrm_blake2s(message->data + mac1_at, 16, key, 32, message->data, mac1_at);
        }
}

/* A copy with one bit changed where the protocol must notice: the sender index of a handshake
 * message and mac2 are not authenticated by more than mac1. */
static struct sim_message *altered(const struct sim_message *original)
{
    struct sim_message *copy = message_make(original->data, original->len);
    size_t first = 0, beyond = original->len;

    copy->from = original->from;
    copy->to = original->to;
    switch (wyrm_classify(original->data, original->len)) {
    case WYRM_MSG_INITIATION:
        first = INITIATION_EPHEMERAL;
        beyond = INITIATION_MAC1;
        break;
    case WYRM_MSG_RESPONSE:
        first = RESPONSE_EPHEMERAL;
        beyond = RESPONSE_MAC1;
        break;
    default:
        break;
    }
    copy->data[first + any(beyond - first)] ^= (uint8_t)(1u << any(8));
    if (first != 0 && chance(500))
        sign_again(copy, beyond);
    return copy;
}

static void remember(struct sim_message *message)
{
    unsigned at = sim.ring_next++ % RING;

    if (sim.ring[at] != NULL)
        message_drop(sim.ring[at]);
    message->refs++;
    sim.ring[at] = message;
}

static bool is_elsewhere(const struct wyrm_endpoint *address)
{
    return address->addr[3] > ELSEWHERE;
}

/* Replays a recorded message from another address. If the network had lost the original, the replay
 * is authentic and new, and moves the endpoint. In calm periods the attacker pauses, because only
 * the peer's next message would restore the endpoint. */
static void attack(void)
{
    struct wyrm_endpoint elsewhere = node_address(ELSEWHERE + (unsigned)any(100)).remote;
    struct sim_message *chosen = sim.ring[any(RING)];

    if (chosen != NULL)
        plan_arrival(chosen, &elsewhere, any(300000));
}

/* ---- Checks on what is sent ---------------------------------------------------------- */

static void check_counter(unsigned n, const uint8_t *data)
{
    const struct node *node = &sim.at[n].node;
    uint32_t remote = wyrm_load_le32(data + DATA_RECEIVER);
    uint64_t counter = wyrm_load_le64(data + DATA_COUNTER), *unused;

    for (unsigned p = 0; p < NODE_PEERS; p++)
        for (unsigned k = 0; k < 3; k++) {
            const struct wyrm_keypair *kp = &node->peers[p].kp[k];

            if (!wyrm_session_in_use(&node->peers[p], k) || kp->remote != remote ||
                kp->tx_next != counter + 1)
                continue;
            unused = sim_value(&sim.counters, hash_of(kp->keys.send, sizeof(kp->keys.send)));
            promise(counter >= *unused, "a counter is never used twice with a key", n);
            promise(!wyrm_expired(wyrm_time_tick(&node->dev, time_of(&sim.at[n])), kp->born,
                                  WYRM_REJECT_AFTER_TIME),
                    "nothing is sent under a dead session", n);
            *unused = counter + 1;
            return;
        }
    broken("a data packet leaves under a session that exists", n);
}

static void transmit(unsigned n, const struct wyrm_packet *out, bool packet)
{
    struct sim_message *message = message_make(out->data, out->len);

    message->genuine = true;
    message->packet = packet;
    message->sender = n;
    message->from = sim.at[n].node.address.remote;
    message->to = out->to.remote;
    message->tos = out->to.tos;
    sim.datagrams++;
    switch (wyrm_classify(out->data, out->len)) {
    case WYRM_MSG_DATA:
        check_counter(n, out->data);
        break;
    case WYRM_MSG_INITIATION:
    case WYRM_MSG_RESPONSE:
        *sim_value(&sim.sent, hash_of(out->data, out->len - MACS_LEN)) = 1;
        break;
    case WYRM_MSG_COOKIE:
        break;
    case WYRM_MSG_NONE:
        broken("only WireGuard messages leave", n);
    }
    remember(message);
    if (message->len > sim.weather.longest) {
        message_drop(message);
        return;
    }
    if (!chance(sim.weather.loss))
        plan_arrival(message, &message->from, some_delay());
    if (chance(sim.weather.repeat))
        plan_arrival(message, &message->from, some_delay());
    if (chance(sim.weather.alter)) {
        struct sim_message *copy = altered(message);

        plan_arrival(copy, &message->from, some_delay());
        message_drop(copy);
    }
    if (chance(sim.weather.replay))
        attack();
    message_drop(message);
}

/* ---- The port of a node ------------------------------------------------------------- */

static void hold(struct queue *queue, const uint8_t *ip, size_t len)
{
    if (queue->n == HELD_MAX) /* drop the oldest */
        memmove(&queue->packet[0], &queue->packet[1], --queue->n * sizeof(queue->packet[0]));
    queue->packet[queue->n].len = len;
    memcpy(queue->packet[queue->n++].data, ip, len);
}

static bool contains(const struct wyrm_packet *out, const uint8_t piece[16])
{
    for (size_t i = 0; i + 16 <= out->len; i++)
        if (memcmp(out->data + i, piece, 16) == 0)
            return true;
    return false;
}

/* Length of the payload that a packet is padded to: a multiple of 16 that the MTU cuts. */
static size_t padded(const struct wyrm_device *dev, size_t len)
{
    size_t whole = (len + 15) / 16 * 16, most = len > dev->mtu ? len : dev->mtu;

    return whole < most ? whole : most;
}

static void send_ip(unsigned n, const uint8_t *ip, size_t len)
{
    struct place *place = &sim.at[n];
    struct wyrm_span span = {ip, len};
    struct wyrm_packet out = {0};
    uint8_t buf[PACKET_MAX];
    wyrm_status status =
        wyrm_output(&place->node.dev, time_of(place), &span, 1, buf, sizeof(buf), &out);

    switch (status) {
    case WYRM_SEND:
        promise(!contains(&out, ip) && !contains(&out, ip + 20) && !contains(&out, ip + len - 16),
                "nothing plain is sent", n);
        promise(out.len == DATA_MIN_LEN + padded(&place->node.dev, len),
                "a packet is padded to 16, but not beyond the MTU", n);
        sim.sealed++;
        transmit(n, &out, true);
        break;
    case WYRM_HOLD:
        hold(&place->held[out.peer], ip, len);
        break;
    case WYRM_D_ENDPOINT:
    case WYRM_D_ROUTE:
        break;
    default:
        broken(wyrm_status_text(status), n);
    }
}

/* Of a slow core now and then. */
static uint64_t job_time(void)
{
    return 1 + any(chance(100) ? 1000 : 100);
}

static void begin_work(unsigned n)
{
    struct place *place = &sim.at[n];
    wyrm_status status = WYRM_E_RANDOM;

    while (!place->working && status == WYRM_E_RANDOM) {
        status = wyrm_job_take(&place->node.dev, time_of(place), &place->job);
        if (status != WYRM_WORK)
            continue;
        place->working = true;
        switch (place->job.msg[0]) {
        case WYRM_MSG_INITIATION:
            place->job_message = hash_of(place->job.msg, INITIATION_MAC1);
            break;
        case WYRM_MSG_RESPONSE:
            place->job_message = hash_of(place->job.msg, RESPONSE_MAC1);
            break;
        default:
            place->job_message = 0;
        }
        sim_plan(&sim.queue, (struct sim_event){.at = sim.now + job_time(),
                                                .kind = SIM_WORK,
                                                .node = n,
                                                .tag = place->resets});
    }
}

static void check_node(unsigned n)
{
    const struct place *place = &sim.at[n];
    const struct wyrm_device *dev = &place->node.dev;
    wyrm_tick now = wyrm_time_tick(dev, time_of(place)), earliest = WYRM_TICK_NEVER;

    for (unsigned p = 0; p < NODE_PEERS; p++) {
        const struct wyrm_peer *peer = &place->node.peers[p];
        bool keys = false, fresh = false;

        if (!wyrm_peer_in_use(peer))
            continue;
        for (unsigned k = 0; k < 3; k++) {
            if (!wyrm_session_in_use(peer, k)) {
                promise(wyrm_ct_is_zero(&peer->kp[k].keys, sizeof(peer->kp[k].keys)),
                        "keys out of use are nowhere", n);
                continue;
            }
            keys = true;
            fresh |= now - peer->kp[k].born < 3 * WYRM_REJECT_AFTER_TIME;
        }
        promise(!keys || fresh, "keys are wiped 540 s after the last session began", n);
        promise(peer->waiting || wyrm_ct_is_zero(&peer->hs, sizeof(peer->hs)),
                "an ephemeral key that waits for nothing is nowhere", n);
        promise(!peer->waiting || peer->timers[WYRM_TIMER_RETRY] != WYRM_TICK_NEVER,
                "an ephemeral key ends with its attempt", n);
        promise(!(peer->events & EVENT_INITIATE) ||
                    peer->timers[WYRM_TIMER_RETRY] != WYRM_TICK_NEVER,
                "an attempt that waits for the worker has an end", n);
        promise(place->held[p].n == 0 || peer->flags & FLAG_HOLDING,
                "a held packet will be released", n);
        if (peer_earliest(peer) < earliest)
            earliest = peer_earliest(peer);
    }
    promise(wyrm_deadline(dev) > time_of(place), "the deadline lies ahead", n);
    promise(dev->next_due <= earliest, "the deadline is not late", n);
}

static void settle(unsigned n)
{
    struct place *place = &sim.at[n];
    uint8_t buf[WYRM_CONTROL_MAX];
    unsigned rounds = 0;

    for (;;) {
        struct wyrm_packet out = {0};
        wyrm_status status = wyrm_poll(&place->node.dev, time_of(place), buf, sizeof(buf), &out);

        promise(rounds++ < 100, "polling comes to rest", n);
        if (status == WYRM_IDLE)
            break;
        if (status == WYRM_SEND) {
            transmit(n, &out, false);
        } else if (status == WYRM_WORK) {
            begin_work(n);
        } else if (status == WYRM_READY) {
            struct queue queue = place->held[out.peer];

            place->held[out.peer].n = 0;
            for (unsigned i = 0; i < queue.n; i++)
                send_ip(n, queue.packet[i].data, queue.packet[i].len);
        } else if (status == WYRM_LOST) {
            place->held[out.peer].n = 0;
        } else {
            broken("wyrm_poll says nothing else", n);
        }
    }
    check_node(n);
}

/* ---- Arrivals ------------------------------------------------------------------------ */

static void check_delivery(unsigned n, const struct wyrm_packet *out)
{
    uint8_t expected[PACKET_MAX];
    uint64_t number;
    struct fate *fate;

    promise(out->len >= PACKET_MIN, "a delivered packet was sent", n);
    number = wyrm_load_le64(out->data + 20);
    promise(number < sim.packets, "a delivered packet was sent", n);
    fate = &sim.fates[number];
    make_ip4(expected, fate->len, fate->from, fate->to, number);
    promise(out->len == fate->len && memcmp(out->data, expected, out->len) == 0,
            "a packet is delivered as it was sent", n);
    promise(fate->to == n, "a packet reaches the right device", n);
    promise(out->peer == sim.at[n].id[fate->from], "a packet comes from the right peer", n);
    promise(!fate->delivered, "a packet is delivered once", n);
    fate->delivered = true;
    sim.heard[n][fate->from] = number;
    sim.delivered++;
}

/* A replay verdict for a packet that was never accepted: it must be below the window. */
static void check_replay(unsigned n, const struct sim_message *message)
{
    const struct node *node = &sim.at[n].node;
    unsigned place;
    const struct wyrm_peer *peer =
        wyrm_index_find(&node->dev, wyrm_load_le32(message->data + DATA_RECEIVER), &place);
    const struct wyrm_keypair *kp = &peer->kp[place];
    uint64_t counter = wyrm_load_le64(message->data + DATA_COUNTER);

    promise(kp->replay.next > counter + 1 + WYRM_REPLAY_BITS - 32,
            "what is new and within the window is accepted", n);
}

static void arrive(unsigned n, struct sim_message *message, const struct wyrm_endpoint *from)
{
    struct place *place = &sim.at[n];
    struct wyrm_packet out = {0};
    struct wyrm_meta meta;
    uint8_t buf[PACKET_MAX];
    uint64_t before = node_peers_hash(&place->node);
    bool second = message->accepted >> n & 1;
    wyrm_status status;

    memset(&meta, 0, sizeof(meta));
    meta.remote = *from;
    meta.tos = message->tos;
    memcpy(buf, message->data, message->len);
    sim.junk += !message->genuine || second;
    status = wyrm_input(&place->node.dev, time_of(place), &meta, buf, message->len, &out);

    if (status == WYRM_DELIVER || status == WYRM_IDLE) {
        promise(message->genuine, "nothing altered is accepted", n);
        promise(!second, "nothing is accepted twice", n);
        message->accepted |= UINT32_C(1) << n;
        if (status == WYRM_DELIVER)
            check_delivery(n, &out);
        else
            promise(!message->packet, "a packet is delivered when it is accepted", n);
        return;
    }
    promise(node_peers_hash(&place->node) == before, "what is not accepted changes nothing", n);
    if (status == WYRM_SEND) {
        promise(out.len <= message->len, "an answer is not larger than the question", n);
        promise(memcmp(&out.to.remote, from, sizeof(*from)) == 0, "an answer goes back", n);
        transmit(n, &out, false);
    } else if (status == WYRM_D_REPLAY && message->genuine && !second) {
        check_replay(n, message);
    } else if (message->genuine &&
               (status == WYRM_D_MALFORMED || status == WYRM_D_INNER || status == WYRM_D_SOURCE)) {
        broken(wyrm_status_text(status), n);
    } else if (message->packet && message->genuine && status == WYRM_D_TAG) {
        broken("a whole packet under a known session is authentic", n);
    }
    message->refused |= message->genuine && !second;
}

static void finish_work(unsigned n)
{
    struct place *place = &sim.at[n];
    struct wyrm_packet out = {0};
    uint64_t before, *accepted;
    wyrm_status status;
    bool changed;

    wyrm_job_run(&place->job);
    before = node_peers_hash(&place->node);
    status = wyrm_job_commit(&place->node.dev, time_of(place), &place->job, &out);
    changed = node_peers_hash(&place->node) != before;

    if (place->job_message != 0 && changed) {
        promise(*sim_value(&sim.sent, place->job_message) != 0,
                "only whole handshake messages are accepted", n);
        /* A device forgets received timestamps when it loses power, as other WireGuard
         * implementations do. */
        accepted = sim_value(&sim.accepted, place->job_message + (place->boots << 4 | (n + 1)));
        promise(*accepted == 0, "a handshake message is accepted once", n);
        *accepted = 1;
        sim.handshakes++;
    }
    if (place->job_message != 0)
        promise(status != WYRM_SEND || changed, "an answer belongs to a session", n);
    if (status == WYRM_SEND)
        transmit(n, &out, false);
    if (status == WYRM_WORK) {
        sim_plan(&sim.queue, (struct sim_event){.at = sim.now + job_time(),
                                                .kind = SIM_WORK,
                                                .node = n,
                                                .tag = place->resets});
        return;
    }
    place->working = false;
    begin_work(n);
}

/* ---- What the people do ---------------------------------------------------------------- */

static uint64_t new_packet(unsigned from, unsigned to)
{
    uint8_t ip[PACKET_MAX];
    uint64_t number = sim.packets++;
    size_t len = PACKET_MIN + any(chance(100) ? 1361 : 200);

    if (sim.packets > sim.fates_room) {
        sim.fates_room = sim.fates_room == 0 ? 4096 : sim.fates_room * 2;
        sim.fates = realloc(sim.fates, sim.fates_room * sizeof(*sim.fates));
        if (sim.fates == NULL)
            abort();
    }
    sim.fates[number] =
        (struct fate){.from = (uint8_t)from, .to = (uint8_t)to, .len = (uint16_t)len};
    make_ip4(ip, len, from, to, number);
    send_ip(from, ip, len);
    return number;
}

/* Each pair talks for a while, now and then for long not at all. */
static void traffic(unsigned spoke)
{
    bool up = chance(500);
    uint64_t pause = chance(50) ? 1000 + any(400000) : chance(300) ? any(20) : any(20000);

    (void)new_packet(up ? spoke : HUB, up ? HUB : spoke);
    settle(up ? spoke : HUB);
    sim_plan(&sim.queue,
             (struct sim_event){.at = sim.now + 1 + pause, .kind = SIM_TRAFFIC, .node = spoke});
}

static void configure(unsigned n)
{
    struct place *place = &sim.at[n];

    if (n == HUB) {
        for (unsigned i = 1; i < sim.nodes; i++) {
            place->id[i] = node_meet(&place->node, &sim.at[i].node);
            wyrm_peer_set_endpoint(&place->node.dev, place->id[i], NULL);
            wyrm_peer_set_psk(&place->node.dev, place->id[i], sim.at[i].psk);
        }
        return;
    }
    place->id[HUB] = node_meet(&place->node, &sim.at[HUB].node);
    wyrm_peer_set_psk(&place->node.dev, place->id[HUB], place->psk);
    if (n % 2 == 1)
        wyrm_peer_set_keepalive(&place->node.dev, place->id[HUB], 25);
}

/* RAM is lost. The mark of the timestamps remains in flash. */
static void reset(struct place *place)
{
    struct node old = place->node;

    memset(place->held, 0, sizeof(place->held));
    node_boot(&place->node, old.name, sim.seed);
    place->node.label = (old.label / 64 + 1) * 64;
    place->node.random_state = old.random_state;
    place->node.address = old.address;
    place->resets++;
    place->working = false;
    place->clock = any(1000) - sim.now; /* its clock starts again near 0 */
}

static void reboot(unsigned n)
{
    note("reboots", n);
    sim.reboots++;
    sim.at[n].boots++;
    reset(&sim.at[n]);
    configure(n);
}

/* While a device sleeps no time passes for the others. Retained RAM may not keep its content. */
static void deep_sleep(unsigned n)
{
    static uint8_t image[WYRM_IMAGE_SIZE(NODE_PEERS, NODE_ROUTES)];
    struct place *place = &sim.at[n];
    struct wyrm_device *dev = &place->node.dev;
    uint64_t slept = any(chance(300) ? 600000 : 60000);
    bool corrupted = chance(200);
    wyrm_status status = wyrm_suspend(dev, time_of(place), image, sizeof(image));

    note(corrupted ? "sleeps deeply and loses its memory" : "sleeps deeply", n);
    promise(status == WYRM_OK, "a device can be suspended", n);
    if (corrupted)
        image[any(sizeof(image) / 2)] ^= (uint8_t)(1u << any(8));
    reset(place);
    status = wyrm_resume(dev, time_of(place), slept, image, sizeof(image));
    promise(corrupted == (status < 0), "an image is resumed unless it is corrupted", n);
    promise(wyrm_resume(dev, time_of(place), slept, image, sizeof(image)) == WYRM_E_IMAGE,
            "an image is resumed once", n);
    sim.sleeps++;
    if (corrupted) {
        place->boots++;
        configure(n);
    }
}

static void change_psk(unsigned spoke)
{
    uint8_t *psk = sim.at[spoke].psk;

    note("gets another preshared key", spoke);
    test_random_fill(&sim.random, psk, WYRM_KEY_LEN);
    wyrm_peer_set_psk(&sim.at[HUB].node.dev, sim.at[HUB].id[spoke], psk);
    wyrm_peer_set_psk(&sim.at[spoke].node.dev, sim.at[spoke].id[HUB], psk);
    settle(HUB);
}

static void chaos(void)
{
    unsigned n = (unsigned)any(sim.nodes), spoke = 1 + (unsigned)any(sim.nodes - 1);
    struct place *place = &sim.at[n];

    switch (any(13)) {
    case 0:
        reboot(n);
        break;
    case 1:
        note("moves", spoke);
        sim.at[spoke].node.address.remote.port = (uint16_t)(1024 + any(60000));
        sim.at[spoke].node.address.remote.addr[1] = (uint8_t)any(256);
        n = spoke;
        break;
    case 2:
        note("sleeps", n);
        place->clock += any(chance(300) ? 86400000 : 200000);
        break;
    case 3:
        note("will lack randomness once", n);
        place->node.random_fails_at = place->node.random_calls + 1 + (uint32_t)any(4);
        break;
    case 4:
        note("has no randomness", n);
        place->node.random_fails = true;
        break;
    case 5:
        note("has no timestamps, or lacks one once", n);
        if (chance(500))
            place->node.clock_fails = true;
        else
            place->node.clock_fails_at = place->node.clock_calls + 1 + (uint32_t)any(4);
        break;
    case 6:
        change_psk(spoke);
        n = spoke;
        break;
    case 7:
        note("disconnects", n);
        wyrm_peer_disconnect(&place->node.dev, place->id[n == HUB ? spoke : HUB]);
        break;
    case 8:
        note("gets another MTU", n);
        (void)wyrm_set_mtu(&place->node.dev, (uint16_t)(576 + any(WYRM_DEFAULT_MTU - 575)));
        break;
    case 9:
        note("is under load", n);
        place->node.dev.loaded_until = place->node.dev.now + (wyrm_tick)any(20000);
        break;
    case 10:
    case 11:
        deep_sleep(n);
        break;
    default:
        note("connects", n);
        (void)wyrm_peer_connect(&place->node.dev, time_of(place),
                                place->id[n == HUB ? spoke : HUB]);
    }
    settle(n);
    if (!sim.calm)
        sim_plan(&sim.queue,
                 (struct sim_event){.at = sim.now + 1 + any(120000), .kind = SIM_CHAOS});
}

static void plan_for_pairs(enum sim_kind kind, uint64_t after_s)
{
    for (unsigned spoke = 1; spoke < sim.nodes; spoke++) {
        sim_plan(&sim.queue,
                 (struct sim_event){
                     .at = sim.now + after_s * 1000, .kind = kind, .node = spoke, .other = HUB});
        sim_plan(&sim.queue, (struct sim_event){.at = sim.now + after_s * 1000 + 1000,
                                                .kind = kind,
                                                .node = HUB,
                                                .other = spoke});
    }
}

static void turn_of_the_weather(void)
{
    sim.calm = !sim.calm;
    if (sim.calm) {
        sim.weather = (struct weather){.delay_ms = 50, .longest = PACKET_MAX};
        for (unsigned i = 0; i < sim.nodes; i++)
            sim.at[i].node.random_fails = sim.at[i].node.clock_fails = false;
        plan_for_pairs(SIM_WAKE, WAKE_S);
        plan_for_pairs(SIM_WAKE, AGAIN_S);
        plan_for_pairs(SIM_PROBE, PROBE_S);
        plan_for_pairs(SIM_WAKE, PROBE_S + 3);
        sim_plan(&sim.queue, (struct sim_event){.at = sim.now + CALM_S * 1000, .kind = SIM_PHASE});
        return;
    }
    sim.weather = (struct weather){.loss = (unsigned)any(chance(200) ? 500 : 100),
                                   .repeat = (unsigned)any(200),
                                   .alter = (unsigned)any(100),
                                   .replay = (unsigned)any(200),
                                   .delay_ms = 1 + (unsigned)any(chance(200) ? 3000 : 200),
                                   .longest = chance(700) ? PACKET_MAX : 200 + any(1300)};
    sim_plan(&sim.queue, (struct sim_event){.at = sim.now + 1000 * (ROUGH_MIN_S + any(ROUGH_MAX_S)),
                                            .kind = SIM_PHASE});
    sim_plan(&sim.queue, (struct sim_event){.at = sim.now + any(60000), .kind = SIM_CHAOS});
}

/* ---- The loop ---------------------------------------------------------------------------- */

static int owner_of(const struct wyrm_endpoint *address)
{
    for (unsigned i = 0; i < sim.nodes; i++)
        if (memcmp(&sim.at[i].node.address.remote, address, sizeof(*address)) == 0)
            return (int)i;
    return -1;
}

static void happen(struct sim_event *event)
{
    int owner;

    switch (event->kind) {
    case SIM_ARRIVE:
        owner = owner_of(&event->message->to);
        if (owner >= 0 && !(sim.calm && is_elsewhere(&event->from))) {
            arrive((unsigned)owner, event->message, &event->from);
            settle((unsigned)owner);
        }
        message_drop(event->message);
        break;
    case SIM_WORK:
        if (sim.at[event->node].resets == event->tag) {
            finish_work(event->node);
            settle(event->node);
        }
        break;
    case SIM_TRAFFIC:
        traffic(event->node);
        break;
    case SIM_CHAOS:
        if (!sim.calm)
            chaos();
        break;
    case SIM_PHASE:
        turn_of_the_weather();
        break;
    case SIM_WAKE:
        (void)new_packet(event->node, event->other);
        settle(event->node);
        break;
    case SIM_PROBE:
        sim.probes++;
        sim_plan(&sim.queue, (struct sim_event){.at = sim.now + 1000 * (JUDGE_S - PROBE_S - 1),
                                                .kind = SIM_JUDGE,
                                                .node = event->node,
                                                .other = event->other,
                                                .tag = new_packet(event->node, event->other)});
        settle(event->node);
        break;
    case SIM_JUDGE:
        promise(sim.heard[event->other][event->node] >= event->tag,
                "in calm times every pair can talk", event->node);
        break;
    }
}

static void run(void)
{
    for (unsigned i = 0; i < sim.nodes; i++)
        node_boot(&sim.at[i].node, i, sim.seed);
    for (unsigned i = 0; i < sim.nodes; i++) {
        sim.at[i].clock = any(UINT64_C(1) << 33);
        configure(i);
    }
    sim.calm = true;
    turn_of_the_weather();
    for (unsigned i = 1; i < sim.nodes; i++)
        sim_plan(&sim.queue, (struct sim_event){.at = any(1000), .kind = SIM_TRAFFIC, .node = i});
    for (unsigned i = 0; i < sim.nodes; i++)
        settle(i);

    while (sim.now < sim.end) {
        uint64_t next = UINT64_MAX;
        unsigned waking = NODES_MAX;

        (void)sim_next_time(&sim.queue, &next);
        for (unsigned i = 0; i < sim.nodes; i++) {
            wyrm_ms deadline = wyrm_deadline(&sim.at[i].node.dev);

            if (deadline != WYRM_NEVER && deadline - sim.at[i].clock < next) {
                next = deadline - sim.at[i].clock;
                waking = i;
            }
        }
        sim.now = next;
        sim.events++;
        if (waking < NODES_MAX) {
            settle(waking);
        } else {
            struct sim_event event = sim_take(&sim.queue);

            happen(&event);
        }
    }
}

/* Every datagram with a packet was accepted, refused or lost, or is still on its way. */
static void settle_accounts(void)
{
    uint64_t flying = 0;

    while (sim.queue.used > 0) {
        struct sim_event event = sim_take(&sim.queue);

        if (event.kind == SIM_ARRIVE) {
            struct sim_message *message = event.message;

            if (message->packet && message->accepted == 0 && !message->refused) {
                flying++;
                message->packet = false;
            }
            message_drop(message);
        }
    }
    for (unsigned i = 0; i < RING; i++)
        if (sim.ring[i] != NULL)
            message_drop(sim.ring[i]);
    promise(sim.sealed == sim.delivered + sim.lost + sim.refused + flying,
            "sent is delivered, lost, refused or on its way", HUB);
    free(sim.queue.heap);
    free(sim.fates);
    free(sim.counters.cells);
    free(sim.sent.cells);
    free(sim.accepted.cells);
}

static void report(double seconds)
{
    double days = (double)sim.end / 86400000.0;

    printf("seed %" PRIu64 ": %.3g days of %u devices in %.2f s (%.1f days/s)\n", sim.seed, days,
           sim.nodes, seconds, days / seconds);
    printf("  %" PRIu64 " events, %" PRIu64 " datagrams, %" PRIu64 " hostile arrivals, %" PRIu64
           " handshake messages accepted, %" PRIu64 " reboots, %" PRIu64 " deep sleeps\n",
           sim.events, sim.datagrams, sim.junk, sim.handshakes, sim.reboots, sim.sleeps);
    printf("  %" PRIu64 " packets sealed: %" PRIu64 " delivered, %" PRIu64 " lost, %" PRIu64
           " refused; %" PRIu64 " probes, all answered\n",
           sim.sealed, sim.delivered, sim.lost, sim.refused, sim.probes);
}

int main(int argc, char **argv)
{
    uint64_t seeds = 1, days = 1;
    struct timespec begin, end;

    sim.seed = 1;
    sim.nodes = 2;
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";

        if (strcmp(argv[i], "--verbose") == 0) {
            sim.verbose = true;
            continue;
        }
        if (strcmp(argv[i], "--seed") == 0)
            sim.seed = strtoull(value, NULL, 10);
        else if (strcmp(argv[i], "--days") == 0)
            days = strtoull(value, NULL, 10);
        else if (strcmp(argv[i], "--nodes") == 0)
            sim.nodes = (unsigned)strtoul(value, NULL, 10);
        else
            seeds = 0;
        i++;
    }
    if (seeds == 0 || days == 0 || sim.nodes < 2 || sim.nodes > NODES_MAX) {
        fprintf(stderr, "usage: wyrm_sim [--seed N] [--days N] [--nodes 2..%d] [--verbose]\n",
                NODES_MAX);
        return 2;
    }
    sim.random = sim.seed;
    sim.end = days * 86400000;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    run();
    settle_accounts();
    clock_gettime(CLOCK_MONOTONIC, &end);
    report((double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9);
    return 0;
}

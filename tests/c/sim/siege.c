/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * A device with a slow worker and honest peers with traffic, under attack: by a malicious peer that
 * answers every initiation with forged responses and sends initiations as often as its cookie
 * allows; by an observer of handshake indices who forges responses to those of an honest peer; by
 * unknown senders who flood it with initiations; while some peers are dead, and randomness and
 * timestamps fail now and then. Measured is the longest time for which an honest peer that had
 * something to say was not heard. Nothing is lost on this network: whatever holds up the honest is
 * of the device's making.
 *
 * Without --rate and --job, the seed chooses them and all the rest.
 */
#include "besieged.h"
#include "node.h"

#include "core/wyrm_cookie.h"
#include "core/wyrm_wire.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DEVICE,
    EVIL,     /* a peer of the device */
    OBSERVER, /* whom nobody knows; so are the strangers behind it */
    HONEST,   /* from here on: the even are called by the device, the odd call it */
    HONEST_MAX = 3,
    DEAD = HONEST + HONEST_MAX,
    DEAD_MAX = 3,
    NODES = DEAD + DEAD_MAX,
    DELAY_MS = 20,
    FLYING = 1 << 14,
    ROOM = 256,
    PAUSE_MS = 250, /* between two packets of a pair */
    IP_LEN = 100,
    PATIENCE_MS = 30000
};

struct flight {
    uint64_t at;
    struct wyrm_endpoint from, to;
    size_t len;
    uint8_t data[ROOM];
};

struct cookie { /* of the device, in wrong hands */
    uint8_t mac1[16], cookie[16];
    bool known;
};

static struct {
    uint64_t now, random, seed;
    unsigned honest, dead, job_ms, seconds;
    unsigned own_rate, observer_rate, caller_rate, stranger_rate; /* datagrams per second */
    bool failures, client, verbose;
    struct node node[NODES];
    wyrm_peer_id of_device[NODES]; /* the device, as the node calls it */
    struct wyrm_job job;           /* of a node that is not the device */
    struct flight flying[FLYING];
    unsigned first, last;
    uint32_t index[NODES]; /* of the device's initiation in flight to this node */
    struct cookie evil_cookie, observer_cookie;
    uint64_t heard[NODES], silence[NODES];
    uint64_t worker_done; /* 0: it has nothing to do */
    uint64_t forged, jobs;
} siege;

static uint64_t any(uint64_t below)
{
    return test_random(&siege.random) % below;
}

static struct wyrm_endpoint at(unsigned n)
{
    return node_address(n).remote;
}

/* ---- Network ------------------------------------------------------------------- */

static void fly(const struct wyrm_endpoint *from, const struct wyrm_endpoint *to,
                const uint8_t *data, size_t len)
{
    struct flight *flight = &siege.flying[siege.last++ % FLYING];

    if (siege.last - siege.first > FLYING || len > ROOM)
        abort();
    *flight = (struct flight){.at = siege.now + DELAY_MS, .from = *from, .to = *to, .len = len};
    memcpy(flight->data, data, len);
}

static void sent(unsigned from, const struct wyrm_packet *out)
{
    const struct wyrm_endpoint source = at(from);

    if (from == DEVICE && out->data[0] == WYRM_MSG_INITIATION)
        for (unsigned n = EVIL; n < NODES; n++)
            if (memcmp(out->to.remote.addr, at(n).addr, 4) == 0)
                siege.index[n] = wyrm_load_le32(out->data + INITIATION_SENDER);
    fly(&source, &out->to.remote, out->data, out->len);
}

/* ---- The device and its worker --------------------------------------------------------- */

static void device_settles(void)
{
    uint8_t buf[ROOM];
    struct wyrm_packet out;
    wyrm_status status;

    do {
        status = besieged_poll(siege.now, buf, sizeof(buf), &out);
        if (status == WYRM_SEND)
            sent(DEVICE, &out);
    } while (status != WYRM_IDLE);
    if (siege.worker_done == 0 && besieged_take(siege.now))
        siege.worker_done = siege.now + siege.job_ms;
}

static void device_works(void)
{
    struct wyrm_packet out;

    siege.worker_done = 0;
    siege.jobs++;
    if (besieged_commit(siege.now, &out) == WYRM_SEND)
        sent(DEVICE, &out);
    device_settles();
}

/* ---- The others ---------------------------------------------------------------------- */

static void settle(unsigned n)
{
    struct wyrm_device *dev = &siege.node[n].dev;
    uint8_t buf[ROOM];
    struct wyrm_packet out;
    wyrm_status status;

    while ((status = wyrm_poll(dev, siege.now, buf, sizeof(buf), &out)) != WYRM_IDLE) {
        if (status == WYRM_SEND)
            sent(n, &out);
        while (status == WYRM_WORK && wyrm_job_take(dev, siege.now, &siege.job) == WYRM_WORK) {
            wyrm_status done;

            do {
                wyrm_job_run(&siege.job);
                done = wyrm_job_commit(dev, siege.now, &siege.job, &out);
            } while (done == WYRM_WORK);
            if (done == WYRM_SEND)
                sent(n, &out);
        }
    }
}

static void say(unsigned from, unsigned to)
{
    uint8_t ip[IP_LEN], buf[ROOM];
    struct wyrm_span span = {ip, sizeof(ip)};
    struct wyrm_packet out;
    wyrm_status status;

    make_ip4(ip, sizeof(ip), from, to, siege.now);
    status = from == DEVICE
                 ? besieged_output(siege.now, &span, buf, sizeof(buf), &out)
                 : wyrm_output(&siege.node[from].dev, siege.now, &span, 1, buf, sizeof(buf), &out);
    if (status == WYRM_SEND)
        sent(from, &out);
    if (from == DEVICE)
        device_settles();
    else
        settle(from);
}

static void listened(unsigned n)
{
    uint64_t silence = siege.now - siege.heard[n];

    if (silence > siege.silence[n]) {
        siege.silence[n] = silence;
        if (siege.verbose && silence > 10000)
            printf("%10" PRIu64 " ms  peer %u was not heard for %" PRIu64 " ms\n", siege.now, n,
                   silence);
    }
    siege.heard[n] = siege.now;
}

/* ---- The attackers -------------------------------------------------------------------- */

/* A cookie reply is sealed with public values and a mac1 that any observer knows. */
static void learn(struct cookie *cookie, const uint8_t *reply)
{
    uint8_t key[32], label[40] = "cookie--", sealed[32];

    memcpy(label + 8, siege.node[DEVICE].pub, 32);
    wyrm_blake2s(key, 32, NULL, 0, label, sizeof(label));
    memcpy(sealed, reply + COOKIE_SEALED, 32);
    if (wyrm_xaead_open(sealed, 32, cookie->mac1, 16, reply + COOKIE_NONCE, key)) {
        memcpy(cookie->cookie, sealed, 16);
        cookie->known = true;
    }
}

/* Sends a handshake message with valid MACs and invalid content. */
static void forge(enum wyrm_message type, uint32_t index, const struct wyrm_endpoint *from,
                  struct cookie *cookie)
{
    const struct wyrm_endpoint to = at(DEVICE);
    uint8_t msg[INITIATION_LEN];
    size_t len = type == WYRM_MSG_INITIATION ? INITIATION_LEN : RESPONSE_LEN;
    uint8_t *mac1 = msg + len - MACS_LEN, *mac2 = mac1 + MAC_LEN;

    test_random_fill(&siege.random, msg, sizeof(msg));
    wyrm_store_le32(msg, (uint32_t)type);
    if (type == WYRM_MSG_RESPONSE)
        wyrm_store_le32(msg + RESPONSE_RECEIVER, index);
    wyrm_cookie_mac1(mac1, siege.node[DEVICE].pub, msg, len - MACS_LEN);
    memset(mac2, 0, MAC_LEN);
    if (cookie != NULL && cookie->known)
        wyrm_blake2s(mac2, 16, cookie->cookie, 16, msg, len - MAC_LEN);
    if (cookie != NULL)
        memcpy(cookie->mac1, mac1, 16);
    siege.forged++;
    fly(from, &to, msg, len);
}

/* Number of messages in this millisecond, at `rate` per second. */
static unsigned due(unsigned rate)
{
    return (unsigned)((siege.now + 1) * rate / 1000 - siege.now * rate / 1000);
}

static void attack(void)
{
    const struct wyrm_endpoint evil = at(EVIL), observer = at(OBSERVER);
    for (unsigned i = due(siege.own_rate); i > 0; i--)
        forge(WYRM_MSG_RESPONSE, siege.index[EVIL], &evil, &siege.evil_cookie);
    for (unsigned i = due(siege.caller_rate); i > 0; i--)
        forge(WYRM_MSG_INITIATION, 0, &evil, &siege.evil_cookie);
    for (unsigned i = due(siege.observer_rate); i > 0; i--) {
        unsigned victim = HONEST + (unsigned)any(siege.honest);
        const struct wyrm_endpoint spoofed = at(victim);

        if (any(2) == 0)
            forge(WYRM_MSG_RESPONSE, siege.index[victim], &spoofed, NULL);
        else
            forge(WYRM_MSG_RESPONSE, siege.index[victim], &observer, &siege.observer_cookie);
    }
    for (unsigned i = due(siege.stranger_rate); i > 0; i--) {
        struct wyrm_endpoint nowhere = observer;

        nowhere.addr[1] = (uint8_t)any(256);
        nowhere.addr[2] = 200;
        nowhere.addr[3] = (uint8_t)any(256);
        forge(WYRM_MSG_INITIATION, 0, &nowhere, NULL);
    }
}

/* ---- The loop --------------------------------------------------------------------------- */

static void arrive(struct flight *flight)
{
    struct wyrm_meta from;
    struct wyrm_packet out;
    wyrm_status status;
    unsigned n = DEVICE;

    memset(&from, 0, sizeof(from));
    from.remote = flight->from;
    if (memcmp(flight->to.addr, at(DEVICE).addr, 4) == 0) {
        status = besieged_input(siege.now, &from, flight->data, flight->len, &out);
        if (status == WYRM_SEND)
            sent(DEVICE, &out);
        if (status == WYRM_DELIVER && out.data[15] > HONEST)
            listened(out.data[15] - 1u); /* its address inside is its number and one */
        if (status != WYRM_D_RATE && status != WYRM_D_MAC2)
            device_settles();
        return;
    }
    while (n < NODES && memcmp(flight->to.addr, at(n).addr, 4) != 0)
        n++;
    if (n == EVIL || n == OBSERVER) {
        if (flight->data[0] == WYRM_MSG_COOKIE)
            learn(n == EVIL ? &siege.evil_cookie : &siege.observer_cookie, flight->data);
        return;
    }
    if (n < HONEST || n >= HONEST + siege.honest)
        return;
    status = wyrm_input(&siege.node[n].dev, siege.now, &from, flight->data, flight->len, &out);
    if (status == WYRM_SEND)
        sent(n, &out);
    settle(n);
    if (status == WYRM_DELIVER)
        say(n, DEVICE); /* an answer to every packet */
}

static void talk(void)
{
    for (unsigned n = EVIL; n < NODES; n++) {
        if (n == OBSERVER || (n >= HONEST + siege.honest && n < DEAD) || n >= DEAD + siege.dead)
            continue;
        if ((siege.now + n * 10) % PAUSE_MS != 0)
            continue;
        if (n >= HONEST && n < DEAD && n % 2 == 1 && !siege.client)
            say(n, DEVICE);
        else
            say(DEVICE, n);
    }
}

/* Two seconds now and then. */
static void fail_now_and_then(void)
{
    struct node *device = &siege.node[DEVICE];

    if (!siege.failures || siege.now % 2000 != 0)
        return;
    device->random_fails = any(20) == 0;
    device->clock_fails = any(20) == 0;
}

static void begin(void)
{
    for (unsigned n = 0; n < NODES; n++)
        node_boot(&siege.node[n], n, siege.seed);
    besieged_boot(&siege.node[DEVICE].io, siege.node[DEVICE].priv);
    for (unsigned n = EVIL; n < NODES; n++) {
        if (n == OBSERVER)
            continue;
        besieged_meet(n, siege.node[n].pub, &siege.node[n].address.remote);
        siege.of_device[n] = node_meet(&siege.node[n], &siege.node[DEVICE]);
        siege.heard[n] = siege.now;
    }
}

static void run(void)
{
    const uint64_t end = siege.now + siege.seconds * UINT64_C(1000);

    begin();
    for (; siege.now < end; siege.now++) {
        fail_now_and_then();
        attack();
        talk();
        for (; siege.first != siege.last && siege.flying[siege.first % FLYING].at <= siege.now;
             siege.first++)
            arrive(&siege.flying[siege.first % FLYING]);
        if (siege.worker_done != 0 && siege.worker_done <= siege.now)
            device_works();
        if (besieged_deadline() <= siege.now)
            device_settles();
        for (unsigned n = HONEST; n < HONEST + siege.honest; n++)
            if (wyrm_deadline(&siege.node[n].dev) <= siege.now)
                settle(n);
    }
    for (unsigned n = HONEST; n < HONEST + siege.honest; n++)
        listened(n);
}

/* Settings that are not on the command line. */
static void choose(void)
{
    static const unsigned rates[] = {0, 5, 50, 500, 2000}, jobs[] = {10, 30, 100, 300, 600, 1000};

    siege.honest = 1 + (unsigned)any(HONEST_MAX);
    siege.dead = (unsigned)any(DEAD_MAX + 1);
    siege.job_ms = jobs[any(6)];
    siege.own_rate = rates[any(5)];
    siege.caller_rate = siege.client ? 0 : rates[any(4)];
    siege.observer_rate = siege.client ? 0 : rates[any(3)];
    siege.stranger_rate = siege.client ? 0 : rates[any(4)];
    siege.failures = any(2) == 0;
}

static int usage(void)
{
    fprintf(stderr, "usage: wyrm_siege [--seed N] [--seconds N] [--verbose]\n"
                    "       [--rate N --job MS [--from own|observer|caller|stranger]]\n");
    return 2;
}

int main(int argc, char **argv)
{
    unsigned rate = 0, job = 0;
    const char *from = "own";
    uint64_t longest = 0, limit;

    siege.seed = 1;
    siege.seconds = 600;
    siege.now = 1000000;
    siege.client = besieged_is_client;
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "0";

        if (strcmp(argv[i], "--verbose") == 0) {
            siege.verbose = true;
            continue;
        }
        if (strcmp(argv[i], "--seed") == 0)
            siege.seed = strtoull(value, NULL, 10);
        else if (strcmp(argv[i], "--seconds") == 0)
            siege.seconds = (unsigned)strtoul(value, NULL, 10);
        else if (strcmp(argv[i], "--rate") == 0)
            rate = (unsigned)strtoul(value, NULL, 10);
        else if (strcmp(argv[i], "--job") == 0)
            job = (unsigned)strtoul(value, NULL, 10);
        else if (strcmp(argv[i], "--from") == 0)
            from = value;
        else
            return usage();
        i++;
    }
    if (siege.seconds == 0 || (rate == 0) != (job == 0) || rate > 10000)
        return usage();
    siege.random = siege.seed;
    choose();
    if (job != 0) {
        siege.honest = 2;
        siege.dead = 0;
        siege.failures = false;
        siege.job_ms = job;
        siege.own_rate = strcmp(from, "own") == 0 ? rate : 0;
        siege.observer_rate = strcmp(from, "observer") == 0 ? rate : 0;
        siege.caller_rate = strcmp(from, "caller") == 0 ? rate : 0;
        siege.stranger_rate = strcmp(from, "stranger") == 0 ? rate : 0;
    }
    run();
    for (unsigned n = HONEST; n < HONEST + siege.honest; n++)
        longest = siege.silence[n] > longest ? siege.silence[n] : longest;
    limit = PATIENCE_MS + 2 * siege.job_ms;
    printf("seed %" PRIu64 ": %u honest and %u dead peers, jobs of %u ms, forged per second: %u by "
           "a peer, %u by an observer, initiations %u by a peer, %u by strangers%s\n",
           siege.seed, siege.honest, siege.dead, siege.job_ms, siege.own_rate, siege.observer_rate,
           siege.caller_rate, siege.stranger_rate, siege.failures ? "; failing platform" : "");
    printf("longest silence: %" PRIu64 " ms; %" PRIu64 " forged, %" PRIu64 " jobs\n", longest,
           siege.forged, siege.jobs);
    if (longest > limit)
        printf("broken: an honest peer is heard within %" PRIu64 " ms\n", limit);
    return longest > limit;
}

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 */
#include "wyrm_vectors_shim.h"

#include "core/wyrm_replay.h"
#include "wyrm_store.h"

#include <stdlib.h>
#include <string.h>

enum { PEERS = 4, SLOTS = 4, SOURCES = 8, ROUTES = 32, INDEX_HEADS = 32, RANDOM_MAX = 256 };

struct vec_bench {
    struct wyrm_device device;
    struct wyrm_peer peers[PEERS];
    struct wyrm_route routes[ROUTES];
    struct wyrm_slot slots[SLOTS];
    struct wyrm_source sources[SOURCES];
    uint16_t index[INDEX_HEADS];
    /* The following members belong to the test and are not compared. */
    struct wyrm_pools pools;
    struct wyrm_platform platform;
    struct wyrm_job job;
    struct wyrm_packet out;
    uint8_t random[RANDOM_MAX];
    size_t random_len, random_used;
    uint8_t timestamp[12];
};

/* clang-format off */
#define FIELD(type, member) \
    {#type "." #member, offsetof(struct wyrm_##type, member), sizeof(((struct wyrm_##type *)0)->member)}

#define INSIDE(type, part, member)                                                                 \
    {#type "." #member, offsetof(struct wyrm_##type, part.member),                                 \
     sizeof(((struct wyrm_##type *)0)->part.member)}

static const struct vec_field fields[] = {
    FIELD(device, cookie_secret), FIELD(device, cookie_born),
    FIELD(device, loaded_until), FIELD(device, own),
    INSIDE(peer, contact, pub), FIELD(peer, last_timestamp), INSIDE(peer, contact, cookie), FIELD(peer, last_mac1),
    FIELD(peer, current), FIELD(peer, previous), FIELD(peer, next), INSIDE(peer, contact, static_dh),
    FIELD(peer, last_initiation_rx), FIELD(peer, local),
    FIELD(keypair, tx_next), INSIDE(keypair, keys, send), INSIDE(keypair, keys, recv),
    FIELD(keypair, remote), FIELD(keypair, replay),
    FIELD(slot, type),
    INSIDE(job, noise, hash), INSIDE(job, noise, ck), INSIDE(job, keys, send),
    INSIDE(job, keys, recv), INSIDE(job, contact, pub),
    INSIDE(job, contact, static_dh), FIELD(job, timestamp), FIELD(job, local), FIELD(job, remote),
    {NULL, 0, 0}};
/* clang-format on */

/* ---- Platform ----------------------------------------------------------- */

/* Returns exactly the bytes that the test has provided; further requests fail. */
static bool fed_random(void *ctx, void *out, size_t len)
{
    struct vec_bench *bench = ctx;

    if (len > bench->random_len - bench->random_used)
        return false;
    memcpy(out, bench->random + bench->random_used, len);
    bench->random_used += len;
    return true;
}

static bool fed_tai64n(void *ctx, uint8_t out[12])
{
    struct vec_bench *bench = ctx;

    memcpy(out, bench->timestamp, sizeof(bench->timestamp));
    return true;
}

bool vec_feed_random(struct vec_bench *bench, const uint8_t *bytes, size_t len)
{
    if (bench->random_used == bench->random_len)
        bench->random_used = bench->random_len = 0;
    if (len > sizeof(bench->random) - bench->random_len)
        return false;
    memcpy(bench->random + bench->random_len, bytes, len);
    bench->random_len += len;
    return true;
}

size_t vec_random_left(struct vec_bench *bench)
{
    size_t left = bench->random_len - bench->random_used;

    bench->random_used = bench->random_len = 0;
    return left;
}

void vec_set_timestamp(struct vec_bench *bench, const uint8_t timestamp[12])
{
    memcpy(bench->timestamp, timestamp, sizeof(bench->timestamp));
}

/* ---- Life and memory ---------------------------------------------------- */

void vec_bench_free(struct vec_bench *bench)
{
    free(bench);
}

struct vec_bench *vec_bench_new(void)
{
    struct vec_bench *bench = calloc(1, sizeof(*bench));

    if (bench == NULL)
        return NULL;
    bench->pools = (struct wyrm_pools){.peers = bench->peers,
                                       .routes = bench->routes,
                                       .slots = bench->slots,
                                       .sources = bench->sources,
                                       .index = bench->index,
                                       .n_routes = ROUTES,
                                       .n_peers = PEERS,
                                       .n_slots = SLOTS,
                                       .n_sources = SOURCES,
                                       .n_index = INDEX_HEADS};
    bench->platform =
        (struct wyrm_platform){.ctx = bench, .random = fed_random, .tai64n = fed_tai64n};
    if (wyrm_init(&bench->device, &bench->pools, &bench->platform) == WYRM_IDLE)
        return bench;
    vec_bench_free(bench);
    return NULL;
}

size_t vec_bench_size(void)
{
    return sizeof(struct vec_bench);
}

size_t vec_state_size(void)
{
    return offsetof(struct vec_bench, pools);
}

void vec_state(const struct vec_bench *bench, uint8_t *out)
{
    static struct vec_bench copy;

    memcpy(&copy, bench, vec_state_size());
    memset(copy.device.drops, 0, sizeof(copy.device.drops));
    copy.device.initiated_last = false; /* whose turn the worker is */
    for (unsigned i = 0; i < SLOTS; i++)
        if (copy.slots[i].type == 0)
            memset(&copy.slots[i], 0, sizeof(copy.slots[i]));
    for (size_t i = 0; i < sizeof(copy.peers) / sizeof(copy.peers[0]); i++)
        copy.peers[i].responses.admitted = 0; /* anyone who knows an index can change it */
    memcpy(out, &copy, vec_state_size());
}

const struct vec_field *vec_fields(void)
{
    return fields;
}

void *vec_job(struct vec_bench *bench)
{
    return &bench->job;
}

void *vec_peer(struct vec_bench *bench, unsigned peer)
{
    return &bench->peers[peer];
}

void *vec_keypair(struct vec_bench *bench, unsigned peer, unsigned place)
{
    return &bench->peers[peer].kp[place];
}

void *vec_slot(struct vec_bench *bench, unsigned slot)
{
    return slot < SLOTS ? &bench->slots[slot] : NULL;
}

/* ---- Calls with flat arguments ------------------------------------------- */

static struct wyrm_endpoint to_endpoint(const struct vec_address *address)
{
    struct wyrm_endpoint endpoint = {.family = address->family, .port = address->port};

    memcpy(endpoint.addr, address->addr, address->family == 4 ? 4 : WYRM_ADDR_LEN);
    return endpoint;
}

int vec_peer_add(struct vec_bench *bench, const uint8_t *pub, const uint8_t *psk,
                 const struct vec_address *endpoint)
{
    struct wyrm_endpoint to = to_endpoint(endpoint);
    wyrm_peer_id id;
    wyrm_status status = wyrm_peer_add(&bench->device, pub, &id);

    if (status == WYRM_IDLE)
        status = wyrm_peer_set_psk(&bench->device, id, psk);
    if (status == WYRM_IDLE)
        status = wyrm_peer_set_endpoint(&bench->device, id, &to);
    return status == WYRM_IDLE ? id : status;
}

int vec_route_add(struct vec_bench *bench, unsigned peer, uint8_t family, uint8_t bits,
                  const uint8_t *addr)
{
    struct wyrm_prefix prefix = {.family = family, .bits = bits};

    memcpy(prefix.addr, addr, family == 4 ? 4 : WYRM_ADDR_LEN);
    return wyrm_route_add(&bench->device, (wyrm_peer_id)peer, &prefix);
}

int vec_input(struct vec_bench *bench, uint64_t now, const struct vec_address *from, uint8_t *buf,
              size_t len)
{
    struct wyrm_meta meta = {.remote = to_endpoint(from)};

    memset(&bench->out, 0, sizeof(bench->out));
    return wyrm_input(&bench->device, now, &meta, buf, len, &bench->out);
}

int vec_output(struct vec_bench *bench, uint64_t now, const uint8_t *ip, size_t len, size_t cut1,
               size_t cut2, uint8_t *buf, size_t cap)
{
    const struct wyrm_span spans[] = {
        {ip, cut1}, {ip + cut1, cut2 - cut1}, {ip + cut2, len - cut2}};

    memset(&bench->out, 0, sizeof(bench->out));
    return wyrm_output(&bench->device, now, spans, 3, buf, cap, &bench->out);
}

int vec_poll(struct vec_bench *bench, uint64_t now, uint8_t *buf, size_t cap)
{
    memset(&bench->out, 0, sizeof(bench->out));
    return wyrm_poll(&bench->device, now, buf, cap, &bench->out);
}

int vec_job_take(struct vec_bench *bench, uint64_t now)
{
    memset(&bench->out, 0, sizeof(bench->out));
    return wyrm_job_take(&bench->device, now, &bench->job);
}

int vec_job_commit(struct vec_bench *bench, uint64_t now)
{
    wyrm_status status = wyrm_job_commit(&bench->device, now, &bench->job, &bench->out);

    bench->device.last_ephemeral = 0; /* vectors may use a key twice */
    return status;
}

const uint8_t *vec_out(const struct vec_bench *bench, size_t *len, unsigned *peer,
                       struct vec_address *to)
{
    *len = bench->out.len;
    *peer = bench->out.peer;
    *to = (struct vec_address){.port = bench->out.to.remote.port,
                               .family = bench->out.to.remote.family};
    memcpy(to->addr, bench->out.to.remote.addr, WYRM_ADDR_LEN);
    return bench->out.data;
}

/* ---- Loops too long for Python ------------------------------------------- */

#ifndef VEC_REFUSAL_CLEARS
#define VEC_REFUSAL_CLEARS 0
#endif

bool vec_refusal_clears(void)
{
    return VEC_REFUSAL_CLEARS;
}

void vec_x25519_iterate(uint8_t k[32], uint8_t u[32], unsigned times)
{
    uint8_t result[32];

    while (times-- > 0) {
        (void)wyrm_x25519(result, k, u);
        memcpy(u, k, 32);
        memcpy(k, result, 32);
    }
}

bool vec_replay(unsigned words, const uint64_t *counters, size_t n, uint8_t *accepted)
{
    uint32_t *ring = calloc(words, sizeof(*ring));
    uint64_t next = 0;

    if (ring == NULL)
        return false;
    for (size_t i = 0; i < n; i++)
        accepted[i] = wyrm_replay_accept(&next, ring, words, counters[i]);
    free(ring);
    return true;
}

/* ---- The store ------------------------------------------------------------ */

static bool load(void *ctx, unsigned slot, void *buf, size_t len)
{
    const uint8_t(*slots)[WYRM_STORE_RECORD_LEN] = ctx;

    memcpy(buf, slots[slot], len);
    return true;
}

static bool save(void *ctx, unsigned slot, const void *buf, size_t len)
{
    uint8_t(*slots)[WYRM_STORE_RECORD_LEN] = ctx;

    memcpy(slots[slot], buf, len);
    return true;
}

bool vec_tai64n(uint64_t unix_s, uint32_t nanoseconds, uint8_t label[12])
{
    uint8_t slots[WYRM_STORE_SLOTS][WYRM_STORE_RECORD_LEN] = {{0}};
    const struct wyrm_store_io io = {.ctx = slots, .load = load, .save = save};
    struct wyrm_store store;

    (void)wyrm_store_init(&store, &io, unix_s); /* right after the build, any clock is trusted */
    wyrm_store_set_clock(&store, unix_s, nanoseconds);
    return wyrm_store_tai64n(&store, label);
}

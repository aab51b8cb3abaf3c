/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * A small world for unit tests: a virtual clock, two or more devices that know each other, and one
 * ordered wire on which datagrams can be inspected, dropped and altered.
 *
 * The helpers act as a correct port: after every call they take and run all jobs and poll until
 * WYRM_IDLE, and on WYRM_HOLD they hold one packet per peer.
 */
#ifndef WYRM_TEST_WORLD_H
#define WYRM_TEST_WORLD_H

#include <string.h>

#include "test.h"

#include "node.h"

#include "core/wyrm_timers.h"
#include "core/wyrm_wire.h"

enum { A, B, C, D };
enum { WORLD_NODES = 4, WIRE_MAX = 64, INBOX_MAX = 64, PACKET_MAX = 1600 };

struct datagram {
    struct wyrm_endpoint from, to;
    uint8_t tos;
    size_t len;
    uint8_t data[PACKET_MAX];
};

struct packet { /* received through the tunnel */
    unsigned node;
    wyrm_peer_id peer;
    size_t len;
    uint8_t data[PACKET_MAX];
};

struct tally { /* messages sent and events received by a node */
    unsigned initiations, responses, cookies, data, keepalives;
    unsigned ready, lost;
};

struct world {
    wyrm_ms now;
    unsigned nodes;
    struct node node[WORLD_NODES];
    wyrm_peer_id id[WORLD_NODES][WORLD_NODES]; /* id[a][b]: b's id at a */
    struct tally tally[WORLD_NODES];
    struct datagram wire[WIRE_MAX];
    unsigned on_wire;
    struct datagram last[WORLD_NODES]; /* the last datagram each node sent */
    struct packet inbox[INBOX_MAX];    /* all delivered packets, in order */
    unsigned delivered;
    struct {
        size_t len;
        uint8_t data[PACKET_MAX];
    } held[WORLD_NODES][NODE_PEERS];
    uint64_t sequence;      /* payload of the next packet */
    bool deaf[WORLD_NODES]; /* nothing reaches this node */
    /* Called for every datagram before delivery; may alter it; false: the datagram is lost. */
    bool (*censor)(struct world *world, struct datagram *datagram);
    wyrm_status verdict; /* of the last wyrm_input or wyrm_job_commit that dropped something */
};

/* Creates devices that all know each other; nothing is sent yet. */
struct world *world_make(unsigned nodes);
void world_free(struct world *world);

/* Runs jobs and polls of one node until it is idle, and puts its datagrams on the wire. Checks that
 * its deadline is then in the future. */
void settle(struct world *world, unsigned node);
/* Delivers the oldest datagram on the wire; false if there is none. */
bool carry(struct world *world);
/* Settles all nodes and delivers all datagrams until nothing is left to do. */
void pump(struct world *world);
/* Advances time, handling every deadline on the way. */
void pass(struct world *world, wyrm_ms span);
/* The same up to `then`. */
void pass_until(struct world *world, wyrm_ms then);
/* Advances the clock without handling deadlines. */
void sleep_through(struct world *world, wyrm_ms span);

/* Completes a handshake initiated by `from`; leaves the wire empty and clears the tallies. */
void handshake(struct world *world, unsigned from, unsigned to);

/* Sends an IPv4 packet of `len` bytes; returns the verdict. Does not settle or carry. */
wyrm_status send_ip(struct world *world, unsigned from, unsigned to, size_t len);
wyrm_status send_raw(struct world *world, unsigned from, const uint8_t *ip, size_t len);
/* Passes a copy of a datagram to a node as if it came from `from`; does not settle. */
wyrm_status inject(struct world *world, unsigned node, const struct datagram *datagram,
                   const struct wyrm_meta *from);
/* Takes the last datagram off the wire into `out`. */
void grab(struct world *world, struct datagram *out);
/* Takes, runs and commits one job without settling; returns the last verdict. */
wyrm_status work_once(struct world *world, unsigned node);

struct wyrm_peer *peer_of(struct world *world, unsigned node, unsigned other);
bool is_up(struct world *world, unsigned node, unsigned other);
uint32_t drops_of(struct world *world, unsigned node, wyrm_status reason);
enum wyrm_message kind_of(const struct datagram *datagram);
/* Everything dropped by a node for any reason. */
uint32_t all_drops(struct world *world, unsigned node);

/* Lets the device initiate to the peer at once, however recent the last initiation was. */
void forget_last_call(struct wyrm_peer *peer);
/* Makes a valid initiation from `from` to `to` without sending it. */
void make_initiation(struct world *world, unsigned from, unsigned to, struct datagram *out);
/* Lets A initiate and B answer; takes the response off the wire into `out`. */
void make_response(struct world *world, struct datagram *out);

#endif /* WYRM_TEST_WORLD_H */

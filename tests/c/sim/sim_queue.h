/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The simulator's event queue, ordered by time, and two small tables.
 */
#ifndef WYRM_SIM_QUEUE_H
#define WYRM_SIM_QUEUE_H

#include "wyrm.h"

/* A datagram on the network, shared by all its copies. */
struct sim_message {
    uint32_t refs;
    uint32_t accepted; /* one bit per node that accepted it as authentic */
    bool genuine;      /* byte for byte what a node sent */
    bool packet;       /* it carries an IP packet */
    bool refused;      /* a whole copy arrived and was dropped */
    unsigned sender;
    struct wyrm_endpoint from, to;
    uint8_t tos;
    size_t len;
    uint8_t data[];
};

enum sim_kind {
    SIM_ARRIVE,
    SIM_WORK,
    SIM_TRAFFIC,
    SIM_CHAOS,
    SIM_PHASE,
    SIM_WAKE,
    SIM_PROBE,
    SIM_JUDGE
};

struct sim_event {
    uint64_t at, order; /* global ms; equal times happen in order of planning */
    enum sim_kind kind;
    unsigned node, other;
    uint64_t tag; /* of the node's boot, or a packet's number */
    struct sim_message *message;
    struct wyrm_endpoint from;
};

struct sim_queue {
    struct sim_event *heap;
    size_t used, room;
    uint64_t planned;
};

void sim_plan(struct sim_queue *queue, struct sim_event event);
bool sim_next_time(const struct sim_queue *queue, uint64_t *at);
struct sim_event sim_take(struct sim_queue *queue);

/* From 64-bit keys to 64-bit values; grows; key 0 is not used. */
struct sim_table {
    struct {
        uint64_t key, value;
    } * cells;
    size_t used, room; /* room: a power of two */
};

/* The value of the key, 0 if it is new; the place stays valid until the next call. */
uint64_t *sim_value(struct sim_table *table, uint64_t key);

#endif /* WYRM_SIM_QUEUE_H */

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * A bounded queue per peer: when it is full, its oldest packet is dropped. When all queues together
 * are full, the longest one loses its oldest packet, so that peers that never answer cannot evict
 * the packets of those that do. Queues of equal length form a ring, so every operation takes
 * constant time.
 */
#include "hold.h"

#include <stdlib.h>
#include <string.h>

struct wyrmd_hold_queue {
    struct wyrmd_held *first, **end;
    unsigned n;
    wyrm_peer_id before, after; /* in the ring of queues as long as this one, if n > 0 */
};

bool wyrmd_hold_init(struct wyrmd_hold *hold, wyrm_peer_id peers)
{
    memset(hold, 0, sizeof(*hold));
    hold->queues = calloc(peers, sizeof(*hold->queues));
    for (unsigned n = 0; n <= HELD_PER_PEER; n++)
        hold->rings[n] = WYRM_NO_PEER;
    return hold->queues != NULL;
}

void wyrmd_hold_close(struct wyrmd_hold *hold)
{
    wyrmd_hold_drop_all(hold);
    free(hold->queues);
    hold->queues = NULL;
}

unsigned wyrmd_hold_count(const struct wyrmd_hold *hold, wyrm_peer_id peer)
{
    return hold->queues[peer].n;
}

static void leave_ring(struct wyrmd_hold *hold, wyrm_peer_id peer)
{
    struct wyrmd_hold_queue *q = &hold->queues[peer];
    wyrm_peer_id *ring = &hold->rings[q->n];

    if (q->n == 0)
        return;
    hold->queues[q->before].after = q->after;
    hold->queues[q->after].before = q->before;
    if (*ring == peer)
        *ring = q->after == peer ? WYRM_NO_PEER : q->after;
}

/* Joins at the end of the ring: of equally long queues, the first to get that long gives way. */
static void join_ring(struct wyrmd_hold *hold, wyrm_peer_id peer)
{
    struct wyrmd_hold_queue *q = &hold->queues[peer];
    wyrm_peer_id *ring = &hold->rings[q->n];

    if (q->n == 0)
        return;
    if (*ring == WYRM_NO_PEER)
        *ring = q->before = q->after = peer;
    q->after = *ring;
    q->before = hold->queues[*ring].before;
    hold->queues[q->before].after = peer;
    hold->queues[q->after].before = peer;
}

struct wyrmd_held *wyrmd_hold_pop(struct wyrmd_hold *hold, wyrm_peer_id peer)
{
    struct wyrmd_hold_queue *q = &hold->queues[peer];
    struct wyrmd_held *h = q->first;

    if (h == NULL)
        return NULL;
    q->first = h->next;
    if (q->first == NULL)
        q->end = &q->first;
    leave_ring(hold, peer);
    q->n--;
    join_ring(hold, peer);
    hold->used--;
    while (hold->longest > 0 && hold->rings[hold->longest] == WYRM_NO_PEER)
        hold->longest--; /* one step: the queue just shortened is in the next ring */
    return h;
}

static void append(struct wyrmd_hold *hold, wyrm_peer_id peer, struct wyrmd_held *h)
{
    struct wyrmd_hold_queue *q = &hold->queues[peer];

    h->next = NULL;
    if (q->first == NULL)
        q->end = &q->first;
    *q->end = h;
    q->end = &h->next;
    leave_ring(hold, peer);
    q->n++;
    join_ring(hold, peer);
    hold->used++;
    if (q->n > hold->longest)
        hold->longest = q->n;
}

void wyrmd_hold_push(struct wyrmd_hold *hold, wyrm_peer_id peer, const struct wyrm_span *ip,
                     unsigned n)
{
    size_t len = 0;
    struct wyrmd_held *h;

    for (unsigned i = 0; i < n; i++)
        len += ip[i].len;
    h = malloc(sizeof(*h) + len);
    if (h == NULL)
        return;
    if (hold->queues[peer].n == HELD_PER_PEER)
        free(wyrmd_hold_pop(hold, peer));
    else if (hold->used == HELD_MAX)
        free(wyrmd_hold_pop(hold, hold->rings[hold->longest]));

    h->len = 0;
    for (unsigned i = 0; i < n; i++) {
        memcpy(h->data + h->len, ip[i].data, ip[i].len);
        h->len += ip[i].len;
    }
    append(hold, peer, h);
}

void wyrmd_hold_drop(struct wyrmd_hold *hold, wyrm_peer_id peer)
{
    struct wyrmd_held *h;

    while ((h = wyrmd_hold_pop(hold, peer)) != NULL)
        free(h);
}

void wyrmd_hold_drop_all(struct wyrmd_hold *hold)
{
    while (hold->longest > 0)
        free(wyrmd_hold_pop(hold, hold->rings[hold->longest]));
}

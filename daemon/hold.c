/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Packets that wait for their peer's handshake: a bounded queue per peer, from which the oldest
 * goes first. When all queues together are full, the longest one gives way, so that peers which
 * never answer cannot push out the packets of those that do. Queues of the same length form a ring,
 * which makes every operation take constant time.
 */
#include "wyrmd.h"

#include <stdlib.h>
#include <string.h>

struct held_queue {
    struct held *first, **end;
    unsigned n;
    wyrm_peer_id before, after; /* in the ring of queues as long as this one, if n > 0 */
};

bool wyrmd_hold_init(struct wyrmd *d)
{
    d->held = calloc(d->pools.n_peers, sizeof(*d->held));
    for (unsigned n = 0; n <= HELD_PER_PEER; n++)
        d->held_rings[n] = WYRM_NO_PEER;
    return d->held != NULL;
}

unsigned wyrmd_held(const struct wyrmd *d, wyrm_peer_id peer)
{
    return d->held[peer].n;
}

static void leave_ring(struct wyrmd *d, wyrm_peer_id peer)
{
    struct held_queue *q = &d->held[peer];
    wyrm_peer_id *ring = &d->held_rings[q->n];

    if (q->n == 0)
        return;
    d->held[q->before].after = q->after;
    d->held[q->after].before = q->before;
    if (*ring == peer)
        *ring = q->after == peer ? WYRM_NO_PEER : q->after;
}

/* At its end: of the longest queues, the one that has been so for longest gives way first. */
static void join_ring(struct wyrmd *d, wyrm_peer_id peer)
{
    struct held_queue *q = &d->held[peer];
    wyrm_peer_id *ring = &d->held_rings[q->n];

    if (q->n == 0)
        return;
    if (*ring == WYRM_NO_PEER)
        *ring = q->before = q->after = peer;
    q->after = *ring;
    q->before = d->held[*ring].before;
    d->held[q->before].after = peer;
    d->held[q->after].before = peer;
}

struct held *wyrmd_unhold(struct wyrmd *d, wyrm_peer_id peer)
{
    struct held_queue *q = &d->held[peer];
    struct held *h = q->first;

    if (h == NULL)
        return NULL;
    q->first = h->next;
    if (q->first == NULL)
        q->end = &q->first;
    leave_ring(d, peer);
    q->n--;
    join_ring(d, peer);
    d->held_used--;
    while (d->held_longest > 0 && d->held_rings[d->held_longest] == WYRM_NO_PEER)
        d->held_longest--; /* one step: the queue just shortened is in the next ring */
    return h;
}

static void append(struct wyrmd *d, wyrm_peer_id peer, struct held *h)
{
    struct held_queue *q = &d->held[peer];

    h->next = NULL;
    if (q->first == NULL)
        q->end = &q->first;
    *q->end = h;
    q->end = &h->next;
    leave_ring(d, peer);
    q->n++;
    join_ring(d, peer);
    d->held_used++;
    if (q->n > d->held_longest)
        d->held_longest = q->n;
}

void wyrmd_hold(struct wyrmd *d, wyrm_peer_id peer, const struct wyrm_span *ip, unsigned n)
{
    size_t len = 0;
    struct held *h;

    for (unsigned i = 0; i < n; i++)
        len += ip[i].len;
    h = malloc(sizeof(*h) + len);
    if (h == NULL)
        return;
    if (d->held[peer].n == HELD_PER_PEER)
        free(wyrmd_unhold(d, peer));
    else if (d->held_used == HELD_MAX)
        free(wyrmd_unhold(d, d->held_rings[d->held_longest]));

    h->len = 0;
    for (unsigned i = 0; i < n; i++) {
        memcpy(h->data + h->len, ip[i].data, ip[i].len);
        h->len += ip[i].len;
    }
    append(d, peer, h);
}

void wyrmd_drop_held(struct wyrmd *d, wyrm_peer_id peer)
{
    struct held *h;

    while ((h = wyrmd_unhold(d, peer)) != NULL)
        free(h);
}

void wyrmd_drop_all_held(struct wyrmd *d)
{
    while (d->held_longest > 0)
        free(wyrmd_unhold(d, d->held_rings[d->held_longest]));
}

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Packets that wait for their peer's handshake: one bounded list, the oldest goes first.
 */
#include "wyrmd.h"

#include <stdlib.h>
#include <string.h>

unsigned wyrmd_held(const struct wyrmd *d, wyrm_peer_id peer)
{
    unsigned n = 0;

    for (const struct held *h = d->held; h != NULL; h = h->next)
        n += h->peer == peer;
    return n;
}

struct held *wyrmd_unhold(struct wyrmd *d, wyrm_peer_id peer)
{
    for (struct held **link = &d->held; *link != NULL; link = &(*link)->next) {
        struct held *h = *link;

        if (peer != WYRM_NO_PEER && h->peer != peer)
            continue;
        *link = h->next;
        if (d->held_end == &h->next)
            d->held_end = link;
        d->held_used--;
        return h;
    }
    return NULL;
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
    if (wyrmd_held(d, peer) >= HELD_PER_PEER)
        free(wyrmd_unhold(d, peer));
    else if (d->held_used >= HELD_MAX)
        free(wyrmd_unhold(d, WYRM_NO_PEER));

    h->next = NULL;
    h->peer = peer;
    h->len = 0;
    for (unsigned i = 0; i < n; i++) {
        memcpy(h->data + h->len, ip[i].data, ip[i].len);
        h->len += ip[i].len;
    }
    *d->held_end = h;
    d->held_end = &h->next;
    d->held_used++;
}

void wyrmd_drop_held(struct wyrmd *d, wyrm_peer_id peer)
{
    struct held *h;

    while ((h = wyrmd_unhold(d, peer)) != NULL)
        free(h);
}

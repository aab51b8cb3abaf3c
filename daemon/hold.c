/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Packets that wait for their peer's handshake: one bounded list, the oldest goes first.
 */
#include "wyrmd.h"

#include <stdlib.h>
#include <string.h>

static unsigned held_for(const struct wyrmd *d, wyrm_peer_id peer)
{
    unsigned n = 0;

    for (const struct held *h = d->held; h != NULL; h = h->next)
        n += h->peer == peer;
    return n;
}

/* Unlinks the oldest packet of a peer, of any peer with WYRM_NO_PEER; NULL if there is none. */
static struct held *unhold(struct wyrmd *d, wyrm_peer_id peer)
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
    if (held_for(d, peer) >= HELD_PER_PEER)
        free(unhold(d, peer));
    else if (d->held_used >= HELD_MAX)
        free(unhold(d, WYRM_NO_PEER));

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

void wyrmd_release_held(struct wyrmd *d, wyrm_peer_id peer)
{
    struct held *h;

    for (unsigned n = held_for(d, peer); n > 0 && (h = unhold(d, peer)) != NULL; n--) {
        struct wyrm_span span = {h->data, h->len};

        wyrmd_send_inner(d, &span, 1);
        free(h);
    }
}

void wyrmd_drop_held(struct wyrmd *d, wyrm_peer_id peer)
{
    struct held *h;

    while ((h = unhold(d, peer)) != NULL)
        free(h);
}

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Packets that wait for a session, as lwIP's etharp.c keeps packets that wait for an address: a
 * bounded number for each peer, the oldest pushed out first. Called by wyrm_lwip.c on WYRM_HOLD,
 * WYRM_READY and WYRM_LOST.
 */
#ifdef WYRM_PORT_LWIP

#include "wyrm_lwip_parts.h"

#include <string.h>

/* Takes the packet at `position` out of the queue and hands it over. */
static struct pbuf *take(struct wyrm_lwip *lwip, uint16_t position)
{
    struct pbuf *packet = lwip->held[position].packet;

    lwip->held_used--;
    memmove(&lwip->held[position], &lwip->held[position + 1],
            (size_t)(lwip->held_used - position) * sizeof(lwip->held[0]));
    return packet;
}

/* The oldest packet of `peer`, or of anybody, from `start` on; held_used if there is none. */
static uint16_t find(const struct wyrm_lwip *lwip, wyrm_peer_id peer, uint16_t start)
{
    while (start < lwip->held_used && peer != WYRM_NO_PEER && lwip->held[start].peer != peer) {
        start++;
    }
    return start;
}

static uint16_t count(const struct wyrm_lwip *lwip, wyrm_peer_id peer)
{
    uint16_t n = 0;

    for (uint16_t i = find(lwip, peer, 0); i < lwip->held_used;
         i = find(lwip, peer, (uint16_t)(i + 1))) {
        n++;
    }
    return n;
}

static void push_out(struct wyrm_lwip *lwip, uint16_t position)
{
    pbuf_free(take(lwip, position));
    lwip->counters.held_dropped++;
}

static bool needs_copy(const struct pbuf *packet)
{
    for (; packet != NULL; packet = packet->next) {
        if (PBUF_NEEDS_COPY(packet)) {
            return true;
        }
    }
    return false;
}

err_t wyrm_lwip_hold(struct wyrm_lwip *lwip, wyrm_peer_id peer, struct pbuf *packet)
{
    if (lwip->held_room == 0) {
        lwip->counters.held_dropped++;
        return ERR_OK;
    }
    if (needs_copy(packet)) {
        packet = pbuf_clone(PBUF_RAW, PBUF_RAM, packet);
        if (packet == NULL) {
            lwip->counters.no_memory++;
            return ERR_MEM;
        }
        lwip->counters.held_copies++;
    } else {
        pbuf_ref(packet);
    }

    if (count(lwip, peer) >= WYRM_LWIP_HOLD_PER_PEER) {
        push_out(lwip, find(lwip, peer, 0));
    } else if (lwip->held_used == lwip->held_room) {
        push_out(lwip, 0);
    }
    lwip->held[lwip->held_used++] = (struct wyrm_lwip_held){packet, peer};
    lwip->counters.held++;
    return ERR_OK;
}

void wyrm_lwip_hold_flush(struct wyrm_lwip *lwip, wyrm_peer_id peer)
{
    /* Counted first: a packet that must wait again is not taken a second time. */
    for (uint16_t n = count(lwip, peer); n > 0; n--) {
        uint16_t position = find(lwip, peer, 0);

        if (position == lwip->held_used) {
            return;
        }
        struct pbuf *packet = take(lwip, position);
        (void)wyrm_lwip_send(lwip, packet); /* an error is counted there; nobody waits for it */
        pbuf_free(packet);
    }
}

void wyrm_lwip_hold_drop(struct wyrm_lwip *lwip, wyrm_peer_id peer)
{
    for (uint16_t i = find(lwip, peer, 0); i < lwip->held_used; i = find(lwip, peer, i)) {
        push_out(lwip, i);
    }
}

#else
typedef int wyrm_lwip_hold_is_not_built; /* ISO C wants something in every file */
#endif

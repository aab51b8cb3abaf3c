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

static bool waits_for(const struct wyrm_lwip_held *held, wyrm_peer_id peer)
{
    return held->peer == peer || peer == WYRM_NO_PEER;
}

static uint16_t count(const struct wyrm_lwip *lwip, wyrm_peer_id peer)
{
    uint16_t n = 0;

    for (uint16_t i = 0; i < lwip->held_used; i++) {
        n = (uint16_t)(n + waits_for(&lwip->held[i], peer));
    }
    return n;
}

/* Takes the oldest packet of `peer` out of the queue and hands it over; NULL: there is none. */
static struct pbuf *take(struct wyrm_lwip *lwip, wyrm_peer_id peer)
{
    uint16_t i = 0;

    while (i < lwip->held_used && !waits_for(&lwip->held[i], peer)) {
        i++;
    }
    if (i == lwip->held_used) {
        return NULL;
    }
    struct pbuf *packet = lwip->held[i].packet;

    lwip->held_used--;
    memmove(&lwip->held[i], &lwip->held[i + 1],
            (size_t)(lwip->held_used - i) * sizeof(lwip->held[0]));
    return packet;
}

/* All but the newest `keep`. */
static void drop_beyond(struct wyrm_lwip *lwip, wyrm_peer_id peer, uint16_t keep)
{
    while (count(lwip, peer) > keep) {
        pbuf_free(take(lwip, peer));
        lwip->counters.held_dropped++;
    }
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

    drop_beyond(lwip, peer, WYRM_LWIP_HOLD_PER_PEER - 1);
    drop_beyond(lwip, WYRM_NO_PEER, (uint16_t)(lwip->held_room - 1));
    lwip->held[lwip->held_used++] = (struct wyrm_lwip_held){packet, peer};
    lwip->counters.held++;
    return ERR_OK;
}

void wyrm_lwip_hold_flush(struct wyrm_lwip *lwip, wyrm_peer_id peer)
{
    struct pbuf *packet;

    /* Counted first: a packet that must wait again is not taken a second time. */
    for (uint16_t n = count(lwip, peer); n > 0 && (packet = take(lwip, peer)) != NULL; n--) {
        (void)wyrm_lwip_send(lwip, packet); /* an error is counted there; nobody waits for it */
        pbuf_free(packet);
    }
}

void wyrm_lwip_hold_drop(struct wyrm_lwip *lwip, wyrm_peer_id peer)
{
    drop_beyond(lwip, peer, 0);
}

#else
typedef int wyrm_lwip_hold_is_not_built; /* ISO C wants something in every file */
#endif

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Packets waiting for a session, bounded per peer and in total; a full queue drops its oldest, as
 * lwIP's etharp.c does with packets waiting for an address.
 */
#include "wyrm_lwip_private.h"

#if WYRM_PORT_LWIP

#include <string.h>

struct pbuf *wyrm_lwip_hold_pop(struct wyrm_lwip *lwip, wyrm_peer_id peer, unsigned keep)
{
    struct wyrm_lwip_held *end = lwip->held + lwip->held_count, *oldest = NULL;
    unsigned n = 0;

    for (struct wyrm_lwip_held *one = end; one != lwip->held;) {
        one--;
        if (one->peer == peer || peer == WYRM_NO_PEER) {
            oldest = one;
            n++;
        }
    }
    if (n <= keep)
        return NULL;
    struct pbuf *packet = oldest->packet;

    lwip->held_count--;
    memmove(oldest, oldest + 1, (size_t)((char *)end - (char *)(oldest + 1)));
    return packet;
}

static bool needs_copy(const struct pbuf *packet)
{
    for (; packet != NULL; packet = packet->next)
        if (PBUF_NEEDS_COPY(packet))
            return true;
    return false;
}

err_t wyrm_lwip_hold_push(struct wyrm_lwip *lwip, wyrm_peer_id peer, struct pbuf *packet)
{
    if (lwip->held_capacity == 0) {
        lwip->counters.held_dropped++;
        return ERR_OK;
    }
    if (needs_copy(packet)) {
        packet = wyrm_lwip_clone(lwip, packet, &lwip->counters.held_copies);
        if (packet == NULL)
            return ERR_MEM;
    } else {
        pbuf_ref(packet);
    }

    struct pbuf *old = wyrm_lwip_hold_pop(lwip, peer, WYRM_LWIP_HOLD_PER_PEER - 1);

    if (old == NULL)
        old = wyrm_lwip_hold_pop(lwip, WYRM_NO_PEER, lwip->held_capacity - 1u);
    if (old != NULL) {
        pbuf_free(old);
        lwip->counters.held_dropped++;
    }
    lwip->held[lwip->held_count++] = (struct wyrm_lwip_held){packet, peer};
    lwip->counters.held++;
    return ERR_OK;
}

#endif /* WYRM_PORT_LWIP */

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Peers: the public calls about them, their endpoints and counters.
 */
#include "wyrm_peer.h"
#include "wyrm_session.h"

#include "../wyrm_crypto.h"

#include <string.h>

/* ---- For the rest of the core ------------------------------------------- */

void wyrm_peer_sent(struct wyrm_device *dev, struct wyrm_peer *peer, const struct wyrm_meta *to,
                    struct wyrm_packet *out)
{
    wyrm_copy(&out->to, to, sizeof(out->to));
    out->peer = peer->id;
    peer->tx_bytes += out->len;
    wyrm_timers_sent(dev, peer);
}

void wyrm_peer_received(struct wyrm_device *dev, struct wyrm_peer *peer,
                        const struct wyrm_meta *from, size_t len)
{
    if (from != NULL)
        wyrm_copy(&peer->to, from, sizeof(peer->to));
    peer->rx_bytes += len;
    wyrm_timers_received(dev, peer);
}

void wyrm_peer_established(struct wyrm_device *dev, struct wyrm_peer *peer)
{
    peer->flags &=
        (uint8_t) ~(FLAG_LATE_REKEY | FLAG_HOLDING | FLAG_INITIATING | FLAG_INITIATION_SENT);
    peer->events &= (uint8_t) ~(EVENT_INITIATE | EVENT_LOST);
    peer->last_handshake = dev->origin + dev->now;
    wyrm_timers_handshake_complete(peer);
    wyrm_post(dev, peer, EVENT_READY);
}

static WYRM_NOINLINE void forget_path(struct wyrm_peer *peer)
{
    memset(&peer->to.local, 0, sizeof(peer->to.local));
}

void wyrm_peer_revise_endpoint(struct wyrm_peer *peer, enum wyrm_suspicion suspicion)
{
    if (suspicion == SUSPECT_NOTHING)
        return;
    forget_path(peer);
    if (suspicion != SUSPECT_ENDPOINT)
        return;
    peer->unanswered = 0;
    if (peer->configured.family != 0)
        wyrm_copy(&peer->to.remote, &peer->configured, sizeof(peer->configured));
}

void wyrm_peer_start_keepalives(struct wyrm_device *dev, struct wyrm_peer *peer)
{
    if (peer->persistent_s > 0)
        wyrm_post(dev, peer, EVENT_KEEPALIVE);
}

void wyrm_peer_forget_keys(struct wyrm_device *dev, struct wyrm_peer *peer)
{
    wyrm_session_wipe(dev, peer);
    wyrm_timers_clear(peer);
    peer->last_handshake_tx = 0; /* the next handshake, with other keys, need not wait */
    peer->generation++;
    peer->events &= EVENT_LOST;
    if (peer->flags & FLAG_HOLDING)
        wyrm_post(dev, peer, EVENT_LOST);
    peer->flags &= (uint8_t) ~(FLAG_INITIATING | FLAG_INITIATION_SENT | FLAG_HOLDING);
}

/* ---- The public calls --------------------------------------------------- */

wyrm_status wyrm_peer_add(struct wyrm_device *dev, const uint8_t pub[WYRM_KEY_LEN],
                          wyrm_peer_id *out)
{
    struct wyrm_peer *peer = wyrm_peer_by_key(dev, pub);
    wyrm_peer_id id = 0;

    if (wyrm_ct_is_zero(pub, WYRM_KEY_LEN) || memcmp(pub, dev->own.pub, WYRM_KEY_LEN) == 0)
        return WYRM_E_KEY;
    if (peer != NULL) {
        *out = peer->id;
        return WYRM_E_EXISTS;
    }
    while (wyrm_used_peer(dev, id) != NULL)
        id++;
    if (id == dev->pools->n_peers)
        return WYRM_E_FULL;

    peer = wyrm_peer_at(dev, id); /* all zero; WYRM_LOST of a removed peer may be pending */
    wyrm_copy_key(peer->contact.pub, pub);
    peer->id = id;
    peer->generation++; /* a job of the previous peer may still run */
    peer->flags = FLAG_USED;
    peer->current = peer->previous = peer->next = WYRM_NO_KEYPAIR;
    peer->last_handshake = WYRM_NEVER;
    wyrm_timers_clear(peer);
    *out = id;
    return WYRM_OK;
}

wyrm_status wyrm_peer_find(const struct wyrm_device *dev, const uint8_t pub[WYRM_KEY_LEN],
                           wyrm_peer_id *out)
{
    const struct wyrm_peer *peer = wyrm_peer_by_key(dev, pub);

    if (peer == NULL)
        return WYRM_E_STATE;
    *out = peer->id;
    return WYRM_OK;
}

wyrm_status wyrm_peer_remove(struct wyrm_device *dev, wyrm_peer_id id)
{
    struct wyrm_peer *peer = wyrm_used_peer(dev, id);

    if (peer == NULL)
        return WYRM_E_STATE;
    wyrm_peer_forget_keys(dev, peer);
    wyrm_route_clear(dev, id);
    wyrm_wipe(&peer->flags, sizeof(*peer) - offsetof(struct wyrm_peer, flags));
    wyrm_post(dev, peer, EVENT_LOST);
    return WYRM_OK;
}

wyrm_status wyrm_peer_set_psk(struct wyrm_device *dev, wyrm_peer_id id,
                              const uint8_t psk[WYRM_KEY_LEN])
{
    struct wyrm_peer *peer = wyrm_used_peer(dev, id);

    if (peer == NULL)
        return WYRM_E_STATE;
    wyrm_copy_key(peer->contact.psk, psk);
    return WYRM_OK;
}

wyrm_status wyrm_peer_get_psk(const struct wyrm_device *dev, wyrm_peer_id id,
                              uint8_t out[WYRM_KEY_LEN])
{
    const struct wyrm_peer *peer = wyrm_used_peer(dev, id);

    if (peer == NULL)
        return WYRM_E_STATE;
    wyrm_copy_key(out, peer->contact.psk);
    return WYRM_OK;
}

wyrm_status wyrm_peer_forget_path(struct wyrm_device *dev, wyrm_peer_id id)
{
    struct wyrm_peer *peer = wyrm_used_peer(dev, id);

    if (peer == NULL)
        return WYRM_E_STATE;
    forget_path(peer);
    return WYRM_OK;
}

wyrm_status wyrm_peer_set_endpoint(struct wyrm_device *dev, wyrm_peer_id id,
                                   const struct wyrm_endpoint *endpoint)
{
    struct wyrm_peer *peer = wyrm_used_peer(dev, id);
    bool was_unknown;

    if (peer == NULL)
        return WYRM_E_STATE;
    if (endpoint != NULL && endpoint->family != 0 && endpoint->family != 4 &&
        !(WYRM_IPV6 && endpoint->family == 6))
        return WYRM_E_ARG;
    was_unknown = peer->to.remote.family == 0;
    if (endpoint != NULL)
        wyrm_copy(&peer->configured, endpoint, sizeof(*endpoint));
    else
        memset(&peer->configured, 0, sizeof(peer->configured));
    wyrm_copy(&peer->to.remote, &peer->configured, sizeof(peer->configured));
    forget_path(peer);
    if (was_unknown)
        wyrm_peer_start_keepalives(dev, peer);
    return WYRM_OK;
}

wyrm_status wyrm_peer_set_keepalive(struct wyrm_device *dev, wyrm_peer_id id, uint16_t seconds)
{
    struct wyrm_peer *peer = wyrm_used_peer(dev, id);
    bool had_none;

    if (peer == NULL)
        return WYRM_E_STATE;
    had_none = peer->persistent_s == 0;
    peer->persistent_s = seconds;
    if (seconds == 0)
        peer->timers[WYRM_TIMER_PERSISTENT] = WYRM_TICK_NEVER;
    if (had_none)
        wyrm_peer_start_keepalives(dev, peer);
    return WYRM_OK;
}

wyrm_status wyrm_peer_connect(struct wyrm_device *dev, wyrm_ms now, wyrm_peer_id id)
{
    struct wyrm_peer *peer = wyrm_used_peer(dev, id);

    if (peer == NULL)
        return WYRM_E_STATE;
    if (!dev->has_key)
        return WYRM_E_KEY;
    if (peer->to.remote.family == 0)
        return wyrm_drop(dev, WYRM_D_ENDPOINT);
    wyrm_time_set(dev, now);
    wyrm_timers_request_handshake(dev, peer);
    return WYRM_OK;
}

wyrm_status wyrm_peer_disconnect(struct wyrm_device *dev, wyrm_peer_id id)
{
    struct wyrm_peer *peer = wyrm_used_peer(dev, id);

    if (peer == NULL)
        return WYRM_E_STATE;
    wyrm_peer_forget_keys(dev, peer);
    return WYRM_OK;
}

wyrm_status wyrm_peer_get(const struct wyrm_device *dev, wyrm_ms now, wyrm_peer_id id,
                          struct wyrm_peer_info *out)
{
    struct wyrm_peer *peer = wyrm_used_peer(dev, id);

    if (peer == NULL)
        return WYRM_E_STATE;
    wyrm_copy_key(out->pub, peer->contact.pub);
    out->endpoint = peer->to.remote;
    out->configured = peer->configured;
    out->rx_bytes = peer->rx_bytes;
    out->tx_bytes = peer->tx_bytes;
    out->last_handshake = peer->last_handshake;
    out->keepalive_s = peer->persistent_s;
    out->unanswered = peer->unanswered;
    out->has_psk = !wyrm_ct_is_zero(peer->contact.psk, sizeof(peer->contact.psk));
    out->up = wyrm_session_current(peer, wyrm_time_tick(dev, now)) != NULL;
    return WYRM_OK;
}

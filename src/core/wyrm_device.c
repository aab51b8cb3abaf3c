/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The façade: life of a device and its peers, and the calls that move packets. See paper sections
 * 5.4.6 and 6. Everything here runs under the caller's lock.
 */
#include "wyrm_cookie.h"
#include "wyrm_index.h"
#include "wyrm_inner.h"
#include "wyrm_jobs.h"
#include "wyrm_session.h"
#include "wyrm_timers.h"
#include "wyrm_wire.h"

#include "../wyrm_crypto.h"

#include <string.h>

/* ---- Life --------------------------------------------------------------- */

static WYRM_NOINLINE void clear_slots(const struct wyrm_pools *pools)
{
    wyrm_wipe(pools->slots, pools->n_slots * sizeof(*pools->slots));
}

wyrm_status wyrm_init_checked(struct wyrm_device *dev, const struct wyrm_pools *pools,
                              const struct wyrm_platform *io, uint32_t version, size_t device_size,
                              size_t peer_size)
{
    if (version != WYRM_VERSION || device_size != sizeof(*dev) ||
        peer_size != sizeof(struct wyrm_peer))
        return WYRM_E_ABI;
    if (pools->n_peers == 0 || pools->n_peers > WYRM_MAX_PEERS || pools->n_slots == 0 ||
        (WYRM_RESPONDER && (pools->n_sources == 0 || pools->n_index == 0 ||
                            (pools->n_index & (pools->n_index - 1u)) != 0)))
        return WYRM_E_ARG;

    memset(dev, 0, offsetof(struct wyrm_device, epoch));
    dev->epoch++;
    memset(pools->peers, 0, pools->n_peers * sizeof(*pools->peers));
    clear_slots(pools);
    if (WYRM_RESPONDER) {
        memset(pools->index, 0, pools->n_index * sizeof(*pools->index));
        memset(pools->sources, 0, pools->n_sources * sizeof(*pools->sources));
    }
    dev->pools = pools;
    dev->io = io;
    dev->mtu = WYRM_DEFAULT_MTU;
    dev->next_due = WYRM_TICK_NEVER;
    return WYRM_OK;
}

void wyrm_close(struct wyrm_device *dev)
{
    wyrm_wipe(dev->pools->peers, dev->pools->n_peers * sizeof(*dev->pools->peers));
    clear_slots(dev->pools);
    wyrm_wipe(dev, offsetof(struct wyrm_device, epoch));
    dev->epoch++;
}

/* If there shall be any, the first is sent at once. */
static WYRM_NOINLINE void start_keepalives(struct wyrm_device *dev, struct wyrm_peer *peer)
{
    if (peer->persistent_s > 0)
        wyrm_timers_owe(dev, peer, EVENT_KEEPALIVE);
}

/* Everything derived from the keys of the two sides dies; jobs under way are outdated. */
static void forget_keys(struct wyrm_device *dev, struct wyrm_peer *peer)
{
    wyrm_session_wipe(dev, peer);
    wyrm_timers_clear(peer);
    peer->last_handshake_tx = 0; /* the next handshake, with other keys, need not wait */
    peer->generation++;
    peer->events &= EVENT_LOST;
    if (peer->facts & FACT_HOLDING)
        wyrm_timers_owe(dev, peer, EVENT_LOST);
    peer->facts &= (uint8_t) ~(FACT_INITIATING | FACT_SENT | FACT_HOLDING);
}

wyrm_status wyrm_set_private_key(struct wyrm_device *dev, const uint8_t key[WYRM_KEY_LEN])
{
    const struct wyrm_peer *self;
    uint8_t pub[WYRM_KEY_LEN];

    if (key != NULL) {
        if (wyrm_ct_is_zero(key, WYRM_KEY_LEN))
            return WYRM_E_KEY;
        if (wyrm_ct_equal(key, dev->own.priv, WYRM_KEY_LEN))
            return WYRM_OK;
        if (!wyrm_x25519_base(pub, key))
            return WYRM_E_CRYPTO;
    }

    wyrm_wipe(&dev->own, sizeof(dev->own));
    dev->has_key = false;
    for (unsigned i = 0; i < dev->pools->n_peers; i++) {
        struct wyrm_peer *peer = wyrm_used_peer(dev, (wyrm_peer_id)i);

        if (peer == NULL)
            continue;
        forget_keys(dev, peer);
#if WYRM_CACHE_STATIC_DH
        wyrm_wipe(peer->contact.static_dh, sizeof(peer->contact.static_dh));
#endif
        peer->facts &= (uint8_t) ~(FACT_STATIC_DH | FACT_MAC1);
        peer->cookie_born = 0;
        start_keepalives(dev, peer);
    }
    clear_slots(dev->pools); /* their messages were meant for the key that is gone */
    if (key == NULL)
        return WYRM_OK;

    wyrm_copy_key(dev->own.priv, key);
    wyrm_copy_key(dev->own.pub, pub);
    if (WYRM_RESPONDER)
        wyrm_cookie_set_key(dev);
    dev->has_key = true;
    self = wyrm_peer_of(dev, dev->own.pub);
    return self != NULL ? wyrm_peer_remove(dev, self->id) : WYRM_OK;
}

wyrm_status wyrm_public_key(const struct wyrm_device *dev, uint8_t out[WYRM_KEY_LEN])
{
    if (!dev->has_key)
        return WYRM_E_KEY;
    wyrm_copy_key(out, dev->own.pub);
    return WYRM_OK;
}

wyrm_status wyrm_get_private_key(const struct wyrm_device *dev, uint8_t out[WYRM_KEY_LEN])
{
    if (!dev->has_key)
        return WYRM_E_KEY;
    wyrm_copy_key(out, dev->own.priv);
    return WYRM_OK;
}

wyrm_status wyrm_set_mtu(struct wyrm_device *dev, uint16_t mtu)
{
    if (mtu < 576)
        return WYRM_E_ARG;
    dev->mtu = mtu;
    return WYRM_OK;
}

uint32_t wyrm_drops(const struct wyrm_device *dev, wyrm_status reason)
{
    int at = WYRM_D_MALFORMED - reason;

    return at >= 0 && at < WYRM_DROP_REASONS ? dev->drops[at] : 0;
}

/* ---- Peers -------------------------------------------------------------- */

wyrm_status wyrm_peer_add(struct wyrm_device *dev, const uint8_t pub[WYRM_KEY_LEN],
                          wyrm_peer_id *out)
{
    struct wyrm_peer *peer = wyrm_peer_of(dev, pub);
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

    peer = wyrm_peer_at(dev, id); /* all zero, but WYRM_LOST may be owed of who lived there */
    wyrm_copy_key(peer->contact.pub, pub);
    peer->id = id;
    peer->generation++; /* a job may still run for the last one */
    peer->facts = FACT_USED;
    peer->current = peer->previous = peer->next = WYRM_NO_KEYPAIR;
    peer->last_handshake = WYRM_NEVER;
    wyrm_timers_clear(peer);
    *out = id;
    return WYRM_OK;
}

wyrm_status wyrm_peer_find(const struct wyrm_device *dev, const uint8_t pub[WYRM_KEY_LEN],
                           wyrm_peer_id *out)
{
    const struct wyrm_peer *peer = wyrm_peer_of(dev, pub);

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
    forget_keys(dev, peer);
    wyrm_route_clear(dev, id);
    wyrm_wipe(&peer->facts, sizeof(*peer) - offsetof(struct wyrm_peer, facts));
    wyrm_timers_owe(dev, peer, EVENT_LOST);
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
    memset(&peer->to.local, 0, sizeof(peer->to.local));
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
    memset(&peer->configured, 0, sizeof(peer->configured));
    memset(&peer->to, 0, sizeof(peer->to));
    if (endpoint != NULL) {
        wyrm_copy(&peer->configured, endpoint, sizeof(*endpoint));
        wyrm_copy(&peer->to.remote, endpoint, sizeof(*endpoint));
    }
    if (was_unknown)
        start_keepalives(dev, peer);
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
        start_keepalives(dev, peer);
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
    wyrm_timers_want_handshake(dev, peer);
    return WYRM_OK;
}

wyrm_status wyrm_peer_disconnect(struct wyrm_device *dev, wyrm_peer_id id)
{
    struct wyrm_peer *peer = wyrm_used_peer(dev, id);

    if (peer == NULL)
        return WYRM_E_STATE;
    forget_keys(dev, peer);
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

/* ---- Receive ------------------------------------------------------------ */

/* Checks what came out of the tunnel; the packet is authentic, but its content need not be right.
 */
static wyrm_status deliver(struct wyrm_device *dev, const struct wyrm_meta *from, wyrm_peer_id id,
                           uint8_t *ip, size_t len, struct wyrm_packet *out)
{
    struct wyrm_inner inner;

    if (!wyrm_inner_parse(&inner, ip, len))
        return WYRM_D_INNER;
    if (wyrm_route_find(dev, inner.family, inner.source, &out->peer) != WYRM_OK || out->peer != id)
        return WYRM_D_SOURCE;
    wyrm_inner_decapsulate_ecn(ip, &inner, from->tos);
    out->data = ip;
    out->len = inner.len;
    return WYRM_DELIVER;
}

/* Apart, so that its frame is not beneath what answers handshake messages. */
static WYRM_NOINLINE wyrm_status input_data(struct wyrm_device *dev, const struct wyrm_meta *from,
                                            uint8_t *buf, size_t len, struct wyrm_packet *out)
{
    unsigned place;
    struct wyrm_peer *peer = wyrm_index_find(dev, wyrm_load_le32(buf + DATA_RECEIVER), &place);
    wyrm_status status;

    if (peer == NULL || place == WYRM_PLACE_HS)
        return WYRM_D_INDEX;
    status = wyrm_session_open(&peer->kp[place], dev->now, buf, len);
    if (status != WYRM_DELIVER)
        return status;

    /* From here the packet is real: authentic, and seen for the first time. */
    wyrm_timers_received(dev, peer, from, len);
    if (WYRM_RESPONDER && place == peer->next) {
        wyrm_session_confirm(dev, peer);
        wyrm_timers_handshake_complete(dev, peer);
    }
    len -= DATA_MIN_LEN;
    wyrm_timers_data_received(dev, peer, len);
    if (len == 0)
        return WYRM_IDLE; /* a keepalive */
    return deliver(dev, from, peer->id, buf + DATA_SEALED, len, out);
}

/* Does not learn an endpoint: what proves a cookie reply is public (paper section 5.4.7). */
static wyrm_status input_cookie(struct wyrm_device *dev, uint8_t *buf)
{
    unsigned place; /* any: a cookie may answer our response, which bears the index of a session */
    struct wyrm_peer *peer = wyrm_index_find(dev, wyrm_load_le32(buf + COOKIE_RECEIVER), &place);

    if (peer == NULL)
        return WYRM_D_INDEX;
    return wyrm_cookie_consume(dev, peer, buf) ? WYRM_IDLE : WYRM_D_TAG;
}

static wyrm_status input_handshake(struct wyrm_device *dev, const struct wyrm_meta *from,
                                   uint8_t *buf, size_t len, struct wyrm_packet *out)
{
    wyrm_status status = wyrm_jobs_admit(dev, from, buf, len);

#if WYRM_RESPONDER
    if (status == WYRM_SEND) {
        out->data = buf;
        out->len = COOKIE_REPLY_LEN;
        wyrm_copy(&out->to, from, sizeof(out->to));
        out->to.tos = 0;
        out->peer = WYRM_NO_PEER;
        status = wyrm_cookie_reply(dev, buf, len);
    }
#else
    (void)out;
#endif
    return status;
}

wyrm_status wyrm_input(struct wyrm_device *dev, wyrm_ms now, const struct wyrm_meta *from,
                       uint8_t *buf, size_t len, struct wyrm_packet *out)
{
    wyrm_status status = WYRM_D_MALFORMED;

    wyrm_time_set(dev, now);
    switch (wyrm_classify(buf, len)) {
    case WYRM_MSG_DATA:
        status = input_data(dev, from, buf, len, out);
        break;
    case WYRM_MSG_INITIATION:
    case WYRM_MSG_RESPONSE:
        status = input_handshake(dev, from, buf, len, out);
        break;
    case WYRM_MSG_COOKIE:
        status = input_cookie(dev, buf);
        break;
    case WYRM_MSG_NONE:
        break;
    }
    return wyrm_drop(dev, status);
}

/* ---- Send --------------------------------------------------------------- */

/* The first bytes of a scattered packet in one piece. */
static const uint8_t *gather_header(uint8_t header[WYRM_INNER_HEADER_MAX],
                                    const struct wyrm_span *ip, unsigned n)
{
    size_t have = 0;

    if (n > 0 && ip[0].len >= WYRM_INNER_HEADER_MAX)
        return ip[0].data;
    for (unsigned i = 0; i < n && have < WYRM_INNER_HEADER_MAX; i++) {
        size_t room = WYRM_INNER_HEADER_MAX - have;
        size_t part = ip[i].len < room ? ip[i].len : room;

        memcpy(header + have, ip[i].data, part);
        have += part;
    }
    return header;
}

/* Zeros that hide the exact length: up to a multiple of 16, but never beyond the MTU. */
static size_t padding(const struct wyrm_device *dev, size_t len)
{
    size_t pad = (0 - len) & 15u;

    if (len >= dev->mtu)
        return 0;
    return pad < dev->mtu - len ? pad : dev->mtu - len;
}

/* Whom a packet of out->len bytes is for, and with which ECN bits it goes. Apart, so that its copy
 * of the header is not on the stack beneath the cipher. */
static WYRM_NOINLINE wyrm_status find_receiver(const struct wyrm_device *dev,
                                               const struct wyrm_span *ip, unsigned n,
                                               struct wyrm_packet *out)
{
    uint8_t header[WYRM_INNER_HEADER_MAX]; /* as much of it as the packet has */
    struct wyrm_inner inner;

    if (!wyrm_inner_parse(&inner, gather_header(header, ip, n), out->len))
        return WYRM_D_INNER;
    out->to.tos = wyrm_inner_encapsulate_ecn(inner.tos);
    return wyrm_route_find(dev, inner.family, inner.destination, &out->peer);
}

/* Makes a data packet of the spans, out->len bytes in all. */
static wyrm_status send_data(struct wyrm_device *dev, struct wyrm_peer *peer,
                             const struct wyrm_span *ip, unsigned n, uint8_t *buf, size_t cap,
                             struct wyrm_packet *out)
{
    size_t pad = padding(dev, out->len);
    uint8_t tos = out->to.tos;
    struct wyrm_keypair *kp;

    if (peer->to.remote.family == 0)
        return WYRM_D_ENDPOINT;
    kp = wyrm_session_current(peer, dev->now);
    if (kp == NULL)
        return WYRM_HOLD;
    out->len += DATA_MIN_LEN + pad;
    if (cap < out->len)
        return WYRM_E_SPACE;
    out->data = buf;
    wyrm_timers_sent(dev, peer, &peer->to, out);
    out->to.tos = tos;
    wyrm_timers_data_sent(dev, peer, kp, n);
    return wyrm_session_seal(kp, ip, n, pad, buf); /* last: the cipher takes stack enough */
}

wyrm_status wyrm_output(struct wyrm_device *dev, wyrm_ms now, const struct wyrm_span *ip,
                        unsigned n, uint8_t *buf, size_t cap, struct wyrm_packet *out)
{
    struct wyrm_peer *peer;
    wyrm_status status;

    wyrm_time_set(dev, now);
    out->len = 0;
    for (unsigned i = 0; i < n; i++)
        out->len += ip[i].len;
    status = find_receiver(dev, ip, n, out);
    if (status != WYRM_OK)
        return wyrm_drop(dev, status);
    peer = wyrm_peer_at(dev, out->peer);
    status = send_data(dev, peer, ip, n, buf, cap, out);
    if (status == WYRM_HOLD) {
        peer->facts |= FACT_HOLDING;
        wyrm_timers_want_handshake(dev, peer);
    }
    return wyrm_drop(dev, status);
}

/* ---- Poll --------------------------------------------------------------- */

/* Pays one thing the peer's events owe the port; WYRM_IDLE if none is left. */
static wyrm_status pay(struct wyrm_device *dev, struct wyrm_peer *peer, uint8_t *buf,
                       struct wyrm_packet *out)
{
    unsigned owed = peer->events;
    unsigned first = owed & (0u - owed) & (EVENT_LOST | EVENT_READY | EVENT_KEEPALIVE);

    out->peer = peer->id;
    peer->events = (uint8_t)(owed & ~first);
    if (first == EVENT_LOST)
        return WYRM_LOST;
    if (first == EVENT_READY)
        return WYRM_READY;
    if (first == EVENT_KEEPALIVE) {
        out->len = 0;
        out->to.tos = 0;
        if (send_data(dev, peer, NULL, 0, buf, WYRM_CONTROL_MAX, out) == WYRM_SEND)
            return WYRM_SEND;
        wyrm_timers_keepalive_unsent(dev, peer);
    }
    return WYRM_IDLE;
}

/* Visits every peer once, going on where the last visit found something to do. */
static wyrm_status visit_peers(struct wyrm_device *dev, uint8_t *buf, struct wyrm_packet *out)
{
    dev->pending = true; /* until all have been seen */
    dev->next_due = WYRM_TICK_NEVER;
    for (unsigned i = 0; i < dev->pools->n_peers; i++) {
        struct wyrm_peer *peer = wyrm_peer_at(dev, dev->turn);
        wyrm_status status;

        wyrm_timers_expire(dev, peer);
        status = pay(dev, peer, buf, out);
        if (status != WYRM_IDLE)
            return status;
        dev->turn = (wyrm_peer_id)(dev->turn + 1u < dev->pools->n_peers ? dev->turn + 1u : 0);
    }
    dev->pending = false;
    return WYRM_IDLE;
}

wyrm_status wyrm_poll(struct wyrm_device *dev, wyrm_ms now, uint8_t *buf, size_t cap,
                      struct wyrm_packet *out)
{
    wyrm_status status = WYRM_IDLE;

    if (cap < WYRM_CONTROL_MAX)
        return WYRM_E_SPACE;
    wyrm_time_set(dev, now);
    if (dev->pending || dev->now >= dev->next_due)
        status = visit_peers(dev, buf, out);
    if (status == WYRM_IDLE && dev->work && !dev->work_told) {
        dev->work_told = true;
        status = WYRM_WORK;
    }
    return status;
}

wyrm_ms wyrm_deadline(const struct wyrm_device *dev)
{
    return dev->next_due == WYRM_TICK_NEVER ? WYRM_NEVER : dev->origin + dev->next_due;
}

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The calls that move packets: wyrm_input, wyrm_output, wyrm_poll and wyrm_deadline. Paper sections
 * 5.4.6 and 6.
 */
#include "wyrm_cookie.h"
#include "wyrm_index.h"
#include "wyrm_inner.h"
#include "wyrm_jobs.h"
#include "wyrm_peer.h"
#include "wyrm_session.h"
#include "wyrm_time.h"
#include "wyrm_timers.h"
#include "wyrm_wire.h"

#include <string.h>

/* ---- Receive ------------------------------------------------------------ */

/* Checks the decrypted packet: the peer is authenticated, but it may send anything. */
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

/* Not inlined: its frame must not add to the stack of the handshake path. */
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

    /* From here the packet is real: authenticated and not a replay. */
    wyrm_peer_received(dev, peer, from, len);
    if (WYRM_RESPONDER && place == peer->next) {
        wyrm_session_confirm(dev, peer);
        wyrm_peer_established(dev, peer);
    }
    len -= DATA_MIN_LEN;
    wyrm_timers_data_received(dev, peer, len);
    if (len == 0)
        return WYRM_IDLE; /* a keepalive */
    return deliver(dev, from, peer->id, buf + DATA_SEALED, len, out);
}

/* Does not move the endpoint: anyone can make a valid cookie reply, since its key is derived from a
 * public key (paper section 5.4.7). */
static wyrm_status input_cookie(struct wyrm_device *dev, uint8_t *buf)
{
    unsigned place; /* any: the reply may be to a response, which carries the index of a session */
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

/* Returns the first bytes of a scattered packet as one contiguous piece. */
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

/* Bytes of zero padding that hide the exact length: up to a multiple of 16, within the MTU. */
static size_t padding(const struct wyrm_device *dev, size_t len)
{
    size_t pad = (0 - len) & 15u;

    if (len >= dev->mtu)
        return 0;
    return pad < dev->mtu - len ? pad : dev->mtu - len;
}

/* Sets out->peer by the destination of a packet of out->len bytes, and the outer ECN bits. Not
 * inlined: its copy of the header must not be on the stack while the cipher runs. */
static WYRM_NOINLINE wyrm_status route_packet(const struct wyrm_device *dev,
                                              const struct wyrm_span *ip, unsigned n,
                                              struct wyrm_packet *out)
{
    uint8_t header[WYRM_INNER_HEADER_MAX]; /* a shorter packet fills only a part */
    struct wyrm_inner inner;

    if (!wyrm_inner_parse(&inner, gather_header(header, ip, n), out->len))
        return WYRM_D_INNER;
    out->to.tos = wyrm_inner_encapsulate_ecn(inner.tos);
    return wyrm_route_find(dev, inner.family, inner.destination, &out->peer);
}

/* Seals the spans, out->len bytes in total, as a data packet. */
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
    wyrm_peer_sent(dev, peer, &peer->to, out);
    out->to.tos = tos;
    wyrm_timers_data_sent(dev, peer, kp, n);
    return wyrm_session_seal(kp, ip, n, pad, buf); /* a tail call: the cipher needs the stack */
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
    status = route_packet(dev, ip, n, out);
    if (status != WYRM_OK)
        return wyrm_drop(dev, status);
    peer = wyrm_peer_at(dev, out->peer);
    status = send_data(dev, peer, ip, n, buf, cap, out);
    if (status == WYRM_HOLD) {
        peer->flags |= FLAG_HOLDING;
        wyrm_timers_request_handshake(dev, peer);
    }
    return wyrm_drop(dev, status);
}

/* ---- Poll --------------------------------------------------------------- */

/* Dispatches the peer's first pending event; WYRM_IDLE if there is none. */
static wyrm_status dispatch(struct wyrm_device *dev, struct wyrm_peer *peer, uint8_t *buf,
                            struct wyrm_packet *out)
{
    unsigned pending = peer->events;
    unsigned first = pending & (0u - pending) & (EVENT_LOST | EVENT_READY | EVENT_KEEPALIVE);

    out->peer = peer->id;
    peer->events = (uint8_t)(pending & ~first);
    if (first == 0)
        return WYRM_IDLE;
    if (first != EVENT_KEEPALIVE)
        return first == EVENT_LOST ? WYRM_LOST : WYRM_READY;
    out->len = 0;
    out->to.tos = 0;
    if (send_data(dev, peer, NULL, 0, buf, WYRM_CONTROL_MAX, out) == WYRM_SEND)
        return WYRM_SEND;
    wyrm_timers_keepalive_failed(dev, peer);
    return WYRM_IDLE;
}

/* Visits every peer once, starting with the one that had the last event. */
static wyrm_status visit_peers(struct wyrm_device *dev, uint8_t *buf, struct wyrm_packet *out)
{
    dev->pending = true; /* until all peers have been visited */
    dev->next_due = WYRM_TICK_NEVER;
    for (unsigned i = 0; i < dev->pools->n_peers; i++) {
        struct wyrm_peer *peer = wyrm_peer_at(dev, dev->next_polled);
        wyrm_status status;

        wyrm_peer_revise_endpoint(peer, wyrm_timers_expire(dev, peer));
        status = dispatch(dev, peer, buf, out);
        if (status != WYRM_IDLE)
            return status;
        dev->next_polled =
            (wyrm_peer_id)(dev->next_polled + 1u < dev->pools->n_peers ? dev->next_polled + 1u : 0);
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
    if (status == WYRM_IDLE && dev->work && !dev->work_announced) {
        dev->work_announced = true;
        status = WYRM_WORK;
    }
    return status;
}

wyrm_ms wyrm_deadline(const struct wyrm_device *dev)
{
    return dev->next_due == WYRM_TICK_NEVER ? WYRM_NEVER : dev->origin + dev->next_due;
}

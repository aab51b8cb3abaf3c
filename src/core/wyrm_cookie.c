/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * mac1, mac2, cookie replies and the table of source addresses. See paper sections 5.3, 5.4.4 and
 * 5.4.7. Called by wyrm_input with the device's lock held.
 */
#include "wyrm_cookie.h"
#include "wyrm_time.h"
#include "wyrm_wire.h"

#include "../wyrm_crypto.h"

#include <string.h>

/* 20 handshakes per second in bursts of 5 per IPv4 address or IPv6 /64. Tokens are milliseconds. */
enum { HANDSHAKE_COST_MS = 50, BUCKET_MS = 5 * HANDSHAKE_COST_MS, SOURCE_WAYS = 8 };

#define COOKIES_SPAN_MS 32u

/* HASH(label || pub) */
static WYRM_NOINLINE void labelled_hash(uint8_t out[WYRM_HASH_LEN], const char label[8],
                                        const uint8_t pub[WYRM_KEY_LEN])
{
    wyrm_hash_pair(out, (const uint8_t *)label, 8, pub, WYRM_KEY_LEN);
}

static void cookie_reply_key(uint8_t key[32], const uint8_t pub[WYRM_KEY_LEN])
{
    labelled_hash(key, "cookie--", pub);
}

void wyrm_cookie_mac1(uint8_t mac[MAC_LEN], const uint8_t pub[WYRM_KEY_LEN], const uint8_t *msg,
                      size_t len)
{
    uint8_t key[WYRM_HASH_LEN];

    labelled_hash(key, "mac1----", pub);
    wyrm_blake2s(mac, MAC_LEN, key, sizeof(key), msg, len);
}

#if WYRM_RESPONDER

void wyrm_cookie_set_key(struct wyrm_device *dev)
{
    uint8_t key[WYRM_HASH_LEN];
    struct wyrm_blake2s state;

    labelled_hash(key, "mac1----", dev->own.pub);
    wyrm_blake2s_init(&state, MAC_LEN, key, sizeof(key));
    wyrm_blake2s_update(&state, key, 1); /* compresses the block of the key */
    wyrm_copy(dev->mac1_state, state.h, sizeof(dev->mac1_state));
}

bool wyrm_cookie_check_mac1(const struct wyrm_device *dev, const uint8_t *msg, size_t len)
{
    struct wyrm_blake2s state;
    uint8_t mac[MAC_LEN];

    /* The state after wyrm_cookie_set_key: one block compressed, none buffered. */
    wyrm_copy(state.h, dev->mac1_state, sizeof(state.h));
    state.counter[0] = WYRM_HASH_BLOCK_LEN;
    state.counter[1] = 0;
    state.fill = 0;
    state.out_len = MAC_LEN;
    wyrm_blake2s_update(&state, msg, len - MACS_LEN);
    wyrm_blake2s_final(&state, mac);
    return wyrm_ct_equal(mac, msg + len - MACS_LEN, sizeof(mac));
}

/* The cookie of a source address: a MAC over the address with a secret that changes every two
 * minutes. Not inlined: its hash state must not be on the stack while the cipher runs. */
static WYRM_NOINLINE void make_cookie(const struct wyrm_device *dev, uint8_t cookie[16],
                                      const struct wyrm_endpoint *from)
{
    uint8_t source[WYRM_ADDR_LEN + 2];
    size_t len = wyrm_addr_len(from->family);

    wyrm_copy(source, from->addr, len);
    source[len] = (uint8_t)(from->port >> 8);
    source[len + 1] = (uint8_t)from->port;
    wyrm_blake2s(cookie, 16, dev->cookie_secret, sizeof(dev->cookie_secret), source, len + 2);
}

/* False without randomness; the expired secret is not used again. */
static bool refresh_secret(struct wyrm_device *dev)
{
    if (!wyrm_expired(dev->now, dev->cookie_born, WYRM_COOKIE_LIFETIME))
        return true;
    if (!dev->io->random(dev->io->ctx, dev->cookie_secret, sizeof(dev->cookie_secret)))
        return false;
    dev->cookie_born = dev->now;
    return true;
}

/* Returns the bucket of a source, or replaces the one that is full again first. An attacker with
 * many addresses can evict other sources, which gives them a full bucket, but cannot lock them out.
 */
static struct wyrm_source *find_source(struct wyrm_device *dev, uint32_t tag)
{
    const struct wyrm_pools *pools = dev->pools;
    uint32_t n = pools->n_sources;
    struct wyrm_source *best = NULL;

    for (uint32_t i = 0; i < n && i < SOURCE_WAYS; i++) {
        struct wyrm_source *s = &pools->sources[(tag + i) % n];

        if (s->tag == tag)
            return s;
        if (best == NULL || s->full < best->full)
            best = s;
    }
    *best = (struct wyrm_source){.tag = tag};
    return best;
}

wyrm_tick wyrm_cookie_charge(struct wyrm_device *dev, const struct wyrm_endpoint *from)
{
    size_t len = from->family == 6 ? 8 : 4; /* one /64 is one source */
    struct wyrm_source *s;
    wyrm_tick full, before;
    uint8_t raw[4];

    wyrm_blake2s(raw, sizeof(raw), dev->cookie_secret, sizeof(dev->cookie_secret), from->addr, len);
    s = find_source(dev, wyrm_load_le32(raw));
    before = s->full;
    full = before > dev->now ? before : dev->now;
    if (full > dev->now + BUCKET_MS - HANDSHAKE_COST_MS)
        return WYRM_TICK_NEVER;
    s->full = full + HANDSHAKE_COST_MS;
    return before;
}

/* Cookie replies are made under the lock that packets wait for, so they have a budget: on average a
 * quarter of the number of sources per millisecond. Of these, one per 2 ms may go to responses to
 * one handshake, so that forged responses cannot use up what initiations need. Time is compared in
 * spans that are equal or not: a clock that steps cannot make a span last. */
static bool within_budget(struct wyrm_device *dev, struct wyrm_peer *answered)
{
    uint32_t span = dev->now / COOKIES_SPAN_MS;

    if (answered != NULL) {
        uint8_t span_2ms = (uint8_t)(dev->now / 2 % 16 + 1); /* 0: none yet */

        if (answered->responses.cookie_span == span_2ms)
            return false;
        answered->responses.cookie_span = span_2ms & 31u;
    }
    if (dev->cookies_span != span) {
        dev->cookies_span = span;
        dev->cookies_left = dev->pools->n_sources * (COOKIES_SPAN_MS / 4u);
    }
    if (dev->cookies_left == 0)
        return false;
    dev->cookies_left--;
    return true;
}

wyrm_status wyrm_cookie_reply(struct wyrm_device *dev, uint8_t *msg, size_t len)
{
    uint8_t *nonce = msg + COOKIE_NONCE, *cookie = msg + COOKIE_SEALED;
    uint8_t *mac1 = msg + COOKIE_REPLY_LEN, key[WYRM_HASH_LEN];

    /* The reply overwrites the message, whose sender index is already in place; mac1, the
     * additional data of the seal, moves behind it. */
    _Static_assert((int)INITIATION_SENDER == (int)COOKIE_RECEIVER,
                   "the reply goes to the sender's index");
    memmove(mac1, msg + len - MACS_LEN, MAC_LEN);
    if (!dev->io->random(dev->io->ctx, nonce, WYRM_XAEAD_NONCE_LEN))
        return WYRM_D_MAC2;
    wyrm_store_le32(msg, WYRM_MSG_COOKIE);
    cookie_reply_key(key, dev->own.pub);
    if (!wyrm_xaead_seal(cookie, cookie, MAC_LEN, mac1, MAC_LEN, nonce, key))
        return WYRM_D_MAC2;
    (void)wyrm_drop(dev, WYRM_D_MAC2);
    return WYRM_SEND;
}

/* True if mac2 was made with the cookie of this source. Otherwise writes that cookie into the
 * message. */
static WYRM_NOINLINE bool check_mac2(const struct wyrm_device *dev, uint8_t *msg, size_t len,
                                     const struct wyrm_endpoint *from)
{
    uint8_t cookie[16], mac[MAC_LEN];
    bool proven;

    make_cookie(dev, cookie, from);
    wyrm_blake2s(mac, sizeof(mac), cookie, sizeof(cookie), msg, len - MAC_LEN);
    proven = wyrm_ct_equal(mac, msg + len - MAC_LEN, sizeof(mac));
    if (!proven)
        wyrm_copy(msg + COOKIE_SEALED, cookie, sizeof(cookie));
    wyrm_wipe(cookie, sizeof(cookie));
    return proven;
}

wyrm_status wyrm_cookie_admit(struct wyrm_device *dev, uint8_t *msg, size_t len,
                              const struct wyrm_endpoint *from, struct wyrm_peer *answered)
{
    bool blank = wyrm_ct_is_zero(msg + len - MAC_LEN, MAC_LEN);

    if (!refresh_secret(dev))
        return WYRM_D_MAC2;
    if (!blank && check_mac2(dev, msg, len, from))
        return WYRM_IDLE;
    if (!within_budget(dev, answered))
        return WYRM_D_MAC2;
    if (blank)
        make_cookie(dev, msg + COOKIE_SEALED, from);
    return WYRM_SEND;
}

#else /* a client checks one response in two minutes: no precomputed state */

bool wyrm_cookie_check_mac1(const struct wyrm_device *dev, const uint8_t *msg, size_t len)
{
    uint8_t mac[MAC_LEN];

    wyrm_cookie_mac1(mac, dev->own.pub, msg, len - MACS_LEN);
    return wyrm_ct_equal(mac, msg + len - MACS_LEN, sizeof(mac));
}

#endif /* WYRM_RESPONDER */

bool wyrm_cookie_consume(const struct wyrm_device *dev, struct wyrm_peer *peer, uint8_t *msg)
{
    uint8_t *cookie = msg + COOKIE_SEALED, key[WYRM_HASH_LEN];

    if (!(peer->flags & FLAG_LAST_MAC1))
        return false;
    cookie_reply_key(key, peer->contact.pub);
    if (!wyrm_xaead_open(cookie, COOKIE_REPLY_LEN - COOKIE_SEALED, peer->last_mac1,
                         sizeof(peer->last_mac1), msg + COOKIE_NONCE, key))
        return false;
    wyrm_copy(peer->contact.cookie, cookie, sizeof(peer->contact.cookie));
    wyrm_wipe(cookie, sizeof(peer->contact.cookie));
    peer->cookie_born = dev->now;
    peer->flags &= (uint8_t)~FLAG_LAST_MAC1; /* one reply per message */
    return true;
}

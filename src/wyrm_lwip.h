/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * A WireGuard tunnel as a network interface of lwIP 2.1 or later, for IPv4 and IPv6, inside and
 * outside. Compile src/port/lwip with your own lwipopts.h and WYRM_PORT_LWIP=1.
 *
 * Who may call: every function here, from any task, with lwIP's core lock held or not, whether
 * LWIP_TCPIP_CORE_LOCKING is 1 or 0; with NO_SYS=1 from the main loop. Never from an interrupt.
 * Whether the lock is held is asked of WYRM_LWIP_LOCK_HELD(), which knows FreeRTOS
 * (wyrm_freertos.h); elsewhere define it in lwipopts.h, or call only without the lock. Code that
 * certainly holds the lock may use wyrm_... on wyrm_lwip_device() directly and then call
 * wyrm_lwip_service_locked(). Callbacks run under the lock and must not block.
 *
 * Fail closed: once started, the interface stays up, with its addresses, while peers are
 * unreachable and even after wyrm_lwip_stop. What is meant for the tunnel then goes nowhere, and
 * the sender is told (ERR_RTE, and others than ourselves by an ICMP unreachable). Only
 * wyrm_lwip_remove gives the routes back.
 *
 * lwIP needs one entry more in MEMP_NUM_SYS_TIMEOUT and MEMP_NUM_UDP_PCB for each tunnel.
 */
#ifndef WYRM_LWIP_H
#define WYRM_LWIP_H

#include "wyrm.h"
#include "wyrm_clock.h"

#include "lwip/netif.h"
#include "lwip/pbuf.h"
#include "lwip/udp.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Packets held for one peer while its handshake runs; the oldest goes first. */
#ifndef WYRM_LWIP_HOLD_PER_PEER
#define WYRM_LWIP_HOLD_PER_PEER 2
#endif

/* Pieces of a scattered outgoing packet that are encrypted as they lie; more are copied first. */
#ifndef WYRM_LWIP_SPANS
#define WYRM_LWIP_SPANS 8
#endif

#if WYRM_LWIP_HOLD_PER_PEER < 1 || WYRM_LWIP_SPANS < 1
#error "WYRM_LWIP_HOLD_PER_PEER and WYRM_LWIP_SPANS must be at least 1"
#endif

/* What only some devices need is left out of the others. A device that forwards packets of others
 * needs all three; a NAT that lwIP does not know of is one too. */
#ifndef WYRM_LWIP_FORWARDS
#define WYRM_LWIP_FORWARDS (IP_FORWARD || LWIP_IPV6_FORWARD)
#endif

/* 1: check sums that lwIP has zeroed for hardware to fill in are filled in by the tunnel. */
#ifndef WYRM_LWIP_FILL_CHECKSUMS
#define WYRM_LWIP_FILL_CHECKSUMS                                                                   \
    (WYRM_LWIP_FORWARDS || !(CHECKSUM_GEN_IP && CHECKSUM_GEN_UDP && CHECKSUM_GEN_TCP &&            \
                             CHECKSUM_GEN_ICMP && CHECKSUM_GEN_ICMP6))
#endif

/* 1: TCP connections are told of the tunnel's MTU on their way; lwIP does so for its own. */
#ifndef WYRM_LWIP_CLAMP_MSS
#define WYRM_LWIP_CLAMP_MSS (WYRM_LWIP_FORWARDS || !TCP_CALCULATE_EFF_SEND_MSS)
#endif

/* 1: senders of packets that the tunnel refuses get an ICMP error, besides lwIP's ERR_RTE or
 * ERR_VAL for senders of our own, whom an ICMP error only reaches with LWIP_NETIF_LOOPBACK. Ten a
 * second leave, and ten at once (RFC 4443 section 2.4 f). */
#ifndef WYRM_LWIP_ICMP_ERRORS
#define WYRM_LWIP_ICMP_ERRORS (WYRM_LWIP_FORWARDS || LWIP_NETIF_LOOPBACK)
#endif

enum wyrm_lwip_direction { WYRM_LWIP_IN, WYRM_LWIP_OUT };

struct wyrm_lwip_config {
    const struct wyrm_platform *platform; /* must outlive the tunnel */
    const struct wyrm_prefix *addresses;  /* of the interface; one IPv4, others IPv6 */
    unsigned n_addresses;
    uint16_t listen_port;     /* 0: any free port */
    uint16_t mtu;             /* 0: WYRM_DEFAULT_MTU */
    struct netif *bind_netif; /* the only interface for the outside, or NULL: routing decides */
    bool verify_checksums;    /* check inner checksums although the peer vouches for the packet */
    bool strict;              /* allowed prefixes win over attached networks; see Routing below */
    /* Sees every plain inner packet, p->payload at the IP header; false drops it. May be NULL. */
    bool (*filter)(void *arg, enum wyrm_lwip_direction direction, const struct pbuf *p);
    /* WYRM_READY: the peer has a session; WYRM_LOST: it gave up or was removed. May be NULL. */
    void (*event)(void *arg, wyrm_status event, wyrm_peer_id peer);
    /* A handshake waits: have wyrm_lwip_work called soon, from a task of its own. */
    void (*wake)(void *arg);
    void *arg; /* for the three above */
};

struct wyrm_lwip_counters {
    uint32_t rx_packets, tx_packets; /* inner packets delivered and sent */
    uint32_t rx_copies;              /* datagrams that were chained, shared or read-only */
    uint32_t tx_copies;              /* packets in too many pieces, or with their MSS clamped */
    uint32_t held, held_copies;      /* packets that waited for a session; copied to do so */
    uint32_t held_dropped;           /* of these, pushed out by newer ones or given up */
    uint32_t loops;                  /* packets that would have gone through the tunnel twice */
    uint32_t no_memory;              /* packets lost because lwIP had no buffer */
    uint32_t filtered;               /* dropped by the filter */
    uint32_t unreachable, too_big;   /* outgoing packets refused, the sender told */
    uint32_t down;                   /* packets that met a tunnel that is stopped or set down */
    uint32_t send_errors;            /* datagrams that lwIP could not send */
    uint32_t spoofed;                /* packets that came past the tunnel; see Routing below */
    uint32_t timer_fired;            /* wake-ups caused by our one timer */
};

struct wyrm_lwip_held {
    struct pbuf *packet;
    wyrm_peer_id peer;
};

/* Members are private; the struct netif finds its tunnel by its place, so netif->state is free. */
struct wyrm_lwip {
    struct wyrm_device *device;
    const struct wyrm_pools *pools;
    struct wyrm_lwip_held *held; /* oldest first */
    uint16_t held_room, held_used;

    struct udp_pcb *pcb;
    uint32_t life; /* outdates jobs of an earlier start */
    bool running, polling, receiving, sending, complaining, listed;
    bool strict;
    uint16_t port;        /* at which peers find us; 0: stopped */
    uint16_t listen_port; /* at which they shall; 0: any */
    /* Of the configuration. */
    bool (*filter)(void *arg, enum wyrm_lwip_direction direction, const struct pbuf *p);
    void (*event)(void *arg, wyrm_status event, wyrm_peer_id peer);
    void (*wake)(void *arg);
    void *arg;
    /* Rarely used or wide members last: what lies far off needs longer instructions. */
    struct wyrm_lwip_counters counters;
    uint32_t timer_due;  /* past: no timer is set */
    wyrm_ms errors_full; /* when as many ICMP errors as ever may leave at once */
    struct wyrm_clock clock;
    struct netif netif;
};

/* One line gives you a tunnel with all its storage in .bss. */
#define WYRM_LWIP_DEFINE(name, peer_count, route_count, held_packets)                              \
    WYRM_DEVICE_DEFINE(name##_device, peer_count, route_count);                                    \
    static struct wyrm_lwip_held name##_held[held_packets];                                        \
    static struct wyrm_lwip name = {.device = &name##_device,                                      \
                                    .pools = &name##_device_pools,                                 \
                                    .held = name##_held,                                           \
                                    .held_room = (held_packets)}

/* ---- Life ------------------------------------------------------------- */

/* Empties the device, opens the port and adds the interface (unless it is there from before); then
 * set private key and peers, in the same wyrm_lwip_call if the routing hooks are used and nothing
 * may slip out in between. ERR_ALREADY: running; ERR_ARG: bad configuration; ERR_USE: the port is
 * taken; ERR_MEM. On error nothing has changed. The addresses are copied. */
err_t wyrm_lwip_start(struct wyrm_lwip *lwip, const struct wyrm_lwip_config *config);
/* Wipes all secrets, frees held packets, closes the port. The interface stays and refuses, and the
 * routing hooks below still lead to it what peers were allowed to have. */
void wyrm_lwip_stop(struct wyrm_lwip *lwip);
/* Stops, then takes the interface away: its traffic goes where routing sends it from now on. */
void wyrm_lwip_remove(struct wyrm_lwip *lwip);

/* For netif_set_default and the like. */
static inline struct netif *wyrm_lwip_netif(struct wyrm_lwip *lwip)
{
    return &lwip->netif;
}
/* The core device, to be used under the lock only. */
static inline struct wyrm_device *wyrm_lwip_device(struct wyrm_lwip *lwip)
{
    return lwip->device;
}

/* ---- Handshakes ------------------------------------------------------- */

/* Runs the handshakes that wait; slow, so call it from a worker task without the lock. `job` is
 * scratch, best in static memory; it is wiped on return. */
void wyrm_lwip_work(struct wyrm_lwip *lwip, struct wyrm_job *job);

/* ---- The core's calls, from any task ----------------------------------- */

/* As the functions of the same name in wyrm.h. WYRM_E_STATE: the tunnel is not running.
 * WYRM_E_FULL: nothing was done, as lwIP, without core locking, had no semaphore to wait on. */
wyrm_status wyrm_lwip_set_private_key(struct wyrm_lwip *lwip, const uint8_t key[WYRM_KEY_LEN]);
wyrm_status wyrm_lwip_public_key(struct wyrm_lwip *lwip, uint8_t out[WYRM_KEY_LEN]);
wyrm_status wyrm_lwip_peer_add(struct wyrm_lwip *lwip, const uint8_t pub[WYRM_KEY_LEN],
                               wyrm_peer_id *out);
wyrm_status wyrm_lwip_peer_find(struct wyrm_lwip *lwip, const uint8_t pub[WYRM_KEY_LEN],
                                wyrm_peer_id *out);
wyrm_status wyrm_lwip_peer_remove(struct wyrm_lwip *lwip, wyrm_peer_id peer);
wyrm_status wyrm_lwip_peer_set_psk(struct wyrm_lwip *lwip, wyrm_peer_id peer,
                                   const uint8_t psk[WYRM_KEY_LEN]);
wyrm_status wyrm_lwip_peer_set_endpoint(struct wyrm_lwip *lwip, wyrm_peer_id peer,
                                        const struct wyrm_endpoint *endpoint);
wyrm_status wyrm_lwip_peer_set_keepalive(struct wyrm_lwip *lwip, wyrm_peer_id peer,
                                         uint16_t seconds);
wyrm_status wyrm_lwip_peer_connect(struct wyrm_lwip *lwip, wyrm_peer_id peer);
wyrm_status wyrm_lwip_peer_disconnect(struct wyrm_lwip *lwip, wyrm_peer_id peer);
/* `now`, unless NULL, receives the tunnel's clock, to tell the age of info.last_handshake. */
wyrm_status wyrm_lwip_peer_get(struct wyrm_lwip *lwip, wyrm_peer_id peer,
                               struct wyrm_peer_info *out, wyrm_ms *now);
wyrm_status wyrm_lwip_route_add(struct wyrm_lwip *lwip, wyrm_peer_id peer,
                                const struct wyrm_prefix *prefix);
wyrm_status wyrm_lwip_route_remove(struct wyrm_lwip *lwip, wyrm_peer_id peer,
                                   const struct wyrm_prefix *prefix);
wyrm_status wyrm_lwip_route_get(struct wyrm_lwip *lwip, uint32_t position,
                                struct wyrm_prefix *prefix, wyrm_peer_id *peer);

/* A copy of the counters, and the core's drops in the order of WYRM_D_..., either may be NULL. */
void wyrm_lwip_count(struct wyrm_lwip *lwip, struct wyrm_lwip_counters *counters,
                     uint32_t drops[WYRM_DROP_REASONS]);
/* The port that peers send to; 0 while stopped. */
static inline uint16_t wyrm_lwip_port(const struct wyrm_lwip *lwip)
{
    return lwip->port;
}

/* Runs fn(lwip, arg) under the lock, then polls: for several changes in one go. What fn returns, or
 * WYRM_E_FULL as above. */
wyrm_status wyrm_lwip_call(struct wyrm_lwip *lwip, wyrm_status (*fn)(struct wyrm_lwip *, void *),
                           void *arg);

/* ---- With the lock held ------------------------------------------------ */

err_t wyrm_lwip_start_locked(struct wyrm_lwip *lwip, const struct wyrm_lwip_config *config);
void wyrm_lwip_stop_locked(struct wyrm_lwip *lwip);
/* Goes on at another port, 0: any free one, or the one it has if that was any too. Sessions stay.
 * ERR_USE: the port is taken, nothing has changed; ERR_CLSD: the tunnel is not running. */
err_t wyrm_lwip_set_port_locked(struct wyrm_lwip *lwip, uint16_t port);
void wyrm_lwip_remove_locked(struct wyrm_lwip *lwip);
/* Time for the core's calls. */
wyrm_ms wyrm_lwip_now_locked(struct wyrm_lwip *lwip);
/* Polls the core, acts and arms the timer: after any direct call of the core. */
void wyrm_lwip_service_locked(struct wyrm_lwip *lwip);

/* ---- Routing by allowed addresses, optional ----------------------------- */

/* lwIP routes by the addresses of its interfaces alone, and accepts a packet for any of them from
 * any of them. To send what peers are allowed to have into the tunnel (AllowedIPs = 0.0.0.0/0,
 * say), and to keep neighbours from speaking as peers, put these lines into lwipopts.h, and declare
 * the four functions in the header that LWIP_HOOK_FILENAME names:
 *
 *     #define LWIP_HOOK_IP4_ROUTE_SRC(src, dest)  wyrm_lwip_route4(src, dest)
 *     #define LWIP_HOOK_IP6_ROUTE(src, dest)      wyrm_lwip_route6(src, dest)
 *     #define LWIP_HOOK_IP4_INPUT(p, inp)         wyrm_lwip_input4(p, inp)
 *     #define LWIP_HOOK_IP6_INPUT(p, inp)         wyrm_lwip_input6(p, inp)
 *
 * Out: the longest prefix that holds the destination decides, be it of an attached network or of an
 * allowed one; the tunnel wins ties. The device's own addresses are its own. An attached network
 * that is smaller than the allowed prefix thus stays reachable past the tunnel, and whoever hands
 * out addresses (DHCP, router advertisements) chooses it: with wyrm_lwip_config.strict no attached
 * network does, nor any group's address. What still leaves past the tunnel are its own datagrams,
 * DHCP, neighbour discovery, IPv6 packets to link-local addresses, for which lwIP asks no hook, and
 * what the application sends through an interface that it names (udp_bind_netif).
 *
 * In: a packet from another interface is dropped, and counted as spoofed, if it is for the tunnel's
 * address, or if its source is an address that is routed into the tunnel. Exceptions to the latter
 * are datagrams for a tunnel, for lwIP's DHCP client, and for UDP sockets bound to the interface;
 * errors of ICMPv6; and, under the strict policy, neighbour discovery on attached networks. */
#if LWIP_IPV4
/* NULL: no interface has a prefix for `dest`; lwIP takes its default one. */
struct netif *wyrm_lwip_route4(const ip4_addr_t *src, const ip4_addr_t *dest);
/* 1: the packet was dropped. */
int wyrm_lwip_input4(struct pbuf *p, struct netif *inp);
#endif
#if LWIP_IPV6
/* NULL: no tunnel wants `dest`. */
struct netif *wyrm_lwip_route6(const ip6_addr_t *src, const ip6_addr_t *dest);
int wyrm_lwip_input6(struct pbuf *p, struct netif *inp);
#endif

#ifdef __cplusplus
}
#endif

#endif /* WYRM_LWIP_H */

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * A WireGuard tunnel as a network interface of lwIP 2.1 or later, with IPv4 and IPv6 both inside
 * the tunnel and for its endpoints. Compile src/port/lwip with your own lwipopts.h and
 * WYRM_PORT_LWIP=1.
 *
 * Locking: functions named ..._locked require lwIP's core lock, as do the routing hooks and all
 * calls of wyrm.h on wyrm_lwip_device(). Every other function may be called from any task, with or
 * without the lock, whether LWIP_TCPIP_CORE_LOCKING is 1 or 0, or from the main loop with NO_SYS=1.
 * Nothing may be called from an interrupt. Callbacks run under the lock and must not block.
 *
 * WYRM_LWIP_LOCK_HELD() says whether the caller holds the lock. Its default works with FreeRTOS
 * (wyrm_freertos.h), ESP-IDF and NO_SYS=1; elsewhere define it in lwipopts.h, or the port does not
 * compile.
 *
 * Fail closed: once started, the interface stays up and keeps its addresses while peers are
 * unreachable, and even after wyrm_lwip_stop(). Packets for the tunnel are then refused: the sender
 * gets ERR_RTE or, if it is another host, an ICMP unreachable. Only wyrm_lwip_remove() returns the
 * routes to other interfaces.
 *
 * Each tunnel needs one more entry in MEMP_NUM_SYS_TIMEOUT and MEMP_NUM_UDP_PCB.
 */
#ifndef WYRM_LWIP_H
#define WYRM_LWIP_H

#include "wyrm.h"
#include "wyrm_clock.h"

#include "lwip/def.h"
#include "lwip/netif.h"
#include "lwip/pbuf.h"
#include "lwip/udp.h"

#ifdef __cplusplus
extern "C" {
#endif

/* options.toml: begin */
/* Packets held for one peer during its handshake; the oldest is dropped first. */
#ifndef WYRM_LWIP_HOLD_PER_PEER
#define WYRM_LWIP_HOLD_PER_PEER 2
#endif

/* An outgoing packet of at most this many pbufs is encrypted in place; of more, copied first. */
#ifndef WYRM_LWIP_SPANS
#define WYRM_LWIP_SPANS 8
#endif
/* options.toml: end */

#if WYRM_LWIP_HOLD_PER_PEER < 1 || WYRM_LWIP_SPANS < 1
#error "WYRM_LWIP_HOLD_PER_PEER and WYRM_LWIP_SPANS must be at least 1"
#endif

/* Code that only some devices need. A device that forwards packets needs all three options below;
 * set this to 1 if it does so without lwIP's knowledge, as with a NAT of your own. */
#ifndef WYRM_LWIP_FORWARDS
#define WYRM_LWIP_FORWARDS (IP_FORWARD || LWIP_IPV6_FORWARD)
#endif

/* 1: the tunnel computes checksums that lwIP leaves zero for hardware offload. */
#ifndef WYRM_LWIP_FILL_CHECKSUMS
#define WYRM_LWIP_FILL_CHECKSUMS                                                                   \
    (WYRM_LWIP_FORWARDS || !(CHECKSUM_GEN_IP && CHECKSUM_GEN_UDP && CHECKSUM_GEN_TCP &&            \
                             CHECKSUM_GEN_ICMP && CHECKSUM_GEN_ICMP6))
#endif

/* 1: clamp the MSS of TCP connections to the tunnel's MTU; lwIP does so for its own. */
#ifndef WYRM_LWIP_CLAMP_MSS
#define WYRM_LWIP_CLAMP_MSS (WYRM_LWIP_FORWARDS || !TCP_CALCULATE_EFF_SEND_MSS)
#endif

/* 1: answer refused packets with an ICMP error, at most ten per second in bursts of ten (RFC 4443
 * section 2.4 f). Local senders always get ERR_RTE or ERR_VAL; an ICMP error reaches them only with
 * LWIP_NETIF_LOOPBACK. */
#ifndef WYRM_LWIP_ICMP_ERRORS
#define WYRM_LWIP_ICMP_ERRORS (WYRM_LWIP_FORWARDS || LWIP_NETIF_LOOPBACK)
#endif

enum wyrm_lwip_direction { WYRM_LWIP_IN, WYRM_LWIP_OUT };

struct wyrm_lwip_config {
    const struct wyrm_platform *platform; /* must outlive the tunnel */
    const struct wyrm_prefix *addresses;  /* of the interface; at most one IPv4 */
    unsigned n_addresses;
    uint16_t listen_port;     /* 0: any free port */
    uint16_t mtu;             /* 0: WYRM_DEFAULT_MTU */
    struct netif *bind_netif; /* the only interface for outer datagrams; NULL: routing decides */
    bool verify_checksums;    /* check inner checksums although the packet is authenticated */
    bool strict;              /* allowed prefixes win over attached networks; see Routing below */
    /* Called with every inner packet, p->payload at the IP header; false drops it. May be NULL. */
    bool (*filter)(void *arg, enum wyrm_lwip_direction direction, const struct pbuf *p);
    /* WYRM_READY: the peer has a session. WYRM_LOST: the handshake failed, or the peer was removed.
     * May be NULL. */
    void (*event)(void *arg, wyrm_status event, wyrm_peer_id peer);
    /* A handshake is pending: let a worker task call wyrm_lwip_work() soon. */
    void (*wake)(void *arg);
    void *arg; /* passed to the three callbacks */
};

struct wyrm_lwip_counters {
    uint32_t rx_packets, tx_packets; /* inner packets delivered and sent */
    uint32_t rx_copies;              /* datagrams that were chained, shared or read-only */
    uint32_t tx_copies;              /* packets in too many pbufs, or with a clamped MSS */
    uint32_t held, held_copies;      /* packets held for a session; copied for that */
    uint32_t held_dropped;           /* held packets dropped */
    uint32_t loops;                  /* packets that would have entered the tunnel twice */
    uint32_t no_memory;              /* packets lost as lwIP was out of memory */
    uint32_t filtered;               /* dropped by the filter */
    uint32_t unreachable, too_big;   /* outgoing packets refused with an error */
    uint32_t down;                   /* packets while the tunnel was stopped or its netif down */
    uint32_t send_errors;            /* datagrams that lwIP could not send */
    uint32_t spoofed;                /* dropped by the input hooks; see Routing below */
    uint32_t timer_fired;            /* expirations of the one timer */
};

struct wyrm_lwip_held {
    struct pbuf *packet;
    wyrm_peer_id peer;
};

/* Members are private. netif->state is free for the application. */
struct wyrm_lwip {
    struct wyrm_device *device;
    const struct wyrm_pools *pools;
    struct wyrm_lwip_held *held; /* oldest first */
    uint16_t held_capacity, held_count;

    struct udp_pcb *pcb;
    uint32_t generation; /* incremented by each stop; outdates jobs */
    bool running, polling, receiving, sending, sending_error, netif_added;
    bool strict;
    uint16_t port;        /* the bound one; 0: stopped */
    uint16_t listen_port; /* the configured one; 0: any */
    /* Copied from the configuration. */
    bool (*filter)(void *arg, enum wyrm_lwip_direction direction, const struct pbuf *p);
    void (*event)(void *arg, wyrm_status event, wyrm_peer_id peer);
    void (*wake)(void *arg);
    void *arg;
    /* Large and rarely used members last: small offsets make shorter instructions. */
    struct wyrm_lwip_counters counters;
    uint32_t timer_due;   /* in the past: no timer is set */
    uint32_t errors_full; /* when the token bucket for ICMP errors is full */
    struct wyrm_clock clock;
    struct netif netif;
};

/* Defines a tunnel with all its storage, in .bss. */
#define WYRM_LWIP_DEFINE(name, peer_count, route_count, held_packets)                              \
    WYRM_DEVICE_DEFINE(name##_device, peer_count, route_count);                                    \
    static struct wyrm_lwip_held name##_held[held_packets];                                        \
    static struct wyrm_lwip name = {.device = &name##_device,                                      \
                                    .pools = &name##_device_pools,                                 \
                                    .held = name##_held,                                           \
                                    .held_capacity = (held_packets)}

/* ---- Start and stop --------------------------------------------------- */

/* Calls from any task, beside their _locked variants below, for applications that configure the
 * tunnel in steps. Stop and remove wait for memory where wyrm_lwip_call() would return WYRM_E_FULL.
 *
 * Clears the device, binds the port and adds the interface unless it is already there. Set the
 * private key and the peers afterwards; with the routing hooks, do both in one wyrm_lwip_call(), so
 * that no packet leaves past the tunnel in between. ERR_ALREADY: running; ERR_ARG: invalid
 * configuration; ERR_USE: the port is in use; ERR_MEM. On error nothing changes. `config` and its
 * addresses need not outlive the call. */
err_t wyrm_lwip_start(struct wyrm_lwip *lwip, const struct wyrm_lwip_config *config);
/* Wipes all secrets, frees held packets and closes the port. The interface stays and refuses
 * packets; the routing hooks still lead those for allowed prefixes to it. */
void wyrm_lwip_stop(struct wyrm_lwip *lwip);
/* Stops the tunnel and removes its interface; other interfaces then take over its traffic. */
void wyrm_lwip_remove(struct wyrm_lwip *lwip);

/* For netif_set_default() and the like. */
static inline struct netif *wyrm_lwip_netif(struct wyrm_lwip *lwip)
{
    return &lwip->netif;
}
/* The tunnel that an interface belongs to, or NULL if the interface is not a tunnel. */
struct wyrm_lwip *wyrm_lwip_from_netif(struct netif *netif);
/* The core device, valid from start to remove. Requires the lock. */
static inline struct wyrm_device *wyrm_lwip_device(struct wyrm_lwip *lwip)
{
    return lwip->device;
}

/* ---- Handshakes ------------------------------------------------------- */

/* Runs all pending handshakes. Slow: call it from a worker task without the lock. `job` is scratch
 * memory, preferably static; it is wiped on return. */
void wyrm_lwip_work(struct wyrm_lwip *lwip, struct wyrm_job *job);

/* ---- Calls of the core, from any task ------------------------------------- */

/* Runs fn(lwip, arg) under the lock, then services the tunnel. Make several changes in one call if
 * no packet may be sent or received in between. Returns the result of `fn`; WYRM_E_FULL: without
 * core locking, lwIP had no memory for the call, and `fn` was not run. */
wyrm_status wyrm_lwip_call(struct wyrm_lwip *lwip, wyrm_status (*fn)(struct wyrm_lwip *, void *),
                           void *arg);

/* The same for calls of wyrm.h on a running tunnel, with the device and the time that they take:
 *
 *     static wyrm_status connect(struct wyrm_device *device, wyrm_ms now, void *peer)
 *     {
 *         return wyrm_peer_connect(device, now, *(wyrm_peer_id *)peer);
 *     }
 *     ...
 *     status = wyrm_lwip_call_core(&tunnel, connect, &peer);
 *
 * WYRM_E_STATE: the tunnel is not running, and `fn` was not run. */
wyrm_status wyrm_lwip_call_core(struct wyrm_lwip *lwip,
                                wyrm_status (*fn)(struct wyrm_device *, wyrm_ms, void *),
                                void *arg);

/* Copies the counters and the core's drop counters, in the order of WYRM_D_...; either may be NULL.
 */
void wyrm_lwip_count(struct wyrm_lwip *lwip, struct wyrm_lwip_counters *counters,
                     uint32_t drops[WYRM_DROP_REASONS]);
/* The port that the tunnel is bound to; 0 if it is stopped. */
static inline uint16_t wyrm_lwip_port(const struct wyrm_lwip *lwip)
{
    return lwip->port;
}

/* ---- With the lock held ------------------------------------------------ */

err_t wyrm_lwip_start_locked(struct wyrm_lwip *lwip, const struct wyrm_lwip_config *config);
void wyrm_lwip_stop_locked(struct wyrm_lwip *lwip);
/* As wyrm_lwip_config.strict, until the next start. */
static inline void wyrm_lwip_set_strict_locked(struct wyrm_lwip *lwip, bool strict)
{
    lwip->strict = strict;
}
/* As wyrm_lwip_config.bind_netif, until the next start. The tunnel must be running. */
static inline void wyrm_lwip_bind_netif_locked(struct wyrm_lwip *lwip, struct netif *netif)
{
    udp_bind_netif(lwip->pcb, netif);
}
/* Binds another port and keeps all sessions. 0: any free port, or the current one if it was chosen
 * that way. ERR_USE: the port is in use, nothing changes; ERR_CLSD: the tunnel is not running. */
err_t wyrm_lwip_set_port_locked(struct wyrm_lwip *lwip, uint16_t port);
void wyrm_lwip_remove_locked(struct wyrm_lwip *lwip);
/* True while the tunnel passes a datagram of its own to lwIP, for checks on outer interfaces. */
static inline bool wyrm_lwip_is_sending_locked(const struct wyrm_lwip *lwip)
{
    return lwip->sending;
}
/* The time that calls of wyrm.h take. */
wyrm_ms wyrm_lwip_now_locked(struct wyrm_lwip *lwip);
/* Polls the core, sends what it has to send, and sets the timer. Required after any call of wyrm.h;
 * wyrm_lwip_call() and wyrm_lwip_call_core() do it. */
void wyrm_lwip_service_locked(struct wyrm_lwip *lwip);

/* ---- Routing by allowed prefixes, optional ------------------------------ */

/* lwIP routes by the addresses of its interfaces alone, and accepts a packet for any of these
 * addresses on any interface. To route by allowed prefixes (AllowedIPs = 0.0.0.0/0, say), and to
 * keep hosts outside the tunnel from forging addresses behind it, put these lines into lwipopts.h:
 *
 *     #define LWIP_HOOK_FILENAME                 "wyrm_lwip_hooks.h"
 *     #define LWIP_HOOK_IP4_ROUTE_SRC(src, dest) wyrm_lwip_route4(src, dest)
 *
 * They call the four functions below in front of the application's own hooks, if it has any.
 *
 * Output: the longest prefix that contains the destination wins, whether of an attached network or
 * an allowed one; the tunnel wins ties. The device's own addresses stay local. An attached network
 * smaller than the allowed prefix is thus reached past the tunnel, and DHCP servers and routers
 * choose it. With wyrm_lwip_config.strict, allowed prefixes win over every attached network, and
 * apply to multicast too. What still bypasses the tunnel: its own datagrams, DHCP, neighbour
 * discovery, IPv6 packets to link-local addresses (lwIP calls no hook for them), and sockets that
 * the application binds to an interface (udp_bind_netif).
 *
 * Input: a packet that arrives on another interface is dropped, and counted as spoofed, if its
 * destination is the tunnel's address, or if its source is routed into the tunnel. Exempt from the
 * source check are datagrams for a tunnel, for lwIP's DHCP client and for UDP sockets bound to the
 * interface; ICMPv6 errors; and, even under the strict policy, neighbour discovery on attached
 * networks. */
#if LWIP_IPV4
/* Counts leading ones only: the netmask comes from DHCP and may be malformed. */
static inline unsigned wyrm_lwip_mask_bits(const ip4_addr_t *netmask)
{
    uint32_t holes = ~lwip_ntohl(netmask->addr);

    return holes == 0 ? 32 : (unsigned)__builtin_clz(holes); /* for every packet: no loop */
}
/* NULL: no interface has a matching prefix; lwIP uses its default interface. */
struct netif *wyrm_lwip_route4(const ip4_addr_t *src, const ip4_addr_t *dest);
/* 1: the packet was dropped. */
int wyrm_lwip_input4(struct pbuf *p, struct netif *inp);
#endif
#if LWIP_IPV6
/* NULL: `dest` is not routed into a tunnel; lwIP chooses the interface. */
struct netif *wyrm_lwip_route6(const ip6_addr_t *src, const ip6_addr_t *dest);
int wyrm_lwip_input6(struct pbuf *p, struct netif *inp);
#endif

#ifdef __cplusplus
}
#endif

#endif /* WYRM_LWIP_H */

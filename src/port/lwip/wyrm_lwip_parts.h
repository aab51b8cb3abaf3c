/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * What the files of the lwIP port share. Everything here runs under lwIP's core lock.
 */
#ifndef WYRM_LWIP_PARTS_H
#define WYRM_LWIP_PARTS_H

#include "wyrm_lwip.h"

#include "lwip/ip.h"

#define WYRM_LWIP_IP6 (LWIP_IPV6 && WYRM_IPV6)

/* What lwIP 2.1 calls otherwise. */
#if LWIP_IPV4 && !defined(ip4_addr_eq)
#define ip4_addr_eq     ip4_addr_cmp
#define ip4_addr_net_eq ip4_addr_netcmp
#endif
#if LWIP_IPV6 && !defined(ip6_addr_net_eq)
#define ip6_addr_net_eq ip6_addr_netcmp
#endif

/* Keeps a function's large locals off the stack while its caller goes on with the result. */
#if defined(__GNUC__)
#define WYRM_LWIP_APART __attribute__((noinline))
#else
#define WYRM_LWIP_APART
#endif

/* ---- wyrm_lwip.c: packets --------------------------------------------- */

/* The tunnel that an interface belongs to; NULL: it is no tunnel. */
struct wyrm_lwip *wyrm_lwip_of(struct netif *netif);

/* What lwIP calls with a packet that leaves, and with a datagram that has come. */
#if LWIP_IPV4
err_t wyrm_lwip_output4(struct netif *netif, struct pbuf *packet, const ip4_addr_t *next_hop);
#endif
#if LWIP_IPV6
err_t wyrm_lwip_output6(struct netif *netif, struct pbuf *packet, const ip6_addr_t *next_hop);
#endif
void wyrm_lwip_receive(void *lwip, struct udp_pcb *pcb, struct pbuf *p, const ip_addr_t *addr,
                       u16_t port);
/* Sends, in order, or drops what waits for the peer; WYRM_NO_PEER: for anybody. */
void wyrm_lwip_release(struct wyrm_lwip *lwip, wyrm_peer_id peer, bool to_peer);
/* True if lwIP has memory for one more timer. */
bool wyrm_lwip_timer_left(void);
void wyrm_lwip_disarm_timer(struct wyrm_lwip *lwip);

/* ---- wyrm_lwip_udp.c: the outside ---------------------------------------- */

/* Both count what there is no memory for, and then return NULL: a copy of a packet in one piece
 * that may be written, counted in `count`; and a new datagram of `len` bytes. */
struct pbuf *wyrm_lwip_copy(struct wyrm_lwip *lwip, struct pbuf *packet, uint32_t *count);
struct pbuf *wyrm_lwip_datagram(struct wyrm_lwip *lwip, size_t len);
/* Sends and consumes a datagram. */
err_t wyrm_lwip_transmit(struct wyrm_lwip *lwip, struct pbuf *datagram, const struct wyrm_meta *to);
/* Sends what the core has made, or calls for the worker, if that is its verdict; returns it. */
wyrm_status wyrm_lwip_obey(struct wyrm_lwip *lwip, wyrm_status status,
                           const struct wyrm_packet *packet);
/* What is known about the datagram that lwIP is delivering just now, from that port. */
void wyrm_lwip_describe(struct wyrm_meta *meta, uint16_t port);

/* ---- wyrm_lwip_hold.c: packets that wait for a session ------------------ */

/* Keeps a reference, or a copy if the stack may change the data. */
err_t wyrm_lwip_hold(struct wyrm_lwip *lwip, wyrm_peer_id peer, struct pbuf *packet);
/* Hands over the oldest packet that waits for `peer` (WYRM_NO_PEER: for anybody), if there are more
 * than `keep`; else NULL. */
struct pbuf *wyrm_lwip_unhold(struct wyrm_lwip *lwip, wyrm_peer_id peer, unsigned keep);

/* ---- wyrm_lwip_inner.c: what a tunnel does to plain packets -------------- */

/* Fills in check sums that lwIP left to hardware (zero), as the real interface would. */
void wyrm_lwip_fill_checksums(struct pbuf *packet);
struct wyrm_lwip_mss {
    uint16_t at, sum_at; /* of the segment size and of the check sum over it, in the packet */
    uint16_t limit;
};
/* True: the packet opens a TCP connection with segments that the tunnel would have to refuse. */
bool wyrm_lwip_mss_too_big(const struct pbuf *packet, uint16_t mtu, struct wyrm_lwip_mss *out);
/* Lowers that segment size in a packet that begins `start` bytes into a writable pbuf. */
void wyrm_lwip_clamp_mss(struct pbuf *p, uint16_t start, const struct wyrm_lwip_mss *where);

enum wyrm_lwip_refusal { WYRM_LWIP_UNREACHABLE, WYRM_LWIP_TOO_BIG };
/* Sends an ICMP error to the sender of an outgoing packet, where RFC 1122 and 4443 allow one. */
void wyrm_lwip_refuse(struct wyrm_lwip *lwip, struct pbuf *packet, enum wyrm_lwip_refusal why);

#endif /* WYRM_LWIP_PARTS_H */

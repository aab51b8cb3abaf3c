/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Internal interface between the files of the lwIP port. Everything here requires lwIP's core lock.
 *
 * Calls go one way, from the top of this list to the bottom:
 *
 *   wyrm_lwip_api.c     calls from any task, the worker's loop
 *   wyrm_lwip_netif.c   start and stop, the interface and its addresses
 *   wyrm_lwip_route.c   lwIP's routing and input hooks
 *   wyrm_lwip.c         data path: output, input, polling, the timer
 *   wyrm_lwip_hold.c    packets waiting for a session
 *   wyrm_lwip_inner.c   inner packets: checksums, MSS, ICMP errors
 *   wyrm_lwip_udp.c     outer datagrams: source address, interface, buffers
 */
#ifndef WYRM_LWIP_PRIVATE_H
#define WYRM_LWIP_PRIVATE_H

#include "wyrm_config.h"

/* The port's files are compiled in every build and are empty unless WYRM_PORT_LWIP is 1, so that
 * build systems may list them unconditionally. */
#ifndef WYRM_PORT_LWIP
#define WYRM_PORT_LWIP 0
#endif

#if !WYRM_PORT_LWIP

typedef int wyrm_lwip_not_built; /* ISO C requires a declaration in every file */

#else

#include "wyrm_lwip.h"

#include "lwip/ip.h"

#define WYRM_LWIP_IP6 (LWIP_IPV6 && WYRM_IPV6)

/* Names that lwIP 2.1 lacks. */
#if LWIP_IPV4 && !defined(ip4_addr_eq)
#define ip4_addr_eq     ip4_addr_cmp
#define ip4_addr_net_eq ip4_addr_netcmp
#endif
#if LWIP_IPV6 && !defined(ip6_addr_net_eq)
#define ip6_addr_net_eq ip6_addr_netcmp
#endif

/* ---- wyrm_lwip.c: data path --------------------------------------------- */

/* netif->output and netif->output_ip6. */
#if LWIP_IPV4
err_t wyrm_lwip_output4(struct netif *netif, struct pbuf *packet, const ip4_addr_t *next_hop);
#endif
#if LWIP_IPV6
err_t wyrm_lwip_output6(struct netif *netif, struct pbuf *packet, const ip6_addr_t *next_hop);
#endif
/* The udp_recv callback. */
void wyrm_lwip_receive(void *lwip, struct udp_pcb *pcb, struct pbuf *p, const ip_addr_t *addr,
                       u16_t port);
/* Sends the packets held for a peer in order, or drops them. WYRM_NO_PEER: those of all peers. */
void wyrm_lwip_release(struct wyrm_lwip *lwip, wyrm_peer_id peer, bool send);
/* True if lwIP has memory for one more timeout; sys_timeout() itself does not report failure. */
bool wyrm_lwip_timeout_available(void);
void wyrm_lwip_cancel_timer(struct wyrm_lwip *lwip);

/* ---- wyrm_lwip_hold.c: packets waiting for a session -------------------- */

/* Holds a packet by reference, or a copy of it if the stack may change the data. */
err_t wyrm_lwip_hold_push(struct wyrm_lwip *lwip, wyrm_peer_id peer, struct pbuf *packet);
/* Removes and returns the oldest packet held for `peer` (WYRM_NO_PEER: any peer) if more than
 * `keep` are held, else NULL. */
struct pbuf *wyrm_lwip_hold_pop(struct wyrm_lwip *lwip, wyrm_peer_id peer, unsigned keep);

/* ---- wyrm_lwip_inner.c: inner packets ------------------------------------ */

/* Computes checksums that lwIP left zero for hardware offload. */
void wyrm_lwip_fill_checksums(struct pbuf *packet);

struct wyrm_lwip_mss {
    uint16_t offset, checksum_offset; /* of the MSS value and of the TCP checksum, in the packet */
    uint16_t limit;
};
/* True if the packet is a TCP SYN whose MSS exceeds what fits through the tunnel. */
bool wyrm_lwip_mss_too_big(const struct pbuf *packet, uint16_t mtu, struct wyrm_lwip_mss *out);
/* Lowers that MSS in a packet that begins at offset `start` of a writable pbuf. */
void wyrm_lwip_clamp_mss(struct pbuf *p, uint16_t start, const struct wyrm_lwip_mss *mss);

enum wyrm_lwip_error { WYRM_LWIP_UNREACHABLE, WYRM_LWIP_TOO_BIG };
/* Sends an ICMP error to the source of an outgoing packet where RFC 1122 and RFC 4443 allow it. */
void wyrm_lwip_send_icmp_error(struct wyrm_lwip *lwip, struct pbuf *packet,
                               enum wyrm_lwip_error error);

/* ---- wyrm_lwip_udp.c: outer datagrams ------------------------------------ */

/* A new datagram of `len` bytes, and a contiguous, writable copy of a packet, counted in `*count`.
 * Both return NULL and increment counters.no_memory if lwIP is out of memory. */
struct pbuf *wyrm_lwip_alloc(struct wyrm_lwip *lwip, size_t len);
struct pbuf *wyrm_lwip_clone(struct wyrm_lwip *lwip, struct pbuf *packet, uint32_t *count);
/* Sends a datagram and frees it. */
err_t wyrm_lwip_transmit(struct wyrm_lwip *lwip, struct pbuf *datagram, const struct wyrm_meta *to);
/* WYRM_SEND: sends the core's message; WYRM_WORK: wakes the worker. Returns `status`. */
wyrm_status wyrm_lwip_handle_status(struct wyrm_lwip *lwip, wyrm_status status,
                                    const struct wyrm_packet *packet);
/* Describes the datagram that lwIP is delivering now; `port` is its source port. */
void wyrm_lwip_current_meta(struct wyrm_meta *meta, uint16_t port);

#endif /* WYRM_PORT_LWIP */

#endif /* WYRM_LWIP_PRIVATE_H */

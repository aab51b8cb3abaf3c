/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * A test bench for the lwIP port: one lwIP with a tunnel and two outer interfaces connected to the
 * test, a bare core device as the far end, a virtual clock, and an allocator that fails on request.
 *
 *   tunnel  10.7.0.1/24  fd07::1/64     far end  10.7.0.2  fd07::2
 *   out[0]  192.0.2.1/24 fd01::1/64     far end  192.0.2.2 fd01::2, port 51820
 *   out[1]  198.51.100.1/24
 */
#ifndef BENCH_H
#define BENCH_H

#include <stdbool.h>
#include <string.h>

#include "test.h"

#include "wyrm_lwip.h"

#include "lwip/ip.h"
#include "lwip/udp.h"

enum { BENCH_PACKET_MAX = 2048, BENCH_QUEUE = 32, BENCH_MTU = 1420, BENCH_PORT = 51820 };

struct bench_packet {
    size_t len;
    unsigned where; /* the outer interface */
    uint8_t bytes[BENCH_PACKET_MAX];
};

struct bench {
    struct wyrm_lwip *tunnel;
    struct netif out[2];
    wyrm_peer_id peer; /* the tunnel's id of the far end */

    struct wyrm_device *far;
    wyrm_peer_id far_peer;
    struct wyrm_endpoint far_sees; /* source of the far end's last datagram */

    struct bench_packet wire[BENCH_QUEUE]; /* IP packets that left through out[] */
    unsigned n_wire;
    struct bench_packet plain[BENCH_QUEUE]; /* inner packets that the far end decrypted */
    unsigned n_plain;

    unsigned woken, ready, lost; /* callbacks of the tunnel */
    bool pass[2];                /* the verdict of the filter, by direction */
    bool random_fails;
    bool six;                    /* the far end is at its IPv6 address */
    uint8_t tos;                 /* of injected datagrams */
    const char *from, *reach;    /* their addresses, NULL: as drawn above */
    bool deaf;                   /* the far end hears nothing */
    void (*during_run)(void);    /* called while a handshake is computed, without the lock */
    void (*during_filter)(void); /* called by the filter */
};

extern struct bench bench;
extern uint64_t bench_now; /* milliseconds */

/* cmocka fixtures. Teardown removes the tunnel and checks that no allocation is left over. */
int bench_setup(void **state);
int bench_setup_six(void **state); /* the outside is IPv6 */
int bench_teardown(void **state);
/* The same with bench_socket open at port 7. */
int bench_setup_socket(void **state);
int bench_setup_socket_six(void **state);
int bench_teardown_socket(void **state);

struct wyrm_lwip_config bench_config(void);
void bench_start(void);
/* Stops the tunnel and starts it with this configuration, keys, peer and routes as before. */
void bench_restart(const struct wyrm_lwip_config *config);
/* Allocations alive, and the countdown to the one that fails (0: none does). */
unsigned bench_alive(void);
extern unsigned bench_fail_at;
/* The same for entries of lwIP's list of timers, which bench_fail_at leaves alone. */
extern unsigned bench_fail_timer_at;

/* Lets time pass, with lwIP's timers. */
void bench_advance(uint64_t ms);
/* Runs handshakes on both sides and carries datagrams until nothing moves. */
void bench_settle(void);
/* The tunnel has a session afterwards. */
void bench_connect(void);

/* ---- Packets ---- */

struct bench_udp {
    const char *src, *dst; /* textual addresses of one family */
    uint16_t sport, dport;
    uint8_t tos;
    size_t len; /* of the payload */
};
/* Builds an IP packet with UDP, payload byte i being i; returns its length. */
size_t bench_build(uint8_t *out, const struct bench_udp *udp);
/* Builds a TCP SYN with the given MSS; `odd` puts a NOP before the option. */
size_t bench_build_syn(uint8_t *out, const char *src, const char *dst, uint16_t mss, bool odd);
/* True if the IP header's and the TCP or UDP checksums are right. */
bool bench_checksums_good(const uint8_t *ip, size_t len);
/* MSS of a SYN made by bench_build_syn. */
uint16_t bench_mss(const uint8_t *ip, bool odd);

/* Encrypts an inner packet at the far end; returns the length of the UDP payload. */
size_t bench_far_seal(const uint8_t *ip, size_t len, uint8_t *out);
/* Wraps a UDP payload as IP datagram from the far end to the tunnel; returns its length. */
size_t bench_wrap(const uint8_t *payload, size_t len, uint8_t *out);
/* Hands an IP packet to an outer interface, as one PBUF_POOL. */
void bench_inject(unsigned where, const uint8_t *ip, size_t len);
/* The same with a pbuf made by the test. */
void bench_inject_pbuf(unsigned where, struct pbuf *p);
struct pbuf *bench_pbuf(const uint8_t *bytes, size_t len, pbuf_type type);
/* Far end to tunnel: seal, wrap, inject. */
void bench_far_send(const uint8_t *ip, size_t len);

/* ---- Inner sockets ---- */

struct bench_socket {
    struct udp_pcb *pcb;
    unsigned received;
    size_t len;
    uint8_t bytes[BENCH_PACKET_MAX];
};
extern struct bench_socket bench_socket;

void bench_open(struct bench_socket *s, uint16_t port);
void bench_close(struct bench_socket *s);
/* Sends `len` bytes through lwIP to an inner address. */
err_t bench_send(struct bench_socket *s, const char *to, uint16_t port, size_t len);

/* ---- Calls of the core ---- */

/* BENCH_CORE(wyrm_peer_remove, peer) calls the core for the tunnel's device, then services the
 * tunnel as wyrm_lwip_call_core() does. Without an operating system the lock is always held. */
#define BENCH_CORE(fn, ...) bench_service(fn(wyrm_lwip_device(bench.tunnel), __VA_ARGS__))

static inline wyrm_status bench_service(wyrm_status status)
{
    wyrm_lwip_service_locked(bench.tunnel);
    return status;
}

static inline wyrm_ms bench_tunnel_now(void)
{
    return wyrm_lwip_now_locked(bench.tunnel);
}

/* For calls that wyrm_lwip_call_core() has to refuse. */
wyrm_status bench_must_not_run(struct wyrm_device *device, wyrm_ms now, void *arg);

static inline const struct wyrm_lwip_counters *bench_counters(void)
{
    return &bench.tunnel->counters;
}

/* The same test with the outside in IPv6; a file names its SET_UP_SIX beside its SET_UP. */
#define RUN_SIX(name) RUN_AS(#name "_over_ipv6", name, SET_UP_SIX, TEAR_DOWN)

#endif

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The parts of the daemon: one thread, one epoll loop, the core in the middle.
 */
#ifndef WYRMD_H
#define WYRMD_H

#include <wyrm.h>
#include <wyrm_uapi.h>

#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>

enum {
    PACKET_MAX = 65535,                            /* the longest IP packet there is */
    SEALED_MAX = (PACKET_MAX + 15) / 16 * 16 + 32, /* and what it is sealed to */
    BATCH = 64,                                    /* packets per system call */
    HELD_PER_PEER = 128,
    HELD_MAX = 1024,
    UAPI_CLIENTS = 8,
    UAPI_DIR_MODE = 0755
};

#define UAPI_DIR "/var/run/wireguard"

struct held {
    struct held *next;
    wyrm_peer_id peer;
    size_t len;
    uint8_t data[];
};

/* Datagrams on their way to sendmmsg. */
struct outbox {
    uint8_t (*data)[SEALED_MAX];
    size_t len[BATCH];
    struct wyrm_meta to[BATCH];
    wyrm_peer_id peer[BATCH];
    unsigned used;
};

struct client {
    int fd; /* -1: free */
    struct wyrm_uapi uapi;
    char line[WYRM_UAPI_LINE_MAX];
    size_t fill;
};

struct wyrmd {
    char name[IFNAMSIZ];
    int epoll, tun, udp4, udp6, listener, timer, signals, links, watch;
    char socket_path[108];
    uint16_t port;
    uint32_t fwmark;

    struct wyrm_device dev;
    struct wyrm_pools pools;
    struct wyrm_job job;
    struct outbox outbox;
    uint8_t (*inbox)[SEALED_MAX];
    struct held *held, **held_end;
    unsigned held_used;
    struct client clients[UAPI_CLIENTS];
    bool stop, verbose;
};

/* Says one line on standard error. */
void wyrmd_log(const struct wyrmd *d, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* tun.c: each false with errno set and a line said. */
bool wyrmd_tun_open(struct wyrmd *d);
uint16_t wyrmd_tun_mtu(const struct wyrmd *d);
/* Reads a batch of packets and sends them through the tunnel; false if the interface is gone. */
bool wyrmd_tun_readable(struct wyrmd *d);
void wyrmd_tun_write(struct wyrmd *d, const uint8_t *ip, size_t len);

/* udp.c */
/* (Re)binds both sockets to the port, 0: any free one. 0 or an errno; on error nothing changed. */
int wyrmd_udp_bind(struct wyrmd *d, uint16_t port);
int wyrmd_udp_mark(struct wyrmd *d, uint32_t mark);
void wyrmd_udp_readable(struct wyrmd *d, int fd);
/* Queues a datagram; full queues are sent at once. */
void wyrmd_udp_queue(struct wyrmd *d, const struct wyrm_packet *packet);
void wyrmd_udp_flush(struct wyrmd *d);
/* The next free place in the queue, for wyrm_output to seal into. */
uint8_t *wyrmd_udp_room(struct wyrmd *d);
void wyrmd_udp_commit(struct wyrmd *d, const struct wyrm_packet *packet);

/* uapi.c */
bool wyrmd_uapi_open(struct wyrmd *d);
void wyrmd_uapi_close(struct wyrmd *d);
void wyrmd_uapi_accept(struct wyrmd *d);
void wyrmd_uapi_readable(struct wyrmd *d, struct client *client);

/* loop.c */
wyrm_ms wyrmd_now(void);
bool wyrmd_watch(struct wyrmd *d, int fd);
/* Sends one inner packet, or holds a copy of it until the peer has a session. */
void wyrmd_send_inner(struct wyrmd *d, const uint8_t *ip, size_t len);
void wyrmd_drop_held(struct wyrmd *d, wyrm_peer_id peer);
/* Polls the core and runs waiting handshakes until nothing is left to do. */
void wyrmd_service(struct wyrmd *d);
/* Runs until a signal, or until the interface or the socket is removed. */
int wyrmd_run(struct wyrmd *d);

#endif /* WYRMD_H */

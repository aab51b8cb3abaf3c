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
#include <sys/types.h>

enum {
    PACKET_MAX = 65535,                            /* the longest IP packet there is */
    SEALED_MAX = (PACKET_MAX + 15) / 16 * 16 + 32, /* and what it is sealed to */
    INBOX = 32,                                    /* messages per recvmmsg */
    OUTBOX = 256,                                  /* datagrams per flush */
    OUTBOX_BYTES = 512 * 1024,
    TUN_READS = 16,            /* per event: each may bring 64 KiB */
    JOBS = 4,                  /* handshake jobs between two looks at what is readable */
    INITIATION_SOCKETS = 64,   /* per address family */
    INITIATIONS_PER_TURN = 64, /* between two looks at data */
    INITIATIONS_PER_MS = 4,    /* while there is data */
    HELD_PER_PEER = 128,
    HELD_MAX = 1024,
    UAPI_CLIENTS = 32,
    UAPI_DIR_MODE = 0755
};

#define UAPI_DIR "/var/run/wireguard"

struct held {
    struct held *next;
    size_t len;
    uint8_t data[];
};

/* Datagrams on their way to sendmmsg, one behind the other. */
struct outbox {
    uint8_t *bytes;
    size_t fill;
    unsigned used;
    struct outgoing {
        uint8_t *data;
        size_t len;
        struct wyrm_meta to;
        wyrm_peer_id peer;
    } queue[OUTBOX];
};

/* What a struct wyrm_path holds here: the local address that a peer's datagrams come to, of the
 * family of the remote one, and the interface they arrive on. All zero: the system may choose. */
struct wyrmd_path {
    uint8_t addr[16];
    uint32_t interface;
};

struct client {
    int fd;          /* -1: free */
    uint64_t active; /* the lowest number has said nothing for longest */
    struct wyrm_uapi uapi;
    char *request; /* what has been read, and not been taken */
    size_t request_len, request_cap;
    size_t scanned; /* of it, for an empty line */
    bool too_long;  /* only the beginning of the request and its last byte are kept */
    bool answering; /* more of the answer is to be made */
    char *answer;   /* what the client has not read yet */
    size_t answer_len, answer_sent;
};

/* When a peer's last handshake was, by the loop's clock and by the calendar (0: not noted). */
struct handshake {
    wyrm_ms at;
    uint64_t unix_ms;
};

struct wyrmd {
    char name[IFNAMSIZ];
    int initiations; /* an epoll descriptor with the sockets of both families, -1: not opened */
    int initiations4[INITIATION_SOCKETS], initiations6[INITIATION_SOCKETS];
    wyrm_ms initiations_due; /* none is read before, 0: now */
    wyrm_ms initiations_steered, data_seen;
    int epoll, tun, udp4, udp6, listener, timer, signals, routes, watch;
    char socket_path[108];
    dev_t socket_dev; /* the socket file that is ours */
    ino_t socket_ino; /* 0: none */
    uint16_t port;
    bool port_chosen; /* by the user, not by the system */
    uint32_t fwmark;
    bool up;          /* the interface: while it is down, nothing is sent or answered */
    bool udp_offload; /* the system takes UDP packets in one piece from the tunnel, too */

    struct wyrm_device dev;
    struct wyrm_pools pools;
    struct wyrm_job job;
    uint8_t *suspects; /* per peer: the way to it may have changed */
    bool work;         /* handshake jobs may be waiting */
    wyrm_ms now;
    struct outbox outbox;
    struct no_runs { /* per peer: no datagrams of this length or longer go as one */
        wyrm_ms until;
        size_t len;
    } * no_runs;
    uint8_t *inbox;          /* INBOX messages of SEALED_MAX bytes */
    struct held_queue *held; /* one per peer */
    unsigned held_used, held_longest;
    wyrm_peer_id held_rings[HELD_PER_PEER + 1]; /* a peer with as many packets, or none */
    struct client clients[UAPI_CLIENTS];
    uint64_t activity;
    struct handshake *handshakes;       /* one per peer */
    void *uapi_scratch;                 /* see struct wyrm_uapi_host */
    uint32_t *first_route, *next_route; /* see wyrm_route_chain */
    bool chained;                       /* they are up to date */
    bool stop, verbose, low_ports;
};

/* system.c */
/* Says one line on standard error. */
void wyrmd_log(const struct wyrmd *d, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
wyrm_ms wyrmd_now(void);
/* The loop hears when `fd` is readable; false with errno. */
bool wyrmd_watch(struct wyrmd *d, int fd);

/* privileges.c: keeps CAP_NET_ADMIN and what removing the socket needs, nothing else. */
bool wyrmd_drop_privileges(const struct wyrmd *d);

/* sandbox.c: shuts out what no part of the loop needs, as far as the system can. */
void wyrmd_sandbox(const struct wyrmd *d);

/* inet.c: the Internet checksum (RFC 1071), in the byte order of the packet. */
/* Adds `len` bytes to a sum; only the last of several pieces may have an odd length. */
uint64_t wyrmd_sum(uint64_t sum, const void *bytes, size_t len);
/* Adds the pseudo header of TCP or UDP for a packet with `len` bytes behind its IP header. */
uint64_t wyrmd_sum_pseudo(uint64_t sum, const uint8_t *ip, uint8_t protocol, size_t len);
/* The 16 bits of a sum, not complemented. */
uint16_t wyrmd_fold(uint64_t sum);

/* tun.c: each false with a line said. */
bool wyrmd_tun_open(struct wyrmd *d);
/* What the system thinks of the interface; false if it is not to be seen from here. */
bool wyrmd_tun_state(const struct wyrmd *d, bool *up, uint16_t *mtu);
/* Reads packets and sends them through the tunnel; false if the interface is gone. */
bool wyrmd_tun_readable(struct wyrmd *d);

/* merge.c: packets out of the tunnel, handed to the system in as few pieces as possible. */
/* `ip` must stay as it is until wyrmd_merge_flush. */
void wyrmd_merge(struct wyrmd *d, uint8_t *ip, size_t len);
void wyrmd_merge_flush(struct wyrmd *d);
/* Hands over one packet at once. */
void wyrmd_tun_write(const struct wyrmd *d, uint8_t *ip, size_t len);

/* unreachable.c: answers an outgoing packet that nobody can take with an ICMP error. */
void wyrmd_unreachable(struct wyrmd *d, const struct wyrm_span *ip, unsigned n);

/* udp.c */
/* (Re)binds both sockets to the port, 0: any free one. 0 or an errno; on error nothing changed. */
int wyrmd_udp_bind(struct wyrmd *d, uint16_t port);
int wyrmd_udp_mark(struct wyrmd *d, uint32_t mark);
void wyrmd_udp_close(struct wyrmd *d);
/* True if `ip` is a datagram of our own sockets that could come back here for ever. One that goes
 * to a peer behind another peer is fine. */
bool wyrmd_udp_loops(const struct wyrmd *d, const uint8_t *ip, size_t len);
/* Queues a copy of a datagram. */
void wyrmd_udp_queue(struct wyrmd *d, const struct wyrm_packet *packet);
/* SEALED_MAX bytes of the queue to seal into, and the word that a datagram is there. */
uint8_t *wyrmd_udp_room(struct wyrmd *d);
void wyrmd_udp_commit(struct wyrmd *d, const struct wyrm_packet *packet);
void wyrmd_udp_flush(struct wyrmd *d);

/* receive.c */
/* Reads data that has come, and takes it. */
void wyrmd_udp_readable(struct wyrmd *d, int fd);

/* initiations.c: sockets that keep floods of initiations away from data. */
bool wyrmd_initiations_init(struct wyrmd *d);
/* (Re)opens them beside the sockets of data; without, where the system refuses. */
void wyrmd_initiations_open(struct wyrmd *d);
void wyrmd_initiations_close(struct wyrmd *d);
/* 0 or an errno. */
int wyrmd_initiations_mark(const struct wyrmd *d, uint32_t mark);
/* Reads some, of every socket as many as of any other. */
void wyrmd_initiations_readable(struct wyrmd *d);
/* Listens again once they have had their rest. */
void wyrmd_initiations_resume(struct wyrmd *d);

/* uapi.c */
bool wyrmd_uapi_open(struct wyrmd *d);
void wyrmd_uapi_close(struct wyrmd *d);
/* False once the socket file has been removed or replaced. */
bool wyrmd_uapi_is_ours(const struct wyrmd *d);
void wyrmd_uapi_accept(struct wyrmd *d);
void wyrmd_uapi_ready(struct wyrmd *d, struct client *client);
/* The peer has a new session. */
void wyrmd_note_handshake(struct wyrmd *d, wyrm_peer_id peer);

/* hold.c: packets that wait for a session. */
bool wyrmd_hold_init(struct wyrmd *d);
void wyrmd_hold(struct wyrmd *d, wyrm_peer_id peer, const struct wyrm_span *ip, unsigned n);
/* How many wait for this peer. */
unsigned wyrmd_held(const struct wyrmd *d, wyrm_peer_id peer);
/* The oldest that waits for this peer, to be freed; NULL: none. */
struct held *wyrmd_unhold(struct wyrmd *d, wyrm_peer_id peer);
/* Forgets what waits for this peer, or for all of them. */
void wyrmd_drop_held(struct wyrmd *d, wyrm_peer_id peer);
void wyrmd_drop_all_held(struct wyrmd *d);

/* paths.c: forgets local addresses that answers should no longer leave from. */
/* Messages of the kernel about interfaces, addresses, routes and rules have come, or were lost. */
void wyrmd_paths_hear(struct wyrmd *d, const void *messages, size_t len);
void wyrmd_paths_hear_all(struct wyrmd *d);
/* Looks at the peers to which the way may have changed. */
void wyrmd_paths_check(struct wyrmd *d);

/* tunnel.c: the core and what is around it. */
/* Sends one inner packet, or holds a copy of it until the peer has a session. */
void wyrmd_send_inner(struct wyrmd *d, const struct wyrm_span *ip, unsigned n);
/* Takes one datagram, which is opened in place: it stays until wyrmd_merge_flush. */
void wyrmd_input(struct wyrmd *d, const struct wyrm_meta *meta, uint8_t *data, size_t len);
/* Polls the core until it owes nothing. */
void wyrmd_service(struct wyrmd *d);
/* Works off some of the handshakes that wait. */
void wyrmd_run_jobs(struct wyrmd *d);

/* loop.c: runs until a signal, or until the interface or the socket is removed. */
int wyrmd_run(struct wyrmd *d);

#endif /* WYRMD_H */

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Anyone who knows our public key can send initiations, as many as they like. Initiations have
 * sockets of their own on our port, with small buffers and a bounded share of our time: a flood
 * fills these, and leaves the socket for data and for responses to our own initiations alone.
 *
 * The kernel selects a socket by a hash of the sender's address and port. The hash's secret changes
 * during a flood. Every socket gets the same share of our time, so a flood from one or a few
 * senders leaves room for others. Address and port are hashed separately: a sender with a single
 * address fills only the sockets of this address, no matter how many ports it uses.
 *
 * The kernel looks only at the first datagram of a merged run (UDP_GRO), and at none while the
 * sockets are being opened, so each socket accepts messages of every type.
 */
#include "initiations.h"
#include "system.h"

#include <errno.h>
#include <linux/filter.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <unistd.h>

enum {
    BUFFER = 64 * 1024,
    PER_TURN = 64, /* datagrams before the loop looks at data again */
    PER_MS = 4,    /* while there is data */
    BUSY_MS = 10,  /* how long after the last data there is data */
    SEED_MS = 1000,
    ADDRESS_BITS = 3,
    PORT_BITS = 3,
    TYPE_INITIATION = 1
};

_Static_assert(INITIATION_SOCKETS == 1 << (ADDRESS_BITS + PORT_BITS), "one socket per hash");

/* ---- Steering ------------------------------------------------------------ */

/* The kernel selects the socket by its number in the group; the socket for data is number 0. The
 * program sees the UDP payload, and the IP header at SKF_NET_OFF. It hashes the /64 of an IPv6
 * address, and expects IPv4 headers of 20 bytes: it takes options for ports. */
static bool steer(int fd, int family, uint32_t seed)
{
    const uint32_t ip = (uint32_t)SKF_NET_OFF;
    const uint32_t address = ip + (family == AF_INET ? 12 : 8);
    const uint32_t other_half = family == AF_INET ? address : address + 4;
    const uint32_t port = ip + (family == AF_INET ? 20 : 40);
    struct sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, TYPE_INITIATION, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, 0),
        BPF_STMT(BPF_LD | BPF_H | BPF_ABS, port),
        BPF_STMT(BPF_ALU | BPF_MUL | BPF_K, seed | 1),
        BPF_STMT(BPF_ALU | BPF_RSH | BPF_K, 32 - PORT_BITS),
        BPF_STMT(BPF_ST, 0),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, address),
        BPF_STMT(BPF_ALU | BPF_MUL | BPF_K, seed | 1),
        BPF_STMT(BPF_MISC | BPF_TAX, 0),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, other_half),
        BPF_STMT(BPF_ALU | BPF_XOR | BPF_X, 0),
        BPF_STMT(BPF_ALU | BPF_MUL | BPF_K, (seed >> 16 | seed << 16) | 1),
        BPF_STMT(BPF_ALU | BPF_RSH | BPF_K, 32 - ADDRESS_BITS),
        BPF_STMT(BPF_ALU | BPF_LSH | BPF_K, PORT_BITS),
        BPF_STMT(BPF_LDX | BPF_MEM, 0),
        BPF_STMT(BPF_ALU | BPF_OR | BPF_X, 0),
        BPF_STMT(BPF_ALU | BPF_ADD | BPF_K, 1),
        BPF_STMT(BPF_RET | BPF_A, 0),
    };
    struct sock_fprog attached;

    memset(&attached, 0, sizeof(attached)); /* also its padding */
    attached.len = sizeof(program) / sizeof(program[0]);
    attached.filter = program;
    return setsockopt(fd, SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, &attached, sizeof(attached)) == 0;
}

static bool steer_all(const struct wyrmd_initiations *in)
{
    uint32_t seed;

    if (getrandom(&seed, sizeof(seed), 0) != (ssize_t)sizeof(seed))
        return false;
    return (in->fds4[0] < 0 || steer(in->udp->fd4, AF_INET, seed)) &&
           (in->fds6[0] < 0 || steer(in->udp->fd6, AF_INET6, seed));
}

/* ---- Opening ------------------------------------------------------------- */

static void close_all(int fds[INITIATION_SOCKETS])
{
    for (unsigned i = 0; i < INITIATION_SOCKETS; i++) {
        if (fds[i] >= 0)
            close(fds[i]);
        fds[i] = -1;
    }
}

static bool share_port(int fd, int value)
{
    return setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &value, sizeof(value)) == 0;
}

/* The socket for data was bound without SO_REUSEPORT, so nobody else has the port. Later a program
 * of the same user can still join the group, but the kernel never selects its socket. */
static bool open_group(struct wyrmd_initiations *in, int family, int data,
                       int fds[INITIATION_SOCKETS])
{
    bool opened = data >= 0 && share_port(data, 1);

    for (unsigned i = 0; i < INITIATION_SOCKETS && opened; i++) {
        struct epoll_event event = {.events = EPOLLIN};

        fds[i] = wyrmd_udp_socket(family, in->udp->port, in->udp->mark, BUFFER, true);
        event.data.fd = fds[i];
        opened = fds[i] >= 0 && epoll_ctl(in->fd, EPOLL_CTL_ADD, fds[i], &event) == 0;
    }
    if (!opened || !steer(data, family, 0)) {
        close_all(fds);
        if (data >= 0)
            (void)share_port(data, 0);
        return false;
    }
    return true;
}

void wyrmd_initiations_open(struct wyrmd_initiations *in)
{
    wyrmd_initiations_close(in);
    if (!open_group(in, AF_INET, in->udp->fd4, in->fds4) ||
        (in->udp->fd6 >= 0 && !open_group(in, AF_INET6, in->udp->fd6, in->fds6)) || !steer_all(in))
        wyrmd_log_verbose("initiations share the socket for data: %s", strerror(errno));
}

void wyrmd_initiations_close(struct wyrmd_initiations *in)
{
    if (in->fd < 0)
        return;
    close_all(in->fds4);
    close_all(in->fds6);
}

bool wyrmd_initiations_init(struct wyrmd_initiations *in, int epoll)
{
    for (unsigned i = 0; i < INITIATION_SOCKETS; i++)
        in->fds4[i] = in->fds6[i] = -1;
    in->epoll = epoll;
    in->fd = epoll_create1(EPOLL_CLOEXEC);
    return in->fd >= 0 && wyrmd_watch(epoll, in->fd);
}

int wyrmd_initiations_set_mark(const struct wyrmd_initiations *in, uint32_t mark)
{
    for (unsigned i = 0; i < 2 * INITIATION_SOCKETS; i++) {
        int fd = i < INITIATION_SOCKETS ? in->fds4[i] : in->fds6[i - INITIATION_SOCKETS];

        if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_MARK, &mark, sizeof(mark)) < 0)
            return errno;
    }
    return 0;
}

/* ---- Reading ------------------------------------------------------------- */

/* Starts or stops waiting for initiations. */
static void set_listening(struct wyrmd_initiations *in, bool listening)
{
    struct epoll_event event = {.events = listening ? EPOLLIN : 0, .data = {.fd = in->fd}};

    (void)epoll_ctl(in->epoll, EPOLL_CTL_MOD, in->fd, &event);
}

void wyrmd_initiations_receive(struct wyrmd_initiations *in)
{
    struct epoll_event ready[2 * INITIATION_SOCKETS];
    int n = epoll_wait(in->fd, ready, 2 * INITIATION_SOCKETS, 0);
    unsigned share, read = 0;

    if (n <= 0)
        return;
    share = n < PER_TURN ? PER_TURN / (unsigned)n : 1;
    for (int i = 0; i < n; i++)
        read += wyrmd_receive(in->receiver, ready[i].data.fd, share);
    if (read < PER_TURN / 2)
        return;

    if (in->core->now - in->steered >= SEED_MS && steer_all(in))
        in->steered = in->core->now;
    if (in->core->now - in->data_seen < BUSY_MS) {
        in->due = in->core->now + read / PER_MS;
        set_listening(in, false);
    }
}

void wyrmd_initiations_resume(struct wyrmd_initiations *in)
{
    if (in->due == 0 || in->core->now < in->due)
        return;
    in->due = 0;
    set_listening(in, true);
}

void wyrmd_initiations_note_data(struct wyrmd_initiations *in)
{
    in->data_seen = in->core->now;
}

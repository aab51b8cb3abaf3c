/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Initiations are for everyone to send who knows our public key, as many as they like. They have
 * sockets of their own on our port, with small buffers and a bounded share of our time: a flood of
 * them fills these and leaves the socket of data, and of answers to our own initiations, alone.
 *
 * The kernel assigns them by a hash of the sender's address and port, under a secret that changes
 * while there is a flood. Every socket gets the same share, so a flood from one sender, or a few,
 * leaves others their place. Address and port select separately: whoever has one address alone
 * fills no more than the sockets of that address, whatever its ports.
 *
 * The kernel looks at the first datagram of a run that it hands over as one (UDP_GRO), and at none
 * while the sockets are being opened, so each socket takes what comes, of any type.
 */
#include "udp.h"

#include <errno.h>
#include <linux/filter.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <unistd.h>

enum {
    BUFFER = 64 * 1024,
    BUSY_MS = 10, /* there is data as long after the last */
    SEED_MS = 1000,
    ADDRESS_BITS = 3,
    PORT_BITS = 3,
    TYPE_INITIATION = 1
};

_Static_assert(INITIATION_SOCKETS == 1 << (ADDRESS_BITS + PORT_BITS), "one socket per hash");

/* ---- Steering ------------------------------------------------------------ */

/* The kernel selects the socket by its number in the group: the socket of data is 0. The program
 * sees the UDP payload, and the IP header at SKF_NET_OFF. Of the IPv6 address it takes the /64, of
 * IPv4 headers the ports behind 20 bytes: with options there, it takes them for ports. */
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
    struct sock_fprog attached = {sizeof(program) / sizeof(program[0]), program};

    return setsockopt(fd, SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, &attached, sizeof(attached)) == 0;
}

static bool steer_all(const struct wyrmd *d)
{
    uint32_t seed;

    if (getrandom(&seed, sizeof(seed), 0) != (ssize_t)sizeof(seed))
        return false;
    return (d->initiations4[0] < 0 || steer(d->udp4, AF_INET, seed)) &&
           (d->initiations6[0] < 0 || steer(d->udp6, AF_INET6, seed));
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

/* The socket of data was bound without SO_REUSEPORT, so nobody else has the port. Later only a
 * program of the same user can join it, if it asks to; the kernel would select it for nothing. */
static bool open_group(struct wyrmd *d, int family, int data, int fds[INITIATION_SOCKETS])
{
    bool opened = data >= 0 && share_port(data, 1);

    for (unsigned i = 0; i < INITIATION_SOCKETS && opened; i++) {
        struct epoll_event event = {.events = EPOLLIN};

        fds[i] = wyrmd_udp_socket(family, d->port, d->fwmark, BUFFER, true);
        event.data.fd = fds[i];
        opened = fds[i] >= 0 && epoll_ctl(d->initiations, EPOLL_CTL_ADD, fds[i], &event) == 0;
    }
    if (!opened || !steer(data, family, 0)) {
        close_all(fds);
        if (data >= 0)
            (void)share_port(data, 0);
        return false;
    }
    return true;
}

void wyrmd_initiations_open(struct wyrmd *d)
{
    wyrmd_initiations_close(d);
    if (!open_group(d, AF_INET, d->udp4, d->initiations4) ||
        (d->udp6 >= 0 && !open_group(d, AF_INET6, d->udp6, d->initiations6)) || !steer_all(d)) {
        if (d->verbose)
            wyrmd_log(d, "initiations share the socket of data: %s", strerror(errno));
    }
}

void wyrmd_initiations_close(struct wyrmd *d)
{
    close_all(d->initiations4);
    close_all(d->initiations6);
}

bool wyrmd_initiations_init(struct wyrmd *d)
{
    d->initiations = epoll_create1(EPOLL_CLOEXEC);
    return d->initiations >= 0 && wyrmd_watch(d, d->initiations);
}

int wyrmd_initiations_mark(const struct wyrmd *d, uint32_t mark)
{
    for (unsigned i = 0; i < 2 * INITIATION_SOCKETS; i++) {
        int fd =
            i < INITIATION_SOCKETS ? d->initiations4[i] : d->initiations6[i - INITIATION_SOCKETS];

        if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_MARK, &mark, sizeof(mark)) < 0)
            return errno;
    }
    return 0;
}

/* ---- Reading ------------------------------------------------------------- */

/* While it is not, the loop does not look whether any has come. */
static void listen_to(struct wyrmd *d, bool listening)
{
    struct epoll_event event = {.events = listening ? EPOLLIN : 0, .data = {.fd = d->initiations}};

    (void)epoll_ctl(d->epoll, EPOLL_CTL_MOD, d->initiations, &event);
}

void wyrmd_initiations_readable(struct wyrmd *d)
{
    struct epoll_event ready[2 * INITIATION_SOCKETS];
    int n = epoll_wait(d->initiations, ready, 2 * INITIATION_SOCKETS, 0);
    unsigned share, read = 0;

    if (n <= 0)
        return;
    share = n < INITIATIONS_PER_TURN ? INITIATIONS_PER_TURN / (unsigned)n : 1;
    for (int i = 0; i < n; i++)
        read += wyrmd_udp_read(d, ready[i].data.fd, share);
    if (read < INITIATIONS_PER_TURN / 2)
        return;

    if (d->now - d->initiations_steered >= SEED_MS && steer_all(d))
        d->initiations_steered = d->now;
    if (d->now - d->data_seen < BUSY_MS) {
        d->initiations_due = d->now + read / INITIATIONS_PER_MS;
        listen_to(d, false);
    }
}

void wyrmd_initiations_resume(struct wyrmd *d)
{
    if (d->initiations_due == 0 || d->now < d->initiations_due)
        return;
    d->initiations_due = 0;
    listen_to(d, true);
}

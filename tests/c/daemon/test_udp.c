/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * How datagrams leave when the system refuses some: what is tried again, what is remembered, and
 * how many calls that takes. The system is played by two functions.
 */
#include <stdlib.h>
#include <string.h>

#define SET_UP open_world
#include "test.h"

#include <errno.h>

#include "udp.h"

enum { PEERS = 4, LONG = 1452, SHORT = 400 };

static struct wyrmd d;
static struct wyrm_peer peers[PEERS];
static uint8_t bytes[OUTBOX_BYTES];
static struct no_runs no_runs[PEERS];

/* The system: what it refuses, and what has happened. */
static size_t path_mtu;
static int run_error, any_error;
static uint8_t gone; /* first byte of a local address that it no longer has */
static unsigned calls, runs, datagrams;

int __wrap_sendmmsg(int fd, struct mmsghdr *messages, unsigned n, int flags);
ssize_t __wrap_sendmsg(int fd, const struct msghdr *header, int flags);

void wyrmd_log(const struct wyrmd *daemon, const char *format, ...)
{
    (void)daemon;
    (void)format;
}

bool wyrmd_watch(struct wyrmd *daemon, int fd)
{
    (void)daemon;
    (void)fd;
    return true;
}

void wyrmd_initiations_open(struct wyrmd *daemon)
{
    (void)daemon;
}

void wyrmd_initiations_close(struct wyrmd *daemon)
{
    (void)daemon;
}

int wyrmd_initiations_mark(const struct wyrmd *daemon, uint32_t mark)
{
    (void)daemon;
    (void)mark;
    return 0;
}

/* 0 or an errno. */
static int take(const struct msghdr *header)
{
    struct msghdr copy = *header; /* CMSG_NXTHDR wants one that is not const */
    size_t segment = 0;

    for (struct cmsghdr *c = CMSG_FIRSTHDR(&copy); c != NULL; c = CMSG_NXTHDR(&copy, c)) {
        if (c->cmsg_level == IPPROTO_UDP && c->cmsg_type == UDP_SEGMENT)
            segment = header->msg_iov[0].iov_len;
        if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_PKTINFO && gone != 0 &&
            CMSG_DATA(c)[offsetof(struct in_pktinfo, ipi_spec_dst)] == gone)
            return EINVAL;
    }
    if (any_error != 0)
        return any_error;
    if (segment > 0 && (run_error != 0 || segment > path_mtu))
        return run_error != 0 ? run_error : EMSGSIZE;
    runs += segment > 0;
    datagrams += (unsigned)header->msg_iovlen;
    return 0;
}

int __wrap_sendmmsg(int fd, struct mmsghdr *messages, unsigned n, int flags)
{
    (void)fd;
    (void)flags;
    calls++;
    for (unsigned i = 0; i < n; i++) {
        int error = take(&messages[i].msg_hdr);

        if (error == 0)
            continue;
        errno = error;
        return i > 0 ? (int)i : -1;
    }
    return (int)n;
}

ssize_t __wrap_sendmsg(int fd, const struct msghdr *header, int flags)
{
    int error = take(header);

    (void)fd;
    (void)flags;
    calls++;
    errno = error;
    return error == 0 ? 1 : -1;
}

FIXTURE(open_world)
{
    static struct wyrm_pools pools = {.peers = peers, .n_peers = PEERS};

    memset(&d, 0, sizeof(d));
    memset(no_runs, 0, sizeof(no_runs));
    d.dev.pools = &pools;
    d.outbox.bytes = bytes;
    d.no_runs = no_runs;
    d.now = 1000000;
    path_mtu = 1500;
    run_error = any_error = 0;
    gone = 0;
    return 0;
}

/* Sends `n` datagrams to a peer, from a local address that begins with `local`; how many arrived.
 */
static unsigned send_some(wyrm_peer_id peer, unsigned n, size_t len, uint8_t local)
{
    struct wyrm_packet packet = {.len = len, .peer = peer};

    calls = runs = datagrams = 0;
    packet.to.remote.family = 4;
    packet.to.local.bytes[0] = local;
    for (unsigned i = 0; i < n; i++) {
        packet.data = wyrmd_udp_room(&d);
        memset(packet.data, 0, len);
        wyrmd_udp_commit(&d, &packet);
    }
    wyrmd_udp_flush(&d);
    return datagrams;
}

TEST(datagrams_of_one_length_leave_as_runs)
{
    assert_int_equal(send_some(1, 80, LONG, 10), 80);
    assert_int_equal(calls, 1);
    assert_int_equal(runs, 2);
}

/* As on a link with an MTU below a datagram's length: each must be fragmented. */
TEST(a_run_that_the_path_cannot_carry_is_not_tried_with_every_flush)
{
    path_mtu = 1400;
    assert_int_equal(send_some(1, 40, LONG, 10), 40);
    assert_in_range(calls, 1, 3);
    assert_int_equal(send_some(1, 40, LONG, 10), 40);
    assert_int_equal(calls, 1);
}

TEST(shorter_datagrams_and_other_peers_still_go_as_runs)
{
    path_mtu = 1400;
    (void)send_some(1, 40, LONG, 10);
    assert_int_equal(send_some(1, 40, SHORT, 10), 40);
    assert_int_equal(runs, 1);
    path_mtu = 1500;
    assert_int_equal(send_some(2, 40, LONG, 10), 40);
    assert_int_equal(runs, 1);
}

TEST(a_refused_run_is_tried_again_after_a_while)
{
    path_mtu = 1400;
    (void)send_some(1, 40, LONG, 10);
    path_mtu = 1500;
    d.now += 29000;
    assert_int_equal(send_some(1, 40, LONG, 10), 40);
    assert_int_equal(runs, 0);
    d.now += 1001;
    assert_int_equal(send_some(1, 40, LONG, 10), 40);
    assert_int_equal(runs, 1);
}

/* Where the interface makes no checksums, or packets are transformed. */
TEST(where_no_run_can_go_short_ones_cannot_either)
{
    run_error = EIO;
    assert_int_equal(send_some(1, 40, LONG, 10), 40);
    assert_int_equal(send_some(1, 40, SHORT, 10), 40);
    assert_int_equal(calls, 1);
}

TEST(what_a_firewall_or_a_full_queue_blocks_costs_one_call)
{
    const int errors[] = {EPERM, EAGAIN, ENOBUFS, EHOSTUNREACH};

    for (unsigned i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
        any_error = errors[i];
        assert_int_equal(send_some(1, 40, LONG, 10), 0);
        assert_int_equal(calls, 1);
    }
    any_error = 0;
    assert_int_equal(send_some(1, 40, LONG, 10), 40);
    assert_int_equal(runs, 1);
}

TEST(an_address_that_is_gone_is_left_and_runs_go_on)
{
    gone = 10;
    assert_int_equal(send_some(1, 40, LONG, 10), 40);
    assert_int_equal(runs, 1);
    assert_in_range(calls, 1, 3);
    assert_int_equal(send_some(1, 40, LONG, 0), 40);
    assert_int_equal(runs, 1);
}

TEST(a_cookie_reply_is_sent_without_its_run_if_need_be)
{
    run_error = EINVAL;
    assert_int_equal(send_some(WYRM_NO_PEER, 8, 64, 10), 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(datagrams_of_one_length_leave_as_runs),
        RUN(a_run_that_the_path_cannot_carry_is_not_tried_with_every_flush),
        RUN(shorter_datagrams_and_other_peers_still_go_as_runs),
        RUN(a_refused_run_is_tried_again_after_a_while),
        RUN(where_no_run_can_go_short_ones_cannot_either),
        RUN(what_a_firewall_or_a_full_queue_blocks_costs_one_call),
        RUN(an_address_that_is_gone_is_left_and_runs_go_on),
        RUN(a_cookie_reply_is_sent_without_its_run_if_need_be),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

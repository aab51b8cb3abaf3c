/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * How datagrams are sent when the system refuses some: which are retried, which refusals are
 * remembered, and how many system calls that takes. Two functions simulate the system.
 */
#include <stdlib.h>
#include <string.h>

#define SET_UP    open_world
#define TEAR_DOWN close_world
#include "test.h"

#include <errno.h>

#include "outbox.h"
#include "system.h"

#include <netinet/udp.h>

enum { PEERS = 4, LONG = 1452, SHORT = 400 };

static struct wyrmd_core core;
static struct wyrmd_udp udp;
static struct wyrmd_outbox box;
static struct wyrm_peer peers[PEERS];

/* The simulated system: its refusals, and its record of calls. */
static size_t path_mtu;
static int run_error, any_error;
static uint8_t gone; /* first byte of a local address that was removed */
static unsigned calls, runs, datagrams;

int __wrap_sendmmsg(int fd, struct mmsghdr *messages, unsigned n, int flags);
ssize_t __wrap_sendmsg(int fd, const struct msghdr *header, int flags);

void wyrmd_log_verbose(const char *format, ...)
{
    (void)format;
}

/* 0 or an errno. */
static int take(const struct msghdr *header)
{
    struct msghdr copy = *header; /* CMSG_NXTHDR does not accept const */
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
    memset(&core, 0, sizeof(core));
    memset(&box, 0, sizeof(box));
    core.pools = (struct wyrm_pools){.peers = peers, .n_peers = PEERS};
    core.dev.pools = &core.pools;
    core.now = 1000000;
    path_mtu = 1500;
    run_error = any_error = 0;
    gone = 0;
    return wyrmd_outbox_init(&box, &core, &udp) ? 0 : -1;
}

FIXTURE(close_world)
{
    free(box.bytes);
    free(box.no_runs);
    return 0;
}

/* Sends `n` datagrams to a peer, from a local address that begins with `local`; returns how many
 * the system accepted. */
static unsigned send_some(wyrm_peer_id peer, unsigned n, size_t len, uint8_t local)
{
    struct wyrm_packet packet = {.len = len, .peer = peer};

    calls = runs = datagrams = 0;
    packet.to.remote.family = 4;
    packet.to.local.bytes[0] = local;
    for (unsigned i = 0; i < n; i++) {
        packet.data = wyrmd_outbox_room(&box);
        memset(packet.data, 0, len);
        wyrmd_outbox_commit(&box, &packet);
    }
    wyrmd_outbox_flush(&box);
    return datagrams;
}

TEST(datagrams_of_equal_length_are_sent_as_runs)
{
    assert_int_equal(send_some(1, 80, LONG, 10), 80);
    assert_int_equal(calls, 1);
    assert_int_equal(runs, 2);
}

/* Simulates a link with an MTU below the length of a datagram: each must be fragmented. */
TEST(a_run_longer_than_the_path_mtu_is_not_retried_with_every_flush)
{
    path_mtu = 1400;
    assert_int_equal(send_some(1, 40, LONG, 10), 40);
    assert_in_range(calls, 1, 3);
    assert_int_equal(send_some(1, 40, LONG, 10), 40);
    assert_int_equal(calls, 1);
}

TEST(shorter_datagrams_and_other_peers_still_use_runs)
{
    path_mtu = 1400;
    (void)send_some(1, 40, LONG, 10);
    assert_int_equal(send_some(1, 40, SHORT, 10), 40);
    assert_int_equal(runs, 1);
    path_mtu = 1500;
    assert_int_equal(send_some(2, 40, LONG, 10), 40);
    assert_int_equal(runs, 1);
}

TEST(runs_are_retried_30_seconds_after_a_refusal)
{
    path_mtu = 1400;
    (void)send_some(1, 40, LONG, 10);
    path_mtu = 1500;
    core.now += 29000;
    assert_int_equal(send_some(1, 40, LONG, 10), 40);
    assert_int_equal(runs, 0);
    core.now += 1001;
    assert_int_equal(send_some(1, 40, LONG, 10), 40);
    assert_int_equal(runs, 1);
}

/* Simulates an interface that does not compute checksums, or transforms packets. */
TEST(a_path_without_run_support_gets_no_shorter_runs_either)
{
    run_error = EIO;
    assert_int_equal(send_some(1, 40, LONG, 10), 40);
    assert_int_equal(send_some(1, 40, SHORT, 10), 40);
    assert_int_equal(calls, 1);
}

TEST(datagrams_blocked_by_a_firewall_or_a_full_queue_cost_one_call)
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

TEST(a_removed_local_address_is_forgotten_and_runs_continue)
{
    gone = 10;
    assert_int_equal(send_some(1, 40, LONG, 10), 40);
    assert_int_equal(runs, 1);
    assert_in_range(calls, 1, 3);
    assert_int_equal(send_some(1, 40, LONG, 0), 40);
    assert_int_equal(runs, 1);
}

TEST(cookie_replies_are_sent_one_by_one_if_a_run_is_refused)
{
    run_error = EINVAL;
    assert_int_equal(send_some(WYRM_NO_PEER, 8, 64, 10), 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(datagrams_of_equal_length_are_sent_as_runs),
        RUN(a_run_longer_than_the_path_mtu_is_not_retried_with_every_flush),
        RUN(shorter_datagrams_and_other_peers_still_use_runs),
        RUN(runs_are_retried_30_seconds_after_a_refusal),
        RUN(a_path_without_run_support_gets_no_shorter_runs_either),
        RUN(datagrams_blocked_by_a_firewall_or_a_full_queue_cost_one_call),
        RUN(a_removed_local_address_is_forgotten_and_runs_continue),
        RUN(cookie_replies_are_sent_one_by_one_if_a_run_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Sends handshake initiations with a valid first MAC and nothing else valid, which is what everyone
 * who knows a public key can send: so many a second, for so many seconds, then it ends. What is
 * late by more than a hundredth of a second is left out, so that no burst exceeds the rate.
 *
 * From one port they leave in runs that only the receiving system takes apart, if at all, as runs
 * from one sender arrive from a network card: the flood then costs this machine little. With many
 * addresses each goes alone. Where it may, the program runs before others, as interrupts do.
 *
 * For networks that the lab has made itself.
 */
#define _GNU_SOURCE
#include "wyrm_crypto.h"
#include "wyrm_text.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/udp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#endif

enum {
    INITIATION = 148,
    MAC1 = 116,
    PREPARED = 1024,
    BATCH = 64,
    BATCHES_PER_S = 400, /* at least, so that none is late */
    SOURCES_MAX = 1024,
    TICK_US = 100,
    LATE_US = 10000,
    RATE_MAX = 1000000,
    SECONDS_MAX = 120
};

static const char usage[] =
    "usage: wyrm_flood PUBLIC_KEY ADDRESS PORT RATE SECONDS [FIRST_SOURCE COUNT]\n"
    "\n"
    "Sends RATE initiations a second (at most 1000000) for SECONDS (at most 120) to ADDRESS, from\n"
    "one port, or from COUNT (at most 1024) consecutive IPv4 addresses in turn. Says when the\n"
    "first answer comes, and at the end how many were sent and answered.\n";

union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

static uint8_t prepared[PREPARED][INITIATION];
static int sources[SOURCES_MAX];
static unsigned source_count = 1;

static void prepare(const uint8_t public[WYRM_KEY_LEN])
{
    uint8_t labelled[8 + WYRM_KEY_LEN] = "mac1----", key[32];

    memcpy(labelled + 8, public, WYRM_KEY_LEN);
    wyrm_blake2s(key, sizeof(key), NULL, 0, labelled, sizeof(labelled));
    for (unsigned i = 0; i < PREPARED; i++) {
        uint8_t *message = prepared[i];

        (void)!getrandom(message, MAC1, 0);
        memcpy(message, "\1\0\0\0", 4);
        wyrm_blake2s(message + MAC1, 16, key, sizeof(key), message, MAC1);
    }
}

static bool read_address(const char *text, uint16_t port, union address *out)
{
    *out = (union address){0};
    if (inet_pton(AF_INET, text, &out->v4.sin_addr) == 1) {
        out->v4.sin_family = AF_INET;
        out->v4.sin_port = htons(port);
        return true;
    }
    out->v6.sin6_family = AF_INET6;
    out->v6.sin6_port = htons(port);
    return inet_pton(AF_INET6, text, &out->v6.sin6_addr) == 1;
}

/* Sockets of consecutive addresses, or one of any address. */
static bool open_sources(const union address *to, const char *first)
{
    socklen_t len = to->any.sa_family == AF_INET ? sizeof(to->v4) : sizeof(to->v6);
    union address from = {0};
    int segment = INITIATION;

    if (first != NULL && (!read_address(first, 0, &from) || from.any.sa_family != AF_INET))
        return false;
    for (unsigned i = 0; i < source_count; i++) {
        sources[i] = socket(to->any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (sources[i] < 0)
            return false;
        if (first != NULL && bind(sources[i], &from.any, sizeof(from.v4)) < 0)
            return false;
        if (first == NULL &&
            setsockopt(sources[i], IPPROTO_UDP, UDP_SEGMENT, &segment, sizeof(segment)) < 0)
            return false;
        if (connect(sources[i], &to->any, len) < 0)
            return false;
        from.v4.sin_addr.s_addr = htonl(ntohl(from.v4.sin_addr.s_addr) + 1);
    }
    return true;
}

static uint64_t now_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static unsigned long read_answers(int fd)
{
    static uint8_t room[BATCH][64];
    static struct mmsghdr answers[BATCH];
    static struct iovec vectors[BATCH];
    int n;

    for (unsigned i = 0; i < BATCH; i++) {
        vectors[i] = (struct iovec){room[i], sizeof(room[i])};
        answers[i].msg_hdr = (struct msghdr){.msg_iov = &vectors[i], .msg_iovlen = 1};
    }
    n = recvmmsg(fd, answers, BATCH, MSG_DONTWAIT, NULL);
    return n > 0 ? (unsigned long)n : 0;
}

/* Sends some of the prepared initiations; how many. */
static unsigned long send_some(int fd, unsigned long n)
{
    static unsigned next;
    ssize_t sent;

    if (next + n > PREPARED)
        next = 0;
    sent = send(fd, prepared[next], n * INITIATION, 0);
    next += (unsigned)n;
    return sent > 0 ? (unsigned long)sent / INITIATION : 0;
}

static void flood(unsigned long rate, unsigned long seconds)
{
    uint64_t begun = now_us(), credit_from = begun, now;
    unsigned long sent = 0, used = 0, answers = 0, most = rate / BATCHES_PER_S;
    unsigned turn = 0;

    most = source_count > 1 || most == 0 ? 1 : most > BATCH ? BATCH : most;
    while ((now = now_us()) < begun + seconds * 1000000) {
        int fd = sources[turn++ % source_count];
        unsigned long due, read;

        if (now - credit_from > LATE_US + used * 1000000 / rate) {
            credit_from = now - LATE_US;
            used = 0;
        }
        due = (unsigned long)((now - credit_from) * rate / 1000000) - used;
        if (due < most) {
            usleep(TICK_US);
            continue;
        }
        due = most;
        sent += send_some(fd, due);
        used += due;
        read = read_answers(fd);
        if (answers == 0 && read > 0) {
            puts("first answer");
            fflush(stdout);
        }
        answers += read;
    }
    printf("sent %lu answered %lu\n", sent, answers);
}

int main(int argc, char **argv)
{
    uint8_t public[WYRM_KEY_LEN];
    union address to;
    unsigned long rate, seconds;

    if ((argc != 6 && argc != 8) || wyrm_key_parse(argv[1], strlen(argv[1]), public) != WYRM_IDLE ||
        !read_address(argv[2], (uint16_t)strtoul(argv[3], NULL, 10), &to)) {
        fputs(usage, stderr);
        return 2;
    }
    rate = strtoul(argv[4], NULL, 10);
    seconds = strtoul(argv[5], NULL, 10);
    if (argc == 8)
        source_count = (unsigned)strtoul(argv[7], NULL, 10);
    if (rate < 1 || rate > RATE_MAX || seconds < 1 || seconds > SECONDS_MAX || source_count < 1 ||
        source_count > SOURCES_MAX) {
        fputs(usage, stderr);
        return 2;
    }
    prepare(public);
    (void)sched_setscheduler(0, SCHED_RR, &(struct sched_param){.sched_priority = 1});
    if (!open_sources(&to, argc == 8 ? argv[6] : NULL)) {
        fprintf(stderr, "wyrm_flood: %s\n", strerror(errno));
        return 1;
    }
    flood(rate, seconds);
    return 0;
}

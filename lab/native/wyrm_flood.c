/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Sends handshake initiations with a valid first MAC and nothing else valid, which is what everyone
 * who knows a public key can send: so many a second, for so many seconds, then it ends. What is
 * late by more than a hundredth of a second is left out, so that no burst exceeds the rate. Prints
 * how many were sent, and how many answers came.
 *
 * For networks that the lab has made itself.
 */
#define _GNU_SOURCE
#include "wyrm_crypto.h"
#include "wyrm_text.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    INITIATION = 148,
    MAC1 = 116,
    PREPARED = 1024,
    BATCH = 64,
    SOURCES_MAX = 1024,
    TICK_US = 500,
    LATE_US = 10000,
    RATE_MAX = 1000000,
    SECONDS_MAX = 120
};

static const char usage[] =
    "usage: wyrm_flood PUBLIC_KEY ADDRESS PORT RATE SECONDS [FIRST_SOURCE COUNT]\n"
    "\n"
    "Sends RATE initiations a second (at most 1000000) for SECONDS (at most 120) to an IPv4\n"
    "ADDRESS, from one port, or from COUNT (at most 1024) consecutive addresses in turn.\n";

static uint8_t prepared[PREPARED][INITIATION];
static struct mmsghdr batch[BATCH];
static struct iovec parts[BATCH];
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
    for (unsigned i = 0; i < BATCH; i++)
        batch[i].msg_hdr = (struct msghdr){.msg_iov = &parts[i], .msg_iovlen = 1};
}

/* Sockets of consecutive addresses, or one of any address. */
static int open_sources(const struct sockaddr_in *to, const char *first)
{
    struct sockaddr_in from = {.sin_family = AF_INET};
    uint32_t address = 0;

    if (first != NULL) {
        if (inet_pton(AF_INET, first, &from.sin_addr) != 1)
            return -1;
        address = ntohl(from.sin_addr.s_addr);
    }
    for (unsigned i = 0; i < source_count; i++) {
        sources[i] = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        from.sin_addr.s_addr = htonl(first != NULL ? address + i : 0);
        if (sources[i] < 0 || bind(sources[i], (struct sockaddr *)&from, sizeof(from)) < 0 ||
            connect(sources[i], (const struct sockaddr *)to, sizeof(*to)) < 0)
            return -1;
    }
    return 0;
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

static void flood(unsigned long rate, unsigned long seconds)
{
    uint64_t begun = now_us(), credit_from = begun, now;
    unsigned long sent = 0, credited = 0, answers = 0;
    unsigned next = 0, turn = 0;

    while ((now = now_us()) < begun + seconds * 1000000) {
        unsigned long due;
        int fd = sources[turn++ % source_count];

        if (now - credit_from > LATE_US + credited * 1000000 / rate) {
            credit_from = now - LATE_US;
            credited = 0;
        }
        due = (unsigned long)((now - credit_from) * rate / 1000000) - credited;
        if (due == 0) {
            usleep(TICK_US);
            continue;
        }
        if (due > BATCH)
            due = BATCH;
        if (source_count > 1 && due > 8)
            due = 8; /* in turn */
        for (unsigned i = 0; i < due; i++)
            parts[i] = (struct iovec){prepared[next++ % PREPARED], INITIATION};
        for (int n = 0; n >= 0 && due > 0; due -= (unsigned)n, credited += (unsigned)n) {
            n = sendmmsg(fd, batch, (unsigned)due, 0);
            if (n <=
                0) { /* refused by an earlier answer, or the queue is full: it counts as late */
                credited += due;
                break;
            }
            sent += (unsigned)n;
        }
        answers += read_answers(fd);
    }
    printf("%lu %lu\n", sent, answers);
}

int main(int argc, char **argv)
{
    uint8_t public[WYRM_KEY_LEN];
    struct sockaddr_in to = {.sin_family = AF_INET};
    unsigned long rate, seconds;

    if ((argc != 6 && argc != 8) || wyrm_key_parse(argv[1], strlen(argv[1]), public) != WYRM_IDLE ||
        inet_pton(AF_INET, argv[2], &to.sin_addr) != 1) {
        fputs(usage, stderr);
        return 2;
    }
    to.sin_port = htons((uint16_t)strtoul(argv[3], NULL, 10));
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
    if (open_sources(&to, argc == 8 ? argv[6] : NULL) < 0) {
        fprintf(stderr, "wyrm_flood: %s\n", strerror(errno));
        return 1;
    }
    flood(rate, seconds);
    return 0;
}

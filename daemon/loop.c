/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The loop: what is readable is read, the core is polled after every call, one timer is armed.
 */
#include "wyrmd.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

wyrm_ms wyrmd_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_BOOTTIME, &t); /* goes on while the machine sleeps: sessions age */
    return (wyrm_ms)t.tv_sec * 1000 + (wyrm_ms)t.tv_nsec / 1000000;
}

bool wyrmd_watch(struct wyrmd *d, int fd)
{
    struct epoll_event event = {.events = EPOLLIN, .data = {.fd = fd}};

    return epoll_ctl(d->epoll, EPOLL_CTL_ADD, fd, &event) == 0;
}

/* ---- Held packets ------------------------------------------------------- */

static unsigned held_for(const struct wyrmd *d, wyrm_peer_id peer)
{
    unsigned n = 0;

    for (const struct held *h = d->held; h != NULL; h = h->next)
        n += h->peer == peer;
    return n;
}

/* Unlinks the oldest packet of a peer, of any peer with WYRM_NO_PEER; NULL if there is none. */
static struct held *unhold(struct wyrmd *d, wyrm_peer_id peer)
{
    for (struct held **link = &d->held; *link != NULL; link = &(*link)->next) {
        struct held *h = *link;

        if (peer != WYRM_NO_PEER && h->peer != peer)
            continue;
        *link = h->next;
        if (d->held_end == &h->next)
            d->held_end = link;
        d->held_used--;
        return h;
    }
    return NULL;
}

static void hold(struct wyrmd *d, wyrm_peer_id peer, const uint8_t *ip, size_t len)
{
    struct held *h = malloc(sizeof(*h) + len);

    if (h == NULL)
        return;
    if (held_for(d, peer) >= HELD_PER_PEER)
        free(unhold(d, peer));
    else if (d->held_used >= HELD_MAX)
        free(unhold(d, WYRM_NO_PEER));
    h->next = NULL;
    h->peer = peer;
    h->len = len;
    memcpy(h->data, ip, len);
    *d->held_end = h;
    d->held_end = &h->next;
    d->held_used++;
}

void wyrmd_drop_held(struct wyrmd *d, wyrm_peer_id peer)
{
    struct held *h;

    while ((h = unhold(d, peer)) != NULL)
        free(h);
}

/* ---- The core ----------------------------------------------------------- */

void wyrmd_send_inner(struct wyrmd *d, const uint8_t *ip, size_t len)
{
    struct wyrm_span span = {ip, len};
    struct wyrm_packet out;
    uint8_t *room = wyrmd_udp_room(d);

    switch (wyrm_output(&d->dev, wyrmd_now(), &span, 1, room, SEALED_MAX, &out)) {
    case WYRM_SEND:
        wyrmd_udp_commit(d, &out);
        break;
    case WYRM_HOLD:
        hold(d, out.peer, ip, len);
        break;
    default:
        break;
    }
}

/* Packets that waited for this peer; each may be held again. */
static void release_held(struct wyrmd *d, wyrm_peer_id peer)
{
    struct held *h;

    for (unsigned n = held_for(d, peer); n > 0 && (h = unhold(d, peer)) != NULL; n--) {
        wyrmd_send_inner(d, h->data, h->len);
        free(h);
    }
}

static void run_jobs(struct wyrmd *d)
{
    struct wyrm_packet out;
    wyrm_status status;

    while ((status = wyrm_job_take(&d->dev, wyrmd_now(), &d->job)) == WYRM_WORK) {
        do {
            wyrm_job_run(&d->job);
            status = wyrm_job_commit(&d->dev, wyrmd_now(), &d->job, &out);
        } while (status == WYRM_WORK);
        if (status == WYRM_SEND)
            wyrmd_udp_queue(d, &out);
    }
    if (status != WYRM_IDLE && d->verbose)
        wyrmd_log(d, "handshake: %s", wyrm_status_text(status));
}

static void arm_timer(struct wyrmd *d)
{
    static wyrm_ms armed;
    wyrm_ms due = wyrm_deadline(&d->dev), now = wyrmd_now();
    struct itimerspec spec = {0};

    if (due == armed)
        return;
    armed = due;
    if (due != WYRM_NEVER) {
        wyrm_ms left = due > now ? due - now : 1;

        spec.it_value.tv_sec = (time_t)(left / 1000);
        spec.it_value.tv_nsec = (long)(left % 1000 * 1000000);
    }
    (void)timerfd_settime(d->timer, 0, &spec, NULL);
}

void wyrmd_service(struct wyrmd *d)
{
    uint8_t buf[WYRM_CONTROL_MAX];
    struct wyrm_packet out;
    wyrm_status status;

    while ((status = wyrm_poll(&d->dev, wyrmd_now(), buf, sizeof(buf), &out)) > WYRM_IDLE) {
        switch (status) {
        case WYRM_SEND:
            wyrmd_udp_queue(d, &out);
            break;
        case WYRM_READY:
            release_held(d, out.peer);
            break;
        case WYRM_LOST:
            wyrmd_drop_held(d, out.peer);
            break;
        case WYRM_WORK:
            run_jobs(d);
            break;
        default:
            break;
        }
    }
}

/* ---- Events ------------------------------------------------------------- */

/* The MTU may have changed, which bounds the padding; or the interface has gone. */
static void read_links(struct wyrmd *d)
{
    char messages[8192];
    uint16_t mtu;

    while (recv(d->links, messages, sizeof(messages), MSG_DONTWAIT) > 0)
        continue;
    if (if_nametoindex(d->name) == 0)
        d->stop = true;
    else if ((mtu = wyrmd_tun_mtu(d)) != 0)
        (void)wyrm_set_mtu(&d->dev, mtu);
}

static void read_timer(struct wyrmd *d)
{
    uint64_t times;

    (void)!read(d->timer, &times, sizeof(times)); /* only to make it unreadable again */
}

static void handle(struct wyrmd *d, int fd)
{
    if (fd == d->tun)
        d->stop |= !wyrmd_tun_readable(d);
    else if (fd == d->udp4 || fd == d->udp6)
        wyrmd_udp_readable(d, fd);
    else if (fd == d->timer)
        read_timer(d);
    else if (fd == d->listener)
        wyrmd_uapi_accept(d);
    else if (fd == d->links)
        read_links(d);
    else if (fd == d->signals)
        d->stop = true;
    else if (fd == d->watch)
        d->stop |= access(d->socket_path, F_OK) != 0;
    else
        for (unsigned i = 0; i < UAPI_CLIENTS; i++)
            if (d->clients[i].fd == fd)
                wyrmd_uapi_readable(d, &d->clients[i]);
}

int wyrmd_run(struct wyrmd *d)
{
    struct epoll_event events[16];

    while (!d->stop) {
        int n = epoll_wait(d->epoll, events, sizeof(events) / sizeof(events[0]), -1);

        if (n < 0 && errno != EINTR) {
            wyrmd_log(d, "epoll: %s", strerror(errno));
            return 1;
        }
        for (int i = 0; i < n && !d->stop; i++)
            handle(d, events[i].data.fd);
        wyrmd_service(d);
        wyrmd_udp_flush(d);
        arm_timer(d);
    }
    return 0;
}

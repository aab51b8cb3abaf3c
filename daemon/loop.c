/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * One thread, one epoll set, one timer. The core is polled after every call into it.
 */
#include "wyrmd.h"
#include "system.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

static void arm_timer(struct wyrmd *d)
{
    wyrm_ms due = d->tunnel.up ? wyrm_deadline(&d->core.dev) : WYRM_NEVER;
    struct itimerspec spec = {0};

    if (d->initiations.due != 0 && d->initiations.due < due)
        due = d->initiations.due;
    if (due == d->armed && due > d->core.now)
        return;
    d->armed = due;
    if (due != WYRM_NEVER) {
        spec.it_value.tv_sec = (time_t)(due / 1000);
        spec.it_value.tv_nsec = (long)(due % 1000 * 1000000) + 1; /* zero would disarm it */
    }
    (void)timerfd_settime(d->timer, TFD_TIMER_ABSTIME, &spec, NULL);
}

static void check_interface(struct wyrmd *d)
{
    bool up = true; /* in another network namespace its state is unknown */
    uint16_t mtu;

    if (wyrmd_tun_state(&d->tun, &up, &mtu))
        (void)wyrm_set_mtu(&d->core.dev, mtu);
    wyrmd_tunnel_set_up(&d->tunnel, up);
}

static void read_routes(struct wyrmd *d)
{
    _Alignas(8) char messages[16384];
    ssize_t n;

    do {
        n = recv(d->routes, messages, sizeof(messages), MSG_DONTWAIT | MSG_TRUNC);
        if (n > (ssize_t)sizeof(messages) || (n < 0 && errno == ENOBUFS))
            wyrmd_paths_suspect_all(&d->paths);
        else if (n > 0)
            wyrmd_paths_notify(&d->paths, messages, (size_t)n);
    } while (n > 0 || (n < 0 && (errno == ENOBUFS || errno == EINTR)));
    check_interface(d);
    wyrmd_paths_check(&d->paths);
}

/* Discards everything readable, only to clear the event. */
static void drain(int fd)
{
    char bytes[4096];

    while (read(fd, bytes, sizeof(bytes)) > 0)
        continue;
}

static void handle(struct wyrmd *d, int fd)
{
    if (fd == d->tun.fd) {
        d->stop |= !wyrmd_transmit(&d->transmitter);
        wyrmd_initiations_note_data(&d->initiations);
    } else if (fd == d->udp.fd4 || fd == d->udp.fd6) {
        if (wyrmd_receive(&d->receiver, fd, INBOX) > 0)
            wyrmd_initiations_note_data(&d->initiations);
    } else if (fd == d->timer) {
        drain(fd);
    } else if (fd == d->uapi.listener) {
        wyrmd_uapi_accept(&d->uapi);
    } else if (fd == d->routes) {
        read_routes(d);
    } else if (fd == d->signals) {
        d->stop = true;
    } else if (fd == d->uapi.watch) {
        drain(fd);
        d->stop |= !wyrmd_uapi_is_ours(&d->uapi);
    } else {
        wyrmd_uapi_ready(&d->uapi, fd);
    }
}

/* Handles data before initiations, and those before the handshakes they start. */
static void handle_all(struct wyrmd *d, const struct epoll_event *events, int n)
{
    bool initiations = false;

    for (int i = 0; i < n && !d->stop; i++) {
        d->core.now = wyrmd_now();
        if (events[i].data.fd == d->initiations.fd)
            initiations = true;
        else
            handle(d, events[i].data.fd);
    }
    d->core.now = wyrmd_now();
    wyrmd_initiations_resume(&d->initiations);
    if (initiations)
        wyrmd_initiations_receive(&d->initiations);
    if (d->tunnel.up) {
        wyrmd_tunnel_poll(&d->tunnel);
        wyrmd_tunnel_run_jobs(&d->tunnel);
        wyrmd_tunnel_poll(&d->tunnel);
    }
    wyrmd_outbox_flush(&d->outbox);
}

int wyrmd_run(struct wyrmd *d)
{
    struct epoll_event events[16];

    d->core.now = wyrmd_now();
    d->armed = WYRM_NEVER;
    check_interface(d);
    while (!d->stop) {
        int n;

        arm_timer(d);
        n = epoll_wait(d->epoll, events, sizeof(events) / sizeof(events[0]),
                       d->tunnel.up && d->tunnel.work ? 0 : -1);
        if (n < 0 && errno != EINTR) {
            wyrmd_log("epoll: %s", strerror(errno));
            return 1;
        }
        handle_all(d, events, n);
    }
    return 0;
}

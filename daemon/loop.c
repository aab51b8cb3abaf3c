/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The loop: what is readable is read, the core is polled after every call, one timer is armed.
 */
#include "wyrmd.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

static void arm_timer(struct wyrmd *d)
{
    static wyrm_ms armed = WYRM_NEVER;
    wyrm_ms due = d->up ? wyrm_deadline(&d->dev) : WYRM_NEVER;
    struct itimerspec spec = {0};

    if (d->initiations_due != 0 && d->initiations_due < due)
        due = d->initiations_due;
    if (due == armed && due > d->now)
        return;
    armed = due;
    if (due != WYRM_NEVER) {
        spec.it_value.tv_sec = (time_t)(due / 1000);
        spec.it_value.tv_nsec = (long)(due % 1000 * 1000000) + 1; /* all zero would disarm it */
    }
    (void)timerfd_settime(d->timer, TFD_TIMER_ABSTIME, &spec, NULL);
}

/* ---- The interface goes up and down -------------------------------------- */

/* As the kernel's: peers with a persistent keepalive are called at once. */
static void goes_up(struct wyrmd *d)
{
    struct wyrm_peer_info info;

    for (wyrm_peer_id id = 0; id < d->pools.n_peers; id++) {
        if (wyrm_peer_get(&d->dev, d->now, id, &info) != WYRM_IDLE || info.keepalive_s == 0)
            continue;
        (void)wyrm_peer_set_keepalive(&d->dev, id, 0);
        (void)wyrm_peer_set_keepalive(&d->dev, id, info.keepalive_s);
    }
}

static void goes_down(struct wyrmd *d)
{
    for (wyrm_peer_id id = 0; id < d->pools.n_peers; id++)
        (void)wyrm_peer_disconnect(&d->dev, id); /* an empty place is fine */
    wyrmd_drop_all_held(d);
}

static void look_at_interface(struct wyrmd *d)
{
    bool up = true; /* moved to another namespace, it is out of sight: it may be up */
    uint16_t mtu;

    if (wyrmd_tun_state(d, &up, &mtu))
        (void)wyrm_set_mtu(&d->dev, mtu);
    if (up && !d->up)
        goes_up(d);
    else if (!up && d->up)
        goes_down(d);
    d->up = up;
}

/* Something about interfaces, addresses or routes has changed. */
static void read_routes(struct wyrmd *d)
{
    _Alignas(8) char messages[16384];
    ssize_t n;

    do {
        n = recv(d->routes, messages, sizeof(messages), MSG_DONTWAIT | MSG_TRUNC);
        if (n > (ssize_t)sizeof(messages) || (n < 0 && errno == ENOBUFS))
            wyrmd_paths_hear_all(d);
        else if (n > 0)
            wyrmd_paths_hear(d, messages, (size_t)n);
    } while (n > 0 || (n < 0 && (errno == ENOBUFS || errno == EINTR)));
    look_at_interface(d);
    wyrmd_paths_check(d);
}

/* ---- Events ------------------------------------------------------------- */

/* Only to make it unreadable again. */
static void drain(int fd)
{
    char bytes[4096];

    while (read(fd, bytes, sizeof(bytes)) > 0)
        continue;
}

static void handle(struct wyrmd *d, int fd)
{
    if (fd == d->tun) {
        d->stop |= !wyrmd_tun_readable(d);
        d->data_seen = d->now;
    } else if (fd == d->udp4 || fd == d->udp6) {
        wyrmd_udp_readable(d, fd);
    } else if (fd == d->timer) {
        drain(fd);
    } else if (fd == d->listener) {
        wyrmd_uapi_accept(d);
    } else if (fd == d->routes) {
        read_routes(d);
    } else if (fd == d->signals) {
        d->stop = true;
    } else if (fd == d->watch) {
        drain(fd);
        d->stop |= !wyrmd_uapi_is_ours(d);
    } else {
        for (unsigned i = 0; i < UAPI_CLIENTS; i++)
            if (d->clients[i].fd == fd)
                wyrmd_uapi_ready(d, &d->clients[i]);
    }
}

int wyrmd_run(struct wyrmd *d)
{
    struct epoll_event events[16];

    d->now = wyrmd_now();
    look_at_interface(d);
    while (!d->stop) {
        bool initiations = false;
        int n;

        arm_timer(d);
        n = epoll_wait(d->epoll, events, sizeof(events) / sizeof(events[0]),
                       d->up && d->work ? 0 : -1);
        if (n < 0 && errno != EINTR) {
            wyrmd_log(d, "epoll: %s", strerror(errno));
            return 1;
        }
        for (int i = 0; i < n && !d->stop; i++) {
            d->now = wyrmd_now();
            if (events[i].data.fd == d->initiations)
                initiations = true; /* data first */
            else
                handle(d, events[i].data.fd);
        }
        d->now = wyrmd_now();
        wyrmd_initiations_resume(d);
        if (initiations)
            wyrmd_initiations_readable(d);
        if (d->up) {
            wyrmd_service(d);
            wyrmd_run_jobs(d);
            wyrmd_service(d);
        }
        wyrmd_udp_flush(d);
    }
    return 0;
}

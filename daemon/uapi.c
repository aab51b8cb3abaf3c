/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * No client can block the daemon or lock others out: when all places are taken, the client that has
 * been idle for longest is disconnected.
 */
#include "uapi.h"
#include "system.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum {
    DIR_MODE = 0755,
    BACKLOG = 4096, /* limited by the system */
    ACCEPTS = 256   /* per event */
};

/* ---- The socket file ----------------------------------------------------- */

static bool somebody_listens(const struct sockaddr_un *address)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    bool listens =
        fd >= 0 && (connect(fd, (const struct sockaddr *)address, sizeof(*address)) == 0 ||
                    errno == EAGAIN); /* its backlog is full */

    if (fd >= 0)
        close(fd);
    return listens;
}

static void make_directory(void)
{
    /* If this fails, bind reports why. A umask must not keep others from listing it. */
    if (mkdir(UAPI_DIR, DIR_MODE) == 0)
        (void)chmod(UAPI_DIR, DIR_MODE);
}

static bool bind_private(struct wyrmd_uapi *uapi, const struct sockaddr_un *address)
{
    mode_t mask = umask(077);
    /* Listen immediately: wg(8) removes a socket that nobody listens on. */
    bool listens = bind(uapi->listener, (const struct sockaddr *)address, sizeof(*address)) == 0 &&
                   listen(uapi->listener, BACKLOG) == 0;
    struct stat file;

    umask(mask);
    if (!listens || stat(uapi->path, &file) < 0)
        return false;
    uapi->dev = file.st_dev;
    uapi->ino = file.st_ino;
    return true;
}

bool wyrmd_uapi_open(struct wyrmd_uapi *uapi, int epoll, const char *interface)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    for (unsigned i = 0; i < UAPI_CLIENTS; i++)
        uapi->clients[i].fd = -1;
    uapi->epoll = epoll;
    uapi->listener = uapi->watch = -1;
    if (!wyrmd_uapi_context_init(&uapi->context)) {
        wyrmd_log("not enough memory");
        return false;
    }
    make_directory();
    snprintf(uapi->path, sizeof(uapi->path), UAPI_DIR "/%s.sock", interface);
    memcpy(address.sun_path, uapi->path, sizeof(address.sun_path));
    if (somebody_listens(&address)) {
        wyrmd_log("%s: another daemon serves this interface", uapi->path);
        return false;
    }
    (void)unlink(uapi->path); /* left by a daemon that crashed */
    uapi->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (uapi->listener < 0 || !bind_private(uapi, &address)) {
        wyrmd_log("%s: %s", uapi->path, strerror(errno));
        return false;
    }
    /* Removing the socket file is a way to stop the daemon. */
    uapi->watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (uapi->watch < 0 ||
        inotify_add_watch(uapi->watch, uapi->path, IN_ATTRIB | IN_DELETE_SELF) < 0) {
        wyrmd_log("watching %s: %s", uapi->path, strerror(errno));
        return false;
    }
    return true;
}

bool wyrmd_uapi_is_ours(const struct wyrmd_uapi *uapi)
{
    struct stat file;

    return uapi->ino != 0 && stat(uapi->path, &file) == 0 && file.st_dev == uapi->dev &&
           file.st_ino == uapi->ino;
}

void wyrmd_uapi_close(struct wyrmd_uapi *uapi)
{
    if (uapi->listener < 0)
        return;
    for (unsigned i = 0; i < UAPI_CLIENTS; i++)
        wyrmd_uapi_client_close(&uapi->clients[i]);
    if (wyrmd_uapi_is_ours(uapi))
        (void)unlink(uapi->path);
    close(uapi->listener);
}

/* ---- Clients ------------------------------------------------------------- */

/* True if `a` gives way before `b`: unused places first, then idle clients, then the longest idle.
 */
static bool goes_before(const struct wyrmd_uapi_client *a, const struct wyrmd_uapi_client *b)
{
    if (a->fd < 0 || b->fd < 0)
        return a->fd < b->fd;
    if (wyrmd_uapi_client_is_idle(a) != wyrmd_uapi_client_is_idle(b))
        return wyrmd_uapi_client_is_idle(a);
    return a->active < b->active;
}

static void step(struct wyrmd_uapi *uapi, struct wyrmd_uapi_client *client)
{
    struct epoll_event event = {.data = {.fd = client->fd}};

    event.events = wyrmd_uapi_client_step(&uapi->context, client);
    if (event.events == 0 || epoll_ctl(uapi->epoll, EPOLL_CTL_MOD, client->fd, &event) < 0)
        wyrmd_uapi_client_close(client);
}

static struct wyrmd_uapi_client *make_place(struct wyrmd_uapi *uapi)
{
    struct wyrmd_uapi_client *place = &uapi->clients[0];

    for (unsigned i = 1; i < UAPI_CLIENTS; i++)
        if (goes_before(&uapi->clients[i], place))
            place = &uapi->clients[i];
    wyrmd_uapi_client_close(place);
    return place;
}

void wyrmd_uapi_accept(struct wyrmd_uapi *uapi)
{
    int fd;

    for (unsigned n = 0; n < ACCEPTS && (fd = accept4(uapi->listener, NULL, NULL,
                                                      SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0;
         n++) {
        struct wyrmd_uapi_client *client = make_place(uapi);

        wyrmd_uapi_client_open(&uapi->context, client, fd);
        if (wyrmd_watch(uapi->epoll, fd))
            step(uapi, client); /* most have sent a request already, or disconnected */
        else
            wyrmd_uapi_client_close(client);
    }
}

void wyrmd_uapi_ready(struct wyrmd_uapi *uapi, int fd)
{
    for (unsigned i = 0; i < UAPI_CLIENTS; i++)
        if (uapi->clients[i].fd == fd)
            step(uapi, &uapi->clients[i]);
}

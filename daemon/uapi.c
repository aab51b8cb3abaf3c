/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The configuration socket: accepts wg(8), reads lines, answers. The protocol itself is
 * src/wyrm_uapi.c. No client can make the daemon wait: answers that it does not read are kept for
 * it, and when all places are taken the one that came first has to go.
 */
#include "wyrmd.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* ---- The socket ---------------------------------------------------------- */

static bool somebody_listens(const struct sockaddr_un *address)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    bool listens =
        fd >= 0 && (connect(fd, (const struct sockaddr *)address, sizeof(*address)) == 0 ||
                    errno == EAGAIN); /* it is busy */

    if (fd >= 0)
        close(fd);
    return listens;
}

static void make_folder(void)
{
    /* If it cannot be made, bind says why. A umask must not lock others out of looking. */
    if (mkdir(UAPI_DIR, UAPI_DIR_MODE) == 0)
        (void)chmod(UAPI_DIR, UAPI_DIR_MODE);
}

static bool bind_private(struct wyrmd *d, const struct sockaddr_un *address)
{
    mode_t mask = umask(077);
    /* At once: wg(8) removes a socket where nobody listens. */
    bool listens = bind(d->listener, (const struct sockaddr *)address, sizeof(*address)) == 0 &&
                   listen(d->listener, 16) == 0;
    struct stat file;

    umask(mask);
    if (!listens || stat(d->socket_path, &file) < 0)
        return false;
    d->socket_dev = file.st_dev;
    d->socket_ino = file.st_ino;
    return true;
}

bool wyrmd_uapi_open(struct wyrmd *d)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    make_folder();
    snprintf(d->socket_path, sizeof(d->socket_path), UAPI_DIR "/%s.sock", d->name);
    memcpy(address.sun_path, d->socket_path, sizeof(address.sun_path));
    if (somebody_listens(&address)) {
        wyrmd_log(d, "%s: another daemon serves this interface", d->socket_path);
        return false;
    }
    (void)unlink(d->socket_path); /* left by a daemon that died */
    d->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (d->listener < 0 || !bind_private(d, &address)) {
        wyrmd_log(d, "%s: %s", d->socket_path, strerror(errno));
        return false;
    }
    /* Deleting the socket file is a way to end us. */
    d->watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (d->watch < 0 ||
        inotify_add_watch(d->watch, d->socket_path, IN_ATTRIB | IN_DELETE_SELF) < 0) {
        wyrmd_log(d, "watching %s: %s", d->socket_path, strerror(errno));
        return false;
    }
    return true;
}

bool wyrmd_uapi_is_ours(const struct wyrmd *d)
{
    struct stat file;

    return d->socket_ino != 0 && stat(d->socket_path, &file) == 0 && file.st_dev == d->socket_dev &&
           file.st_ino == d->socket_ino;
}

/* ---- Clients ------------------------------------------------------------- */

static void hang_up(struct client *client)
{
    if (client->fd < 0)
        return;
    close(client->fd);
    if (client->answer != NULL)
        explicit_bzero(client->answer, client->answer_cap);
    free(client->answer);
    explicit_bzero(client, sizeof(*client));
    client->fd = -1;
}

void wyrmd_uapi_close(struct wyrmd *d)
{
    for (unsigned i = 0; i < UAPI_CLIENTS; i++)
        hang_up(&d->clients[i]);
    if (wyrmd_uapi_is_ours(d))
        (void)unlink(d->socket_path);
    if (d->listener >= 0)
        close(d->listener);
}

void wyrmd_uapi_accept(struct wyrmd *d)
{
    int fd = accept4(d->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    struct client *place = &d->clients[0];

    if (fd < 0)
        return;
    for (unsigned i = 0; i < UAPI_CLIENTS && place->fd >= 0; i++)
        if (d->clients[i].fd < 0 || d->clients[i].arrived < place->arrived)
            place = &d->clients[i];
    hang_up(place);
    place->fd = fd;
    place->arrived = ++d->arrivals;
    if (!wyrmd_watch(d, fd))
        hang_up(place);
}

/* ---- What the protocol needs of us --------------------------------------- */

struct context {
    struct wyrmd *d;
    struct client *client;
};

/* Room for `more` bytes; what is outgrown is wiped, for answers hold keys. */
static bool grow(struct client *client, size_t more)
{
    size_t cap = client->answer_cap == 0 ? 4096 : client->answer_cap;
    char *wider;

    while (cap - client->answer_len < more)
        cap *= 2;
    if (cap == client->answer_cap)
        return true;
    wider = malloc(cap);
    if (wider == NULL)
        return false;
    if (client->answer != NULL) {
        memcpy(wider, client->answer, client->answer_len);
        explicit_bzero(client->answer, client->answer_cap);
        free(client->answer);
    }
    client->answer = wider;
    client->answer_cap = cap;
    return true;
}

static void write_answer(void *ctx, const char *text, size_t len)
{
    struct client *client = ((struct context *)ctx)->client;

    client->broken |= !grow(client, len);
    if (client->broken)
        return;
    memcpy(client->answer + client->answer_len, text, len);
    client->answer_len += len;
}

static int set_port(void *ctx, uint16_t port)
{
    return wyrmd_udp_bind(((struct context *)ctx)->d, port);
}

static int set_mark(void *ctx, uint32_t mark)
{
    struct wyrmd *d = ((struct context *)ctx)->d;
    bool same = mark == d->fwmark;
    int error = wyrmd_udp_mark(d, mark);

    if (error == 0 && !same) { /* marked otherwise, packets may leave from elsewhere */
        wyrmd_paths_hear_all(d);
        wyrmd_paths_check(d);
    }
    return error;
}

static uint32_t find_zone(void *ctx, const char *name, size_t len)
{
    char text[IFNAMSIZ] = {0};

    (void)ctx;
    if (len >= sizeof(text))
        return 0;
    memcpy(text, name, len);
    return if_nametoindex(text);
}

static wyrm_ms get_now(void *ctx)
{
    return ((struct context *)ctx)->d->now;
}

static uint64_t epoch_ms(void)
{
    struct timespec wall;

    clock_gettime(CLOCK_REALTIME, &wall);
    return (uint64_t)wall.tv_sec * 1000 + (uint64_t)wall.tv_nsec / 1000000 - wyrmd_now();
}

/* ---- Lines -------------------------------------------------------------- */

/* One line of a client; false: hang up. */
static bool take_line(struct wyrmd *d, struct client *client)
{
    static const char overlong[] = "overlong=";
    struct context context = {d, client};
    struct wyrm_uapi_host host = {.dev = &d->dev,
                                  .ctx = &context,
                                  .write = write_answer,
                                  .set_listen_port = set_port,
                                  .set_fwmark = set_mark,
                                  .find_zone = find_zone,
                                  .now = get_now,
                                  .listen_port = d->port,
                                  .fwmark = d->fwmark,
                                  .epoch_ms = epoch_ms(),
                                  .show_secrets = true};
    enum wyrm_uapi_verdict verdict;

    /* A line longer than any that means something becomes one that means nothing. */
    if (client->overlong)
        verdict = wyrm_uapi_line(&client->uapi, &host, overlong, sizeof(overlong) - 1);
    else
        while ((verdict = wyrm_uapi_line(&client->uapi, &host, client->line, client->fill)) ==
               WYRM_UAPI_AGAIN)
            continue; /* the line is empty and asks for all that is left */
    explicit_bzero(client->line, sizeof(client->line));
    client->fill = 0;
    client->overlong = false;
    return verdict != WYRM_UAPI_CLOSE && !client->broken;
}

static bool take_byte(struct wyrmd *d, struct client *client, char c)
{
    if (c == '\n')
        return take_line(d, client);
    if (client->fill < sizeof(client->line))
        client->line[client->fill++] = c;
    else
        client->overlong = true;
    return true;
}

/* Sends what waits; false: hang up. While some is left, the client is not listened to. */
static bool send_answer(struct wyrmd *d, struct client *client)
{
    size_t left = client->answer_len - client->answer_sent;
    struct epoll_event event = {.data = {.fd = client->fd}};
    ssize_t n = send(client->fd, client->answer + client->answer_sent, left, MSG_NOSIGNAL);

    if (n < 0 && errno != EAGAIN && errno != EINTR)
        return false;
    client->answer_sent += n > 0 ? (size_t)n : 0;
    if (client->answer_sent == client->answer_len) {
        explicit_bzero(client->answer, client->answer_len);
        client->answer_len = client->answer_sent = 0;
    }
    event.events = client->answer_len > 0 ? EPOLLOUT : EPOLLIN;
    return epoll_ctl(d->epoll, EPOLL_CTL_MOD, client->fd, &event) == 0;
}

void wyrmd_uapi_ready(struct wyrmd *d, struct client *client)
{
    char chunk[4096];
    ssize_t n = 0;
    bool going_on = true;

    if (client->answer_len == 0) {
        n = recv(client->fd, chunk, sizeof(chunk), 0);
        going_on = n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
        for (ssize_t i = 0; going_on && i < n; i++)
            going_on = take_byte(d, client, chunk[i]);
        explicit_bzero(chunk, sizeof(chunk));
    }
    if (client->answer_len > 0 && !client->broken)
        going_on = send_answer(d, client) && going_on;
    if (!going_on)
        hang_up(client);
}

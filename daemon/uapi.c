/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The configuration socket: accepts wg(8), reads lines, answers. The protocol itself is
 * src/wyrm_uapi.c. No client can make the daemon wait, or keep others out: a request is read whole
 * before it is taken, an answer is made as fast as the client reads it, and when all places are
 * taken the client that has been silent for longest has to go.
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

enum { BACKLOG = 4096 }; /* or what the system allows */

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
                   listen(d->listener, BACKLOG) == 0;
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

enum {
    READ_SIZE = 65536,     /* at most, per event */
    ANSWER_SIZE = 65536,   /* an answer is sent in parts of this size */
    ACCEPTS = 256,         /* per event */
    PEER_TEXT_MAX = 512,   /* all lines of a peer but its prefixes */
    PREFIX_TEXT_MAX = 64,  /* a line with one */
    DEVICE_TEXT_MAX = 4096 /* and some room for a request that goes about it in other words */
};

static void hang_up(struct client *client)
{
    if (client->fd < 0)
        return;
    close(client->fd);
    if (client->request != NULL)
        explicit_bzero(client->request, client->request_cap);
    if (client->answer != NULL)
        explicit_bzero(client->answer, client->answer_len);
    free(client->request);
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

static bool is_silent(const struct client *client)
{
    return client->request_len == 0 && client->answer_len == 0 && !client->answering;
}

/* True if `a` is to go before `b`: silence goes before work, and long before short. */
static bool goes_before(const struct client *a, const struct client *b)
{
    if (a->fd < 0 || b->fd < 0)
        return a->fd < b->fd;
    if (is_silent(a) != is_silent(b))
        return is_silent(a);
    return a->active < b->active;
}

void wyrmd_uapi_accept(struct wyrmd *d)
{
    int fd;

    for (unsigned n = 0;
         n < ACCEPTS && (fd = accept4(d->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0;
         n++) {
        struct client *place = &d->clients[0];

        for (unsigned i = 1; i < UAPI_CLIENTS; i++)
            if (goes_before(&d->clients[i], place))
                place = &d->clients[i];
        hang_up(place);
        place->fd = fd;
        place->active = ++d->activity;
        if (wyrmd_watch(d, fd))
            wyrmd_uapi_ready(d, place); /* most have spoken, or are gone again */
        else
            hang_up(place);
    }
}

/* ---- What the protocol needs of us --------------------------------------- */

struct context {
    struct wyrmd *d;
    struct client *client;
};

static void write_answer(void *ctx, const char *text, size_t len)
{
    struct client *client = ((struct context *)ctx)->client;

    if (client->answer == NULL || len > ANSWER_SIZE + WYRM_UAPI_PIECE_MAX - client->answer_len)
        return; /* take_request has seen to it */
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

/* ---- The time of handshakes ------------------------------------------------ */

/* Kept, as it would be another one after the clock has been set, and a little another one whenever
 * two clocks are compared anew. */
void wyrmd_note_handshake(struct wyrmd *d, wyrm_peer_id peer)
{
    struct wyrm_peer_info info;
    struct timespec wall;

    if (wyrm_peer_get(&d->dev, d->now, peer, &info) != WYRM_IDLE ||
        info.last_handshake == WYRM_NEVER || clock_gettime(CLOCK_REALTIME, &wall) < 0)
        return;
    d->handshakes[peer].at = info.last_handshake;
    d->handshakes[peer].unix_ms = (uint64_t)wall.tv_sec * 1000 + (uint64_t)wall.tv_nsec / 1000000 -
                                  (wyrmd_now() - info.last_handshake);
}

static uint64_t handshake_time(void *ctx, wyrm_peer_id peer, wyrm_ms at)
{
    struct wyrmd *d = ((struct context *)ctx)->d;

    if (d->handshakes[peer].unix_ms == 0 || d->handshakes[peer].at != at)
        wyrmd_note_handshake(d, peer);
    return d->handshakes[peer].unix_ms;
}

/* ---- Requests and answers --------------------------------------------------- */

static struct wyrm_uapi_host host_for(struct context *context)
{
    struct wyrmd *d = context->d;

    return (struct wyrm_uapi_host){.dev = &d->dev,
                                   .ctx = context,
                                   .write = write_answer,
                                   .set_listen_port = set_port,
                                   .set_fwmark = set_mark,
                                   .find_zone = find_zone,
                                   .now = get_now,
                                   .handshake_time = handshake_time,
                                   .listen_port = d->port,
                                   .fwmark = d->fwmark,
                                   .show_secrets = true,
                                   .scratch = d->uapi_scratch,
                                   .scratch_size = wyrm_uapi_scratch_size(&d->dev),
                                   .first_route = d->chained ? d->first_route : NULL,
                                   .next_route = d->chained ? d->next_route : NULL};
}

/* The length of the first request in the buffer, its empty line included; 0: it is not all here. */
static size_t request_end(struct client *client)
{
    const char *text = client->request, *end;

    while ((end = memchr(text + client->scanned, '\n', client->request_len - client->scanned)) !=
           NULL) {
        client->scanned = (size_t)(end - text);
        if (client->scanned == 0 || end[-1] == '\n')
            return client->scanned + 1;
        client->scanned++;
    }
    client->scanned = client->request_len;
    return 0;
}

static void forget_request(struct client *client, size_t len)
{
    memmove(client->request, client->request + len, client->request_len - len);
    client->request_len -= len;
    explicit_bzero(client->request + client->request_len, len);
    client->scanned = 0;
}

/* False: hang up. */
static bool go_on(struct client *client, enum wyrm_uapi_verdict verdict)
{
    client->answering = verdict == WYRM_UAPI_AGAIN;
    return verdict != WYRM_UAPI_CLOSE;
}

/* Takes the request that is in the buffer, if it is complete. */
static bool take_request(struct wyrmd *d, struct client *client)
{
    struct context context = {d, client};
    struct wyrm_uapi_host host = host_for(&context);
    size_t len = request_end(client);
    bool going_on;

    if (!wyrm_uapi_may_begin(client->request, client->request_len))
        return false;
    if (len == 0)
        return true;
    if (client->too_long) {
        going_on = go_on(client, wyrm_uapi_refuse(&host, client->request, client->request_len,
                                                  WYRM_UAPI_NO_MEMORY));
        client->too_long = false;
    } else {
        going_on = go_on(client, wyrm_uapi_request(&client->uapi, &host, client->request, len));
        d->chained &= client->request[0] == 'g'; /* else routes may have changed */
    }
    forget_request(client, len);
    return going_on;
}

static void make_answer(struct wyrmd *d, struct client *client)
{
    struct context context = {d, client};
    struct wyrm_uapi_host host;

    if (client->answering && !d->chained) {
        wyrm_route_chain(&d->dev, d->first_route, d->next_route);
        d->chained = true;
    }
    host = host_for(&context);
    while (client->answering && client->answer_len < ANSWER_SIZE)
        (void)go_on(client, wyrm_uapi_more(&client->uapi, &host));
}

/* Sends what is ready; false: hang up. */
static bool send_answer(struct client *client)
{
    size_t left = client->answer_len - client->answer_sent;
    ssize_t n = send(client->fd, client->answer + client->answer_sent, left, MSG_NOSIGNAL);

    if (n < 0)
        return errno == EAGAIN || errno == EINTR;
    client->answer_sent += (size_t)n;
    if (client->answer_sent == client->answer_len) {
        explicit_bzero(client->answer, client->answer_len);
        client->answer_len = client->answer_sent = 0;
    }
    return true;
}

/* Room for READ_SIZE bytes more; what is outgrown is wiped, for requests hold keys. A request that
 * is longer than any that fits this device is read to its end, but only its first and last lines
 * are kept. */
static bool make_room(const struct wyrmd *d, struct client *client)
{
    size_t max = DEVICE_TEXT_MAX + (size_t)d->pools.n_peers * PEER_TEXT_MAX +
                 (size_t)d->pools.n_routes * PREFIX_TEXT_MAX;
    size_t cap = client->request_cap > 0 ? 2 * client->request_cap : 2 * READ_SIZE;
    char *wider;

    if (client->answer == NULL)
        client->answer = malloc(ANSWER_SIZE + WYRM_UAPI_PIECE_MAX);
    if (client->request_cap - client->request_len >= READ_SIZE)
        return client->answer != NULL;
    if (client->request_len > max) {
        size_t keep = sizeof("get=1\n") - 1;

        client->too_long = true;
        client->request[keep] = client->request[client->request_len - 1];
        explicit_bzero(client->request + keep + 1, client->request_len - keep - 1);
        client->scanned = client->request_len = keep + 1;
        return client->answer != NULL;
    }
    wider = malloc(cap);
    if (wider == NULL)
        return false;
    if (client->request != NULL) {
        memcpy(wider, client->request, client->request_len);
        explicit_bzero(client->request, client->request_cap);
        free(client->request);
    }
    client->request = wider;
    client->request_cap = cap;
    return client->answer != NULL;
}

static bool read_request(struct wyrmd *d, struct client *client)
{
    ssize_t n;

    if (!make_room(d, client)) {
        wyrmd_log(d, "%s: not enough memory for a request", d->socket_path);
        return false;
    }
    n = recv(client->fd, client->request + client->request_len, READ_SIZE, 0);
    if (n <= 0)
        return n < 0 && (errno == EAGAIN || errno == EINTR);
    client->request_len += (size_t)n;
    client->active = ++d->activity;
    return true;
}

/* One step: reads a little, or takes one request, or sends a part of an answer, so that neither
 * other clients nor packets wait for long. There is no reading on before an answer is sent. */
void wyrmd_uapi_ready(struct wyrmd *d, struct client *client)
{
    struct epoll_event event = {.events = EPOLLIN, .data = {.fd = client->fd}};
    bool going_on = true;

    if (client->answer_len == 0 && !client->answering && client->scanned == client->request_len)
        going_on = read_request(d, client);
    if (going_on && client->answer_len == 0 && !client->answering && client->request_len > 0)
        going_on = take_request(d, client);
    if (going_on && client->answer_len == 0)
        make_answer(d, client);
    if (client->answer_len > 0) /* what has been answered before a mistake is sent, too */
        going_on = send_answer(client) && going_on;
    if (client->answer_len > 0 || client->answering || client->scanned < client->request_len)
        event.events = EPOLLOUT;
    if (!going_on || epoll_ctl(d->epoll, EPOLL_CTL_MOD, client->fd, &event) < 0)
        hang_up(client);
}

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The configuration socket: accepts wg(8), reads lines, answers. The protocol itself is
 * src/wyrm_uapi.c.
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

static bool somebody_listens(const struct sockaddr_un *address)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool listens = fd >= 0 && connect(fd, (const struct sockaddr *)address, sizeof(*address)) == 0;

    if (fd >= 0)
        close(fd);
    return listens;
}

bool wyrmd_uapi_open(struct wyrmd *d)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    mode_t mask;
    int bound;

    (void)mkdir(UAPI_DIR, UAPI_DIR_MODE); /* if it cannot be made, bind says why */
    snprintf(d->socket_path, sizeof(d->socket_path), UAPI_DIR "/%s.sock", d->name);
    memcpy(address.sun_path, d->socket_path, sizeof(address.sun_path));
    if (somebody_listens(&address)) {
        wyrmd_log(d, "%s: another daemon serves this interface", d->socket_path);
        return false;
    }
    (void)unlink(d->socket_path); /* left by a daemon that died */
    d->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    mask = umask(077);
    bound = d->listener < 0 ? -1 : bind(d->listener, (struct sockaddr *)&address, sizeof(address));
    umask(mask);
    if (bound < 0 || listen(d->listener, 16) < 0) {
        wyrmd_log(d, "%s: %s", d->socket_path, strerror(errno));
        return false;
    }
    /* Deleting the socket file is a way to end us. */
    d->watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    return d->watch >= 0 &&
           inotify_add_watch(d->watch, d->socket_path, IN_ATTRIB | IN_DELETE_SELF) >= 0;
}

void wyrmd_uapi_close(struct wyrmd *d)
{
    if (d->listener >= 0)
        close(d->listener);
    if (d->socket_path[0] != '\0')
        (void)unlink(d->socket_path); /* gone already is fine */
}

static void hang_up(struct client *client)
{
    close(client->fd);
    explicit_bzero(client->line, sizeof(client->line));
    memset(client, 0, sizeof(*client));
    client->fd = -1;
}

void wyrmd_uapi_accept(struct wyrmd *d)
{
    int fd = accept4(d->listener, NULL, NULL, SOCK_CLOEXEC);

    if (fd < 0)
        return;
    for (unsigned i = 0; i < UAPI_CLIENTS; i++) {
        if (d->clients[i].fd < 0) {
            d->clients[i].fd = fd;
            if (!wyrmd_watch(d, fd))
                hang_up(&d->clients[i]);
            return;
        }
    }
    close(fd);
}

/* ---- What the protocol needs of us --------------------------------------- */

struct context {
    struct wyrmd *d;
    FILE *answer; /* the whole answer, then sent in one go */
};

static void write_answer(void *ctx, const char *text, size_t len)
{
    struct context *c = ctx;

    (void)fwrite(text, 1, len, c->answer);
}

static int set_port(void *ctx, uint16_t port)
{
    struct context *c = ctx;

    return wyrmd_udp_bind(c->d, port);
}

static int set_mark(void *ctx, uint32_t mark)
{
    struct context *c = ctx;

    return wyrmd_udp_mark(c->d, mark);
}

static wyrm_ms get_now(void *ctx)
{
    (void)ctx;
    return wyrmd_now();
}

static uint64_t epoch_ms(void)
{
    struct timespec wall;

    clock_gettime(CLOCK_REALTIME, &wall);
    return (uint64_t)wall.tv_sec * 1000 + (uint64_t)wall.tv_nsec / 1000000 - wyrmd_now();
}

/* ---- Lines -------------------------------------------------------------- */

/* One line of a client; false: hang up. */
static bool take_line(struct wyrmd *d, struct client *client, size_t len)
{
    char *text = NULL;
    size_t text_len = 0;
    struct context context = {.d = d, .answer = open_memstream(&text, &text_len)};
    struct wyrm_uapi_host host = {.dev = &d->dev,
                                  .ctx = &context,
                                  .write = write_answer,
                                  .set_listen_port = set_port,
                                  .set_fwmark = set_mark,
                                  .now = get_now,
                                  .listen_port = d->port,
                                  .fwmark = d->fwmark,
                                  .epoch_ms = epoch_ms(),
                                  .show_secrets = true};
    enum wyrm_uapi_verdict verdict = WYRM_UAPI_CLOSE;
    bool sent = true;

    if (context.answer != NULL) {
        verdict = wyrm_uapi_line(&client->uapi, &host, client->line, len);
        (void)fclose(context.answer);
        if (text_len > 0)
            sent = send(client->fd, text, text_len, MSG_NOSIGNAL) == (ssize_t)text_len;
        explicit_bzero(text, text_len);
        free(text);
    }
    return sent && verdict != WYRM_UAPI_CLOSE;
}

/* Cuts what came into lines. One that is too long can only be wrong: it is passed on cut, as a line
 * without meaning, and the rest of it is left out. */
static bool take_byte(struct wyrmd *d, struct client *client, char c)
{
    bool going_on;

    if (c != '\n') {
        if (client->fill < sizeof(client->line))
            client->line[client->fill++] = c;
        return true;
    }
    going_on = take_line(d, client, client->fill);
    explicit_bzero(client->line, sizeof(client->line));
    client->fill = 0;
    return going_on;
}

void wyrmd_uapi_readable(struct wyrmd *d, struct client *client)
{
    char chunk[4096];
    ssize_t n = recv(client->fd, chunk, sizeof(chunk), MSG_DONTWAIT);
    bool going_on = n > 0 || (n < 0 && errno == EAGAIN);

    for (ssize_t i = 0; going_on && i < n; i++)
        going_on = take_byte(d, client, chunk[i]);
    explicit_bzero(chunk, sizeof(chunk));
    if (!going_on)
        hang_up(client);
}

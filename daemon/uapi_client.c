/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The protocol itself is src/wyrm_uapi.c. A request is read completely before it is handled, and an
 * answer is produced as fast as the client reads it.
 */
#include "uapi_client.h"
#include "system.h"

#include <errno.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

enum {
    READ_SIZE = 65536,     /* at most, per event */
    ANSWER_SIZE = 65536,   /* an answer is sent in parts of this size */
    PEER_TEXT_MAX = 512,   /* all lines of a peer except its prefixes */
    PREFIX_TEXT_MAX = 64,  /* the line of a prefix */
    DEVICE_TEXT_MAX = 4096 /* with some room for other ways to write a request */
};

bool wyrmd_uapi_context_init(struct wyrmd_uapi_context *context)
{
    const struct wyrm_pools *pools = &context->core->pools;

    context->scratch = malloc(wyrm_uapi_scratch_size(&context->core->dev));
    context->first_route = calloc(pools->n_peers, sizeof(*context->first_route));
    context->next_route = calloc(pools->n_routes, sizeof(*context->next_route));
    return context->scratch != NULL && context->first_route != NULL && context->next_route != NULL;
}

void wyrmd_uapi_client_open(struct wyrmd_uapi_context *context, struct wyrmd_uapi_client *client,
                            int fd)
{
    client->fd = fd;
    client->active = ++context->activity;
}

void wyrmd_uapi_client_close(struct wyrmd_uapi_client *client)
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

bool wyrmd_uapi_client_is_idle(const struct wyrmd_uapi_client *client)
{
    return client->request_len == 0 && client->answer_len == 0 && !client->answering;
}

/* ---- Callbacks of the protocol ------------------------------------------- */

struct call {
    struct wyrmd_uapi_context *context;
    struct wyrmd_uapi_client *client;
};

static void write_answer(void *ctx, const char *text, size_t len)
{
    struct wyrmd_uapi_client *client = ((struct call *)ctx)->client;

    if (client->answer == NULL || len > ANSWER_SIZE + WYRM_UAPI_PIECE_MAX - client->answer_len)
        return; /* cannot happen: the next piece is produced only if it fits */
    memcpy(client->answer + client->answer_len, text, len);
    client->answer_len += len;
}

static int set_port(void *ctx, uint16_t port)
{
    return wyrmd_sockets_bind(((struct call *)ctx)->context->sockets, port);
}

static int set_mark(void *ctx, uint32_t mark)
{
    struct wyrmd_uapi_context *context = ((struct call *)ctx)->context;
    bool same = mark == context->sockets->udp->mark;
    int error = wyrmd_sockets_set_mark(context->sockets, mark);

    if (error == 0 && !same) { /* with another mark, other routes may apply */
        wyrmd_paths_suspect_all(context->paths);
        wyrmd_paths_check(context->paths);
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
    return ((struct call *)ctx)->context->core->now;
}

static uint64_t handshake_time(void *ctx, wyrm_peer_id peer, wyrm_ms at)
{
    return wyrmd_handshakes_unix_ms(((struct call *)ctx)->context->handshakes, peer, at);
}

/* ---- Requests and answers --------------------------------------------------- */

static struct wyrm_uapi_host host_for(struct call *call)
{
    struct wyrmd_uapi_context *context = call->context;
    struct wyrmd_core *core = context->core;

    return (struct wyrm_uapi_host){
        .dev = &core->dev,
        .ctx = call,
        .write = write_answer,
        .set_listen_port = set_port,
        .set_fwmark = set_mark,
        .find_zone = find_zone,
        .now = get_now,
        .handshake_time = handshake_time,
        .listen_port = context->sockets->udp->port,
        .fwmark = context->sockets->udp->mark,
        .show_secrets = true,
        .scratch = context->scratch,
        .scratch_size = wyrm_uapi_scratch_size(&core->dev),
        .first_route = context->chained ? context->first_route : NULL,
        .next_route = context->chained ? context->next_route : NULL,
    };
}

/* The length of the first request in the buffer with its empty line; 0: it is incomplete. */
static size_t request_end(struct wyrmd_uapi_client *client)
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

static void forget_request(struct wyrmd_uapi_client *client, size_t len)
{
    memmove(client->request, client->request + len, client->request_len - len);
    client->request_len -= len;
    explicit_bzero(client->request + client->request_len, len);
    client->scanned = 0;
}

/* False: close the connection. */
static bool follow(struct wyrmd_uapi_client *client, enum wyrm_uapi_verdict verdict)
{
    client->answering = verdict == WYRM_UAPI_AGAIN;
    return verdict != WYRM_UAPI_CLOSE;
}

/* Handles the request in the buffer if it is complete; false: close the connection. */
static bool handle_request(struct wyrmd_uapi_context *context, struct wyrmd_uapi_client *client)
{
    struct call call = {context, client};
    struct wyrm_uapi_host host = host_for(&call);
    size_t len = request_end(client);
    bool keep;

    if (!wyrm_uapi_may_begin(client->request, client->request_len))
        return false;
    if (len == 0)
        return true;
    if (client->too_long) {
        keep = follow(client, wyrm_uapi_refuse(&host, client->request, client->request_len,
                                               WYRM_UAPI_NO_MEMORY));
        client->too_long = false;
    } else {
        keep = follow(client, wyrm_uapi_request(&client->uapi, &host, client->request, len));
        context->chained &= client->request[0] == 'g'; /* `set` may have changed routes */
    }
    forget_request(client, len);
    return keep;
}

static void make_answer(struct wyrmd_uapi_context *context, struct wyrmd_uapi_client *client)
{
    struct call call = {context, client};
    struct wyrm_uapi_host host;

    if (client->answering && !context->chained) {
        wyrm_route_chain(&context->core->dev, context->first_route, context->next_route);
        context->chained = true;
    }
    host = host_for(&call);
    while (client->answering && client->answer_len < ANSWER_SIZE)
        (void)follow(client, wyrm_uapi_more(&client->uapi, &host));
}

/* Sends what is ready; false: close the connection. */
static bool send_answer(struct wyrmd_uapi_client *client)
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

/* Makes room for READ_SIZE more bytes; buffers that are too small are wiped, as requests contain
 * keys. A request longer than any that fits this device is read to its end, but only its first line
 * and its last byte are kept. */
static bool make_room(const struct wyrmd_uapi_context *context, struct wyrmd_uapi_client *client)
{
    size_t max = DEVICE_TEXT_MAX + (size_t)context->core->pools.n_peers * PEER_TEXT_MAX +
                 (size_t)context->core->pools.n_routes * PREFIX_TEXT_MAX;
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

static bool read_request(struct wyrmd_uapi_context *context, struct wyrmd_uapi_client *client)
{
    ssize_t n;

    if (!make_room(context, client)) {
        wyrmd_log("not enough memory for a request");
        return false;
    }
    n = recv(client->fd, client->request + client->request_len, READ_SIZE, 0);
    if (n <= 0)
        return n < 0 && (errno == EAGAIN || errno == EINTR);
    client->request_len += (size_t)n;
    client->active = ++context->activity;
    return true;
}

uint32_t wyrmd_uapi_client_step(struct wyrmd_uapi_context *context,
                                struct wyrmd_uapi_client *client)
{
    bool keep = true;

    if (client->answer_len == 0 && !client->answering && client->scanned == client->request_len)
        keep = read_request(context, client);
    if (keep && client->answer_len == 0 && !client->answering && client->request_len > 0)
        keep = handle_request(context, client);
    if (keep && client->answer_len == 0)
        make_answer(context, client);
    if (client->answer_len > 0) /* answers before an invalid request are sent, too */
        keep = send_answer(client) && keep;
    if (!keep)
        return 0;
    if (client->answer_len > 0 || client->answering || client->scanned < client->request_len)
        return EPOLLOUT;
    return EPOLLIN;
}

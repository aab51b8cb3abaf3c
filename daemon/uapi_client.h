/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * One client of the control socket: its requests and the answers.
 */
#ifndef WYRMD_UAPI_CLIENT_H
#define WYRMD_UAPI_CLIENT_H

#include "core.h"
#include "handshakes.h"
#include "paths.h"
#include "sockets.h"

#include <wyrm_uapi.h>

/* What requests act upon, shared by all clients. */
struct wyrmd_uapi_context {
    struct wyrmd_core *core;
    struct wyrmd_sockets *sockets;
    struct wyrmd_paths *paths;
    struct wyrmd_handshakes *handshakes;
    void *scratch;                      /* see struct wyrm_uapi_host */
    uint32_t *first_route, *next_route; /* see wyrm_route_chain */
    bool chained;                       /* they are up to date */
    uint64_t activity;                  /* counts the reads of all clients */
};

struct wyrmd_uapi_client {
    int fd;          /* -1: unused */
    uint64_t active; /* the context's activity at the last read: the lowest is idle for longest */
    struct wyrm_uapi uapi;
    char *request; /* read but not yet handled */
    size_t request_len, request_cap;
    size_t scanned; /* for an empty line */
    bool too_long;  /* only the beginning of the request and its last byte are kept */
    bool answering; /* the answer is not complete */
    char *answer;   /* not yet sent */
    size_t answer_len, answer_sent;
};

bool wyrmd_uapi_context_init(struct wyrmd_uapi_context *context);

void wyrmd_uapi_client_open(struct wyrmd_uapi_context *context, struct wyrmd_uapi_client *client,
                            int fd);
void wyrmd_uapi_client_close(struct wyrmd_uapi_client *client);
/* True if the client has neither sent part of a request nor waits for an answer. */
bool wyrmd_uapi_client_is_idle(const struct wyrmd_uapi_client *client);
/* Does one step: reads some bytes, handles one request, or sends a part of an answer, so that
 * neither other clients nor packets wait for long. Nothing is read before an answer is sent.
 * Returns the events to wait for next, 0: the connection is to be closed. */
uint32_t wyrmd_uapi_client_step(struct wyrmd_uapi_context *context,
                                struct wyrmd_uapi_client *client);

#endif /* WYRMD_UAPI_CLIENT_H */

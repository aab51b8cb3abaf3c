/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The control socket that wg(8) connects to.
 */
#ifndef WYRMD_UAPI_H
#define WYRMD_UAPI_H

#include "uapi_client.h"

#include <sys/types.h>

#define UAPI_DIR "/var/run/wireguard"

enum { UAPI_CLIENTS = 32 };

struct wyrmd_uapi {
    int epoll; /* the loop's */
    int listener;
    int watch; /* inotify: the socket file was removed or replaced */
    char path[108];
    dev_t dev; /* of our socket file */
    ino_t ino; /* 0: none */
    struct wyrmd_uapi_context context;
    struct wyrmd_uapi_client clients[UAPI_CLIENTS];
};

/* Call with `context` filled in; false after logging why. */
bool wyrmd_uapi_open(struct wyrmd_uapi *uapi, int epoll, const char *interface);
void wyrmd_uapi_close(struct wyrmd_uapi *uapi);
/* False once the socket file has been removed or replaced. */
bool wyrmd_uapi_is_ours(const struct wyrmd_uapi *uapi);
void wyrmd_uapi_accept(struct wyrmd_uapi *uapi);
/* Handles an event of a client's socket. */
void wyrmd_uapi_ready(struct wyrmd_uapi *uapi, int fd);

#endif /* WYRMD_UAPI_H */

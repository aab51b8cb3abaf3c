/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The command uapi: one request of wg(8)'s protocol. It is read completely, without echo, and then
 * applied atomically under lwIP's core lock, so that no packet leaks while a request replaces
 * allowed IPs. The answer is printed piece by piece without the lock, because printing waits for
 * the serial line.
 */
#include <string.h>

#include "lwip/netif.h"

#include "wyrm_crypto.h"
#include "wyrm_uapi.h"

#include "commands.h"
#include "conf.h"
#include "console.h"
#include "shell.h"
#include "tunnel.h"

struct transaction {
    char *text; /* the request, followed by scratch space to check it */
    size_t len, size;
    bool begun;
    struct wyrm_uapi uapi;
    enum wyrm_uapi_verdict verdict;
    char piece[WYRM_UAPI_PIECE_MAX + sizeof "errno=-255\n\n"];
    size_t piece_len;
};

/* ---- callbacks of wyrm_uapi, core lock held ---- */

static void write_piece(void *context, const char *text, size_t len)
{
    struct transaction *t = context;

    if (len >= sizeof t->piece - t->piece_len)
        return; /* cannot happen: a test covers WYRM_UAPI_PIECE_MAX */
    memcpy(t->piece + t->piece_len, text, len);
    t->piece_len += len;
    t->piece[t->piece_len] = '\0';
}

static int set_listen_port(void *unused, uint16_t port)
{
    (void)unused;
    switch (wyrm_lwip_set_port_locked(tunnel_lwip(), port)) {
    case ERR_OK:
        return WYRM_UAPI_OK;
    case ERR_USE:
        return WYRM_UAPI_IN_USE;
    default:
        return WYRM_UAPI_IO;
    }
}

static uint32_t find_zone(void *unused, const char *name, size_t len)
{
    char text[NETIF_NAMESIZE] = {0};
    struct netif *netif;

    (void)unused;
    if (len >= sizeof text)
        return 0;
    memcpy(text, name, len);
    netif = netif_find(text);
    return netif ? netif_get_index(netif) : 0;
}

static wyrm_ms get_now(void *unused)
{
    (void)unused;
    return wyrm_lwip_now_locked(tunnel_lwip());
}

/* Handles the request, or continues its answer. */
static wyrm_status advance(struct wyrm_lwip *lwip, void *argument)
{
    struct transaction *t = argument;
    const uint16_t port = wyrm_lwip_port(lwip);
    struct wyrm_uapi_host host = {.dev = port ? wyrm_lwip_device(lwip) : NULL,
                                  .ctx = t,
                                  .write = write_piece,
                                  .set_listen_port = set_listen_port,
                                  .find_zone = find_zone,
                                  .now = get_now,
                                  .listen_port = port,
                                  .own_key = conf_private_key(),
                                  .scratch = t->text + t->len,
                                  .scratch_size = t->size - t->len};

    t->piece_len = 0;
    t->piece[0] = '\0';
    t->verdict = t->begun ? wyrm_uapi_more(&t->uapi, &host)
                          : wyrm_uapi_request(&t->uapi, &host, t->text, t->len);
    t->begun = true;
    if (host.dev)
        tunnel_peers_changed();
    return WYRM_IDLE;
}

/* ---- the command ---- */

/* Reads lines without echo up to an empty one. Reads a line or request that is too long to its end
 * too; otherwise the console would echo the rest and run it. Replaces such a line by an invalid
 * one, and rejects such a request. */
static bool read_request(char *text, size_t size, size_t *out)
{
    bool fits = true;
    size_t len = 0;

    for (;;) {
        char line[WYRM_UAPI_LINE_MAX + 1];
        int got = console_read_hidden(line, sizeof line);
        size_t used = got >= 0 ? (size_t)got : 1;

        if (got == CONSOLE_HIDDEN_TOO_LONG)
            line[0] = '=';
        fits = fits && used + 1 <= size - len;
        if (fits) {
            memcpy(text + len, line, used);
            len += used;
            text[len++] = '\n';
        }
        wyrm_wipe(line, sizeof line);
        if (got == CONSOLE_HIDDEN_GIVEN_UP || got == CONSOLE_HIDDEN_END)
            return shell_error("cancelled; nothing has changed");
        if (got == 0)
            break;
    }
    *out = len;
    return fits ||
           shell_error("the request is longer than %u bytes; nothing has changed", (unsigned)size);
}

static bool answer(struct transaction *t)
{
    do {
        (void)wyrm_lwip_call(tunnel_lwip(), advance, t);
        console_print(t->piece);
    } while (t->verdict == WYRM_UAPI_AGAIN);
    return t->verdict == WYRM_UAPI_DONE ||
           shell_error("a request must start with get=1 or set=1; nothing has changed");
}

bool command_uapi(int argc, char **argv)
{
    struct transaction t = {.verdict = WYRM_UAPI_CLOSE};
    bool good;

    (void)argv;
    if (argc != 1)
        return shell_usage();
    t.text = conf_scratch(&t.size);
    console_printf("Type a request (it is not shown), then an empty line.\n");
    console_flush();
    good = read_request(t.text, t.size, &t.len) && answer(&t);
    wyrm_wipe(t.text, t.size);
    return good;
}

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * libFuzzer target: the configuration protocol reads any text. A rejected request must change
 * nothing. The state that the device then reports, set on another device in one request, must be
 * reported equally.
 */
#include "node.h"
#include "wyrm_uapi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ANSWER_MAX 65536

struct side {
    struct node node;
    struct node blank; /* as it was when it was made: making one anew costs a curve */
    struct wyrm_uapi uapi;
    struct wyrm_uapi_host host;
    size_t len;
    char answer[ANSWER_MAX];
};

static struct side first, second;
static uint8_t scratch[8192];

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz_uapi: violated: %s\n", what);
    abort();
}

/* Only the end of the output is used: the answer to the last `get`. */
static void take_answer(void *ctx, const char *text, size_t len)
{
    struct side *side = ctx;

    if (len >= sizeof(side->answer) - side->len)
        side->len = 0;
    memcpy(side->answer + side->len, text, len);
    side->len += len;
    side->answer[side->len] = '\0';
}

static int set_port(void *ctx, uint16_t port)
{
    if (port == 1) /* let it be taken */
        return WYRM_UAPI_INVALID;
    ((struct side *)ctx)->host.listen_port = port;
    return WYRM_UAPI_OK;
}

static int set_mark(void *ctx, uint32_t mark)
{
    ((struct side *)ctx)->host.fwmark = mark;
    return WYRM_UAPI_OK;
}

static wyrm_ms get_now(void *ctx)
{
    (void)ctx;
    return 5000;
}

static void begin(struct side *side)
{
    if (side->host.dev == NULL) {
        node_boot(&side->node, 0, 1);
        (void)wyrm_set_private_key(&side->node.dev, NULL);
        side->blank = side->node;
    }
    side->node = side->blank; /* its pointers into itself stay right */
    side->uapi = (struct wyrm_uapi){0};
    side->len = 0;
    side->host = (struct wyrm_uapi_host){.dev = &side->node.dev,
                                         .ctx = side,
                                         .write = take_answer,
                                         .set_listen_port = set_port,
                                         .set_fwmark = set_mark,
                                         .now = get_now,
                                         .show_secrets = true,
                                         .scratch = scratch,
                                         .scratch_size = sizeof(scratch)};
}

/* False: the connection would have been closed. */
static bool give(struct side *side, const char *text, size_t len)
{
    char *exact = malloc(len > 0 ? len : 1); /* so that reading beyond is noticed */
    enum wyrm_uapi_verdict verdict;

    if (exact == NULL)
        abort();
    memcpy(exact, text, len);
    verdict = wyrm_uapi_request(&side->uapi, &side->host, exact, len);
    free(exact);
    while (verdict == WYRM_UAPI_AGAIN)
        verdict = wyrm_uapi_more(&side->uapi, &side->host);
    return verdict != WYRM_UAPI_CLOSE;
}

static bool has_answered(const struct side *side, const char *end)
{
    size_t len = strlen(end);

    return side->len >= len && strcmp(side->answer + side->len - len, end) == 0;
}

static void tell(struct side *side)
{
    side->len = 0;
    (void)give(side, "get=1\n\n", 7);
    require(has_answered(side, "errno=0\n\n"), "what is asked for is told");
}

static bool is_setting(const char *line)
{
    static const char *const facts[] = {"last_handshake", "tx_bytes", "rx_bytes", "errno"};

    for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
        if (strncmp(line, facts[i], strlen(facts[i])) == 0)
            return false;
    return *line != '\n';
}

static void set_again(void)
{
    static char request[ANSWER_MAX + 8];
    size_t len = (size_t)sprintf(request, "set=1\n");

    for (const char *line = first.answer, *end; *line != '\0'; line = end + 1) {
        end = strchr(line, '\n');
        if (!is_setting(line))
            continue;
        memcpy(request + len, line, (size_t)(end + 1 - line));
        len += (size_t)(end + 1 - line);
    }
    require(give(&second, request, len), "a request is taken");
    require(has_answered(&second, "errno=0\n\n"), "what is told can be set");
}

/* Gives one request, up to an empty line or the end. */
static bool give_next(const char **text, const char *beyond)
{
    const char *end = *text;
    uint64_t before = node_hash(&first.node);
    bool open;

    while (end < beyond && *end != '\n') { /* over all lines that are not empty */
        end = memchr(end, '\n', (size_t)(beyond - end));
        end = end != NULL ? end + 1 : beyond;
    }
    end += end < beyond;
    first.len = 0;
    open = give(&first, *text, (size_t)(end - *text));
    if (!has_answered(&first, "errno=0\n\n"))
        require(node_hash(&first.node) == before, "a request that is refused changes nothing");
    *text = end;
    return open;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data, *beyond = text + size;
    bool open = true;

    begin(&first);
    while (open && text < beyond)
        open = give_next(&text, beyond);
    tell(&first);
    begin(&second);
    set_again();
    tell(&second);
    require(strcmp(first.answer, second.answer) == 0, "the same is told again");
    return 0;
}

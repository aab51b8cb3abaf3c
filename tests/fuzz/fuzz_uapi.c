/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * libFuzzer target: the configuration protocol takes any lines. Whatever they did, the device then
 * tells a state that another device, given it line by line, tells again.
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz_uapi: violated: %s\n", what);
    abort();
}

/* Only the end of what is told is of interest: the answer to the last `get`. */
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
                                         .epoch_ms = UINT64_C(1700000000000),
                                         .show_secrets = true};
}

/* False: the connection would have been closed. */
static bool give(struct side *side, const char *text, size_t len)
{
    char *exact = malloc(len > 0 ? len : 1); /* so that reading beyond is noticed */
    enum wyrm_uapi_verdict verdict;

    if (exact == NULL)
        abort();
    memcpy(exact, text, len);
    verdict = wyrm_uapi_line(&side->uapi, &side->host, exact, len);
    while (verdict == WYRM_UAPI_AGAIN)
        verdict = wyrm_uapi_line(&side->uapi, &side->host, exact, 0);
    free(exact);
    return verdict != WYRM_UAPI_CLOSE;
}

static void tell(struct side *side)
{
    memset(&side->uapi, 0, sizeof(side->uapi));
    side->len = 0;
    (void)give(side, "get=1", 5);
    (void)give(side, "", 0);
    require(side->len >= 9 && strcmp(side->answer + side->len - 9, "errno=0\n\n") == 0,
            "what is asked for is told");
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
    (void)give(&second, "set=1", 5);
    for (const char *line = first.answer, *end; *line != '\0'; line = end + 1) {
        end = strchr(line, '\n');
        if (is_setting(line))
            require(give(&second, line, (size_t)(end - line)), "a line is taken");
        require(second.uapi.error == WYRM_UAPI_OK, "what is told can be set");
    }
    (void)give(&second, "", 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *line = (const char *)data, *beyond = line + size, *end;
    bool open = true;

    begin(&first);
    for (; open && line < beyond; line = end + 1) {
        end = memchr(line, '\n', (size_t)(beyond - line));
        end = end != NULL ? end : beyond;
        open = give(&first, line, (size_t)(end - line));
    }
    tell(&first);
    begin(&second);
    set_again();
    tell(&second);
    require(strcmp(first.answer, second.answer) == 0, "the same is told again");
    return 0;
}

/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * libFuzzer target: the wg-quick parser reads any bytes. The first byte selects the features of the
 * port. A rejected text leaves nothing behind; an accepted one is printed, and the output, except
 * for hidden secrets, must parse to the same output.
 */
#include "wyrm_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PEERS     4
#define PREFIXES  16
#define PRINT_MAX 8192

WYRM_CONF_DEFINE(conf, PEERS, PREFIXES);
WYRM_CONF_DEFINE(again, PEERS, PREFIXES);

struct print {
    char text[PRINT_MAX];
    size_t len;
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz_conf: violated: %s\n", what);
    abort();
}

static void take_piece(void *ctx, const char *text, size_t len)
{
    struct print *print = ctx;

    require(len < sizeof(print->text) - print->len, "a configuration prints within bounds");
    memcpy(print->text + print->len, text, len);
    print->len += len;
    print->text[print->len] = '\0';
}

static void take_note(void *ctx, const char *sentence)
{
    (void)ctx;
    require(strlen(sentence) + 1 < WYRM_CONF_ERROR_MAX, "a note fits its buffer");
}

static bool is_zero(const void *memory, size_t len)
{
    const uint8_t *bytes = memory;

    while (len > 0 && bytes[len - 1] == 0)
        len--;
    return len == 0;
}

/* Removes the lines that stand for a secret. */
static void drop_hidden(struct print *print)
{
    char *hidden;

    while ((hidden = strstr(print->text, " = (hidden)\n")) != NULL) {
        char *next = strchr(hidden, '\n') + 1;
        while (hidden > print->text && hidden[-1] != '\n')
            hidden--;
        memmove(hidden, next, strlen(next) + 1);
    }
    print->len = strlen(print->text);
}

static void check_round_trip(void)
{
    static struct print first, second;
    char error[WYRM_CONF_ERROR_MAX];

    first.len = 0;
    wyrm_conf_print(&conf, take_piece, &first);
    drop_hidden(&first);
    again.features = conf.features | WYRM_CONF_OWN_KEY;
    again.note = take_note;
    require(wyrm_conf_parse(&again, first.text, first.len, error, sizeof(error)) == WYRM_IDLE,
            "a printed configuration reads back");
    second.len = 0;
    wyrm_conf_print(&again, take_piece, &second);
    require(strcmp(first.text, second.text) == 0, "it prints the same again");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char error[WYRM_CONF_ERROR_MAX];

    if (size == 0)
        return 0;
    conf.features = data[0];
    conf.note = take_note;
    wyrm_status status =
        wyrm_conf_parse(&conf, (const char *)data + 1, size - 1, error, sizeof(error));
    require((status == WYRM_IDLE) == (error[0] == '\0'), "there is a sentence for each refusal");
    require(strlen(error) + 1 < sizeof(error), "a sentence fits its buffer");
    if (status == WYRM_IDLE) {
        check_round_trip();
        return 0;
    }
    require(is_zero(conf.peers, PEERS * sizeof(*conf.peers)) &&
                is_zero(conf.prefixes, PREFIXES * sizeof(*conf.prefixes)) &&
                is_zero(conf.priv, sizeof(conf.priv)) && !conf.has_private_key,
            "a refused configuration leaves nothing behind");
    return 0;
}

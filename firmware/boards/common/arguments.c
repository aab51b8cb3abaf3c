/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Start-up arguments and entropy of an emulated board, both supplied by the host.
 */
#include "arguments.h"

#include <string.h>

#include "board_api.h"
#include "host.h"

/* Split into terminated words. */
static char arguments[256];
static size_t arguments_len;

void arguments_load(void)
{
    if (!host_arguments(arguments, sizeof arguments))
        return;
    arguments[sizeof arguments - 1] = '\0';
    arguments_len = strlen(arguments);
    for (size_t i = 0; i < arguments_len; i++)
        if (arguments[i] == ' ')
            arguments[i] = '\0';
}

const char *board_argument(const char *name)
{
    size_t len = strlen(name);

    for (const char *word = arguments; word < arguments + arguments_len; word += strlen(word) + 1) {
        if (strncmp(word, name, len) != 0)
            continue;
        if (word[len] == '=')
            return word + len + 1;
        if (word[len] == '\0')
            return word + len;
    }
    return NULL;
}

/* entropy=none simulates a failed random number generator. */
bool board_random(void *out, size_t len)
{
    const char *entropy = board_argument("entropy");

    if (!(entropy && strcmp(entropy, "none") == 0) && host_read_file("/dev/urandom", out, len))
        return true;
    memset(out, 0, len);
    return false;
}

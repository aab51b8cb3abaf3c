/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * Initialisation, start-up arguments and entropy. Arguments and entropy come from the emulator by
 * semihosting; real hardware has a random number generator instead.
 */
#include "board_api.h"

#include <string.h>

#include "board.h"
#include "cortexm.h"
#include "mps2_private.h"
#include "semihost.h"

/* The command line, split into terminated words. */
static char arguments[256];
static size_t arguments_len;

static void load_arguments(void)
{
    if (!semihost_command_line(arguments, sizeof arguments))
        return;
    arguments[sizeof arguments - 1] = '\0';
    arguments_len = strlen(arguments);
    for (size_t i = 0; i < arguments_len; i++) {
        if (arguments[i] == ' ')
            arguments[i] = '\0';
    }
}

void board_init(void)
{
    protect_memory();
    uart_start();
    semihost_init();
    load_arguments();
    flash_start();
}

void board_idle(void)
{
    wait_for_interrupt();
}

const char *board_name(void)
{
    return BOARD_NAME;
}

const char *board_description(void)
{
    return BOARD_DESCRIPTION;
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

    if (!(entropy && strcmp(entropy, "none") == 0) && semihost_read_file("/dev/urandom", out, len))
        return true;
    memset(out, 0, len);
    return false;
}

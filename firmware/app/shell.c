/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 */
#include "shell.h"

#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include "board_api.h"
#include "console.h"
#include "text.h"

#define WORDS_MAX 16

static struct {
    const struct command *list;
    size_t count;
    const struct command *running;
} commands;

static const struct command *find(const char *name)
{
    for (size_t i = 0; i < commands.count; i++)
        if (strcmp(commands.list[i].name, name) == 0)
            return &commands.list[i];
    return NULL;
}

bool shell_error(const char *format, ...)
{
    char text[CONSOLE_LINE_MAX - 16];
    va_list args;

    va_start(args, format);
    (void)text_vformat(text, sizeof text, format, args);
    va_end(args);
    console_printf("error: %s\n", text);
    return false;
}

/* Between the name of a command and its arguments, if it has any. */
static const char *gap(const struct command *command)
{
    return command->arguments[0] ? " " : "";
}

bool shell_usage(void)
{
    const struct command *command = commands.running;

    return shell_error("usage: %s%s%s", command->name, gap(command), command->arguments);
}

static bool unknown(const char *name)
{
    return shell_error("unknown command '%s'; try 'help'", name);
}

bool shell_help(int argc, char **argv)
{
    if (argc > 2)
        return shell_usage();
    if (argc == 2) {
        const struct command *command = find(argv[1]);

        if (!command)
            return unknown(argv[1]);
        console_printf("%s%s%s\n", command->name, gap(command), command->arguments);
        console_printf("  %s\n", command->summary);
        if (command->detail)
            console_print(command->detail);
        return true;
    }
    for (size_t i = 0; i < commands.count; i++)
        console_printf("  %-8s  %s\n", commands.list[i].name, commands.list[i].summary);
    return true;
}

/* Returns the number of words; stores at most WORDS_MAX of them. */
static int split(char *line, char **words)
{
    int count = 0;

    for (char *p = line;; count++) {
        while (*p == ' ')
            *p++ = '\0';
        if (*p == '\0')
            return count;
        if (count < WORDS_MAX)
            words[count] = p;
        while (*p && *p != ' ')
            p++;
    }
}

static void run_line(char *line)
{
    char *words[WORDS_MAX];
    int count = split(line, words);

    if (count == 0)
        return;
    if (count > WORDS_MAX) {
        (void)shell_error("the line has more than %d words and was not executed", WORDS_MAX);
        return;
    }
    commands.running = find(words[0]);
    if (!commands.running) {
        (void)unknown(words[0]);
        return;
    }
    (void)commands.running->run(count, words);
    console_flush();
}

/* A line that is not complete is not executed: it could be a different, harmful command. */
static void refuse_line(enum console_line why)
{
    switch (why) {
    case CONSOLE_TOO_LONG:
        (void)shell_error("the line is longer than %d characters and was not executed",
                          CONSOLE_LINE_MAX - 1);
        break;
    case CONSOLE_NOT_TEXT:
        (void)shell_error("the line has a tab or another character that is not printable ASCII, "
                          "and was not executed");
        break;
    case CONSOLE_HEADLESS:
        (void)shell_error("the beginning of this line was dropped, so it was not executed");
        break;
    default:
        break; /* cancelled by the user */
    }
}

void shell_run(const struct command *list, size_t count)
{
    static char line[CONSOLE_LINE_MAX];

    commands.list = list;
    commands.count = count;
    for (;;) {
        enum console_line got = console_read_line("wyrm> ", line);

        board_console_clear_interrupt();
        if (got != CONSOLE_WHOLE) {
            refuse_line(got);
            continue;
        }
        if (line[0])
            console_remember(line);
        run_line(line);
    }
}

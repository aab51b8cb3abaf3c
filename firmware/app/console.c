/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 */
#include "console.h"

#include <stdarg.h>
#include <string.h>

#include "FreeRTOS.h"
#include "queue.h"
#include "task.h"

#include "board_api.h"
#include "text.h"

#define NOTICES 24
#define HISTORY 8

enum key {
    KEY_CTRL_A = 0x01,
    KEY_CTRL_C = 0x03,
    KEY_CTRL_D = 0x04,
    KEY_CTRL_E = 0x05,
    KEY_BACKSPACE = 0x08,
    KEY_TAB = 0x09,
    KEY_CTRL_U = 0x15,
    KEY_ESCAPE = 0x1b,
    KEY_DELETE = 0x7f,
    KEY_UP = 0x100,
    KEY_DOWN,
    KEY_RIGHT,
    KEY_LEFT,
    KEY_HOME,
    KEY_END,
    KEY_OTHER,
};

struct editor {
    const char *prompt;
    char *line;
    size_t len, cursor;
    unsigned recalled; /* 0: the new line, 1: the last one, ... */
    bool shown;
    bool cut;      /* more was typed than fits */
    bool headless; /* its beginning was dropped before being read */
};

static TaskHandle_t owner;
static QueueHandle_t notices;
static uint32_t notices_lost;
static bool plain;
static struct editor editor;
static char history[HISTORY][CONSOLE_LINE_MAX];
static unsigned history_count;
static bool text_ended; /* Ctrl-D ended a hidden line: the text ends with it */

void console_start(bool plain_terminal)
{
    static StaticQueue_t queue;
    static uint8_t storage[NOTICES * CONSOLE_NOTICE_MAX];

    plain = plain_terminal;
    owner = xTaskGetCurrentTaskHandle();
    notices = xQueueCreateStatic(NOTICES, CONSOLE_NOTICE_MAX, storage, &queue);
    board_console_set_listener(owner);
}

/* ---- output ---- */

void console_print(const char *text)
{
    for (const char *end; (end = strchr(text, '\n')) != NULL; text = end + 1) {
        board_console_write(text, (size_t)(end - text));
        board_console_write("\r\n", 2);
    }
    board_console_write(text, strlen(text));
}

void console_printf(const char *format, ...)
{
    char text[CONSOLE_LINE_MAX];
    va_list args;

    va_start(args, format);
    (void)text_vformat(text, sizeof text, format, args);
    va_end(args);
    console_print(text);
}

void console_notice(const char *format, ...)
{
    char text[CONSOLE_NOTICE_MAX];
    va_list args;

    va_start(args, format);
    (void)text_vformat(text, sizeof text, format, args);
    va_end(args);
    if (xQueueSend(notices, text, 0) != pdTRUE)
        notices_lost++;
    console_wake();
}

uint32_t console_notices_lost(void)
{
    return notices_lost;
}

void console_wake(void)
{
    if (owner)
        (void)xTaskNotifyGive(owner);
}

static bool is_printable(char c)
{
    return c >= ' ' && c < KEY_DELETE;
}

/* A character that must not be sent to the terminal is shown in one column, so it can be erased. */
static void echo(char c)
{
    board_console_write(is_printable(c) ? &c : "?", 1);
}

static void print_line(void)
{
    console_print(editor.prompt);
    for (size_t i = 0; i < editor.len; i++)
        echo(editor.line[i]);
}

static void redraw(void)
{
    console_print(plain ? "\n" : "\r\x1b[K");
    print_line();
    for (size_t i = editor.cursor; i < editor.len; i++)
        console_print("\b");
}

void console_flush(void)
{
    char text[CONSOLE_NOTICE_MAX];
    bool any = false;

    while (xQueueReceive(notices, text, 0) == pdTRUE) {
        if (editor.shown && !any)
            console_print(plain ? "\n" : "\r\x1b[K");
        console_print(text);
        console_print("\n");
        any = true;
    }
    if (!any || !editor.shown)
        return;
    if (plain)
        print_line();
    else
        redraw();
}

/* A running command must notice Ctrl-C, whatever was typed before it. */
bool console_wait(uint32_t ms)
{
    board_console_hold_sender(false);
    console_flush();
    if (!board_console_interrupted())
        (void)ulTaskNotifyTake(pdTRUE, pdMS_TO_TICKS(ms));
    console_flush();
    return !board_console_interrupted();
}

/* ---- input ---- */

static int read_byte(void)
{
    int byte;

    board_console_hold_sender(true);
    while ((byte = board_console_read()) < 0) {
        (void)ulTaskNotifyTake(pdTRUE, portMAX_DELAY);
        console_flush();
    }
    return byte;
}

/* Handles the arrow, Home and End keys; ignores other escape sequences, but never Ctrl-C. */
static int read_key(void)
{
    int byte = read_byte();

    if (byte != KEY_ESCAPE)
        return byte;
    byte = read_byte();
    if (byte != '[' && byte != 'O')
        return byte == KEY_CTRL_C ? byte : KEY_OTHER;
    do {
        byte = read_byte();
    } while ((byte >= '0' && byte <= '9') || byte == ';');

    switch (byte) {
    case KEY_CTRL_C:
        return KEY_CTRL_C;
    case 'A':
        return KEY_UP;
    case 'B':
        return KEY_DOWN;
    case 'C':
        return KEY_RIGHT;
    case 'D':
        return KEY_LEFT;
    case 'H':
        return KEY_HOME;
    case 'F':
        return KEY_END;
    default:
        return KEY_OTHER;
    }
}

static void insert(char c)
{
    if (editor.len + 1 >= CONSOLE_LINE_MAX) {
        editor.cut = true;
        return;
    }
    memmove(&editor.line[editor.cursor + 1], &editor.line[editor.cursor],
            editor.len - editor.cursor + 1);
    editor.line[editor.cursor++] = c;
    editor.len++;
    if (editor.cursor == editor.len)
        echo(c);
    else
        redraw();
}

static void erase_left(void)
{
    if (editor.cursor == 0)
        return;
    editor.cursor--;
    memmove(&editor.line[editor.cursor], &editor.line[editor.cursor + 1],
            editor.len - editor.cursor);
    editor.len--;
    if (editor.cursor == editor.len)
        console_print("\b \b");
    else
        redraw();
}

static void replace_line(const char *text)
{
    size_t len = strlen(text);

    memcpy(editor.line, text, len + 1);
    editor.len = editor.cursor = len;
    editor.cut = editor.headless = false;
    redraw();
}

static void recall(unsigned which)
{
    unsigned kept = history_count < HISTORY ? history_count : HISTORY;

    if (which > kept)
        return;
    editor.recalled = which;
    replace_line(which == 0 ? "" : history[(history_count - which) % HISTORY]);
}

static void move(size_t cursor)
{
    if (plain || cursor > editor.len)
        return;
    editor.cursor = cursor;
    redraw();
}

static void edit(int key)
{
    switch (key) {
    case KEY_BACKSPACE:
    case KEY_DELETE:
        erase_left();
        break;
    case KEY_CTRL_U:
        replace_line("");
        break;
    case KEY_UP:
        recall(editor.recalled + 1);
        break;
    case KEY_DOWN:
        if (editor.recalled > 0)
            recall(editor.recalled - 1);
        break;
    case KEY_RIGHT:
        move(editor.cursor + 1);
        break;
    case KEY_LEFT:
        move(editor.cursor - 1); /* from 0 it wraps to a value beyond the end, which is rejected */
        break;
    case KEY_HOME:
    case KEY_CTRL_A:
        move(0);
        break;
    case KEY_END:
    case KEY_CTRL_E:
        move(editor.len);
        break;
    default:
        if (key == KEY_TAB || (key >= ' ' && key < KEY_UP))
            insert((char)key);
        break;
    }
}

/* A line ends with CR, LF or both; the LF of a pair is dropped when the next line starts. */
static bool ends_line(int byte)
{
    static bool after_cr;
    bool second_half = byte == '\n' && after_cr;

    after_cr = byte == '\r';
    return (byte == '\r' || byte == '\n') && !second_half;
}

static bool is_text(const char *line)
{
    while (is_printable(*line))
        line++;
    return *line == '\0';
}

static enum console_line verdict(void)
{
    if (editor.headless)
        return CONSOLE_HEADLESS;
    if (editor.cut)
        return CONSOLE_TOO_LONG;
    return is_text(editor.line) ? CONSOLE_WHOLE : CONSOLE_NOT_TEXT;
}

enum console_line console_read_line(const char *prompt, char line[CONSOLE_LINE_MAX])
{
    bool headless;
    uint32_t dropped;

    board_console_hold_sender(true);
    dropped = board_console_dropped(&headless);
    line[0] = '\0';
    text_ended = false;
    console_flush();
    if (dropped)
        console_printf("error: %u characters typed ahead did not fit and were dropped\n",
                       (unsigned)dropped);
    editor = (struct editor){.prompt = prompt, .line = line, .shown = true, .headless = headless};
    console_print(prompt);

    for (;;) {
        int key = read_key();

        if (key == KEY_CTRL_C || ends_line(key)) {
            editor.shown = false;
            console_print(key == KEY_CTRL_C ? "^C\n" : "\n");
            return key == KEY_CTRL_C ? CONSOLE_GIVEN_UP : verdict();
        }
        edit(key);
    }
}

void console_remember(const char *line)
{
    if (history_count && strcmp(history[(history_count - 1) % HISTORY], line) == 0)
        return;
    memcpy(history[history_count % HISTORY], line, strlen(line) + 1);
    history_count++;
}

int console_read_hidden(char *line, size_t cap)
{
    size_t len = 0;

    while (!text_ended) {
        int byte = read_byte();

        if (byte == KEY_CTRL_C)
            return CONSOLE_HIDDEN_GIVEN_UP;
        if (ends_line(byte))
            break;
        if (byte == '\n')
            continue;
        text_ended = byte == KEY_CTRL_D;
        if (text_ended)
            break;
        if (len < cap)
            line[len] = (char)byte;
        len++;
    }
    if (text_ended && len == 0) {
        text_ended = false;
        return CONSOLE_HIDDEN_END;
    }
    if (len >= cap)
        return CONSOLE_HIDDEN_TOO_LONG;
    line[len] = '\0';
    return (int)len;
}

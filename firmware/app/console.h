/* SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The console: one task (the shell's) owns it, prints and reads. Other tasks queue notices, which
 * the owner prints between the user's lines.
 */
#ifndef CONSOLE_H
#define CONSOLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CONSOLE_LINE_MAX   256 /* with its terminator */
#define CONSOLE_NOTICE_MAX 160

/** Makes the calling task the owner. `plain` sends no escape sequences, for programs. */
void console_start(bool plain);

/** Owner only. Line ends are written "\n" and sent as CR LF. */
void console_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Owner only: writes unformatted text of any length. */
void console_print(const char *text);

/** Any task: queues one line, without its line end. Dropped and counted if the queue is full. */
void console_notice(const char *format, ...) __attribute__((format(printf, 1, 2)));
uint32_t console_notices_lost(void);

/** Any task: ends the owner's console_wait() early. */
void console_wake(void);

/**
 * Owner only: prints waiting notices, then sleeps until woken or for ms. False after Ctrl-C:
 * long-running commands call this in a loop and stop then.
 */
bool console_wait(uint32_t ms);

/** Owner only: prints waiting notices. */
void console_flush(void);

/* Result of reading a line. Only a whole line may be used. */
enum console_line {
    CONSOLE_WHOLE,
    CONSOLE_GIVEN_UP, /* by Ctrl-C */
    CONSOLE_TOO_LONG, /* read to its end; the buffer holds its beginning */
    CONSOLE_NOT_TEXT, /* has bytes that are not printable ASCII, a tab for instance */
    CONSOLE_HEADLESS, /* its beginning was dropped: it arrived while nobody was reading */
};

/**
 * Owner only: reads a line with editing (backspace, arrows, Ctrl-A/E/U/C, history). Prints how many
 * characters typed ahead were dropped, if any.
 */
enum console_line console_read_line(const char *prompt, char line[CONSOLE_LINE_MAX]);

/** Remembers a line for the arrow keys. Not called for lines with secrets. */
void console_remember(const char *line);

/* What console_read_hidden() returns instead of a length. */
#define CONSOLE_HIDDEN_GIVEN_UP (-1) /* by Ctrl-C */
#define CONSOLE_HIDDEN_TOO_LONG                                                                    \
    (-2)                        /* the line did not fit; it was read to its end, and dropped       \
                                 */
#define CONSOLE_HIDDEN_END (-3) /* Ctrl-D: the text is complete */

/**
 * Owner only: reads one line as typed, without echo, editing or history, for secrets and pasted
 * text. Returns its length without the line end, or one of the above. Ctrl-D ends the line before
 * it, if there is one, as a line end does; the next call then returns CONSOLE_HIDDEN_END. The
 * caller wipes the buffer.
 */
int console_read_hidden(char *line, size_t cap);

#endif
